import { expect, inject, test } from 'vitest';
import { schemaSource } from '../../../scripts/write-schema.ts';
import { BASELINE_FILES, LAST_BEFORE_BASELINE } from '../../../src/platform/database/baseline.ts';
import { migrationStatus, schemaProblems } from '../../../src/platform/database/migrate.ts';
import { MigrationError, readMigrations, sqlFolder } from '../../../src/platform/database/migration-files.ts';
import { initDatabase, migrateDatabase, withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { engine } from '../../setup/engine.ts';

/* The files from before the baseline are in the history alone. What a store remembers of them is written by hand. */

const { name: lastName, sha256: lastHash, commit } = LAST_BEFORE_BASELINE;

const files = (await readMigrations(sqlFolder, engine)).filter((file) => !file.repeatable);
const baseline = files.slice(0, BASELINE_FILES);
/** 0071 to 0081 as they were called, whose text is today's. */
const renumbered = files.slice(BASELINE_FILES, BASELINE_FILES + 11).map(({ name, sha256 }, index) => ({
  name: name.replace(/\d{4}/, `00${71 + index}`),
  sha256,
}));
const firstSeventy = [
  { name: 'migrations/0001-organizations.sql', sha256: 'a' },
  { name: 'migrations/0022-magic-links.sql', sha256: 'b' },
  { name: lastName, sha256: lastHash },
  /* Of before the views of analysts stood in folders of districts. */
  { name: 'analytics/20-assets.sql', sha256: 'c' },
];

async function withDatabase(
  options: { empty: boolean },
  work: (database: TestDatabase) => Promise<void>,
): Promise<void> {
  const database = await createTestDatabase(options);
  try {
    await work(database);
  } finally {
    await database.drop();
  }
}

async function remember(database: TestDatabase, rows: readonly { name: string; sha256: string }[]) {
  await withDatabaseClient(database.ownerUrl, async (owner) => {
    await owner.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
       );
       GRANT SELECT ON schema_migrations TO voltstream_app, voltstream_maintenance`,
    );
    await owner.query("DELETE FROM schema_migrations WHERE name ~ '^migrations/'");
    for (const { name, sha256 } of rows) {
      await owner.query('INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)', [name, sha256]);
    }
  });
}

/** A store as these files made it, without a memory of them. */
async function runThrough(database: TestDatabase, past: readonly { text: string }[]): Promise<void> {
  const { databaseAdminUrl: adminUrl, workerAdminUrls, passwords } = inject('servers');
  await initDatabase({ adminUrl, workerAdminUrls, database: database.name, passwords });
  await withDatabaseClient(database.ownerUrl, async (owner) => {
    await owner.query('SET citus.enable_ddl_propagation = off');
    for (const { text } of past) await owner.query(text);
  });
}

const dumpOf = (database: TestDatabase) => schemaSource(database.name, inject('servers'));

let dumped: string | undefined;

/** Of a new store. */
async function freshDump(): Promise<string> {
  if (dumped === undefined) {
    await withDatabase({ empty: false }, async (database) => {
      dumped = await dumpOf(database);
    });
  }
  return dumped ?? '';
}

const numberedOf = async (database: TestDatabase) => {
  const status = await withDatabaseClient(database.ownerUrl, (owner) => migrationStatus(owner));
  expect([status.pending, status.changed, status.unknown]).toEqual([[], [], []]);
  return status.applied.filter((name) => name.startsWith('migrations/'));
};

test('a store that ran the last file before the baseline goes on, and is the same as a new one', async () => {
  await withDatabase({ empty: true }, async (database) => {
    await runThrough(database, baseline);
    await remember(database, firstSeventy);
    const ran = await migrateDatabase(database.ownerUrl);
    expect(ran.filter((name) => name.startsWith('migrations/'))).toEqual(
      files.slice(BASELINE_FILES).map(({ name }) => name),
    );
    expect(await numberedOf(database)).toEqual(files.map(({ name }) => name));
    expect(await dumpOf(database)).toBe(await freshDump());
  });
});

test('a store that ran files behind those keeps them under their new numbers', async () => {
  await withDatabase({ empty: true }, async (database) => {
    const before = await freshDump();
    await runThrough(database, files.slice(0, BASELINE_FILES + renumbered.length));
    await remember(database, [...firstSeventy, ...renumbered]);
    /* A service process reads only, and asks for the command. */
    const [problem, ...others] = await withDatabaseClient(database.appUrl, schemaProblems);
    expect(problem).toContain('run npm run db -- migrate');
    expect(others).toEqual([]);
    const runs = await Promise.all([1, 2, 3].map(() => migrateDatabase(database.ownerUrl)));
    expect(runs.flat().filter((name) => name.startsWith('migrations/'))).toEqual(
      files.slice(BASELINE_FILES + renumbered.length).map(({ name }) => name),
    );
    expect(await numberedOf(database)).toEqual(files.map(({ name }) => name));
    expect(await dumpOf(database)).toBe(before);
  });
});

test('a store from before the last of those files is told which version to pass through, and nothing of it changes', async () => {
  await withDatabase({ empty: false }, async (database) => {
    for (const rows of [
      firstSeventy.slice(0, 2),
      [...firstSeventy.slice(0, 2), { name: lastName, sha256: 'c' }],
    ]) {
      await remember(database, rows);
      const refusal = await migrateDatabase(database.ownerUrl).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(MigrationError);
      expect(String(refusal)).toContain(`git checkout ${commit}, npm ci, npm run db -- migrate`);
      const { applied } = await withDatabaseClient(database.ownerUrl, (owner) => migrationStatus(owner));
      expect(applied.filter((name) => name.startsWith('migrations/'))).toEqual(rows.map(({ name }) => name));
    }
  });
});
