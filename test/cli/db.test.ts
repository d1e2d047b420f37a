import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { projectFolder } from '../../scripts/data-folder.mjs';
import { readMigrations } from '../../src/platform/database/migration-files.ts';
import { roleAddress, withDatabaseClient } from '../../src/platform/database/setup.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { engine } from '../setup/engine.ts';
import { nodeEnvironment } from '../setup/node-environment.ts';

let database: TestDatabase;
let addresses: Record<'DATABASE_OWNER_URL' | 'DATABASE_URL' | 'DATABASE_MAINTENANCE_URL', string>;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  addresses = {
    DATABASE_OWNER_URL: database.ownerUrl,
    DATABASE_URL: database.appUrl,
    DATABASE_MAINTENANCE_URL: database.maintenanceUrl,
  };
});
afterAll(() => database?.drop());

/** `npm run db -- …` with these variables and no others but the path. */
async function db(parameters: string[], environment: Record<string, string> = addresses) {
  const child = spawn(process.execPath, [join(projectFolder, 'src/cli/db.ts'), ...parameters], {
    env: { ...nodeEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => {
      child.once('exit', resolve);
    }),
  ]);
  return { output, errors, code };
}

const administrator = () => ({ ...addresses, DATABASE_ADMIN_URL: inject('servers').databaseAdminUrl });

test('init makes the database ready for migrations, and may be repeated', async () => {
  for (const _round of [1, 2]) {
    const { output, code } = await db(['init', '--database', database.name, '--json'], administrator());
    expect([code, JSON.parse(output)]).toEqual([0, { ...addresses, passwords_unchanged: [] }]);
  }
});

test('init shows no address that it was given', async () => {
  const { output, errors, code } = await db(['init', '--database', database.name], administrator());
  expect([code, output]).toEqual([0, '']);
  expect(errors).toBe(
    'DATABASE_OWNER_URL: as given\nDATABASE_URL: as given\nDATABASE_MAINTENANCE_URL: as given\n',
  );
});

test('init without addresses leaves known passwords as they are and shows none', async () => {
  const { DATABASE_ADMIN_URL } = administrator();
  const { output, errors, code } = await db(['init', '--database', database.name], { DATABASE_ADMIN_URL });
  expect(code).toBe(0);
  expect(errors).toContain('owner, app, maintenance are as they were');
  const address = roleAddress(DATABASE_ADMIN_URL, database.name, 'owner', '');
  expect(output).toContain(`DATABASE_OWNER_URL=${address}\n`);
  // The addresses still work.
  expect((await db(['status', '--json'])).errors).toBe('');
});

/** The stored password of a role, as only an administrator sees it. */
async function storedPassword(role: string): Promise<string> {
  return await withDatabaseClient(administrator().DATABASE_ADMIN_URL, async (client) => {
    const { rows } = await client.query<{ rolpassword: string }>(
      'SELECT rolpassword FROM pg_authid WHERE rolname = $1',
      [role],
    );
    return rows[0]?.rolpassword ?? '';
  });
}

test('init completes the database that the addresses name', async () => {
  const { output, code, errors } = await db(['init', '--json'], administrator());
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(JSON.parse(output)).toEqual({ ...addresses, passwords_unchanged: [] });
  expect((await db(['status', '--json'])).errors).toBe('');
});

test('init refuses addresses of different databases, and another one than they name, before it changes anything', async () => {
  const before = await storedPassword('voltstream_app');
  const named = (name: string) => new URL(`/${name}`, database.appUrl).pathname;
  const elsewhere = database.appUrl.replace(named(database.name), '/voltstream_elsewhere');
  const changed = elsewhere.replace(/:[^:@/]+@/, ':another-password@');
  const apart = await db(['init'], { ...administrator(), DATABASE_URL: changed });
  expect([apart.code, apart.output]).toEqual([1, '']);
  expect(apart.errors).toBe(
    `DATABASE_URL names the database voltstream_elsewhere, DATABASE_OWNER_URL names ${database.name}: all three are one\n`,
  );
  const other = await db(['init', '--database', 'voltstream_elsewhere'], administrator());
  expect([other.code, other.output]).toEqual([1, '']);
  expect(other.errors).toContain(`the given addresses name the database ${database.name}`);
  const none = await db(['init'], {
    ...administrator(),
    DATABASE_OWNER_URL: database.ownerUrl.replace(`/${database.name}`, ''),
  });
  expect([none.code, none.errors]).toEqual([1, 'DATABASE_OWNER_URL names no database\n']);
  expect(await storedPassword('voltstream_app')).toBe(before);
});

test('init ends with 1 when a given address does not lead to the database', async () => {
  const astray = database.appUrl.replace(/:\d+\//, ':1/');
  const { code, errors } = await db(['init'], { ...administrator(), DATABASE_URL: astray });
  expect(code).toBe(1);
  expect(errors).toMatch(/^DATABASE_URL does not lead to this database: .*ECONNREFUSED.*\n$/);
});

test('a wrong password is named as what it is', async () => {
  const wrong = database.ownerUrl.replace(/:[^:@/]+@/, ':wrong@');
  const { code, errors } = await db(['status'], { DATABASE_OWNER_URL: wrong });
  expect(code).toBe(1);
  expect(errors).toMatch(/^The database refuses the sign-in \(password authentication failed .*\n$/);
});

test('init takes an administrator only, and addresses of the right roles', async () => {
  const notSuper = await db(['init', '--database', database.name], { DATABASE_ADMIN_URL: database.ownerUrl });
  expect([notSuper.code, notSuper.output]).toEqual([1, '']);
  expect(notSuper.errors).toContain('must name a superuser: voltstream_owner is none');
  const mixed = await db(['init', '--database', database.name], {
    ...administrator(),
    DATABASE_URL: database.ownerUrl,
  });
  expect(mixed.errors).toBe('DATABASE_URL: An address for the role voltstream_app names voltstream_owner\n');
  expect((await db(['init'], {})).errors).toContain('DATABASE_ADMIN_URL is missing');
});

test('status names what is pending, migrate runs it, then nothing is left', async () => {
  const files = (await readMigrations()).map((file) => file.name);
  const before = await db(['status', '--json']);
  expect(before.code).toBe(1);
  expect(JSON.parse(before.output)).toMatchObject({ applied: [], pending: files, changed: [], unknown: [] });
  const migrated = await db(['migrate']);
  expect([migrated.code, migrated.output]).toEqual([0, files.map((name) => `${name}\n`).join('')]);
  expect((await db(['migrate'])).output).toBe('The schema is up to date.\n');
  const after = await db(['status']);
  expect(after.code).toBe(0);
  const version = { timescaledb: /, TimescaleDB \d+\.\d+\.\d+\n/, citus: /, Citus \d+\.\d+-\d+\n/ }[engine];
  expect(after.output).toMatch(/^PostgreSQL \d+\.\d+/);
  expect(after.output).toMatch(version);
  expect(after.output).toContain('The schema is up to date.');
});

test('psql runs what is passed on, for looking only', async () => {
  const count = await db(['psql', '-At', '-c', 'select count(*) from asset_snapshots']);
  expect([count.code, count.errors, count.output]).toEqual([0, '', '0\n']);
  const written = await db(['psql', '-c', 'delete from organizations']);
  expect(written.code).not.toBe(0);
  expect(written.errors).toContain('read-only transaction');
});

test('psql signs in as the role that is asked for, with its own rights', async () => {
  const name = await db(['psql', '--as', 'app', '-At', '-c', 'select current_user']);
  expect(name.output).toBe('voltstream_app\n');
  const closed = await db(['psql', '--as', 'app', '-c', 'select count(*) from asset_snapshots']);
  expect(closed.errors).toContain('permission denied for table asset_snapshots');
  const finance = await db([
    'psql',
    '--as',
    'finance',
    '-At',
    '-c',
    'select current_user, count(*) from invoices',
  ]);
  expect(finance.output).toBe('voltstream_finance|0\n');
  const people = await db(['psql', '--as', 'finance', '-c', 'select count(*) from customers']);
  expect(people.errors).toContain('permission denied for table customers');
  const owner = await db([
    'psql',
    '--as',
    'owner',
    '-At',
    '-c',
    'create table made (id bigint); drop table made',
  ]);
  expect([owner.code, owner.output]).toEqual([0, 'CREATE TABLE\nDROP TABLE\n']);
  expect((await db(['psql', '--as', 'nobody'])).errors).toContain(
    'Allowed choices are owner, app, finance, analyst, learner',
  );
});

test('a database that is not there is one sentence', async () => {
  const missing = { ...addresses, DATABASE_OWNER_URL: database.ownerUrl.replace(/:\d+\//, ':1/') };
  const { code, output, errors } = await db(['migrate'], missing);
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^[^\n]*ECONNREFUSED[^\n]*\n$/);
});
