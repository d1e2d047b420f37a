import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { withDatabase } from '../../../src/platform/database/setup.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createOrganization } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { Accounts } from './account.ts';

let api: TestApi;
let accounts: Accounts;
let organization: string;
let address: string;
let analyst: pg.Client;

beforeAll(async () => {
  api = await startApi({ alone: true });
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

test('docs/analysts.md names each limit of time that a session begins with, and what it answers', async () => {
  const page = readFileSync(join(projectFolder, 'docs/analysts.md'), 'utf8');
  const told: Record<string, readonly string[]> = {
    statement_timeout: ['| one statement | 60 seconds |', 'due to statement timeout'],
    transaction_timeout: ['| one transaction | 5 minutes;', 'due to transaction timeout'],
    idle_in_transaction_session_timeout: [
      '; 60 seconds while it waits |',
      'due to idle-in-transaction timeout',
    ],
    idle_session_timeout: ['| a session that asks nothing | 1 hour |', 'due to idle-session timeout'],
    lock_timeout: ['| a wait for a lock | 15 seconds |', 'due to lock timeout'],
  };
  const { rows } = await analyst.query<{ name: string }>(
    "SELECT name FROM pg_settings WHERE source IN ('user', 'database user') AND name ~ '_timeout$'",
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(told).sort());
  expect(
    Object.values(told)
      .flat()
      .filter((words) => !page.includes(words)),
  ).toEqual([]);
});

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

test('other databases of the server let no analyst in, and a session in one that does ends, but in a copy of the store', async () => {
  for (const name of ['postgres', 'template1']) {
    await expect(accounts.connect(withDatabase(address, name)), name).rejects.toMatchObject({
      code: '42501',
    });
  }
  const { username } = new URL(address);
  const other = `${api.database.name}_other`;
  await storedRows(api, `CREATE DATABASE ${other} TEMPLATE template0`);
  try {
    const stray = await accounts.connect(withDatabase(address, other));
    expect((await stray.query('SELECT current_user AS name')).rows).toEqual([{ name: username }]);
    expect(await endLong()).toEqual({ cancelled: 0, ended: 1 });
    await expect(stray.query('SELECT 1')).rejects.toThrow();
    /* As the accounts of a store that was restored beside its original. */
    await storedRows(api, `GRANT CONNECT ON DATABASE ${other} TO ${username}`);
    const copy = await accounts.connect(withDatabase(address, other));
    expect(await endLong()).toEqual({ cancelled: 0, ended: 0 });
    expect((await copy.query('SELECT 1 AS alive')).rows).toEqual([{ alive: 1 }]);
  } finally {
    await storedRows(api, `DROP DATABASE ${other} WITH (FORCE)`);
  }
  expect((await analyst.query('SELECT 1 AS alive')).rows).toEqual([{ alive: 1 }]);
});

/** Functions that roles.sql leaves to everybody though they are volatile. */
const free = /free constant text\[\] := ARRAY\[([^\]]*)\]/.exec(
  readFileSync(join(projectFolder, 'sql/roles.sql'), 'utf8'),
)?.[1];
const freeFunctions = new Set([...(free ?? '').matchAll(/'(\w+)'/g)].map(([, name]) => name));

test('of all functions that may do something an analyst has those of the list, and none beside', async () => {
  expect(freeFunctions.size).toBeGreaterThan(30);
  const { rows } = await analyst.query<{ name: string }>(
    `SELECT DISTINCT proname AS name FROM pg_proc
      WHERE (provolatile = 'v' OR proname IN ('txid_current', 'pg_current_xact_id'))
        AND has_function_privilege(oid, 'EXECUTE') AND has_schema_privilege(pronamespace, 'USAGE')`,
  );
  const reached = rows.map(({ name }) => name);
  expect(reached).toContain('pg_sleep');
  /* They only choose how similar texts must be, in one's own session; Citus puts its two into questions to the catalog. */
  const known = ['set_limit', 'relation_is_a_known_shard', 'citus_table_is_visible'];
  expect(reached.filter((name) => !freeFunctions.has(name) && !known.includes(name))).toEqual([]);
  await analyst.query('SET default_transaction_read_only = off');
  for (const statement of [
    'SELECT pg_export_snapshot() FROM generate_series(1, 100000)',
    "SELECT pg_notify('a', 'b')",
    'SELECT lo_create(0)',
    "SELECT lo_from_bytea(0, '1')",
    'SELECT pg_advisory_lock(1)',
    "SELECT pg_logical_emit_message(false, 'a', 'b')",
    'SELECT pg_current_xact_id()',
    "DO $$ BEGIN RAISE LOG 'written by an analyst'; END $$",
    'CREATE TEMPORARY TABLE kept AS SELECT 1',
    'CREATE TABLE kept (id int)',
  ]) {
    await expect(analyst.query(statement), statement).rejects.toMatchObject({ code: '42501' });
  }
});

test('notes that an idle listener leaves in the queue take half a megabyte at most', async () => {
  const listener = await accounts.connect(address);
  await listener.query('LISTEN flood');
  const { rows } = await analyst.query<{ bytes: string }>(
    "SELECT setting::bigint * current_setting('block_size')::bigint AS bytes FROM pg_settings WHERE name = 'max_notify_queue_pages'",
  );
  expect(Number(rows[0]?.bytes)).toBe(512 * 1024);
});

test('nobody else is ended, however long he works', async () => {
  const client = await api.deps.database.pool.connect();
  try {
    await client.query('BEGIN; SELECT 1');
    expect(await endLong('-1 hour', '-1 hour')).toEqual({ cancelled: 0, ended: 0 });
    expect((await client.query('SELECT 1 AS alive')).rows).toEqual([{ alive: 1 }]);
    await client.query('ROLLBACK');
  } finally {
    client.release();
  }
  await expect(analyst.query('SELECT * FROM end_long_analyst_sessions()')).rejects.toThrow();
});
