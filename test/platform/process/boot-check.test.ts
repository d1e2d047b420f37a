import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import {
  databaseProblems,
  durabilityProblems,
  versionProblems,
} from '../../../src/platform/process/boot-check.ts';
import { placeOfWritesProblems } from '../../../src/platform/process/place-of-writes.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { engine } from '../../setup/engine.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const problems = (url = database.appUrl) => withDatabaseClient(url, databaseProblems);

const asAdmin = (text: string) => withDatabaseClient(database.adminUrl, (client) => client.query(text));

/** What the service would say while this change is in force. */
async function problemsWith(change: string, undo: string): Promise<string[]> {
  await asAdmin(change);
  try {
    return await problems();
  } finally {
    await asAdmin(undo);
  }
}

test('a database as init and migrate leave it is in order', async () => {
  expect(await problems()).toEqual([]);
});

test('commits that are not durable are named', async () => {
  const name = database.name;
  const found = await problemsWith(
    `ALTER DATABASE ${name} SET synchronous_commit = 'off'`,
    `ALTER DATABASE ${name} RESET synchronous_commit`,
  );
  expect(found).toEqual([
    'synchronous_commit is off: what was acknowledged could be lost; set it to on or remote_apply',
  ]);
  const safe = {
    synchronous_commit: 'remote_apply',
    fsync: 'on',
    full_page_writes: 'on',
    data_sync_retry: 'off',
  };
  expect(durabilityProblems(safe)).toEqual([]);
  for (const [setting, value] of [
    ['synchronous_commit', 'local'],
    ['synchronous_commit', 'remote_write'],
    ['fsync', 'off'],
    ['full_page_writes', 'off'],
    ['data_sync_retry', 'on'],
  ] as const) {
    const [found, ...others] = durabilityProblems({ ...safe, [setting]: value });
    expect(found).toMatch(new RegExp(`^${setting} is ${value}`));
    expect(others).toEqual([]);
  }
});

test('servers with known holes are refused by edition', () => {
  const found = (
    server_version: number,
    timescaledb: string | null,
    license: string | null,
    citus: string | null = null,
  ) => versionProblems({ server_version, timescaledb, license, citus });
  expect(found(17, '2.19.3', 'apache')).toEqual([]);
  expect(found(18, '2.29.2', 'timescale')).toEqual([]);
  expect(found(18, '3.0.0-dev', 'timescale')).toEqual([]);
  expect(found(16, '2.19.3', 'apache')[0]).toContain('PostgreSQL 16 is too old');
  expect(found(17, '2.18.9', 'apache')[0]).toContain('2.19.0 or newer');
  expect(found(17, '2.29.1', 'timescale')[0]).toContain('2.29.2 or newer');
  expect(found(17, null, null)[0]).toContain('timescaledb is missing');
  expect(found(17, null, null, '14.0-1')).toEqual([]);
  expect(found(17, null, null, '13.2-1')[0]).toContain('Citus 13.2-1 is too old: 14.0.0 or newer');
  expect(found(16, null, null, '14.0-1')[0]).toContain('PostgreSQL 16 is too old');
});

test('a table without forced row-level security is named', async () => {
  const found = await problemsWith(
    'ALTER TABLE assets NO FORCE ROW LEVEL SECURITY; ALTER TABLE organizations DISABLE ROW LEVEL SECURITY',
    'ALTER TABLE assets FORCE ROW LEVEL SECURITY; ALTER TABLE organizations ENABLE ROW LEVEL SECURITY',
  );
  expect(found).toEqual([
    expect.stringContaining('Row-level security is not forced on assets, organizations'),
  ]);
});

test('a right too many on the snapshots or the audit log is named', async () => {
  const found = await problemsWith(
    'GRANT SELECT (power_kw), DELETE ON asset_snapshots TO voltstream_app; GRANT SELECT ON audit_log TO PUBLIC',
    'REVOKE SELECT (power_kw), DELETE ON asset_snapshots FROM voltstream_app; REVOKE SELECT ON audit_log FROM PUBLIC',
  );
  expect(found).toEqual([
    expect.stringContaining('The role voltstream_app may DELETE, SELECT on asset_snapshots'),
    expect.stringContaining('The role voltstream_app may SELECT on audit_log'),
  ]);
});

test('each problem of rights names what mends it: done as it stands there, nothing is left of them', async () => {
  await asAdmin('GRANT SELECT ON ALL TABLES IN SCHEMA public TO voltstream_app');
  await asAdmin('GRANT UPDATE (power_kw) ON asset_snapshots TO PUBLIC');
  await asAdmin('ALTER TABLE assets NO FORCE ROW LEVEL SECURITY');
  await asAdmin('CREATE TABLE strays (id bigint)');
  await asAdmin('ALTER TABLE strays OWNER TO voltstream_app');
  const found = await problems();
  expect(found).toHaveLength(4);
  for (const problem of found) await asAdmin(problem.replace(/^.*: as a superuser, /, ''));
  expect(await problems()).toEqual([]);
  await asAdmin('DROP TABLE strays');
});

test('functions that an update of the extension opened again are named with the command', async () => {
  const signature = {
    timescaledb: '_timescaledb_functions.drop_chunk(regclass)',
    citus: 'worker_split_copy(bigint,text,split_copy_info[])',
  }[engine];
  const found = await problemsWith(
    `GRANT EXECUTE ON FUNCTION ${signature} TO PUBLIC`,
    `REVOKE EXECUTE ON FUNCTION ${signature} FROM PUBLIC`,
  );
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(signature);
  expect(found[0]).toContain('npm run db -- init');
});

test('a service that signs in as somebody else is told so', async () => {
  const asOwner = await problems(database.ownerUrl);
  expect(asOwner.join('\n')).toContain('The role voltstream_owner may do more than a service should');
  expect(asOwner.join('\n')).toContain('owns');
  expect(asOwner.join('\n')).toContain('is a member of voltstream_analyst_reader');
  expect((await problems(database.adminUrl)).join('\n')).toContain('may do more than a service should');
});

test('a database without extension and schema is described, not stumbled over', async () => {
  const empty = await createTestDatabase({ empty: true });
  try {
    const found = await problems(empty.appUrl);
    expect(found[0]).toContain('The extension timescaledb is missing: run npm run db -- init');
    expect(found.at(-1)).toContain('run npm run db -- migrate');
  } finally {
    await empty.drop();
  }
});

test('writing to nodes is refused where the engine has none', async () => {
  const found = (place: 'coordinator' | 'nodes') =>
    withDatabaseClient(database.appUrl, (client) => placeOfWritesProblems(client, place));
  expect(await found('coordinator')).toEqual([]);
  const refused = [expect.stringContaining('SNAPSHOT_WRITES_TO is nodes')];
  expect(await found('nodes')).toEqual(engine === 'citus' ? [] : refused);
});
