import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodiesOf, bodyRouteNames, smallestBody } from '../routes/table/table.ts';
import { isLongTier } from '../setup/tier.ts';
import {
  ANSWERED_WITHIN_MILLISECONDS,
  type BadInputService,
  expectRefusal,
  routesOfEachKind,
  startBadInputService,
} from './service.ts';
import { withMember } from './slots.ts';

let service: BadInputService;
beforeAll(async () => {
  service = await startBadInputService();
});
afterAll(() => service?.close());

type Make = (valid: string) => string | Buffer;

const member =
  (text: string | Buffer): Make =>
  (valid) =>
    withMember(valid, text);
const bytesInText = (...bytes: number[]): Make =>
  member(Buffer.concat([Buffer.from('"x":"'), Buffer.from(bytes), Buffer.from('"')]));
const numbered = (count: number, key: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => `"${key(index)}":1`).join(',');

/** Refused as a whole by the reader of bodies, although the rest of the body is good. */
const unreadable: [title: string, make: Make][] = [
  ['B02 white space only', () => ' \n\t '],
  ['B03 cut off inside a string', (valid) => `${valid.slice(0, -1)}${valid === '{}' ? '' : ','}"x":"cut`],
  ['B03 cut off inside a list', () => '{"x":["a","b"'],
  ['B04 an unclosed object', (valid) => valid.slice(0, -1)],
  ['B04 an unclosed list', member('"x":[1')],
  ['B05 a comma behind the last member', (valid) => `${valid.slice(0, -1)},}`],
  ['B05 a comma behind the last item', member('"x":[1,]')],
  ['B06 a letter behind the document', (valid) => `${valid}x`],
  ['B06 two documents', (valid) => `${valid}${valid}`],
  ['B07 a comment in front', (valid) => `/* x */${valid}`],
  ['B07 a comment behind', (valid) => `${valid}// x`],
  ['B08 single quotes', member("'x':1")],
  ['B08 a key without quotes', member('x:1')],
  ['B09 a raw line end in a string', member('"x":"a\nb"')],
  ['B09 a raw tab in a string', member('"x":"a\tb"')],
  ['B09 a raw NUL in a string', member('"x":"a\0b"')],
  ['B10 \\x41', member('"x":"\\x41"')],
  ['B10 \\u12', member('"x":"\\u12"')],
  ['B16 a byte order mark', (valid) => `\ufeff${valid}`],
  ['B17 UTF-16', (valid) => Buffer.from(valid, 'utf16le')],
  ['B18 the byte FF', bytesInText(0xff)],
  ['B19 an overlong slash', bytesInText(0xc0, 0xaf)],
  ['B20 a surrogate in UTF-8', bytesInText(0xed, 0xa0, 0x80)],
  ['B21 a cut character in a string', bytesInText(0xe2, 0x82)],
  [
    'B21 a cut character at the end',
    (valid) => Buffer.concat([Buffer.from(valid), Buffer.from([0xe2, 0x82])]),
  ],
  ...['NaN', 'Infinity', '-Infinity'].map((text): [string, Make] => [`B29 ${text}`, member(`"x":${text}`)]),
  ...['01', '.5', '1.', '+1', '0x1', '1_000', '1e', '-'].map((text): [string, Make] => [
    `B34 ${text}`,
    member(`"x":${text}`),
  ]),
  ['B43 __proto__ at the top', member('"__proto__":{"x":1}')],
  ['B44 __proto__ in an item', member('"x":[{"__proto__":{"x":1}}]')],
  ['B45 an escaped __proto__', member('"\\u005f_proto__":{"x":1}')],
  ['B46 constructor.prototype', member('"constructor":{"prototype":{"x":1}}')],
  ['B46 constructor.prototype further inside', member('"x":{"constructor":{"prototype":{"x":1}}}')],
];

/** Readable JSON, but not an object. */
const notAnObject: [title: string, text: string][] = [
  ['B11 null', 'null'],
  ['B12 a list', '[]'],
  ['B12 a list with an object', '[{}]'],
  ['B12 a text', '"x"'],
  ['B12 a number', '1'],
  ['B12 true', 'true'],
  ['B49 lists in lists, 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
];

/** Their bodies have no room for what nobody knows. */
const STRICT: ReadonlySet<string> = new Set(['PATCH /customers/{id}']);

/** Beside good fields, in a field that nobody knows: the body is accepted, or refused for that field. */
const harmless: [title: string, make: Make][] = [
  ['B14 every kind of value', member('"x":[[],{},null,true,-0.1e-2,"\\u00e9\\n","",{"":0}]')],
  ['B31 B37 numbers out of range', member('"x":[1e400,-1e400,1e-400,123456789012345678901234567890]')],
  ['B41 a key written twice', member('"x":1,"x":1')],
  ['B42 a key written twice with another value', member('"x":1,"x":[]')],
  [
    'B47 names of the object prototype',
    member('"constructor":1,"toString":2,"hasOwnProperty":3,"valueOf":4'),
  ],
  ['B49 lists in lists, 100,000 deep', member(`"x":${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
  ['B50 objects in objects, 100,000 deep', member(`"x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)],
  ['B52 50,000 keys that look like numbers', member(`"x":{${numbered(50_000, (n) => String(50_000 - n))}}`)],
];

describe.each(isLongTier ? bodyRouteNames : routesOfEachKind)('%s', (name) => {
  const valid = () => JSON.stringify(smallestBody(name, service.home));

  test('the good bodies that all others are made from are accepted', async () => {
    for (const body of [smallestBody(name, service.home), ...bodiesOf(name).full(service.home)]) {
      const answer = await service.send(name, body);
      expect(answer.status, answer.text).toBe(200);
    }
  });

  test('B01 an empty body counts as {}', async () => {
    const [empty, object] = [await service.send(name, ''), await service.send(name, '{}')];
    expect(empty.status).toBe(object.status);
    if (valid() === '{}') return expect(empty.status).toBe(200);
    const entries = expectRefusal(empty, 400);
    expect(entries).toEqual(expectRefusal(object, 400));
    const needed = Object.keys(smallestBody(name, service.home));
    expect(entries.filter(({ code, field }) => code !== 'invalid_type' || !needed.includes(field))).toEqual(
      [],
    );
  });

  test.each(unreadable)('%s is refused as a whole', async (_title, make) => {
    await service.storesNothing(async () => {
      const entries = expectRefusal(await service.send(name, make(valid())), 400);
      expect(entries).toEqual([{ code: 'custom', field: '', message: expect.any(String) }]);
    });
  });

  test.each(notAnObject)('%s is no body', async (_title, text) => {
    await service.storesNothing(async () => {
      const startedAt = performance.now();
      const entries = expectRefusal(await service.send(name, text), 400);
      expect(entries.map(({ code, field }) => `${code} ${field}`)).toEqual(['invalid_type ']);
      expect(performance.now() - startedAt).toBeLessThan(ANSWERED_WITHIN_MILLISECONDS);
    });
  });

  test.each(harmless)('%s in a field that nobody knows does no harm', async (_title, make) => {
    const startedAt = performance.now();
    const answer = await service.send(name, make(valid()));
    expect(performance.now() - startedAt).toBeLessThan(ANSWERED_WITHIN_MILLISECONDS);
    if (STRICT.has(name)) {
      const codes = expectRefusal(answer, 400).map(({ code }) => code);
      expect(new Set(codes)).toEqual(new Set(['unrecognized_keys']));
    } else expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  test.each([
    ['descending numbers', (index: number) => String(400_000 - index)],
    ['texts', (index: number) => `key${index}`],
  ])('B51 B52 400,000 keys that are %s are refused with the limit', async (_title, key) => {
    await service.storesNothing(async () => {
      const body = withMember(valid(), `"x":{${numbered(400_000, key)}}`);
      const answer = await service.send(name, body);
      const takesThem = body.length <= (service.routes.get(name)?.bodyBytesMax ?? 0);
      const [entry] = expectRefusal(answer, takesThem ? 400 : 413);
      expect(entry?.message).toMatch(takesThem ? /250000 keys/ : /1 MiB/);
    });
  });
});
