import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantMicroseconds } from '../../../src/platform/time/instant.ts';
import {
  NOT_FOUND,
  readInstant,
  readNumber,
  skipSpace,
  startsWith,
  token,
  viewOf,
} from '../../../src/telemetry/snapshots/json-bytes.ts';
import { runs } from '../../setup/tier.ts';

const column = new Float64Array(1);

/** What stands in the column and where reading ended; null where it was given up. */
function numberIn(text: string): { value: number; end: number } | null {
  const end = readNumber(Buffer.from(text, 'latin1'), 0, column, 0);
  return end === NOT_FOUND ? null : { value: column[0] as number, end };
}

function instantIn(text: string): number | null {
  const bytes = Buffer.from(`"${text}"}`, 'latin1');
  const end = readInstant(bytes, viewOf(bytes), 0, column, 0);
  if (end === NOT_FOUND) return null;
  expect(end).toBe(bytes.length - 1);
  return column[0] as number;
}

const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${max}}$`));

describe('a number', () => {
  test('is what Number makes of the same digits, to the last bit', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.oneof(
          fc.constant('0'),
          digits(18).map((text) => text.replace(/^0+(?=.)/, '')),
        ),
        fc.option(digits(25)),
        fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(3))),
        (isNegative, whole, decimals, exponent) => {
          const text = `${isNegative ? '-' : ''}${whole}${decimals === null ? '' : `.${decimals}`}${exponent?.join('') ?? ''}`;
          const read = numberIn(`${text},`);
          if (text.length >= 40) return;
          expect(read, text).toEqual({ value: JSON.parse(text) + 0, end: text.length });
        },
      ),
      { numRuns: runs(5_000) },
    );
  });

  test('is what Number makes of every double that JavaScript writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(numberIn(`${JSON.stringify(value)}}`)?.value).toBe(value + 0);
      }),
      { numRuns: runs(5_000) },
    );
  });

  test('-0 is 0', () => expect(numberIn('-0.0,')?.value).toBe(0));

  test.each(['', '-', '.5', '01', '-01', '1.', '1.e5', '1e', '1e+', '+1', 'NaN', 'Infinity', '0x1', '1_0'])(
    '%j is left to JSON.parse, or ends where JSON goes on in another way',
    (text) => {
      const read = numberIn(`${text},`);
      if (read !== null) expect(`${text},`[read.end]).not.toBe(',');
    },
  );
});

describe('an instant', () => {
  const part = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));

  test('is what the parser of texts makes of it, and so is what is none', () => {
    let good = 0;
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9_999 }).map((year) => String(year).padStart(4, '0')),
        part(13),
        part(32),
        fc.tuple(part(24), part(60), part(60)),
        fc.option(digits(7)),
        fc.constantFrom('Z', '+02:00', '-11:30', '+24:00', '', 'z', '+0200', ' Z', 'Zx'),
        fc.constantFrom('T', 'T', 'T', 't', ' '),
        (year, month, day, time, fraction, zone, letter) => {
          const text = `${year}-${month}-${day}${letter}${time.join(':')}${fraction === null ? '' : `.${fraction}`}${zone}`;
          const expected = instantMicroseconds(text);
          const read = instantIn(text);
          if (read !== null) expect(read, text).toBe(expected);
          else expect(expected, text).toBeNaN();
          if (!Number.isNaN(expected)) good += 1;
        },
      ),
      { numRuns: runs(5_000) },
    );
    expect(good).toBeGreaterThan(runs(125));
  });

  test.each([
    '2026-05-01T00:00:00Z',
    '2026-05-01T23:59:59.999999Z',
    '2026-05-01T02:00:00.5+02:00',
    '1999-12-31T23:59:59Z',
    '2024-02-29T12:00:00.000Z',
  ])('%s is read', (text) => expect(instantIn(text)).toBe(instantMicroseconds(text)));

  test('the day that was read last does not stand in for another one', () => {
    for (const day of ['2026-05-01', '2026-05-02', '2026-05-01', '2025-05-01']) {
      expect(instantIn(`${day}T06:00:00Z`)).toBe(instantMicroseconds(`${day}T06:00:00Z`));
    }
    expect(instantIn('2026-02-30T06:00:00Z')).toBeNull();
    expect(instantIn('2026-05-01T06:00:00Z')).toBe(instantMicroseconds('2026-05-01T06:00:00Z'));
  });

  test('what never ends is not searched for its end', () => {
    const bytes = Buffer.from(`"2026-05-01T00:00:00${'x'.repeat(100)}`);
    expect(readInstant(bytes, viewOf(bytes), 0, column, 0)).toBe(NOT_FOUND);
  });
});

describe('texts', () => {
  test('are found where they stand and nowhere else, also at the end', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[ab]{4,12}$/),
        fc.stringMatching(/^[ab]{0,60}$/),
        fc.nat(60),
        (text, hay, at) => {
          const bytes = Buffer.from(hay);
          expect(startsWith(viewOf(bytes), bytes.length, at, token(text))).toBe(
            hay.startsWith(text, at) && at <= hay.length,
          );
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  test('only the four characters of JSON are white space', () => {
    const bytes = Buffer.from(' \t\r\n\f1');
    expect(skipSpace(bytes, 0)).toBe(4);
    expect(skipSpace(Buffer.from('  '), 0)).toBe(2);
  });
});
