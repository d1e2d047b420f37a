import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readMigrations } from '../../src/platform/database/migration-files.ts';
import { roleAddress, withDatabaseClient } from '../../src/platform/database/setup.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { engine } from '../setup/engine.ts';
import { isLongTier } from '../setup/tier.ts';
import { runDatabaseCommand } from './command-line.ts';

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

const db = (parameters: string[], environment: Record<string, string> = addresses) =>
  runDatabaseCommand(environment, ...parameters);

const administrator = () => ({ ...addresses, DATABASE_ADMIN_URL: inject('servers').databaseAdminUrl });

test('init makes the database ready for migrations, and may be repeated', async () => {
  for (const _round of [1, 2]) {
    const { stdout, exitCode } = await db(['init', '--database', database.name, '--json'], administrator());
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { ...addresses, passwords_unchanged: [] }]);
  }
});

test('init gives the roles of the service no temporary tables, and takes them where it gave them before', async () => {
  const grant = `GRANT TEMPORARY ON DATABASE ${database.name} TO voltstream_app`;
  await withDatabaseClient(database.adminUrl, (client) => client.query(grant));
  await db(['init', '--database', database.name, '--json'], administrator());
  const { rows } = await withDatabaseClient(database.adminUrl, (client) =>
    client.query(
      `SELECT role, has_database_privilege(role, current_database(), 'CONNECT') AS connects,
              has_database_privilege(role, current_database(), 'TEMPORARY') AS makes_temporary
         FROM unnest(ARRAY['voltstream_app', 'voltstream_maintenance']) AS role`,
    ),
  );
  expect(rows).toEqual([
    { role: 'voltstream_app', connects: true, makes_temporary: false },
    { role: 'voltstream_maintenance', connects: true, makes_temporary: false },
  ]);
});

test.runIf(isLongTier)('init shows no address that it was given', async () => {
  const { stdout, stderr, exitCode } = await db(['init', '--database', database.name], administrator());
  expect([exitCode, stdout]).toEqual([0, '']);
  expect(stderr).toBe(
    'DATABASE_OWNER_URL: as given\nDATABASE_URL: as given\nDATABASE_MAINTENANCE_URL: as given\n',
  );
});

test.runIf(isLongTier)(
  'init without addresses leaves known passwords as they are and shows none',
  async () => {
    const { DATABASE_ADMIN_URL } = administrator();
    const { stdout, stderr, exitCode } = await db(['init', '--database', database.name], {
      DATABASE_ADMIN_URL,
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('owner, app, maintenance are as they were');
    const address = roleAddress(DATABASE_ADMIN_URL, database.name, 'owner', '');
    expect(stdout).toContain(`DATABASE_OWNER_URL=${address}\n`);
    // The addresses still work.
    expect((await db(['status', '--json'])).stderr).toBe('');
  },
);

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

test.runIf(isLongTier)('init completes the database that the addresses name', async () => {
  const { stdout, exitCode, stderr } = await db(['init', '--json'], administrator());
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({ ...addresses, passwords_unchanged: [] });
  expect((await db(['status', '--json'])).stderr).toBe('');
});

test('init refuses addresses of different databases, and another one than they name, before it changes anything', async () => {
  const before = await storedPassword('voltstream_app');
  const named = (name: string) => new URL(`/${name}`, database.appUrl).pathname;
  const elsewhere = database.appUrl.replace(named(database.name), '/voltstream_elsewhere');
  const changed = elsewhere.replace(/:[^:@/]+@/, ':another-password@');
  const apart = await db(['init'], { ...administrator(), DATABASE_URL: changed });
  expect([apart.exitCode, apart.stdout]).toEqual([1, '']);
  expect(apart.stderr).toBe(
    `DATABASE_URL names the database voltstream_elsewhere, DATABASE_OWNER_URL names ${database.name}: all three are one\n`,
  );
  const other = await db(['init', '--database', 'voltstream_elsewhere'], administrator());
  expect([other.exitCode, other.stdout]).toEqual([1, '']);
  expect(other.stderr).toContain(`the given addresses name the database ${database.name}`);
  const none = await db(['init'], {
    ...administrator(),
    DATABASE_OWNER_URL: database.ownerUrl.replace(`/${database.name}`, ''),
  });
  expect([none.exitCode, none.stderr]).toEqual([1, 'DATABASE_OWNER_URL names no database\n']);
  expect(await storedPassword('voltstream_app')).toBe(before);
});

test.runIf(isLongTier)('init ends with 1 when a given address does not lead to the database', async () => {
  const astray = database.appUrl.replace(/:\d+\//, ':1/');
  const { exitCode, stderr } = await db(['init'], { ...administrator(), DATABASE_URL: astray });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^DATABASE_URL does not lead to this database: .*ECONNREFUSED.*\n$/);
});

test('a wrong password is named as what it is', async () => {
  const wrong = database.ownerUrl.replace(/:[^:@/]+@/, ':wrong@');
  const { exitCode, stderr } = await db(['status'], { DATABASE_OWNER_URL: wrong });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^DATABASE_OWNER_URL: The database refuses the sign-in \(password authentication failed .*\n$/,
  );
});

test('a database that init has not made yet is named with that command', async () => {
  const none = database.ownerUrl.replace(`/${database.name}`, '/voltstream_elsewhere');
  const { exitCode, stderr } = await db(['migrate'], { DATABASE_OWNER_URL: none });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /refuses the sign-in \(database "voltstream_elsewhere" .*; npm run db -- init makes/,
  );
});

test('a server that cannot be reached is named with its variable, host and port, and never with its password', async () => {
  const dead = (name: string) => ({ [name]: 'postgres://postgres:canary-password@127.0.0.1:1/postgres' });
  for (const [command, variable] of [
    ['init', 'DATABASE_ADMIN_URL'],
    ['migrate', 'DATABASE_OWNER_URL'],
    ['status', 'DATABASE_OWNER_URL'],
    ['backup', 'DATABASE_OWNER_URL'],
  ] as const) {
    const args = command === 'backup' ? [command, '/nowhere/copy'] : [command];
    expect([command, await db(args, dead(variable))]).toEqual([
      command,
      {
        exitCode: 1,
        stdout: '',
        stderr: `${variable} leads to 127.0.0.1:1, which cannot be used (connect ECONNREFUSED 127.0.0.1:1): start that server, or correct ${variable}\n`,
      },
    ]);
  }
});

test('init takes an administrator only, and addresses of the right roles', async () => {
  const notSuper = await db(['init', '--database', database.name], { DATABASE_ADMIN_URL: database.ownerUrl });
  expect([notSuper.exitCode, notSuper.stdout]).toEqual([1, '']);
  expect(notSuper.stderr).toContain('must name a superuser: voltstream_owner is none');
  const mixed = await db(['init', '--database', database.name], {
    ...administrator(),
    DATABASE_URL: database.ownerUrl,
  });
  expect(mixed.stderr).toBe('DATABASE_URL: An address for the role voltstream_app names voltstream_owner\n');
  expect((await db(['init'], {})).stderr).toContain('DATABASE_ADMIN_URL is missing');
});

test('status names what is pending, migrate runs it, then nothing is left', async () => {
  const files = (await readMigrations()).map((file) => file.name);
  const before = await db(['status', '--json']);
  expect(before.exitCode).toBe(1);
  expect(JSON.parse(before.stdout)).toMatchObject({ applied: [], pending: files, changed: [], unknown: [] });
  const migrated = await db(['migrate']);
  expect([migrated.exitCode, migrated.stdout]).toEqual([0, files.map((name) => `${name}\n`).join('')]);
  expect((await db(['migrate'])).stdout).toBe('The schema is up to date.\n');
  const after = await db(['status']);
  expect(after.exitCode).toBe(0);
  const version = { timescaledb: /, TimescaleDB \d+\.\d+\.\d+\n/, citus: /, Citus \d+\.\d+-\d+\n/ }[engine];
  expect(after.stdout).toMatch(/^PostgreSQL \d+\.\d+/);
  expect(after.stdout).toMatch(version);
  expect(after.stdout).toContain('The schema is up to date.');
});

test('a database that is not there is one sentence', async () => {
  const missing = { ...addresses, DATABASE_OWNER_URL: database.ownerUrl.replace(/:\d+\//, ':1/') };
  const { exitCode, stdout, stderr } = await db(['migrate'], missing);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^[^\n]*ECONNREFUSED[^\n]*\n$/);
});
