import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addTrigger, testOnlyOn } from '../../setup/engine.ts';
import { isLongTier } from '../../setup/tier.ts';
import { addHousehold, type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';

/*
 * A batch that meets stored rows. What it costs follows the rows that were sent, not those that are stored between them:
 * otherwise four old rows, sent again, read millions.
 */

let service: SnapshotApi;
let recorded: { plan: Plan; text: string }[] | null = null;

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** Has every question for stored rows explained, in its own transaction and with its own values. */
function explainReads(pool: pg.Pool): void {
  const known = new WeakSet<object>();
  /* Some connections are there before the test is. */
  pool.on('acquire', (client) => {
    if (known.has(client)) return;
    known.add(client);
    const query = client.query.bind(client) as (...input: unknown[]) => Promise<pg.QueryResult>;
    const explained = async (text: unknown, ...rest: unknown[]) => {
      if (recorded !== null && typeof text === 'string' && text.includes('stored_snapshots(')) {
        const { rows } = await query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, ...rest);
        recorded.push({ text, plan: rows[0]?.['QUERY PLAN'][0].Plan });
      }
      return query(text, ...rest);
    };
    client.query = explained as typeof client.query;
  });
}

/** Pages that the questions for stored rows of a batch touch; what the service reads beside them is not counted. */
async function pagesTouched(send: () => Promise<unknown>): Promise<number> {
  /* As if a connection had ended: else the same bytes are answered from memory. A new one would read the catalogue. */
  const { pool } = service.api.deps.database;
  pool.emit('remove', undefined as never);
  recorded = [];
  try {
    await send();
    expect(recorded.length).toBeGreaterThan(0);
    return recorded.reduce(
      (sum, { plan }) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      0,
    );
  } finally {
    recorded = null;
  }
}

/** Of three times: the server reads its catalogue anew where statistics were taken in between, hundreds of pages. */
async function fewestPages(send: () => Promise<unknown>): Promise<number> {
  return Math.min(await pagesTouched(send), await pagesTouched(send), await pagesTouched(send));
}

beforeAll(async () => {
  service = await startSnapshotApi({});
  explainReads(service.api.deps.database.pool);
});

afterAll(() => service?.close());

const onOneServer = testOnlyOn('timescaledb', 'pages that nodes touch are in no plan of the coordinator');

const DAY = 86_400;
/** A Monday well before the service's clock, in the middle of a week of the table. */
const BEGIN = Date.parse('2026-11-02T00:00:00.000Z');

function at(seconds: number): string {
  return new Date(BEGIN + seconds * 1000).toISOString();
}

/** Rows for the household's connection, `everySeconds` apart, straight into the table. */
async function store(home: SnapshotHousehold, everySeconds: number, days: number): Promise<void> {
  await service.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT $1, instant, 1
       FROM generate_series($2::timestamptz, $2::timestamptz + make_interval(days => $3),
                            make_interval(secs => $4)) instant
         ON CONFLICT DO NOTHING`,
    [home.assets.household_net.key, at(0), days, everySeconds],
  );
}

function row(home: SnapshotHousehold, seconds: number, power_kw = 1) {
  return { asset: home.assets.household_net.id, timestamp: at(seconds), power_kw };
}

onOneServer(
  'four rows spread over 25 days, sent again, touch no more pages when a hundred times as much is stored',
  async () => {
    const home = await service.addHousehold();
    const sparse = [0, 8 * DAY, 17 * DAY, 25 * DAY].map((seconds) => row(home, seconds));
    const again = async () =>
      expect((await home.send(sparse)).body).toMatchObject({ stored: 0, duplicates: 4 });
    const apart = isLongTier ? 6 : 72;
    await store(home, 100 * apart, 25);
    const pagesBefore = await fewestPages(again);
    await store(home, apart, 25);
    expect(await home.count()).toBeGreaterThan((25 * DAY) / apart);
    const pagesAfter = await fewestPages(again);
    /* The index may have one level more; 360,000 rows have 3,000 pages, 30,000 have 250. */
    expect(pagesAfter).toBeLessThan(pagesBefore + 50);
  },
);

onOneServer('the last day again, alone and with 60 new rows, touches few pages', async () => {
  const home = await service.addHousehold();
  await store(home, 20, 1);
  const day = Array.from({ length: 4_320 }, (_, index) => row(home, index * 20));
  const fresh = Array.from({ length: 60 }, (_, index) => row(home, index * 1_400 + 1));
  const alone = await pagesTouched(async () =>
    expect((await home.send(day)).body).toMatchObject({ stored: 0, duplicates: 4_320 }),
  );
  const mixed = await pagesTouched(async () =>
    expect((await home.send([...fresh, ...day])).body).toMatchObject({ stored: 60, duplicates: 4_320 }),
  );
  /* 70 to 760, by the plan: statistics may come between the two. Looked up one by one, 4,380 rows touch more than 8,000. */
  expect(Math.max(alone, mixed)).toBeLessThan(1_500);
  expect(await home.count()).toBe(4_321 + 60);
});

test('rows of many weeks and assets are told apart: equal, new and different ones', async () => {
  const home = await service.addHousehold();
  const types = ['household_net', 'heat_pump', 'inverter'] as const;
  /* Weeks of the table begin on Thursdays: the last microsecond before one, and its first. */
  const edges = ['2026-11-04T23:59:59.999999Z', '2026-11-05T00:00:00.000Z', '2025-12-10T23:59:59.999999Z'];
  const rowsOf = (timestamps: readonly string[]) =>
    timestamps.flatMap((timestamp, index) =>
      types.map((type) => ({ asset: home.assets[type].id, timestamp, power_kw: index / 8 })),
    );
  expect((await home.send(rowsOf(edges.slice(0, 2)))).body).toMatchObject({ stored: 6 });
  expect((await home.send(rowsOf(edges))).body).toMatchObject({ stored: 3, duplicates: 6 });
  expect((await home.send(rowsOf(edges))).body).toMatchObject({ stored: 0, duplicates: 9 });
  const different = rowsOf([...edges, '2026-11-06T00:00:00.000Z']).map((row, index) =>
    index === 4 || index === 8 ? { ...row, power_kw: 2.5 } : row,
  );
  const refused = await home.send(different);
  expect(refused.body.errors).toEqual([
    {
      code: 'custom',
      field: 'snapshots.4.power_kw',
      message: '2.5 differs from 0.125 stored for the same asset and timestamp',
    },
    {
      code: 'custom',
      field: 'snapshots.8.power_kw',
      message: '2.5 differs from 0.25 stored for the same asset and timestamp',
    },
  ]);
  expect(await home.count()).toBe(9);
});

test('a value that was not sent and one that is not stored are differences', async () => {
  const home = await service.addHousehold();
  const { id } = home.assets.wallbox;
  const timestamp = at(0);
  expect((await home.send([{ asset: id, timestamp, power_kw: 1, connected: true }])).body.stored).toBe(1);
  const messages = [];
  for (const values of [{ power_kw: 1 }, { power_kw: 1, connected: true, vehicle_state_of_charge: 0.5 }]) {
    messages.push((await home.send([{ asset: id, timestamp, ...values }])).body.errors);
  }
  expect(messages).toEqual([
    [
      {
        code: 'custom',
        field: 'snapshots.0.connected',
        message: 'none differs from true stored for the same asset and timestamp',
      },
    ],
    [
      {
        code: 'custom',
        field: 'snapshots.0.vehicle_state_of_charge',
        message: '0.5 differs from none stored for the same asset and timestamp',
      },
    ],
  ]);
});

test('a statement that waits for more than fifteen seconds is ended: 503, and nothing is stored', async () => {
  const home = await addHousehold(service, service.organization);
  expect((await home.send([row(home, 0)])).status).toBe(200);
  /* The stored row is found by the comparison, and the missing one waits. */
  await addTrigger(service.admin, {
    name: 'wait_long',
    when: 'BEFORE INSERT ON asset_snapshots FOR EACH ROW',
    body: 'IF NEW.power_kw = 77 THEN PERFORM pg_sleep(60); END IF; RETURN NEW;',
  });
  const limit = isLongTier ? 15_000 : 1_500;
  await limitStatements(limit);
  const started = performance.now();
  const answer = await home.send([row(home, 0), row(home, 60, 77)]);
  const seconds = (performance.now() - started) / 1000;
  await service.admin.query('DROP FUNCTION wait_long CASCADE');
  expect(answer.status).toBe(503);
  expect(seconds).toBeGreaterThan((limit - 500) / 1000);
  expect(seconds).toBeLessThan(50);
  expect(await home.count()).toBe(1);
});

/** On new connections of the service, in place of its fifteen seconds. */
async function limitStatements(milliseconds: number): Promise<void> {
  const { pool } = service.api.deps.database;
  expect(pool.options.statement_timeout).toBe(15_000);
  pool.options.statement_timeout = milliseconds;
  const { rows } = await service.admin.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
  const former = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                   WHERE datname = current_database() AND usename = 'voltstream_app' AND backend_start < $1`;
  /* One that was still being opened is found by the next look. */
  const end = async () => (await service.admin.query(former, [rows[0]?.now])).rowCount;
  await expect.poll(end).toBe(0);
  const limit = () => pool.query<{ limit: string }>("SELECT current_setting('statement_timeout') AS limit");
  await expect
    .poll(async () => (await limit().catch(() => null))?.rows[0]?.limit)
    .toMatch(milliseconds % 1_000 === 0 ? `${milliseconds / 1_000}s` : `${milliseconds}ms`);
}
