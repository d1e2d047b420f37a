import { afterAll, beforeAll, expect, test } from 'vitest';
import { analystAddress, createAnalyst, rotateAnalyst } from '../../../src/governance/analysts/service.ts';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import { withDatabase, withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { runCommand } from '../../cli/command-line.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createOrganization } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { Accounts, act, uniqueName } from './account.ts';

let api: TestApi;
let accounts: Accounts;
let organization: string;

beforeAll(async () => {
  api = await startApi();
  accounts = new Accounts(api.database);
  organization = await createOrganization(api.deps);
});
afterAll(async () => {
  await accounts?.close();
  await api?.close();
});

const REASON = ['--reason', 'ticket 17', '--staff', 'ada'];

const run = (...args: string[]) =>
  runCommand({ APP_ENV: 'test', DATABASE_OWNER_URL: api.database.ownerUrl }, 'analysts', ...args);

async function shown(...args: string[]) {
  const { exitCode, stdout, stderr } = await run(...args, '--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, string>;
}

const query = (address: string, text: string) =>
  withDatabaseClient(address, async (client) => (await client.query(text)).rows as unknown[]);

/** Code of the refusal; null where there is none. */
const refusal = (address: string, text: string) =>
  query(address, text).then(
    () => null,
    (error: { code?: string }) => error.code,
  );

const rolesNamed = (name: string) =>
  storedRows(api, 'SELECT rolname FROM pg_roles WHERE rolname = $1', [`voltstream_analyst_${name}`]);

test('create, rotate and revoke: the address opens the views, the old password none, and the account is gone', async () => {
  const name = uniqueName();
  const created = await shown('create', name, '--organization', organization, ...REASON);
  expect(created).toMatchObject({ name, role: `voltstream_analyst_${name}`, organization });
  const first = created.address ?? '';
  expect(await query(first, 'SELECT count(*)::int AS count FROM assets')).toEqual([{ count: 0 }]);
  const [listed] = JSON.parse((await run('list', '--organization', organization, '--json')).stdout);
  expect(listed).toMatchObject({ name, can_sign_in: true, sessions: 0, rotated_at: null });
  expect((await run('list')).stdout).not.toContain(new URL(first).password);

  const open = await accounts.connect(first);
  const second = (await shown('rotate', name, ...REASON)).address ?? '';
  await expect(open.query('SELECT 1')).rejects.toThrow();
  expect(await refusal(first, 'SELECT 1')).toBe('28P01');
  expect(await query(second, 'SELECT count(*)::int AS count FROM assets')).toEqual([{ count: 0 }]);

  const still = await accounts.connect(second);
  expect(await shown('revoke', name, ...REASON)).toEqual({
    name,
    organization,
    ended_sessions: 1,
    left_in: [],
  });
  await expect(still.query('SELECT 1')).rejects.toThrow();
  expect(await refusal(second, 'SELECT 1')).toBe('28P01');
  expect(await rolesNamed(name)).toEqual([]);
  expect(await storedRows(api, 'SELECT 1 FROM analysts WHERE name = $1', [name])).toEqual([]);
  const lines = await auditRows(api, organization, 'analyst.');
  expect(
    lines.map(({ act, object_id, staff, reason, route }) => [act, object_id, staff, reason, route]),
  ).toEqual(
    ['analyst.create', 'analyst.rotate', 'analyst.revoke'].map((act) => [
      act,
      name,
      'ada',
      'ticket 17',
      act.replace('.', 's '),
    ]),
  );
});

test('a password never reaches the server: it gets the verifier', async () => {
  const { address, role } = await accounts.make(organization);
  const [row] = await storedRows<{ rolpassword: string }>(
    api,
    'SELECT rolpassword FROM pg_authid WHERE rolname = $1',
    [role],
  );
  expect(row?.rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/);
  expect(row?.rolpassword).not.toContain(new URL(address).password);
});

test('what cannot be is refused with its reason, and nothing is left', async () => {
  const { name } = await accounts.make(organization);
  const create = (given: string, to = organization) => run('create', given, '--organization', to, ...REASON);
  expect((await create(name)).stderr).toContain(`An analyst ${name} exists already`);
  for (const wrong of ['reader', 'Ada', '1st', 'a'.repeat(41), 'a-b', 'a"b']) {
    await expect(createAnalyst({ database: accounts.owner }, organization, wrong, act)).rejects.toMatchObject(
      {
        entries: [
          { field: 'name', message: expect.stringContaining('A name begins with a lower-case letter') },
        ],
      },
    );
  }
  const free = uniqueName();
  const nowhere = `org_${'0'.repeat(24)}`;
  expect((await create(free, nowhere)).stderr).toContain(`There is no organization ${nowhere}`);
  expect((await run('create', free, '--organization', organization)).exitCode).toBe(2);
  expect((await run('rotate', free, ...REASON)).stderr).toContain(`There is no analyst ${free}`);
  expect((await run('revoke', free, ...REASON)).stderr).toContain(`There is no analyst ${free}`);
  expect(await rolesNamed(free)).toEqual([]);

  await storedRows(api, `CREATE ROLE voltstream_analyst_${free}`);
  expect((await create(free)).stderr).toContain('exists on this server already, for another database');
  expect(await storedRows(api, 'SELECT 1 FROM analysts WHERE name = $1', [free])).toEqual([]);
  await storedRows(api, `DROP ROLE voltstream_analyst_${free}`);
});

test('a role that a restored database misses is made anew by rotate, with its views', async () => {
  const { name, role } = await accounts.make(organization);
  await storedRows(api, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  expect((await run('list')).stdout).toMatch(new RegExp(`^${name} +${organization} +- `, 'm'));
  const { address = '' } = await shown('rotate', name, ...REASON);
  expect(await refusal(address, 'SELECT 1 FROM snapshots')).toBeNull();
});

test('who rotates an account hears where its password stands as well', async () => {
  const { name } = await accounts.make(organization);
  const { stdout } = await run('rotate', name, ...REASON);
  expect(stdout).toContain('DATA_SETS_ACCOUNTS of the worker, ANALYST_PASSWORD of Grafana');
});

test('limits that an analyst lifted for good are in force again after rotate', async () => {
  const { name, role, address } = await accounts.make(organization);
  const session = await accounts.connect(address);
  await session.query('SET default_transaction_read_only = off');
  await session.query(`ALTER ROLE ${role} SET statement_timeout = 0`);
  await session.query(`ALTER ROLE ${role} SET hash_mem_multiplier = 100`);
  await session.query(`ALTER ROLE ${role} IN DATABASE ${api.database.name} SET work_mem = '1GB'`);
  const settings = `SELECT current_setting('statement_timeout') AS timeout, current_setting('work_mem') AS memory,
                           current_setting('hash_mem_multiplier') AS multiplier`;
  expect(await query(address, settings)).toEqual([{ timeout: '0', memory: '1GB', multiplier: '100' }]);
  const rotated = await rotateAnalyst({ database: accounts.owner }, name, act);
  const again = analystAddress(api.database.ownerUrl, rotated);
  expect(await query(again, settings)).toEqual([{ timeout: '1min', memory: '32MB', multiplier: '2' }]);
});

test('a database in which everybody may fill the disk gets no account', async () => {
  await storedRows(api, `GRANT TEMPORARY ON DATABASE ${api.database.name} TO PUBLIC`);
  await expect(accounts.make(organization)).rejects.toThrow('run npm run db -- init once more');
  await storedRows(api, `REVOKE TEMPORARY ON DATABASE ${api.database.name} FROM PUBLIC`);
});

test('views that an update makes anew are open to the accounts that there are', async () => {
  const { address } = await accounts.make(organization);
  await accounts.makeViews(organization);
  expect(await refusal(address, 'SELECT 1 FROM snapshots')).toBeNull();
});

test('analysts of a suspended or deleted organization are shut out at once, and come back with it', async () => {
  const own = await createOrganization(api.deps);
  const { address } = await accounts.make(own);
  const standing = (to: 'in_order' | 'past_due' | 'suspended' | 'deleted') =>
    setStanding(api.deps.database, own, to, act);
  await standing('past_due');
  expect(await refusal(address, 'SELECT 1 FROM assets')).toBeNull();
  for (const to of ['suspended', 'deleted'] as const) {
    const open = await accounts.connect(address);
    await standing(to);
    await expect(open.query('SELECT 1 FROM assets')).rejects.toThrow();
    expect([to, await refusal(address, 'SELECT 1')]).toEqual([to, '28000']);
    /* Views that are made anew stay closed. */
    await accounts.makeViews(own);
    expect([to, await refusal(address, 'SELECT 1')]).toEqual([to, '28000']);
    await standing('in_order');
    expect(await refusal(address, 'SELECT 1 FROM assets')).toBeNull();
  }
});

test('revoke works whatever the account left in other databases, says what stays, and is in the audit log', async () => {
  const own = await createOrganization(api.deps);
  const other = `${api.database.name}_theirs`;
  const leave = async (in_: string, address: string, role: string) => {
    await storedRows(api, `GRANT CONNECT ON DATABASE ${in_} TO ${role}`);
    const stray = await accounts.connect(withDatabase(address, in_));
    await stray.query('SET default_transaction_read_only = off');
    await stray.query("SELECT lo_from_bytea(0, 'left behind')");
    await stray.query('ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC');
  };
  await storedRows(api, `CREATE DATABASE ${other} TEMPLATE template0 OWNER voltstream_owner`);
  try {
    const first = await accounts.make(own);
    await leave(other, first.address, first.role);
    const revoked = await shown('revoke', first.name, ...REASON);
    expect(revoked).toEqual({ name: first.name, organization: own, ended_sessions: 1, left_in: [] });
    expect(await rolesNamed(first.name)).toEqual([]);

    const second = await accounts.make(own);
    await leave(other, second.address, second.role);
    await storedRows(
      api,
      `ALTER DATABASE ${other} OWNER TO postgres; REVOKE ALL ON DATABASE ${other} FROM PUBLIC`,
    );
    const { stdout, exitCode } = await run('revoke', second.name, ...REASON);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(new RegExp(`left_in +${other}\n.*DROP OWNED BY`)),
    ]);
    expect(await refusal(second.address, 'SELECT 1')).toBe('28000');
    expect((await run('list', '--organization', own, '--json')).stdout.trim()).toBe('[]');
    const lines = await auditRows(api, own, 'analyst.revoke');
    expect(lines.map(({ object_id }) => object_id)).toEqual([first.name, second.name]);
  } finally {
    await storedRows(api, `DROP DATABASE ${other} WITH (FORCE)`);
  }
});
