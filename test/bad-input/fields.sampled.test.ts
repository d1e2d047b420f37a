import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteName } from '../../src/platform/interface/route.ts';
import { missingIds } from '../routes/table/place.ts';
import type { Json } from '../routes/table/row.ts';
import { bodiesOf, bodyRouteNames, smallestBody } from '../routes/table/table.ts';
import { sampled } from '../setup/tier.ts';
import { type BadInputService, expectRefusal, startBadInputService } from './service.ts';
import { type Path, type Slot, slotsOf, withBytes, withValue } from './slots.ts';

let service: BadInputService;
beforeAll(async () => {
  service = await startBadInputService();
});
afterAll(() => service?.close());

type Kind = 'text' | 'number' | 'boolean' | 'object' | 'list';

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  return typeof value as 'number' | 'boolean' | 'object';
}

interface BadValue {
  title: string;
  kind: Kind;
  /** As it stands in the body. */
  bytes: string;
  /** The codes that are right whatever the field is; any where absent. */
  codes?: readonly string[];
}

/** Infinity to the parser, and no number of JSON. */
const OUT_OF_RANGE = ['invalid_type'];
const DEEP_LISTS = '['.repeat(100_000) + ']'.repeat(100_000);
const DEEP_OBJECTS = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

const notA = (kind: Kind, ...values: string[]): BadValue[] =>
  values.map((bytes) => ({ title: `B40 ${bytes} for a ${kind}`, kind, bytes, codes: ['invalid_type'] }));

const badValues: BadValue[] = [
  { title: 'B22 half a surrogate pair', kind: 'text', bytes: '"x\\ud800"' },
  { title: 'B22 the other half', kind: 'text', bytes: '"\\udc00x"' },
  { title: 'B23 NUL', kind: 'text', bytes: '"x\\u0000"' },
  { title: 'B24 a control character', kind: 'text', bytes: '"x\\u0007"' },
  { title: 'B24 DEL', kind: 'text', bytes: '"x\\u007f"' },
  { title: 'B26 10,000 emoji', kind: 'text', bytes: JSON.stringify('😀'.repeat(10_000)) },
  { title: 'an empty text', kind: 'text', bytes: '""' },
  ...notA('text', '1', 'true', '[]', '{}'),
  { title: 'B30 1e400', kind: 'number', bytes: '1e400', codes: OUT_OF_RANGE },
  { title: 'B30 -1e400', kind: 'number', bytes: '-1e400', codes: OUT_OF_RANGE },
  { title: 'B35 a number in quotes', kind: 'number', bytes: '"1.5"', codes: ['invalid_type'] },
  { title: 'B36 "NaN"', kind: 'number', bytes: '"NaN"', codes: ['invalid_type'] },
  { title: 'B36 "Infinity"', kind: 'number', bytes: '"Infinity"', codes: ['invalid_type'] },
  { title: 'B37 100 kB of digits', kind: 'number', bytes: '9'.repeat(100_000), codes: OUT_OF_RANGE },
  ...notA('number', 'true', '[]', '{}'),
  ...notA('boolean', '1', '0', '"true"', '[]'),
  ...notA('object', 'null', '[]', '"x"', '1'),
  ...notA('list', 'null', '{}', '"x"', '1'),
  ...(['text', 'number', 'boolean'] as const).flatMap((kind): BadValue[] => [
    { title: `B49 lists 100,000 deep for a ${kind}`, kind, bytes: DEEP_LISTS, codes: ['invalid_type'] },
    { title: `B50 objects 100,000 deep for a ${kind}`, kind, bytes: DEEP_OBJECTS, codes: ['invalid_type'] },
  ]),
];

function slotsOfKind(body: Json, kind: Kind): Slot[] {
  return slotsOf(body).filter(({ value }) => kindOf(value) === kind);
}

/** Some problem is told at the field or, where a field decides about others, beside it. */
function expectEntryAt(entries: readonly { field: string }[], path: Path): void {
  const places = [path, path.slice(0, -1)].map((part) => part.join('.'));
  expect(
    entries.some(({ field }) => places.includes(field)),
    JSON.stringify(entries),
  ).toBe(true);
}

/** Looked at before there is a service. */
function kindsIn(name: RouteName): ReadonlySet<Kind> {
  const bodies = bodiesOf(name).full(missingIds());
  return new Set(bodies.flatMap((body) => slotsOf(body)).map(({ value }) => kindOf(value)));
}

/** By `npm test` every value is tried on one in ten of the routes that take its kind, and on that which has a reader of its own. */
function isTried(name: RouteName, value: BadValue): boolean {
  if (name === 'POST /asset-snapshots') return true;
  const takers = bodyRouteNames.filter((taker) => kindsIn(taker).has(value.kind));
  const turn = badValues.filter(({ kind }) => kind === value.kind).indexOf(value);
  return sampled(takers, Math.min(takers.length, 10), turn).includes(name);
}

test('the good bodies together hold a value of every kind', () => {
  const held = new Set(bodyRouteNames.flatMap((name) => [...kindsIn(name)]));
  expect(badValues.filter(({ kind }) => !held.has(kind))).toEqual([]);
});

describe.each(bodyRouteNames)('%s', (name) => {
  const full = () => bodiesOf(name).full(service.home);

  const kinds = kindsIn(name);

  test.each(badValues.filter((value) => kinds.has(value.kind) && isTried(name, value)))(
    '$title is refused in every field that is one',
    async ({ kind, bytes, codes }) => {
      await service.storesNothing(async () => {
        for (const body of full()) {
          const isLarge = bytes.length > 1_000;
          for (const { path } of sampled(slotsOfKind(body, kind), isLarge ? 4 : 1)) {
            if (bytes === 'null' && bodiesOf(name).nullable?.includes(path.join('.')) === true) continue;
            if (bytes === '""' && bodiesOf(name).mayBeEmpty?.includes(path.join('.')) === true) continue;
            const entries = expectRefusal(await service.send(name, withBytes(body, path, bytes)));
            if (bodiesOf(name).unions?.includes(path.join('.')) === true) continue;
            expectEntryAt(entries, path);
            if (codes === undefined) continue;
            expect(entries[0]?.field).toBe(path.join('.'));
            expect(codes).toContain(entries[0]?.code);
          }
        }
      });
    },
  );

  test('B60 no part of the smallest body may be missing or null', async () => {
    await service.storesNothing(async () => {
      const body = smallestBody(name, service.home);
      for (const { path } of slotsOf(body)) {
        for (const value of [null, undefined]) {
          expectRefusal(await service.send(name, withValue(body, path, value)), 400);
        }
      }
    });
  });

  const ignoresUnknown = (path: Path): boolean => {
    const { ignoresUnknown } = bodiesOf(name);
    return ignoresUnknown === true || ignoresUnknown?.includes(path.join('.')) === true;
  };
  const objectsIn = (body: Json) => slotsOfKind(body, 'object');
  const strictObjects = (body: Json) => objectsIn(body).filter(({ path }) => !ignoresUnknown(path));
  const looseObjects = (body: Json) => objectsIn(body).filter(({ path }) => ignoresUnknown(path));
  const unknown = { constructor: 1, toString: 2, hasOwnProperty: 3, valueOf: 4, unknown: 5 };
  const missing = bodiesOf(name).full(missingIds());

  test.runIf(missing.some((body) => strictObjects(body).length > 0))(
    'B47 an unknown field inside an object is refused at its path, names of the prototype too',
    async () => {
      await service.storesNothing(async () => {
        for (const body of full()) {
          for (const { path, value } of strictObjects(body)) {
            const sent = withValue(body, path, { ...(value as Json), ...unknown });
            const answer = await service.send(name, sent);
            expect(expectRefusal(answer, 400).map(({ code, field }) => `${code} ${field}`)).toEqual(
              Object.keys(unknown).map((key) => `unrecognized_keys ${[...path, key].join('.')}`),
            );
          }
        }
      });
    },
  );

  test.runIf(missing.some((body) => looseObjects(body).length > 0))(
    'B47 an unknown field inside an object is ignored, names of the prototype too',
    async () => {
      for (const [which, body] of full().entries()) {
        for (const { path } of looseObjects(body)) {
          /* A new one each time: the same one may be a repetition that is refused. */
          const fresh = full()[which] ?? {};
          const value = slotsOf(fresh).find((slot) => slot.path.join('.') === path.join('.'))?.value as Json;
          const answer = await service.send(name, withValue(fresh, path, { ...value, ...unknown }));
          expect(answer.status, answer.text).toBe(200);
        }
      }
      expect(Object.hasOwn(Object.prototype, 'unknown')).toBe(false);
    },
  );

  test('B42 of a key that is written twice the last value is the one that is judged', async () => {
    const twice = (body: Json, { path }: Slot, first: unknown, second: unknown) =>
      withBytes(
        body,
        path,
        `${JSON.stringify(first)},${JSON.stringify(path.at(-1))}:${JSON.stringify(second)}`,
      );
    for (const body of full()) {
      const members = slotsOf(body).filter(({ path }) => typeof path.at(-1) === 'string');
      await service.storesNothing(async () => {
        for (const slot of sampled(members, 3, bodyRouteNames.indexOf(name))) {
          const wrong = typeof slot.value === 'boolean' ? 'no' : true;
          expectRefusal(await service.send(name, twice(body, slot, slot.value, wrong)));
        }
      });
      const [slot] = members;
      if (slot === undefined) throw new Error('A body without members');
      const answer = await service.send(name, twice(body, slot, { wrong: true }, slot.value));
      expect(answer.status, answer.text).toBe(200);
    }
  });

  const isSentMegabytes = name === 'POST /asset-snapshots' || sampled(bodyRouteNames, 8).includes(name);
  test.runIf(isSentMegabytes)('B62 a text of 5 MB is too large for the body or for its field', async () => {
    const [body] = full();
    const [slot] = slotsOfKind(body ?? {}, 'text');
    if (body === undefined || slot === undefined) throw new Error('No text to replace');
    await service.storesNothing(async () => {
      const answer = await service.send(name, withBytes(body, slot.path, `"${'x'.repeat(5_000_000)}"`));
      if (holdsFiveMegabytes(name)) expect(expectRefusal(answer, 400)[0]?.code).toBe('too_big');
      else expectRefusal(answer, 413);
    });
  });
});

function holdsFiveMegabytes(name: RouteName): boolean {
  return (service.routes.get(name)?.bodyBytesMax ?? 0) > 5_000_000;
}
