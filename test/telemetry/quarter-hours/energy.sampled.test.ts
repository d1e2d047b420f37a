import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HeldPowerRow, listHeldPower } from '../../../src/telemetry/snapshots/queries.ts';
import { sumAllQuarterHours } from '../../setup/quarter-hours.ts';
import { runs } from '../../setup/tier.ts';
import { type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from '../snapshots/snapshot-api.ts';
import { type HeldQuarterHour, storedSums } from './held.ts';

/*
 * The usage of a household is computed from snapshots, an analyst's energy from their sums: the same power values must give
 * the same energy, whenever they came.
 */

const BEGIN = Date.parse('2026-10-25T00:00:00Z');
const SPAN_SECONDS = 4 * 3_600;

let service: SnapshotApi;

beforeAll(async () => {
  service = await startSnapshotApi({});
});

afterAll(() => service?.close());

/** By the rule of src/contracts/usage, quarter hour by quarter hour. */
async function bySnapshots(home: SnapshotHousehold): Promise<Omit<HeldQuarterHour, 'samples'>[]> {
  const tenant = { organization: service.organization };
  const span = { from: BEGIN - 86_400_000, until: BEGIN + 86_400_000 };
  const rows = await service.api.deps.database.inOrganization(tenant, (connection) =>
    listHeldPower(connection, service.organization, home.household, span),
  );
  const found = new Map<number, { seconds: number; consumed: number; fed: number }>();
  const add = (start: number, seconds: number, consumed: number, fed: number) => {
    if (seconds === 0) return;
    const sum = found.get(start) ?? { seconds: 0, consumed: 0, fed: 0 };
    found.set(start, {
      seconds: sum.seconds + seconds,
      consumed: sum.consumed + consumed / 3_600,
      fed: sum.fed + fed / 3_600,
    });
  };
  for (const row of rows satisfies HeldPowerRow[]) {
    add(row.start, row.seconds, row.consumed, row.fed);
    add(row.start + 900, row.next_seconds, row.next_consumed, row.next_fed);
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([start, sum]) => ({ start: `${new Date(start * 1_000).toISOString().slice(0, 16)}Z`, ...sum }));
}

/** Binary sums in another order differ in their last digits, and instants since 1970 by less than a microsecond. */
function nearly({ start, seconds, consumed, fed }: Omit<HeldQuarterHour, 'samples'>) {
  const near = (value: number) => expect.closeTo(value, 5);
  return {
    start,
    samples: expect.any(Number),
    seconds: near(seconds),
    consumed: near(consumed),
    fed: near(fed),
  };
}

/** Borders of quarter hours and their neighbours, the hour in which clocks change, and anything between. */
const anyMicroseconds = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: SPAN_SECONDS * 1e6 }) },
  fc
    .tuple(fc.integer({ min: 0, max: SPAN_SECONDS / 900 }), fc.constantFrom(-1, 0, 1))
    .map(([quarterHour, step]) => quarterHour * 900e6 + step),
);
const anyPower = fc.oneof(
  fc.constantFrom(0, 1.5, -3, 5e-324),
  fc.double({ min: -20, max: 20, noNaN: true, noDefaultInfinity: true }),
);
const anyValues = fc.uniqueArray(fc.tuple(anyMicroseconds, anyPower), {
  selector: ([microseconds]) => microseconds,
  minLength: 1,
  maxLength: 60,
});
/** In which round each value is sent. */
const anySending = fc.record({
  values: anyValues,
  batches: fc.array(fc.nat(3), { minLength: 60, maxLength: 60 }),
});

function instantOf(microseconds: number): string {
  const whole = new Date(BEGIN + Math.floor(microseconds / 1e6) * 1_000).toISOString().slice(0, 19);
  return `${whole}.${String(((microseconds % 1e6) + 1e6) % 1e6).padStart(6, '0')}Z`;
}

/** A value a minute before the span: none of the assets usually sends less often than every 15 minutes. */
const OFTEN = Array.from({ length: 100 }, (_, at) => [-(at + 1) * 60e6, 1] as const);

test('of assets that send often sums give the energy that usage computes from the snapshots, whenever these came', async () => {
  /* Many households at once: one run of the job is for all of them. */
  const sendings = fc.sample(anySending, runs(6));
  const homes = await Promise.all(sendings.map(() => service.addHousehold()));
  let now = BEGIN + (SPAN_SECONDS + 60) * 1_000;
  for (const round of [0, 1, 2, 3]) {
    now += ([0, 3, 40, 600][round] as number) * 60_000;
    service.clock.set(new Date(now).toISOString());
    const client = await service.signIn();
    for (const [index, { values, batches }] of sendings.entries()) {
      const asset = homes[index]?.assets.household_net.id;
      const rows = [...values.filter((_, at) => batches[at] === round), ...(round === 0 ? OFTEN : [])].map(
        ([microseconds, power_kw]) => ({ asset, timestamp: instantOf(microseconds), power_kw }),
      );
      if (rows.length > 0) expect((await homes[index]?.send(rows, client))?.status).toBe(200);
    }
    await sumAllQuarterHours(service.api.database, service.clock);
  }
  for (const [index, home] of homes.entries()) {
    const found = await storedSums(service, home.assets.household_net.key);
    const needed = (await bySnapshots(home)).map(nearly);
    expect(found, JSON.stringify(sendings[index])).toEqual(needed);
  }
});

test('late values of an asset that sends seldom hold in no quarter hour that has not begun', async () => {
  const day = '2026-12-01T';
  service.clock.set(`${day}11:05:00.000Z`);
  const home = await service.addHousehold();
  const { id, key } = home.assets.household_net;
  const times = ['06:40', '07:30', '08:20', '09:10', '10:00', '10:40'];
  const rows = times.map((time) => ({ asset: id, timestamp: `${day}${time}:00Z`, power_kw: 1 }));
  expect((await home.send(rows, await service.signIn())).status).toBe(200);
  await sumAllQuarterHours(service.api.database, service.clock);
  expect((await storedSums(service, key)).at(-1)).toMatchObject({ start: `${day}11:00Z` });
  service.clock.set(`${day}11:20:00.000Z`);
  await sumAllQuarterHours(service.api.database, service.clock);
  expect((await storedSums(service, key)).at(-1)).toMatchObject({ start: `${day}11:15Z`, seconds: 900 });
});
