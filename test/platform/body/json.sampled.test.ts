import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/platform/body/json.ts';
import { Failure } from '../../../src/platform/errors.ts';
import { fastestMilliseconds, processorMilliseconds } from '../../setup/fastest.ts';
import { sampled } from '../../setup/tier.ts';

function refusal(body: string | Buffer): Failure {
  try {
    parseJson(Buffer.from(body as string));
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`was accepted: ${String(body).slice(0, 60)}`);
}

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

describe('text that is not JSON is refused as a whole, with status 400 and the place', () => {
  test.each<[id: string, what: string, body: string | Buffer]>([
    ['B02', 'white space only', ' \n\t '],
    ['B03', 'cut off inside a string', '{"household": "dom_'],
    ['B03', 'cut off inside an array', '[1, 2'],
    ['B03', 'cut off after a comma', '[1,'],
    ['B04', 'unclosed object', '{"a": 1'],
    ['B04', 'unclosed array in an object', '{"a": [}'],
    ['B05', 'trailing comma in an object', '{"a": 1,}'],
    ['B05', 'trailing comma in an array', '[1,]'],
    ['B05', 'two commas', '[1,,2]'],
    ['B05', 'leading comma', '[,1]'],
    ['B06', 'text after the document', '{} x'],
    ['B06', 'two documents', '{}{}'],
    ['B06', 'one bracket too many', '[1]]'],
    ['B07', 'block comment', '{"a": /* b */ 1}'],
    ['B07', 'line comment', '{"a": 1} // c'],
    ['B08', 'single quotes', "{'a': 1}"],
    ['B08', 'unquoted key', '{a: 1}'],
    ['B08', 'number as a key', '{1: 1}'],
    ['B09', 'raw newline in a string', '{"a": "b\nc"}'],
    ['B09', 'raw tab in a string', '{"a": "b\tc"}'],
    ['B09', 'raw NUL in a string', '{"a": "b\0c"}'],
    ['B10', 'escape \\x41', String.raw`{"a": "\x41"}`],
    ['B10', 'escape \\u12', String.raw`{"a": "\u12"}`],
    ['B10', 'escape \\u{41}', String.raw`{"a": "\u{41}"}`],
    ['B10', 'backslash before the end', '{"a": "\\"}'],
    ['B13', 'single words', 'tru'],
    ['B13', 'upper-case words', 'TRUE'],
    ['B13', 'undefined', '[undefined]'],
    ['B13', 'a colon instead of a comma', '["a": 1]'],
    ['B13', 'a comma instead of a colon', '{"a", 1}'],
    ['B13', 'missing colon', '{"a" 1}'],
    ['B13', 'missing value', '{"a":}'],
    ['B13', 'missing key', '{:1}'],
    ['B13', 'object closed as array', '{"a": 1]'],
    ['B13', 'form feed as white space', '[\f1]'],
    ['B13', 'no-break space as white space', '[\u00a01]'],
    ['B13', 'word joiner as white space', '[\u20601]'],
    ['B13', 'a lone minus', '[-]'],
    ['B13', 'minus and a letter', '[-a]'],
    ['B13', 'two minus signs', '[--1]'],
    ['B13', 'full-width digit', '[１]'],
    ['B13', 'a star', '*'],
    ['B29', 'NaN', '[NaN]'],
    ['B29', 'Infinity', '[Infinity]'],
    ['B29', '-Infinity', '[-Infinity]'],
    ['B34', '01', '[01]'],
    ['B34', '-01', '[-01]'],
    ['B34', '.5', '[.5]'],
    ['B34', '1.', '[1.]'],
    ['B34', '+1', '[+1]'],
    ['B34', '0x1', '[0x1]'],
    ['B34', '1_000', '[1_000]'],
    ['B34', '1e', '[1e]'],
    ['B34', '1e+', '[1e+]'],
    ['B34', '1.e5', '[1.e5]'],
    ['B16', 'byte order mark', bytes([0xef, 0xbb, 0xbf], '{}')],
    ['B17', 'UTF-16 little endian', Buffer.from('{"a": 1}', 'utf16le')],
    ['B17', 'UTF-16 with its mark', bytes([0xff, 0xfe], '{}')],
    ['B18', 'byte FF in a string', bytes('{"a": "', [0xff], '"}')],
    ['B19', 'overlong C0 AF', bytes('{"a": "', [0xc0, 0xaf], '"}')],
    ['B19', 'overlong E0 80 AF', bytes('{"a": "', [0xe0, 0x80, 0xaf], '"}')],
    ['B20', 'surrogate ED A0 80', bytes('{"a": "', [0xed, 0xa0, 0x80], '"}')],
    ['B20', 'beyond U+10FFFF', bytes('{"a": "', [0xf4, 0x90, 0x80, 0x80], '"}')],
    ['B21', 'cut multi-byte character', bytes('{"a": "', [0xe2, 0x82], '"}')],
    ['B21', 'lone continuation byte', bytes('{"a": "', [0x80], '"}')],
  ])('%s %s', (_id, _what, body) => {
    const failure = refusal(body);
    expect(failure).toMatchObject({ code: 'BAD_REQUEST', status: 400 });
    expect(failure.entries).toEqual([{ code: 'custom', field: '', message: expect.any(String) }]);
  });

  test.each([
    ['{"iban": "DE89370400440532013000", "x": oops}', /: Not valid JSON: Unexpected token 'o'$/],
    ['{"iban": "DE89370400440532013000",}', /at position 34 \(line 1 column 35\)$/],
    ['{"iban": "DE89370400440532013000"', /at position 33/],
    ['["DE89370400440532013000" 2]', /: Expected ',' or ']' after array element: at position 26 /],
    ['', /: Unexpected end of JSON$/],
    [
      '{"iban": "DE89370400440532013000"} 1',
      /: Unexpected non-whitespace character after JSON: at position 35 /,
    ],
    ['"DE89370400440532013000', /: Unterminated string: at position 23 /],
  ])('the message for %s says what or where and quotes nothing', (body, expected) => {
    const { message } = refusal(body);
    expect(message).toMatch(expected);
    expect(message).not.toContain('DE89');
  });
});

describe('text that is JSON is read', () => {
  test.each<[id: string, body: string, value: unknown]>([
    ['B11', 'null', null],
    ['B12', '[]', []],
    ['B12', '"text"', 'text'],
    ['B12', '12', 12],
    ['B12', 'true', true],
    ['B14', ' [ 1 , { } ] \r\n', [1, {}]],
    ['B14', '{"":0}', { '': 0 }],
    ['B14', '[1E+2, 1e-2, -0.0, 0e1, 123.456e78]', [100, 0.01, -0, 0, 1.23456e80]],
    ['B14', String.raw`["\"\\\/\b\f\n\r\t\u0041\uD834\uDD1E"]`, ['"\\/\b\f\n\r\tA\u{1d11e}']],
    ['B14', '["é", "€", "\u{1d11e}", "\u007f", "\u2028"]', ['é', '€', '\u{1d11e}', '\u007f', '\u2028']],
    ['B14', '{"a":{"b":[[[]]]}}', { a: { b: [[[]]] } }],
    ['B15', '[1e-400]', [0]],
    ['B30', '[1e400]', [Number.POSITIVE_INFINITY]],
    ['B31', '[-1e-400]', [-0]],
    ['B33', '[9007199254740993]', [9007199254740992]],
    ['B39', '[0.1000000000000000055511151231257827021181583404541015625]', [0.1]],
    ['B41', '{"a":1,"a":1}', { a: 1 }],
    ['B42', '{"a":1,"a":2}', { a: 2 }],
  ])('%s %s', (_id, body, value) => {
    expect(parseJson(Buffer.from(body))).toEqual(value);
  });

  test('B22 an escape of half a character is JSON; the schemas of text refuse it', () => {
    expect(parseJson(Buffer.from(String.raw`["\ud800"]`))).toEqual(['\ud800']);
  });

  test('B47 names of Object.prototype are ordinary keys', () => {
    const text = '{"constructor":1,"toString":2,"hasOwnProperty":3,"valueOf":4,"prototype":{"a":1}}';
    expect(JSON.stringify(parseJson(Buffer.from(text)))).toBe(text);
  });
});

describe('keys that reach into prototypes are refused wherever and however they are written', () => {
  test.each<[id: string, body: string]>([
    ['B43', '{"__proto__": {"admin": true}}'],
    ['B43', '{"__proto__": null}'],
    ['B44', '{"snapshots": [{"a": 1}, {"__proto__": 1}]}'],
    ['B45', String.raw`{"\u005f_proto__": {"admin": true}}`],
    ['B45', String.raw`{"\u005f\u005fproto\u005f\u005f": 1}`],
    ['B45', String.raw`{"__\u0070roto__": 1}`],
    ['B46', '{"constructor": {"prototype": {"admin": true}}}'],
    ['B46', '[[{"a": {"constructor": {"prototype": 1}}}]]'],
    ['B46', String.raw`{"construct\u006fr": {"prototyp\u0065": 1}}`],
  ])('%s %s', (_id, body) => {
    expect(refusal(body).message).toMatch(/__proto__|constructor/);
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  test('the same letters as a value are no key', () => {
    expect(parseJson(Buffer.from('{"model": "__proto__ constructor prototype"}'))).toEqual({
      model: '__proto__ constructor prototype',
    });
  });
});

describe('size and depth cost little time', () => {
  test('B37 four megabytes of digits are read as infinity', () => {
    expect(parseJson(Buffer.from(`[${'9'.repeat(4_000_000)}]`))).toEqual([Number.POSITIVE_INFINITY]);
  });

  test('B49 arrays nested 100,000 deep, with a prototype key at the bottom', async () => {
    const deep = (inner: string) => Buffer.from('['.repeat(100_000) + inner + ']'.repeat(100_000));
    expect(await processorMilliseconds(() => parseJson(deep('')))).toBeLessThan(1_000);
    expect(() => parseJson(deep('{"__proto__":1}'))).toThrow(Failure);
  });

  test('B50 objects nested 200,000 deep', async () => {
    const text = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
    expect(await processorMilliseconds(() => parseJson(Buffer.from(text)))).toBeLessThan(2_000);
  });

  test.each(sampled([400_000, 1_000_000], 2))('B51 %i keys are refused before they are parsed', (keys) => {
    const body = Buffer.from(`{${Array.from({ length: keys }, (_, index) => `"key${index}":1`).join(',')}}`);
    const failure = refusal(body);
    expect(failure.message).toMatch(/250000 keys/);
    const startedAt = performance.now();
    JSON.parse(body.toString());
    const parsing = performance.now() - startedAt;
    const refusing = fastestMilliseconds(() => expect(() => parseJson(body)).toThrow(Failure));
    expect(refusing).toBeLessThan(parsing / 2);
  });

  test('B52 integer-like keys in descending order are held to the same limit', () => {
    const text = `{${Array.from({ length: 400_000 }, (_, index) => `"${400_000 - index}":1`).join(',')}}`;
    expect(refusal(text).message).toMatch(/250000 keys/);
  });

  test('B54 a full batch of 10,000 snapshots stays far below the limit of keys', () => {
    const row = {
      asset: 'ast_ad51xw67ux84vg3bxdenzotf',
      timestamp: '2026-12-01T11:00:00.123456+01:00',
      power_kw: -3.4215,
      connected: true,
      vehicle_state_of_charge: 0.123456,
    };
    const body = Buffer.from(
      JSON.stringify({ household: 'dom_x', snapshots: Array(10_000).fill(row), note: 'ü' }),
    );
    expect(parseJson(Buffer.concat([body, Buffer.alloc(2_000_000, ' ')]))).toHaveProperty(
      'household',
      'dom_x',
    );
  });
});
