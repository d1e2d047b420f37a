import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { withDatabase } from '../../src/platform/database/setup.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { createOrganization } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { Accounts } from './account.ts';

let api: TestApi;
let accounts: Accounts;
let organization: string;
let address: string;
let analyst: pg.Client;

beforeAll(async () => {
  api = await startApi();
  accounts = new Accounts(api.database);
  organization = await createOrganization(api.deps);
});
beforeEach(async () => {
  ({ address } = await accounts.make(organization));
  analyst = await accounts.connect(address);
});
afterAll(async () => {
  await accounts?.close();
  await api?.close();
});

/** What the worker asks every 15 seconds, with limits of its own choice. */
const endLong = async (statement = '60 seconds', transaction = '5 minutes') => {
  const [ended] = await api.deps.database.withClient(
    async (client) =>
      (await client.query('SELECT * FROM end_long_analyst_sessions($1, $2)', [statement, transaction])).rows,
  );
  return ended;
};

/** Begins a statement that takes an hour, without the limit of the role, and hands out how it ended. */
async function beginLong(client: pg.Client): Promise<{ ended: Promise<string | undefined> }> {
  await client.query('SET statement_timeout = 0; SET transaction_timeout = 0');
  const pid = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  const ended = client.query('SELECT pg_sleep(3600)').then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );
  for (;;) {
    const running = await storedRows(
      api,
      "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state = 'active' AND query LIKE '%pg_sleep%'",
      [pid],
    );
    if (running.length > 0) return { ended };
  }
}

test('a session begins with the limits of an analyst, and with his views', async () => {
  const { rows } = await analyst.query(`
    SELECT ARRAY(SELECT current_setting(name) FROM unnest(ARRAY[
      'statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout',
      'temp_file_limit', 'work_mem', 'default_transaction_read_only', 'search_path', 'timezone']) AS name) AS found`);
  expect(rows).toEqual([
    {
      found: [
        '1min',
        '5min',
        '1min',
        '1h',
        '1GB',
        '32MB',
        'on',
        `analytics_${organization}`,
        'Europe/Berlin',
      ],
    },
  ]);
});

test('the fifth session of an account is refused, and no account raises its own bounds', async () => {
  for (let more = 0; more < 3; more += 1) await accounts.connect(address);
  await expect(accounts.connect(address)).rejects.toMatchObject({ code: '53300' });
  await expect(analyst.query("SET temp_file_limit = '2GB'")).rejects.toMatchObject({ code: '42501' });
  await analyst.query('SET default_transaction_read_only = off');
  await expect(analyst.query('ALTER ROLE CURRENT_USER CONNECTION LIMIT 100')).rejects.toMatchObject({
    code: '42501',
  });
  await expect(analyst.query("ALTER ROLE CURRENT_USER SET temp_file_limit = '2GB'")).rejects.toMatchObject({
    code: '42501',
  });
});

test('a statement without a limit is cancelled from outside, and its session ended if it goes on', async () => {
  const { ended } = await beginLong(analyst);
  expect(await endLong()).toEqual({ cancelled: 0, ended: 0 });
  expect(await endLong('0 seconds')).toEqual({ cancelled: 1, ended: 0 });
  expect(await ended).toBe('57014');
  const { ended: endedNext } = await beginLong(analyst);
  /* Half a minute later. */
  expect(await endLong('-30 seconds')).toEqual({ cancelled: 0, ended: 1 });
  expect(await endedNext).toBe('57P01');
});

test('a transaction that is too old, or that waits for its analyst, ends with its session', async () => {
  await analyst.query('SET idle_in_transaction_session_timeout = 0; SET transaction_timeout = 0');
  await analyst.query('BEGIN; SELECT count(*) FROM assets');
  expect(await endLong()).toEqual({ cancelled: 0, ended: 0 });
  expect(await endLong('0 seconds')).toEqual({ cancelled: 0, ended: 1 });
  await expect(analyst.query('SELECT 1')).rejects.toThrow();

  const other = await accounts.connect(address);
  await other.query('BEGIN; SELECT count(*) FROM assets');
  expect(await endLong('60 seconds', '0 seconds')).toEqual({ cancelled: 0, ended: 1 });
  await expect(other.query('SELECT 1')).rejects.toThrow();
});

test('a session in another database of the server, where nobody bounds it, ends', async () => {
  const stray = await accounts.connect(withDatabase(address, 'postgres'));
  expect(await endLong()).toEqual({ cancelled: 0, ended: 1 });
  await expect(stray.query('SELECT 1')).rejects.toThrow();
  expect((await analyst.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('nobody else is ended, however long he works', async () => {
  const client = await api.deps.database.pool.connect();
  try {
    await client.query('BEGIN; SELECT 1');
    expect(await endLong('-1 hour', '-1 hour')).toEqual({ cancelled: 0, ended: 0 });
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.query('ROLLBACK');
  } finally {
    client.release();
  }
  await expect(analyst.query('SELECT * FROM end_long_analyst_sessions()')).rejects.toThrow();
});
