import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../routes/table/row.ts';
import { bodiesOf, bodyRouteNames } from '../routes/table/table.ts';
import { type BadInputService, expectRefusal, startBadInputService } from './service.ts';
import { slotsOf, withBytes, withMember, withValue } from './slots.ts';

let service: BadInputService;
beforeAll(async () => {
  service = await startBadInputService();
});
afterAll(() => service?.close());

/** As they stand in a body; some are no JSON, some no UTF-8. */
const strangeValues: fc.Arbitrary<string | Buffer> = fc.oneof(
  fc.json(),
  fc.jsonValue().map((value) => JSON.stringify([[value], { value }])),
  fc.string({ unit: 'binary', maxLength: 400 }).map((text) => JSON.stringify(text)),
  fc.string({ unit: 'grapheme', minLength: 90, maxLength: 300 }).map((text) => JSON.stringify(text)),
  fc
    .constantFrom('x', 'é', '😀', '\u202e', '\u0000', "'", '%', '\\')
    .map((unit) => JSON.stringify(unit.repeat(5_000))),
  fc.double().map(String),
  fc.bigInt({ min: -(10n ** 400n), max: 10n ** 400n }).map(String),
  fc.constantFrom('null', '""', '[]', '{}', '-0', '1e308', '-1e308', '5e-324', '9007199254740993', '1e400'),
  fc.constantFrom('"infinity"', '"-infinity"', '"epoch"', '"now"', '"NaN"', '"0000-00-00T00:00:00Z"'),
  fc.constantFrom('"9999-12-31T23:59:59.999999Z"', '"0001-01-01T00:00:00+14:00"', '"2026-11-30T24:00:00Z"'),
  fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
);

type Mutation = (body: Json) => Json | Buffer;

/** Which place is meant is drawn as a number, because every route has other ones. */
const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc.nat().map(
    (at): Mutation =>
      (body) =>
        withValue(body, placeOf(body, at), undefined),
  ),
  fc.tuple(fc.nat(), strangeValues).map(
    ([at, bytes]): Mutation =>
      (body) =>
        withBytes(body, placeOf(body, at), bytes),
  ),
  fc.tuple(fc.nat(), fc.nat()).map(
    ([from, to]): Mutation =>
      (body) =>
        withValue(body, placeOf(body, to), slotAt(body, from).value),
  ),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 50 })).map(
    ([at, depth]): Mutation =>
      (body) =>
        withValue(body, placeOf(body, at), nested(slotAt(body, at).value, depth)),
  ),
  fc.tuple(fc.string(), strangeValues).map(
    ([key, bytes]): Mutation =>
      (body) => {
        const start = Buffer.from(`${JSON.stringify(key)}:`);
        return withMember(JSON.stringify(body), Buffer.concat([start, Buffer.from(bytes)]));
      },
  ),
);

function slotAt(body: Json, at: number) {
  const slots = slotsOf(body);
  const slot = slots[at % slots.length];
  if (slot === undefined) throw new Error('A body without anything in it');
  return slot;
}

const placeOf = (body: Json, at: number) => slotAt(body, at).path;

function nested(value: unknown, depth: number): unknown {
  let result = value;
  for (let level = 0; level < depth; level += 1) result = level % 2 === 0 ? [result] : { value: result };
  return result;
}

/** 404 where the body names the household that the call acts on. */
const REFUSALS = [400, 404, 409, 413, 422];

/** Each of the requests is followed by a look at everything that is stored. */
const TIMEOUT_MILLISECONDS = 180_000;

const title = 'no change of a good body makes %s fail or store what it refuses';
test.each(bodyRouteNames)(title, { timeout: TIMEOUT_MILLISECONDS }, async (name) => {
  const statuses = new Map<number, number>();
  const body = fc.tuple(fc.nat(), fc.array(mutations, { minLength: 1, maxLength: 2 }));
  let stored = await service.state.whole();
  await fc.assert(
    fc.asyncProperty(body, async ([which, [first, second]]) => {
      const variants = bodiesOf(name).full(service.home);
      const good = variants[which % variants.length] ?? {};
      const once = first?.(good) ?? good;
      const mutated =
        second === undefined || Buffer.isBuffer(once) || slotsOf(once).length === 0 ? once : second(once);
      const answer = await service.send(name, mutated);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const before = stored;
      stored = await service.state.whole();
      if (answer.status === 200) return;
      const about = answer.status === 404 ? [404] : REFUSALS;
      expect(about, answer.text).toContain(answer.status);
      if (answer.status === 400 || answer.status === 422) expectRefusal(answer);
      expect(stored).toEqual(before);
    }),
    { numRuns: 150 },
  );
  expect(statuses.get(400)).toBeGreaterThan(30);
});
