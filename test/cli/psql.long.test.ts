import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { withDatabaseClient } from '../../src/platform/database/setup.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { nodeEnvironment } from '../setup/node-environment.ts';

let database: TestDatabase;
let addresses: Record<'DATABASE_OWNER_URL' | 'DATABASE_URL' | 'DATABASE_MAINTENANCE_URL', string>;

beforeAll(async () => {
  database = await createTestDatabase();
  addresses = {
    DATABASE_OWNER_URL: database.ownerUrl,
    DATABASE_URL: database.appUrl,
    DATABASE_MAINTENANCE_URL: database.maintenanceUrl,
  };
});
afterAll(() => database?.drop());

/** psql writes to the streams of the process. */
async function dbProcess(...parameters: string[]) {
  const child = spawn(process.execPath, [join(projectFolder, 'src/cli/db.ts'), ...parameters], {
    env: { ...nodeEnvironment(), ...addresses },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { exitCode, stdout, stderr };
}

test('psql runs what is passed on, for looking only', async () => {
  const count = await dbProcess('psql', '-At', '-c', 'select count(*) from asset_snapshots');
  expect([count.exitCode, count.stderr, count.stdout]).toEqual([0, '', '0\n']);
  const written = await dbProcess('psql', '-c', 'delete from organizations');
  expect(written.exitCode).not.toBe(0);
  expect(written.stderr).toContain('read-only transaction');
});

test('psql signs in as the role that is asked for, with its own rights', async () => {
  const name = await dbProcess('psql', '--as', 'app', '-At', '-c', 'select current_user');
  expect(name.stdout).toBe('voltstream_app\n');
  const closed = await dbProcess('psql', '--as', 'app', '-c', 'select count(*) from asset_snapshots');
  expect(closed.stderr).toContain('permission denied for table asset_snapshots');
  const finance = await dbProcess(
    'psql',
    '--as',
    'finance',
    '-At',
    '-c',
    'select current_user, count(*) from invoices',
  );
  expect(finance.stdout).toBe('voltstream_finance|0\n');
  const people = await dbProcess('psql', '--as', 'finance', '-c', 'select count(*) from customers');
  expect(people.stderr).toContain('permission denied for table customers');
  const owner = await dbProcess(
    'psql',
    '--as',
    'owner',
    '-At',
    '-c',
    'create table made (id bigint); drop table made',
  );
  expect([owner.exitCode, owner.stdout]).toEqual([0, 'CREATE TABLE\nDROP TABLE\n']);
  expect((await dbProcess('psql', '--as', 'nobody')).stderr).toContain(
    'Allowed choices are owner, app, finance, analyst, learner',
  );
});

test('the audit log is read by the line that docs/operating.md has for it', async () => {
  const page = await readFile(join(projectFolder, 'docs/operating.md'), 'utf8');
  const [, query = ''] = /db -- psql -c "(SELECT [^"]* FROM audit_log [^"]*)"/.exec(page) ?? [];
  expect(query).not.toBe('');
  const made = await withDatabaseClient(database.ownerUrl, (client) =>
    client.query(
      "INSERT INTO audit_log (staff, act, result) VALUES ('anna', 'tariffs.import', 'ok') RETURNING at",
    ),
  );
  expect(made.rowCount).toBe(1);
  expect(page).toContain(`${query}" -x\n`);
  const read = await dbProcess('psql', '-At', '-c', query);
  expect([read.exitCode, read.stdout]).toEqual([0, expect.stringContaining('|anna||tariffs.import||')]);
});

test('when jobs ran at last is read by the line that docs/operating.md has for it', async () => {
  const page = await readFile(join(projectFolder, 'docs/operating.md'), 'utf8');
  const [, query = ''] = /db -- psql -c "(SELECT [^"]* FROM job_runs [^"]*)"/.exec(page) ?? [];
  await withDatabaseClient(database.ownerUrl, (client) =>
    client.query(
      `INSERT INTO job_runs (job, state, due_at, next_at, finished_at)
       VALUES ('run-billing', 'done', now(), now(), '2026-10-05T08:00:00Z')`,
    ),
  );
  const read = await dbProcess('psql', '-At', '-c', query);
  expect([read.exitCode, read.stdout]).toEqual([0, expect.stringMatching(/^run-billing\|2026-10-05 /)]);
});
