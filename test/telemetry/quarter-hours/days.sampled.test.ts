import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { sumQuarterHours, sumQuarterHoursNow } from '../../../src/telemetry/quarter-hours/sum.ts';
import { heldEnergy } from '../../governance/analysts/held-energy.ts';
import { runs } from '../../setup/tier.ts';
import { type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from '../snapshots/snapshot-api.ts';

/* Days are those of Berlin. They are summed when they are over and their quarter hours are final, 21 minutes after midnight. */
let service: SnapshotApi;
let home: SnapshotHousehold;
let asset: string;
let key: number;
let maintenance: Database;

beforeAll(async () => {
  service = await startSnapshotApi({});
  maintenance = openDatabase({
    url: service.api.database.maintenanceUrl,
    applicationName: 'test-days',
    connectionsMax: 2,
    onError: () => {},
  });
});
beforeEach(async () => {
  service.clock.set('2026-12-01T11:05:00.000Z');
  home = await service.addHousehold();
  ({ id: asset, key } = home.assets.household_net);
});
afterEach(async () => {
  await service.admin.query('DELETE FROM late_quarter_hours');
  await service.admin.query(
    `UPDATE quarter_hour_progress SET summed_until = '-infinity', snapshots_dropped_until = '-infinity', summed_at = NULL,
            days_summed_until = '-infinity', quarter_hours_dropped_until = '-infinity'`,
  );
});
afterAll(async () => {
  await maintenance?.close();
  await service?.close();
});

const sum = () =>
  sumQuarterHoursNow({ maintenance, clock: service.clock }, { signal: new AbortController().signal });
const send = async (...rows: (readonly [instant: string, power: number])[]) => {
  const client = await service.signIn();
  const snapshots = rows.map(([timestamp, power_kw]) => ({ asset, timestamp, power_kw }));
  expect((await home.send(snapshots, client)).status).toBe(200);
};

interface Day {
  day: string;
  quarter_hours: number;
  samples: number;
  least: number | null;
  greatest: number | null;
  seconds: number;
  consumed: number;
  fed: number;
}

const daysOf = async (assetKey: number): Promise<Day[]> =>
  (
    await service.admin.query<Day>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, quarter_hours, samples, power_kw_min AS least, power_kw_max AS greatest,
              covered_seconds AS seconds, consumed_kwh AS consumed, fed_kwh AS fed
         FROM asset_days WHERE asset_id = $1 AND covered_seconds > 0 ORDER BY asset_days.day`,
      [assetKey],
    )
  ).rows;

const asMaintenance = (text: string, values: unknown[] = []) =>
  withDatabaseClient(service.api.database.maintenanceUrl, async (client) => {
    const { rows } = await client.query<{ value: string }>(`SELECT ${text} AS value`, values);
    return Number(rows[0]?.value);
  });

/** Quarter hours as the job would have written them: 1 kW. */
const storeSums = (assetKey: number, from: string, until: string) =>
  service.admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT $1, at, 3, 0, 900, 0.25, 0
       FROM generate_series($2::timestamptz, $3::timestamptz - interval '1 minute', interval '15 minutes') AS at`,
    [assetKey, from, until],
  );

test('a day is summed when it is over and its quarter hours are final, and not before', async () => {
  await send(['2026-11-30T22:50:00Z', 6], ['2026-11-30T23:10:00Z', 6]);
  service.clock.set('2026-11-30T23:20:59.000Z');
  await sum();
  expect(await daysOf(key)).toEqual([]);
  service.clock.set('2026-11-30T23:21:00.000Z');
  await sum();
  expect(await daysOf(key)).toEqual([
    {
      ...{ day: '2026-11-30', quarter_hours: 1, samples: 1, least: 6, greatest: 6 },
      ...{ seconds: 600, consumed: 1, fed: 0 },
    },
  ]);
});

test('late rows reach the day of their quarter hour and the next one, into which they hold', async () => {
  await send(['2026-11-28T10:00:00Z', 4], ['2026-11-29T10:00:00Z', 4]);
  await sum();
  expect(await daysOf(key)).toMatchObject([
    { day: '2026-11-28', consumed: 1 },
    { day: '2026-11-29', consumed: 1 },
  ]);
  await send(['2026-11-27T22:50:00Z', -6], ['2026-11-29T12:00:00Z', -4]);
  await sum();
  expect(await daysOf(key)).toMatchObject([
    { day: '2026-11-27', seconds: 600, fed: 1 },
    { day: '2026-11-28', seconds: 1_200, consumed: 1, fed: 0.5 },
    { day: '2026-11-29', seconds: 1_800, consumed: 1, fed: 1 },
  ]);
  const before = await daysOf(key);
  await send(['2026-11-29T12:00:00Z', -4]);
  await Promise.all([sum(), sum()]);
  expect(await daysOf(key)).toEqual(before);
});

test('the days on which clocks are changed have 92 and 100 quarter hours', async () => {
  await storeSums(key, '2026-03-27T23:00Z', '2026-03-30T22:00Z');
  await storeSums(key, '2026-10-23T22:00Z', '2026-10-26T23:00Z');
  await sum();
  expect((await daysOf(key)).map(({ day, quarter_hours, seconds }) => [day, quarter_hours, seconds])).toEqual(
    [
      ['2026-03-28', 96, 86_400],
      ['2026-03-29', 92, 82_800],
      ['2026-03-30', 96, 86_400],
      ['2026-10-24', 96, 86_400],
      ['2026-10-25', 100, 90_000],
      ['2026-10-26', 96, 86_400],
    ],
  );
});

test('a store with sums of years gets its days in portions, and a run that is broken off is gone on with', async () => {
  await storeSums(key, '1999-05-04T22:00Z', '1999-05-06T22:00Z');
  await storeSums(key, '2026-09-30T22:00Z', '2026-10-31T23:00Z');
  const { asService } = maintenance;
  const counted = async (signal: AbortSignal, onTransaction: (count: number) => unknown) => {
    let count = 0;
    const database = {
      ...maintenance,
      asService: ((work) => {
        onTransaction(++count);
        return asService(work);
      }) as typeof asService,
    };
    await sumQuarterHours({ maintenance: database, clock: service.clock }, { signal });
    return count;
  };
  for (const broken of [6, 8, 10, 12, 14]) {
    const aborted = new AbortController();
    await counted(aborted.signal, (count) => count === broken && aborted.abort()).catch(() => {});
  }
  /* 10,000 days lie between. */
  expect(await counted(new AbortController().signal, () => {})).toBeLessThan(60);
  const days = await daysOf(key);
  expect(days).toHaveLength(2 + 31);
  expect(new Set(days.map(({ consumed, quarter_hours }) => consumed / quarter_hours))).toEqual(
    new Set([0.25]),
  );
  expect(days.map(({ day }) => day).slice(0, 3)).toEqual(['1999-05-05', '1999-05-06', '2026-10-01']);
});

test('a day whose quarter hours were dropped by age stays as it is, and goes with its whole year', async () => {
  await storeSums(key, '2022-12-30T23:00Z', '2023-01-02T23:00Z');
  await sum();
  const before = await daysOf(key);
  expect(before.map(({ day }) => day)).toEqual(['2022-12-31', '2023-01-01', '2023-01-02']);
  await asMaintenance("drop_old_quarter_hour_chunks('2023-02-01', 100)");
  await service.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, '2023-01-01T10:00Z', 9), ($1, '2023-01-04T10:00Z', 4)`,
    [key],
  );
  await service.admin.query(
    `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours) VALUES ($1, '2023-01-01T10:00Z', 1), ($1, '2023-01-04T10:00Z', 1)`,
    [key],
  );
  await sum();
  const after = await daysOf(key);
  expect(after.slice(0, 3)).toEqual(before);
  expect(after.slice(3)).toMatchObject([{ day: '2023-01-04', consumed: 1 }]);
  await asMaintenance("delete_old_days('2022-01-01', 100)");
  expect(await asMaintenance("delete_old_days('2023-01-01', 100)")).toBe(1);
  expect((await daysOf(key)).map(({ day }) => day)).toEqual(['2023-01-01', '2023-01-02', '2023-01-04']);
  expect(await asMaintenance("delete_old_days('2024-01-01', 2)")).toBe(2);
  await expect(asMaintenance("delete_old_days('2999-01-01', 2)")).rejects.toThrow(/in the past/);
});

test('what is erased takes its days along, and the job does not bring them back', async () => {
  const other = await service.addHousehold();
  await storeSums(other.assets.household_net.key, '2026-11-27T23:00Z', '2026-11-28T23:00Z');
  await send(['2026-11-28T10:00:00Z', 4], ['2026-11-29T10:00:00Z', 4]);
  await sum();
  for (let left = 1; left > 0; ) {
    left = await asMaintenance('erase_asset_snapshots($1, 1)', [key]);
    await sum();
  }
  expect(await daysOf(key)).toEqual([]);
  expect(await daysOf(other.assets.household_net.key)).toHaveLength(1);
});

test('readers of analysts and of snapshots see the days, the service and the job see none and change none', async () => {
  const { rows } = await service.admin.query(
    `SELECT role, kind FROM unnest(ARRAY['analyst_reader', 'snapshot_reader', 'app', 'maintenance']) AS role,
            unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS kind
      WHERE has_table_privilege('voltstream_' || role, 'asset_days', kind)`,
  );
  expect(rows).toEqual([
    { role: 'analyst_reader', kind: 'SELECT' },
    { role: 'snapshot_reader', kind: 'SELECT' },
  ]);
});

/* Gaps and silence, around midnight and both changes of the clock; rows of later rounds are late. */
const DAYS = ['2026-03-28T20:00:00Z', '2026-10-24T20:00:00Z'].map((instant) => Date.parse(instant));
const SPAN_SECONDS = 54 * 3_600;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ROUNDS = [0, 1, 2];
const anyPowers = fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 1, maxLength: 30 });

interface Series {
  begin: number;
  /** Milliseconds for which a value holds at most. */
  hold: number;
  /** The first day on which each value has enough before it: the hold is the usual distance of the values. */
  comparedFrom: string;
  values: Map<number, { power: number; round: number }>;
}
const dayText = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' });

/** Any cadence below 15 minutes, which is the hold then. */
const anyOften: fc.Arbitrary<Series> = fc
  .record({
    begin: fc.constantFrom(...DAYS),
    bursts: fc.array(
      fc.record({
        at: fc.integer({ min: 0, max: SPAN_SECONDS * 1_000 }),
        cadence: fc.constantFrom(1_000, 7_001, 60_000, 300_000, 840_000),
        powers: anyPowers,
        round: fc.nat(2),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ begin, bursts }) => {
    /* Until a value has four before it, its usual distance is not known: an hour of them comes first. */
    const values: Series['values'] = new Map(
      Array.from({ length: 60 }, (_, at) => [begin - (at + 1) * MINUTE, { power: 1, round: 0 }]),
    );
    for (const { at, cadence, powers, round } of bursts.toSorted((a, b) => a.round - b.round)) {
      for (const [step, power] of powers.entries()) {
        const instant = begin + at + step * cadence;
        if (!values.has(instant)) values.set(instant, { power, round });
      }
    }
    return { begin, hold: 15 * MINUTE, comparedFrom: '', values };
  });

/** A value every 20, 30 or 40 minutes, with times of silence: some stay so, others are sent late. 40 hours of them come first. */
const anySeldom: fc.Arbitrary<Series> = fc
  .record({
    begin: fc.constantFrom(...DAYS),
    hold: fc.constantFrom(20, 30, 40).map((minutes) => minutes * MINUTE),
    offset: fc.nat(MINUTE),
    powers: anyPowers,
    silences: fc.array(
      fc.record({
        from: fc.nat(SPAN_SECONDS * 1_000),
        milliseconds: fc.nat(6 * HOUR),
        round: fc.constantFrom(1, 2, null),
      }),
      { maxLength: 4 },
    ),
  })
  .map(({ begin, hold, offset, powers, silences }) => {
    const values: Series['values'] = new Map();
    for (let at = -40 * HOUR, step = 0; at < SPAN_SECONDS * 1_000; at += hold, step += 1) {
      const silence = silences.find(({ from, milliseconds }) => at >= from && at < from + milliseconds);
      const [power = 0, round = 0] = [powers[step % powers.length], silence?.round];
      if (round !== null) values.set(begin + offset + at, { power, round });
    }
    return { begin, hold, comparedFrom: dayText.format(begin), values };
  });

/** What the days have to hold, value by value: `seconds` is the energy of a kW that held for as long. */
function daysByRule({ hold, values }: Series) {
  const power = [...values].sort(([a], [b]) => a - b).map(([at, value]) => ({ at, power_kw: value.power }));
  const always = heldEnergy(
    power.map(({ at }) => ({ at, power_kw: 1 })),
    hold,
  );
  const days = new Map<string, { consumed: number; fed: number; seconds: number }>();
  for (const [start, { consumed, fed }] of heldEnergy(power, hold)) {
    const day = days.get(dayText.format(start)) ?? { consumed: 0, fed: 0, seconds: 0 };
    const seconds = (always.get(start)?.consumed ?? 0) * 3_600;
    days.set(dayText.format(start), {
      consumed: day.consumed + consumed,
      fed: day.fed + fed,
      seconds: day.seconds + seconds,
    });
  }
  const sent = Map.groupBy(power, ({ at }) => dayText.format(at));
  const near = (value: number) => expect.closeTo(value, 6);
  return [...days].map(([day, { consumed, fed, seconds }]) => {
    const own = sent.get(day) ?? [];
    const powers = own.map(({ power_kw }) => power_kw);
    return {
      day,
      quarter_hours: new Set(own.map(({ at }) => Math.floor(at / (15 * MINUTE)))).size,
      samples: own.length,
      /* Zero has no sign in the database. */
      least: own.length === 0 ? null : Math.min(...powers) + 0,
      greatest: own.length === 0 ? null : Math.max(...powers) + 0,
      ...{ seconds: near(seconds), consumed: near(consumed), fed: near(fed) },
    };
  });
}

test.each([
  ['often', anyOften],
  ['every 20, 30 or 40 minutes', anySeldom],
])(
  'days are the values of their quarter hours added up one by one: %s, whenever they came',
  async (_, any) => {
    const drawn = fc.sample(any, runs(5));
    const homes = await Promise.all(drawn.map(() => service.addHousehold()));
    for (const round of ROUNDS) {
      const after = SPAN_SECONDS + 100_000 + round * 3_600;
      service.clock.set(new Date((DAYS[1] ?? 0) + after * 1_000).toISOString());
      const client = await service.signIn();
      for (const [index, { values }] of drawn.entries()) {
        const rows = [...values]
          .filter(([, value]) => value.round === round)
          .map(([at, { power }]) => ({
            asset: homes[index]?.assets.household_net.id,
            timestamp: new Date(at).toISOString(),
            power_kw: power,
          }));
        if (rows.length > 0) expect((await homes[index]?.send(rows, client))?.status).toBe(200);
      }
      await sum();
    }
    for (const [index, series] of drawn.entries()) {
      const isCompared = ({ day }: { day: string }) => day >= series.comparedFrom;
      const found = await daysOf(homes[index]?.assets.household_net.key ?? 0);
      const text = JSON.stringify({ ...series, values: [...series.values] });
      expect(found.filter(isCompared), text).toEqual(daysByRule(series).filter(isCompared));
    }
  },
);
