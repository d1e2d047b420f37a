import fc from 'fast-check';
import { marker } from './markers.ts';

/* What is wrong nearly everywhere, or right in a way that nobody thinks of. */

const DAYS_AND_INSTANTS = [
  ...['2026-02-29', '2028-02-29', '2026-13-01', '2026-12-32', '0000-01-01', '0001-01-01', '9999-12-31'],
  ...['10000-01-01', '+010000-01-01', '-000001-01-01', '2026-W49-1', '20261201', '1.12.2026', '2026-12-1'],
  ...[
    '0000-00-00T00:00:00Z',
    '2026-03-29T02:30:00',
    '2026-03-29T02:30:00+01:00',
    '2026-10-25T02:30:00+02:00',
  ],
  ...[
    '2026-12-31T23:59:60Z',
    '2026-11-30T24:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
    '2026-12-01t11:00:00z',
  ],
  ...[
    '0001-01-01T00:00:00+14:00',
    '2026-12-01T11:00:00+99:99',
    '2026-12-01 11:00:00Z',
    '1970-01-01T00:00:00Z',
  ],
  ...[
    'infinity',
    '-infinity',
    'epoch',
    'now',
    'today',
    '1764590400',
    '294277-01-01T00:00:00Z',
    '-4713-01-01',
  ],
];

const NUMBERS = [
  ...['NaN', 'Infinity', '-Infinity', '-0', '1e400', '-1e400', '1e-400', '0x10', '1_000', '1,5', '+1', '01'],
  ...['9007199254740993', '2147483648', '-2147483649', '9223372036854775808', '1e308', '5e-324', '0.1e1'],
  ...['１２３', '٣', '२', '½', '9'.repeat(400), '0'.repeat(400), `0.${'1'.repeat(400)}`],
];

const CHARACTERS = [
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\u0000',
    'x\u0000',
    '\u0007',
    '\u007f',
    '\ud800',
    '\udc00x',
    '\u202eabc',
    '\ufeffx',
  ],
  ...['\u200b', '\u00a0', '\u{e0001}', '👩‍👩‍👧‍👦', 'e\u0301'.repeat(50), 'İ', 'ſ', 'ﬁ', '\uffff', '\u2028'],
];

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  'length',
  'null',
  'undefined',
];

const OF_LANGUAGES = [
  ...["'; DROP TABLE customers; --", '%', '_', '\\', '"', '#{7*7}', '{{7*7}}', '<script>alert(1)</script>'],
  ...[
    '../../etc/passwd',
    '%00',
    '%ff',
    '%252e',
    '(?:a+)+$',
    '[',
    ']',
    'a,b,,c',
    ',',
    '&',
    '=',
    '#',
    '?',
    '/',
  ],
];

const SHORT = [...DAYS_AND_INSTANTS, ...NUMBERS, ...CHARACTERS, ...NAMES, ...OF_LANGUAGES, 'true', 'True'];
const LONG = ['x', 'ß', '😀', '\u0000', '\ud800', "'", '%', ','].flatMap((unit) => [
  unit.repeat(256),
  unit.repeat(5_000),
]);

export const oddTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(...SHORT) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300 }) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG) },
);

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const numbered = (count: number, key: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `"${key(index)}":1`).join(',');

/** As they stand in a JSON body; some are no JSON, some no UTF-8. */
export const oddJson: fc.Arbitrary<string | Buffer> = fc.oneof(
  { weight: 6, arbitrary: oddTexts.map((text) => JSON.stringify(text)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('null', '""', '[]', '{}', '[null]', '{"":0}', 'true', 'false', '0'),
  },
  { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.double().map(String) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(10n ** 400n), max: 10n ** 400n }).map(String) },
  { weight: 3, arbitrary: fc.json({ maxDepth: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      nested('[', ']', 3_000),
      `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`,
      `{${numbered(2_000, (index) => `key${index}`)}}`,
      `{${numbered(2_000, (index) => String(2_000 - index))}}`,
      '{"a":1,"a":"2"}',
      '{"__proto__":{"x":1}}',
      '{"constructor":{"prototype":{"x":1}}}',
      '{"toString":1,"valueOf":2,"toJSON":3,"then":4}',
      `[${'0,'.repeat(5_000)}0]`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  },
);

/** Bodies that are no object, or not whole. */
export const oddBodies: fc.Arbitrary<Buffer> = fc
  .oneof(
    oddJson,
    fc.constantFrom(
      '',
      ' ',
      'null',
      '[]',
      '{',
      '{"a":',
      '"x"',
      '\ufeff{}',
      '{}{}',
      'a=b&a=c',
      '<xml/>',
      '{"a":1,}',
    ),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  )
  .map((body) => Buffer.from(body));

type Header = readonly [name: string, value: string];

export const oddHeaders: fc.Arbitrary<Header> = fc.constantFrom<Header[]>(
  ...[
    ...[
      'application/json; charset=utf-8',
      'application/json;',
      'application/json; charset=latin1',
      '',
      'x',
      ';',
    ],
    ...[
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/xml',
    ],
    ...['application/merge-patch+json', 'APPLICATION/JSON', 'application/json; charset="utf-8"', 'a/b; c="d'],
  ].map((value): Header => ['content-type', value]),
  ...['gzip', 'identity', 'gzip, gzip', 'x', '*', 'br'].map((value): Header => ['content-encoding', value]),
  ...[
    '',
    'latest',
    '2026-09-08',
    '2026-09-08.GAUSS',
    '2025-12-01.chucky',
    '__proto__',
    'x'.repeat(5_000),
  ].map((value): Header => ['x-api-version', value]),
  ...['', 'k', 'another', 'x'.repeat(255), 'x'.repeat(256), 'ä', "'", '\t', '__proto__', ' k '].map(
    (value): Header => ['idempotency-key', value],
  ),
  ...['*', 'W/"x"', '"', '', ',', '"a", '.repeat(500), '"ä"'].map(
    (value): Header => ['if-none-match', value],
  ),
  ...['text/csv', 'text/html', 'application/xml', '*/*;q=0', 'x', '', 'text/html;q=NaN, '.repeat(200)].map(
    (value): Header => ['accept', value],
  ),
  ...['identity;q=0', '*;q=0', 'x'].map((value): Header => ['accept-encoding', value]),
  ...[
    '',
    'Bearer',
    'Bearer ',
    'Bearer x',
    'Basic eDp5',
    `Bearer ${marker('token', 0)}x`,
    'Bearer a.b.c',
    'x',
  ].map((value): Header => ['authorization', value]),
  ['authorization', `bearer ${marker('token', 0)}`],
  ['origin', 'https://elsewhere.example'],
  ['x-forwarded-for', '1.2.3.4, x, ::1'],
  ['x-forwarded-proto', 'https'],
  ['x-http-method-override', 'DELETE'],
  ['x-request-id', "'"],
  ['cookie', 'a=b; __proto__=1; =; voltstream-console=x'],
  ['range', 'bytes=0-1'],
  ['if-modified-since', 'never'],
  ['traceparent', '00-x-y-01'],
  ['x-long', 'x'.repeat(16_000)],
);

/** What stands behind a slash of an address, encoded or not. */
export const oddSegments: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: oddTexts.filter((text) => text.length < 300).map(encoded) },
  fc.constantFrom(
    '%',
    '%zz',
    '%ff',
    '%c0%af',
    '%00',
    '..',
    '%2e%2e',
    '.',
    '',
    '*',
    '{id}',
    ':id',
    'x'.repeat(17_000),
  ),
);

/** As in an address. Half a pair of surrogates has no encoding: it gets the one that other programs give it. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80');
}
