import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { wireSchemas } from '../../../src/platform/interface/wire-schemas.ts';
import { compiled, entriesOf } from '../../../src/platform/interface/zod.ts';

function entries(schema: z.ZodType, input: unknown): string[] {
  const result = compiled(schema).safeParse(input);
  return result.success
    ? []
    : entriesOf(result.error.issues, input).map(({ code, field, message }) => `${code} ${field}: ${message}`);
}

const codes = (schema: z.ZodType, input: unknown) =>
  entries(schema, input).map((entry) => entry.split(':')[0]);

describe('problems become entries with their paths', () => {
  const kinds = z.discriminatedUnion('type', [
    z.object({ type: z.literal('person'), first_name: z.string() }),
    z.object({ type: z.literal('company'), company_name: z.string() }),
  ]);
  const schema = z.object({
    type: z.enum(['solar', 'battery']),
    phases: z.literal([1, 3]),
    count: z.int().min(0),
    customer: kinds,
    battery: z.strictObject({ capacity_kwh: z.number() }).optional(),
  });
  const good = { type: 'solar', phases: 3, count: 1, customer: { type: 'person', first_name: 'Jule' } };

  test('a good one has none', () => {
    expect(entries(schema, good)).toEqual([]);
  });

  test('B60 what is missing is invalid_type "Required", in the order of the schema', () => {
    expect(entries(schema, {})).toEqual([
      'invalid_type type: Required',
      'invalid_type phases: Required',
      'invalid_type count: Required',
      'invalid_type customer: Required',
    ]);
    expect(entries(schema, { ...good, customer: {} })).toEqual(['invalid_type customer.type: Required']);
  });

  test('an enum, a choice of numbers and a discriminator with a value not among theirs are invalid_value', () => {
    expect(entries(schema, { ...good, type: 'wind', phases: 2, customer: { type: 'dog' } })).toEqual([
      'invalid_value type: Accepted: solar, battery',
      'invalid_value phases: Accepted: 1, 3',
      'invalid_value customer.type: Accepted: person, company',
    ]);
  });

  test('the same with null or another JSON type are invalid_type', () => {
    expect(codes(schema, { ...good, type: null, phases: '3', customer: { type: 1 } })).toEqual([
      'invalid_type type',
      'invalid_type phases',
      'invalid_type customer.type',
    ]);
  });

  test('B56 each unknown key of a strict object is an entry with the path of the key', () => {
    expect(entries(schema, { ...good, battery: { capacity_kwh: 1, soc: 1, a: 2 }, unknown: 1 })).toEqual([
      'unrecognized_keys battery.soc: Unrecognized key',
      'unrecognized_keys battery.a: Unrecognized key',
    ]);
  });

  test('B47 names of Object.prototype are unknown keys like others', () => {
    const battery = JSON.parse(
      '{"capacity_kwh":1,"constructor":1,"toString":2,"hasOwnProperty":3,"valueOf":4}',
    );
    expect(codes(schema, { ...good, battery })).toEqual([
      'unrecognized_keys battery.constructor',
      'unrecognized_keys battery.toString',
      'unrecognized_keys battery.hasOwnProperty',
      'unrecognized_keys battery.valueOf',
    ]);
  });

  test.each([null, [], 'text', 1, true])(
    'B11 B12 a body that is %j is invalid_type at the whole body',
    (body) => {
      expect(codes(schema, body)).toEqual(['invalid_type ']);
    },
  );

  test.each([
    ['B30', Number.POSITIVE_INFINITY, 'invalid_type count'],
    ['B33', 9007199254740992, 'too_big count'],
    ['B35', '1', 'invalid_type count'],
    ['B36', 'NaN', 'invalid_type count'],
    ['B38', 1.5, 'invalid_type count'],
    ['B38', -1, 'too_small count'],
    ['B40', true, 'invalid_type count'],
    ['B40', [], 'invalid_type count'],
    ['B40', {}, 'invalid_type count'],
    ['B40', null, 'invalid_type count'],
  ])('%s %s in an integer field is %s', (_id, count, entry) => {
    expect(codes(schema, { ...good, count })).toEqual([entry]);
  });

  test('rows ascend, and none is left out', () => {
    const rows = z.object({ rows: z.array(z.object({ n: z.number() })) });
    const input = { rows: Array.from({ length: 10_000 }, () => ({ n: 'x' })) };
    const found = codes(rows, input);
    expect(found).toHaveLength(10_000);
    expect(found[9_999]).toBe('invalid_type rows.9999.n');
  });

  test('a rule of the schema keeps its own code and sentence, also about something absent', () => {
    const rule = z.object({ a: z.string().optional() }).refine((value) => value.a !== undefined, {
      error: 'A is needed',
      path: ['a'],
      params: { code: 'invalid_type' },
    });
    expect(entries(rule, {})).toEqual(['invalid_type a: A is needed']);
  });

  test('a schema that cannot be compiled is found when it is compiled, not when it is slow', () => {
    expect(() => compiled(z.string().refine(async () => true))).toThrow();
  });
});

describe('building blocks', () => {
  const { text, multilineText, name, instant, number } = wireSchemas;

  test.each<[id: string, schema: z.ZodType, value: unknown, expected: string[]]>([
    ['B22', text({ max: 10 }), '\ud800', ['invalid_format ']],
    ['B22', text({ max: 10 }), 'a\udc00b', ['invalid_format ']],
    ['B23', text({ max: 10 }), 'a\0b', ['invalid_format ']],
    ['B24', text({ max: 10 }), 'a\nb', ['invalid_format ']],
    ['B24', text({ max: 10 }), 'a\u007fb', ['invalid_format ']],
    ['B24', text({ max: 10 }), 'a\u202eb', []],
    ['B24', name({ max: 10 }), 'a\u202eb', ['invalid_format ']],
    ['B24', name({ max: 10 }), 'a\u2066b', ['invalid_format ']],
    ['B24', multilineText({ max: 10 }), 'a\t\r\nb', []],
    ['B24', multilineText({ max: 10 }), 'a\u0008b', ['invalid_format ']],
    ['B26', text({ max: 100 }), '😀'.repeat(100), []],
    ['B26', text({ max: 100 }), '😀'.repeat(101), ['too_big ']],
    ['B26', text({ max: 100 }), '👨‍👩‍👧‍👦'.repeat(20), ['too_big ']],
    ['B27', name({ max: 10 }), '   ', ['too_small ']],
    ['B27', name({ max: 10 }), '\u200b\u200d\ufeff', ['too_small ']],
    ['B27', name({ max: 10 }), '\u3164\u2800', ['too_small ']],
    ['B27', name({ max: 10 }), ' Jule ', []],
    ['B27', text({ max: 10 }), '   ', []],
    ['', text({ max: 10 }), '', ['too_small ']],
    ['', name({ max: 10 }), '', ['too_small ']],
    ['B102', instant(), '2026-10-05T08:30:00', ['invalid_format ']],
    ['B105', instant(), '2026-10-05T08:30:00.1234567Z', ['invalid_format ']],
    ['B105', instant(), '2026-10-05T08:30:00.123456Z', []],
    ['', instant(), 5, ['invalid_type ']],
    ['B30', number({ max: 1 }), Number.POSITIVE_INFINITY, ['invalid_type ']],
    ['', number({ min: 0, max: 1 }), 1.1, ['too_big ']],
  ])('%s %s', (_id, schema, value, expected) => {
    expect(codes(schema, value)).toEqual(expected);
  });

  test('text is handed on as sent', () => {
    expect(text({ max: 10 }).parse(' Äpfel ')).toBe(' Äpfel ');
    expect(instant().parse('2026-10-05T10:30:00+02:00')).toBe('2026-10-05T10:30:00+02:00');
  });

  test('B32 minus zero becomes zero', () => {
    expect(Object.is(compiled(number({ max: 1 })).parse(-0), 0)).toBe(true);
  });
});
