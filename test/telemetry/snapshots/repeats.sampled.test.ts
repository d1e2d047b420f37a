import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Batch } from '../../../src/telemetry/snapshots/batch.ts';
import { createSnapshotWriter, type SnapshotWriter } from '../../../src/telemetry/snapshots/writer.ts';
import { createTenant } from '../../setup/factories.ts';
import { runs } from '../../setup/tier.ts';
import { batchesOf } from './direct-batches.ts';
import { reconnect } from './held-rows.ts';
import {
  addHousehold,
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
  storedRows,
} from './snapshot-api.ts';

/* Fresh, repeated, half repeated and contradicting batches of two organizations, side by side, against a model. */

interface Place {
  organization: string;
  home: SnapshotHousehold;
  batchOf(rows: readonly unknown[]): Batch;
}

let service: SnapshotApi;
let places: Place[];
/** Two, as two processes have them: each remembers only what it stored itself, until a connection ends. */
let writers: SnapshotWriter[];

beforeAll(async () => {
  service = await startSnapshotApi({});
  const other = await createTenant(service.api);
  const otherHome = await addHousehold(
    { ...service, client: service.api.client(other.token) },
    other.organization,
  );
  const homes = [
    [service.organization, await service.addHousehold()],
    [service.organization, await service.addHousehold()],
    [other.organization, otherHome],
  ] as const;
  places = await Promise.all(
    homes.map(async ([organization, home]) => ({
      ...{ organization, home },
      batchOf: await batchesOf(service, organization, home),
    })),
  );
  writers = [createSnapshotWriter(service.api.deps), createSnapshotWriter(service.api.deps)];
});
afterAll(async () => {
  for (const writer of writers ?? []) await writer.drain();
  await service?.close();
});

/** Of one place: the value at each second that is stored. */
type Values = Map<number, number>;

/** Seconds of one batch, all with one value. Few of them, so that batches meet. */
const sending = fc.record({
  place: fc.nat(2),
  writer: fc.nat(1),
  first: fc.nat(24),
  rows: fc.integer({ min: 1, max: 8 }),
  value: fc.constantFrom(1, 1, 1, 1, 2),
});
/** Sent at the same time, and what is erased before. */
const step = fc.record({
  sendings: fc.array(sending, { minLength: 1, maxLength: 14 }),
  erased: fc.option(fc.record({ place: fc.nat(2), from: fc.nat(30) }), { nil: null, freq: 3 }),
});

let begin = 0;

const keyOf = ({ home }: Place) => home.assets.household_net.key;

async function valuesOf(place: Place, since: number): Promise<Values> {
  const rows = await storedRows(service, keyOf(place));
  return new Map(
    rows.map(({ timestamp, power_kw }) => [
      Math.round((Date.parse(timestamp) - Date.parse(instant(since))) / 1000),
      power_kw ?? 0,
    ]),
  );
}

test('whatever is sent again: each row is stored once, counts are right, and only contradictions are refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
      await service.admin.query('DELETE FROM asset_snapshots');
      begin -= 3_600;
      const since = begin;
      for (const { sendings, erased } of steps) {
        if (erased !== null) {
          await service.admin.query('DELETE FROM asset_snapshots WHERE asset_id = $1 AND timestamp >= $2', [
            keyOf(places[erased.place] as Place),
            instant(since + erased.from),
          ]);
          await reconnect(service);
        }
        const before = await Promise.all(places.map((place) => valuesOf(place, since)));
        const answers = await Promise.all(
          sendings.map(async ({ place: at, writer, first, rows, value }) => {
            const { organization, home, batchOf } = places[at] as Place;
            const seconds = Array.from({ length: rows }, (_, index) => first + index);
            const batch = batchOf(
              seconds.map((second) => ({
                asset: home.assets.household_net.id,
                timestamp: instant(since + second),
                power_kw: value,
              })),
            );
            const sender = service.api.deps.queue.account({ path: [organization, 'client'], weight: 1 });
            const signal = new AbortController().signal;
            const written = await (writers[writer] as SnapshotWriter).write(sender, batch, signal);
            return { at, seconds, value, written };
          }),
        );
        for (const [at, place] of places.entries()) {
          const after = await valuesOf(place, since);
          const ofPlace = answers.filter((answer) => answer.at === at);
          const model: Values = new Map(before[at]);
          let stored = 0;
          for (const { seconds, value, written } of ofPlace) {
            if ('stored' in written) {
              stored += written.stored;
              /* All of it is there, with its values. */
              for (const second of seconds) {
                model.set(second, value);
                expect(after.get(second)).toBe(value);
              }
            } else {
              expect(written.contradictions.length).toBeGreaterThan(0);
              for (const contradiction of written.contradictions) {
                expect(contradiction.sent).toBe(value);
                const found = after.get(seconds[contradiction.place] as number);
                expect(found).not.toBe(value);
                expect(contradiction.stored).toBe(found);
              }
            }
          }
          /* Nothing else is there, and every row was counted as stored once. */
          expect(after).toEqual(new Map([...model].toSorted(([a], [b]) => a - b)));
          expect(stored).toBe(after.size - (before[at]?.size ?? 0));
        }
      }
    }),
    { numRuns: runs(12) },
  );
});
