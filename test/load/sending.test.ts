import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { minutesToSend, SendingFleet } from '../../load/growth/sending.ts';
import { Report } from '../../load/measure/report.ts';
import { planFleet, storeFleet } from '../../load/surroundings/seed.ts';
import { NEWEST_VERSION } from '../../src/config/versions.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { createTenant } from '../setup/factories.ts';
import { FACTS } from './facts.ts';

const HOUSEHOLDS = 30;
const OPTIONS = { rounds: 1, checkpointMinutes: [2, 12], quietSeconds: 0 };

let api: TestApi;
let database: pg.Client;
let report: Report;
let sending: SendingFleet;

beforeAll(async () => {
  api = await startApi({ alone: true });
  const { organization, token } = await createTenant(api, { rate_per_second: 10_000, rate_burst: 10_000 });
  database = new pg.Client({ connectionString: api.database.adminUrl });
  await database.connect();
  report = new Report('growth', FACTS, {});
  const fleet = planFleet('sending', HOUSEHOLDS);
  const keys = await storeFleet(database, organization, fleet);
  const headers = {
    authorization: `Bearer ${token}`,
    'x-api-version': NEWEST_VERSION,
    'content-type': 'application/json',
  };
  sending = new SendingFleet(
    {
      database,
      redisPid: null,
      service: { baseUrl: api.baseUrl, pid: null, headers: async () => headers },
      report,
    },
    { fleet, keys, beginSeconds: (Math.floor(Date.now() / 60_000) - minutesToSend(OPTIONS)) * 60 },
  );
});
afterAll(async () => {
  await database?.end();
  await api?.close();
});

async function count(statement: string): Promise<number> {
  const { rows } = await database.query<{ count: string }>(statement);
  return Number(rows[0]?.count);
}

test('every asset sends one row a minute, with a checkpoint after so many minutes of the fleet', async () => {
  const checkpoints = 'SELECT num_requested AS count FROM pg_stat_checkpointer';
  const before = await count(checkpoints);
  const costs = await sending.costs('a small store', OPTIONS);
  expect(report.problems).toEqual([]);
  expect(Object.keys(costs)).toEqual(['checkpoint every 2 min', 'checkpoint every 12 min']);
  for (const { wal_bytes_of_row } of Object.values(costs)) expect(wal_bytes_of_row).toBeGreaterThan(50);
  expect(report.legs.map(({ rows }) => rows)).toEqual([10 * HOUSEHOLDS * 10, 12 * HOUSEHOLDS * 10]);
  /* Five and one, and one ahead of each leg. */
  expect((await count(checkpoints)) - before).toBeGreaterThanOrEqual(8);
  expect(await count('SELECT count(DISTINCT timestamp) FROM asset_snapshots')).toBe(22);
  expect(
    await count(
      'SELECT count(*) FROM (SELECT FROM asset_snapshots GROUP BY asset_id HAVING count(*) = 22) AS assets',
    ),
  ).toBe(HOUSEHOLDS * 10);
});

test('beside other work it keeps its pace, and ends with that work', async () => {
  const rows = () => count('SELECT count(*) FROM asset_snapshots');
  const before = await rows();
  const found = await sending.beside(async () => {
    await expect.poll(rows).toBeGreaterThan(before);
    return 'done';
  });
  expect(found).toBe('done');
  /* A gateway in two seconds; all that is sent in twenty minutes would be 6,000 rows. */
  expect((await rows()) - before).toBeLessThan(600);
  expect(report.problems).toEqual([]);
});
