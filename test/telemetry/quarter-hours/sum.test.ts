import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { sumQuarterHours, sumQuarterHoursNow } from '../../../src/telemetry/quarter-hours/sum.ts';
import { addTrigger } from '../../setup/engine.ts';
import { waitingForLocks } from '../../setup/held-row.ts';
import { type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from '../snapshots/snapshot-api.ts';
import { storedSums, waitingEntries } from './held.ts';

/* The clock stands at 11:05 UTC; quarter hours are final 21 minutes after their end. */
let service: SnapshotApi;
let home: SnapshotHousehold;
let asset: string;
let key: number;
let maintenance: Database;

beforeAll(async () => {
  service = await startSnapshotApi({});
  maintenance = openDatabase({
    url: service.api.database.maintenanceUrl,
    applicationName: 'test-sums',
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
    "UPDATE quarter_hour_progress SET summed_until = '-infinity', snapshots_dropped_until = '-infinity', summed_at = NULL",
  );
});

afterAll(async () => {
  await maintenance?.close();
  await service?.close();
});

const sum = () =>
  sumQuarterHoursNow({ maintenance, clock: service.clock }, { signal: new AbortController().signal });
const at = (time: string) => `2026-12-01T${time}Z`;
const send = async (...rows: (readonly [time: string, power: number])[]) => {
  const answer = await home.send(rows.map(([time, power_kw]) => ({ asset, timestamp: at(time), power_kw })));
  expect(answer.status).toBe(200);
};
const startsOf = async () => (await storedSums(service, key)).map(({ start }) => start.slice(11, 16));

type Query = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

const asMaintenance = <Result>(work: (query: Query) => Promise<Result>) =>
  withDatabaseClient(service.api.database.maintenanceUrl, (client) =>
    work(async (text, values) => (await client.query(text, values)).rows),
  );

/** Runs the job, telling of each transaction before it begins, and gives how many there were. */
async function countedRun(
  onTransaction: (count: number) => unknown = () => {},
  signal = new AbortController().signal,
  onWorked: (seconds: number) => unknown = () => {},
): Promise<number> {
  const { asService } = maintenance;
  let count = 0;
  const counted: typeof asService = async (work) => {
    onTransaction(++count);
    const begun = performance.now();
    return await asService(work).finally(() => onWorked((performance.now() - begun) / 1_000));
  };
  await sumQuarterHours(
    { maintenance: { ...maintenance, asService: counted }, clock: service.clock },
    { signal },
  );
  return count;
}

test('beside writers: a run spends most of its time at rest, not in the database', async () => {
  await send(['09:03:00', 2], ['11:04:00', 6]);
  await addTrigger(service.admin, {
    name: 'slowly',
    when: 'BEFORE INSERT ON asset_quarter_hours FOR EACH STATEMENT',
    body: 'PERFORM pg_sleep(0.01); RETURN NULL;',
  });
  let working = 0;
  const begun = performance.now();
  await countedRun(undefined, undefined, (seconds) => (working += seconds));
  const seconds = (performance.now() - begun) / 1_000;
  await service.admin.query('DROP FUNCTION slowly CASCADE');
  expect(working).toBeGreaterThan(0.02);
  expect(seconds).toBeGreaterThan(2 * working);
});

test('what was sent until now is summed, also in quarter hours that are not over', async () => {
  await send(['10:03:00', 2], ['10:20:00', -4], ['11:04:00', 6]);
  expect(await sum()).toMatchObject({ is_current: true, final_until: at('10:30:00.000') });
  expect(await storedSums(service, key)).toMatchObject([
    { start: at('10:00'), samples: 1, seconds: 720, consumed: 0.4, fed: 0 },
    { start: at('10:15'), samples: 1, seconds: 780, consumed: 0.1, fed: 4 / 6 },
    { start: at('10:30'), samples: 0, seconds: 300, consumed: 0, fed: 1 / 3 },
    { start: at('11:00'), samples: 1, seconds: 660, consumed: 1.1, fed: 0 },
  ]);
});

test('rows on time leave nothing in the queue, late ones exactly their quarter hours', async () => {
  await send(['10:45:00', 1], ['11:05:59', 1]);
  expect(await waitingEntries(service)).toEqual([]);
  await send(['10:44:59.999999', 1], ['10:50:00', 1], ['08:01:00', 1], ['08:29:00', 1], ['09:00:00', 1]);
  expect(await waitingEntries(service)).toEqual([
    { asset: key, start: at('08:00'), quarter_hours: 2 },
    { asset: key, start: at('09:00'), quarter_hours: 1 },
    { asset: key, start: at('10:30'), quarter_hours: 1 },
  ]);
});

test('late rows reach the sums of their quarter hour and of the next one, into which they hold', async () => {
  await send(['08:20:00', 1]);
  await sum();
  expect(await startsOf()).toEqual(['08:15', '08:30']);
  await send(['06:10:00', 3], ['08:14:00', 5]);
  await sum();
  expect(await storedSums(service, key)).toMatchObject([
    { start: at('06:00'), samples: 1, seconds: 300, consumed: 0.25 },
    { start: at('06:15'), samples: 0, seconds: 600, consumed: 0.5 },
    { start: at('08:00'), samples: 1, seconds: 60, consumed: 5 / 60 },
    { start: at('08:15'), samples: 1, seconds: 900, consumed: 5 / 12 + 1 / 6 },
    { start: at('08:30'), samples: 0, seconds: 300 },
  ]);
  expect(await waitingEntries(service)).toEqual([]);
});

test('equal entries of the queue are taken as one, wherever they lie, and a portion counts each of them once', async () => {
  for (const second of [0, 1, 2]) await send([`08:01:0${second}`, 1], [`09:01:0${second}`, 1]);
  const waiting = await asMaintenance((query) => query('SELECT * FROM take_late_quarter_hours(1)'));
  expect(waiting).toMatchObject([{ start: new Date(at('08:00')), quarter_hours: 1 }]);
  const later = { asset: key, start: at('09:00'), quarter_hours: 1 };
  expect(await waitingEntries(service)).toEqual([later, later, later]);
});

test('a sum that is what it was is not written again, one that changed is', async () => {
  await send(['09:03:00', 2], ['10:33:00', 2]);
  await sum();
  const versions = async () => {
    const text = 'SELECT start, xmin::text AS version FROM asset_quarter_hours WHERE asset_id = $1';
    const { rows } = await service.admin.query<{ start: Date; version: string }>(text, [key]);
    return new Map(rows.map(({ start, version }) => [start.toISOString().slice(11, 16), version]));
  };
  const before = await versions();
  await send(['10:34:00', 2]);
  await sum();
  const changed = [...(await versions())].filter(([start, version]) => before.get(start) !== version);
  expect(changed.map(([start]) => start).sort()).toEqual(['10:30', '10:45']);
});

test('late rows of a batch that is partly stored ask for their own quarter hours and no others', async () => {
  const stored = [
    ['06:10:00', 3],
    ['07:10:00', 3],
    ['08:10:00', 3],
  ] as const;
  await send(...stored);
  await sum();
  await send(...stored, ['07:11:00', 9]);
  expect(await waitingEntries(service)).toEqual([{ asset: key, start: at('07:00'), quarter_hours: 1 }]);
  await sum();
  expect((await storedSums(service, key)).map(({ samples }) => samples)).toEqual([1, 0, 2, 0, 1, 0]);
});

test('rows that were on time when they were sent and late when they were committed are summed', async () => {
  /* Before they are sent: a writer waits for the lock below for three seconds and no longer. */
  service.clock.set(at('11:40:00.000'));
  await sum();
  service.clock.set(at('11:05:00.000'));
  const client = await service.admin.connect();
  try {
    await client.query('BEGIN; LOCK TABLE asset_snapshots IN EXCLUSIVE MODE');
    const sending = send(['11:04:00', 7]);
    await expect.poll(() => waitingForLocks(service.api.database)).toBe(1);
    service.clock.set(at('11:40:00.000'));
    await client.query('COMMIT');
    await sending;
  } finally {
    client.release();
  }
  await sum();
  expect(await startsOf()).toEqual(['11:00', '11:15']);
});

test('a run that is broken off is gone on with, and nothing is summed twice', async () => {
  await send(['06:10:00', 3], ['08:20:00', 1]);
  const others = await Promise.all([0, 1, 2].map(() => service.addHousehold()));
  for (const other of others) {
    await other.send([{ asset: other.assets.household_net.id, timestamp: at('07:00:00'), power_kw: 1 }]);
  }
  const aborted = new AbortController();
  const run = countedRun((count) => count === 4 && aborted.abort(), aborted.signal);
  await expect(run).rejects.toThrow();
  await sum();
  const once = await storedSums(service, key);
  expect(once.map(({ start }) => start)).toEqual([at('06:00'), at('06:15'), at('08:15'), at('08:30')]);
  await Promise.all([sum(), sum()]);
  expect(await storedSums(service, key)).toEqual(once);
});

test('after days without a run everything since is summed, and years without snapshots are skipped', async () => {
  await service.admin.query(
    "INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, '1990-05-05 10:00Z', 4)",
    [key],
  );
  await send(['06:10:00', 3]);
  /* A transaction for each of 13,000 days would be far more. On Citus empty weeks that are made ahead are gone through too. */
  expect(await countedRun()).toBeLessThan(100);
  expect((await storedSums(service, key)).map(({ start }) => start)).toEqual([
    '1990-05-05T10:00Z',
    at('06:00'),
    at('06:15'),
  ]);
  service.clock.set('2026-12-05T11:05:00.000Z');
  const client = await service.signIn();
  const rows = ['2026-12-03T09:00:00Z', '2026-12-05T11:00:00Z'].map((timestamp) => ({
    asset,
    timestamp,
    power_kw: 1,
  }));
  expect((await home.send(rows, client)).status).toBe(200);
  expect(await sum()).toMatchObject({ is_current: true, final_until: '2026-12-05T10:30:00.000Z' });
  expect((await storedSums(service, key)).slice(3).map(({ start }) => start)).toEqual([
    '2026-12-03T09:00Z',
    '2026-12-05T11:00Z',
  ]);
});

test('a sum has the first and last instants, least and greatest power, and first and last states of charge', async () => {
  const { battery, wallbox } = home.assets;
  const rows = [
    { asset: battery.id, timestamp: at('06:02:00.000001'), power_kw: -1.5, state_of_charge: 0.4 },
    { asset: battery.id, timestamp: at('06:07:00'), power_kw: 2.25 },
    { asset: battery.id, timestamp: at('06:14:59.999999'), power_kw: 0.5, state_of_charge: 0.7 },
    { asset: battery.id, timestamp: at('06:15:00'), power_kw: 1, state_of_charge: 0.9 },
    {
      asset: wallbox.id,
      timestamp: at('06:01:00'),
      power_kw: 3,
      connected: true,
      vehicle_state_of_charge: 0.2,
    },
    {
      asset: wallbox.id,
      timestamp: at('06:02:00'),
      power_kw: 3,
      connected: true,
      vehicle_state_of_charge: 0.3,
    },
    { asset: wallbox.id, timestamp: at('06:03:00'), power_kw: 0, connected: false },
  ];
  expect((await home.send(rows)).status).toBe(200);
  await sum();
  const { rows: found } = await service.admin.query(
    `SELECT samples, connected_samples, to_char(first_at AT TIME ZONE 'UTC', 'HH24:MI:SS.US') AS first_at,
            to_char(last_at AT TIME ZONE 'UTC', 'HH24:MI:SS.US') AS last_at, power_kw_min, power_kw_max,
            state_of_charge_first, state_of_charge_last, vehicle_state_of_charge_last
       FROM asset_quarter_hours WHERE asset_id = ANY ($1) AND start = $2 ORDER BY asset_id = $3`,
    [[battery.key, wallbox.key], at('06:00:00'), wallbox.key],
  );
  expect(found).toEqual([
    {
      ...{ samples: 3, connected_samples: 0, first_at: '06:02:00.000001', last_at: '06:14:59.999999' },
      ...{ power_kw_min: -1.5, power_kw_max: 2.25, state_of_charge_first: 0.4, state_of_charge_last: 0.7 },
      vehicle_state_of_charge_last: null,
    },
    {
      ...{ samples: 3, connected_samples: 2, first_at: '06:01:00.000000', last_at: '06:03:00.000000' },
      ...{ power_kw_min: 0, power_kw_max: 3, state_of_charge_first: null, state_of_charge_last: null },
      vehicle_state_of_charge_last: 0.3,
    },
  ]);
});

test('values that came in any order are summed in that of their instants', async () => {
  await send(['06:14:00', 9], ['06:02:00', 3], ['06:08:00', 6]);
  await sum();
  expect(await storedSums(service, key)).toMatchObject([
    { start: at('06:00'), samples: 3, seconds: 780, consumed: expect.closeTo(1.05, 9) },
    { start: at('06:15'), samples: 0, seconds: 840 },
  ]);
});

test('more snapshots than are read at once are summed asset by asset, then quarter hour by quarter hour', async () => {
  const other = await service.addHousehold();
  const theirs = other.assets.household_net;
  await send(['06:01:00', 1], ['06:02:00', 1], ['06:16:00', 1], ['06:17:00', 1], ['07:01:00', 1]);
  expect((await other.send([{ asset: theirs.id, timestamp: at('06:10:00'), power_kw: 1 }])).status).toBe(200);
  const limited = () =>
    sumQuarterHoursNow(
      { maintenance, clock: service.clock, snapshotsMax: 5 },
      { signal: new AbortController().signal },
    );
  await limited();
  const whole = [
    { start: at('06:00'), samples: 2, seconds: 840 },
    { start: at('06:15'), samples: 2, seconds: 900 },
    { start: at('06:30'), samples: 0, seconds: 120 },
    { start: at('07:00'), samples: 1, seconds: 840 },
    { start: at('07:15'), samples: 0, seconds: 60 },
  ];
  expect(await storedSums(service, key)).toMatchObject(whole);
  expect(await storedSums(service, theirs.key)).toHaveLength(2);
  /* Late rows with more in a quarter hour than are read: so many of them count, and the others keep their sums. */
  await send(...[3, 4, 5, 6, 7].map((minute) => [`06:0${minute}:00`, 1] as const));
  await limited();
  const [first, ...others] = await storedSums(service, key);
  expect(first).toMatchObject({ start: at('06:00'), samples: 5 });
  expect(others).toMatchObject(whole.slice(1));
  expect(await waitingEntries(service)).toEqual([]);
});

test('what is erased takes its sums along, and the job does not bring them back', async () => {
  const other = await service.addHousehold();
  const theirs = other.assets.household_net;
  await send(['06:10:00', 3], ['11:04:00', 7]);
  expect((await other.send([{ asset: theirs.id, timestamp: at('06:10:00'), power_kw: 1 }])).status).toBe(200);
  await sum();
  await send(['07:10:00', 3]);
  await asMaintenance(async (query) => {
    let left = 1;
    while (left > 0) {
      left = Number((await query('SELECT erase_asset_snapshots($1, 2) AS rows', [key]))[0]?.rows);
      await sum();
    }
  });
  await sum();
  expect(await storedSums(service, key)).toEqual([]);
  expect((await waitingEntries(service)).filter((entry) => entry.asset === key)).toEqual([]);
  expect(await storedSums(service, theirs.key)).toHaveLength(2);
});

test('sums stay when their snapshots are dropped by age, and late rows do not replace them', async () => {
  const old = '2024-02-01T06';
  await service.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, '${old}:01Z', 4), ($1, '${old}:40Z', 4)`,
    [key],
  );
  await sum();
  const before = await storedSums(service, key);
  expect(before).toHaveLength(4);
  await asMaintenance((query) => query("SELECT drop_old_snapshot_chunks('2024-03-01')"));
  expect(await storedSums(service, key)).toEqual(before);
  await service.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, '${old}:02Z', 9), ($1, '${old}:20Z', 9)`,
    [key],
  );
  await service.admin.query(
    `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours) VALUES ($1, '${old}:00Z', 2)`,
    [key],
  );
  await sum();
  expect(await storedSums(service, key)).toEqual(before);
});

test('snapshots that are not summed yet outlast their period by a month, and not more', async () => {
  await sum();
  await service.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     VALUES ($1, '2023-05-20', 1), ($1, '2023-06-15', 1)`,
    [key],
  );
  await service.admin.query("UPDATE quarter_hour_progress SET summed_until = '2023-01-01'");
  const left = async () => {
    await asMaintenance((query) => query("SELECT drop_old_snapshot_chunks('2023-07-10')"));
    const { rows } = await service.admin.query(
      "SELECT FROM asset_snapshots WHERE asset_id = $1 AND timestamp < '2024-01-01'",
      [key],
    );
    return rows.length;
  };
  expect(await left()).toBe(1);
  await sum();
  expect(await left()).toBe(0);
});

test('readers of analysts and of snapshots see the sums, the service and the job see none and change none', async () => {
  const rights = async (role: string, table: string) => {
    const { rows } = await service.admin.query<{ kinds: string[] }>(
      `SELECT ARRAY(SELECT kind FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS kind
                     WHERE has_table_privilege($1, $2, kind) OR (kind IN ('SELECT', 'INSERT', 'UPDATE')
                           AND has_any_column_privilege($1, $2, kind))) AS kinds`,
      [`voltstream_${role}`, table],
    );
    return rows[0]?.kinds;
  };
  const roles = ['analyst_reader', 'snapshot_reader', 'app', 'maintenance'];
  const onTable = (table: string) => Promise.all(roles.map((role) => rights(role, table)));
  for (const table of ['asset_quarter_hours', 'quarter_hour_progress'])
    expect(await onTable(table)).toEqual([['SELECT'], ['SELECT'], [], []]);
  expect(await onTable('late_quarter_hours')).toEqual([['SELECT'], [], ['INSERT'], []]);
});
