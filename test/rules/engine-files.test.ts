import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readMigrations, sqlFolder } from '../../src/platform/database/migration-files.ts';
import { STATEMENT_LIMITS } from '../../src/platform/database/time-limits.ts';

/* TimescaleDB and Citus: a file of sql/citus runs in the place of the one of the same name. */

const citusFolder = join(sqlFolder, 'citus');
const withoutComments = (text: string) => text.replaceAll(/--.*$/gm, '');

/** What names TimescaleDB and yet runs on both. */
const RUNS_ON_BOTH = new Map([
  [
    'migrations/0006-asset-snapshots-columnstore.sql',
    'asks for the licence first, which is not set elsewhere',
  ],
  ['roles.sql', 'closes functions of the extension, where there are any'],
]);

test('each file for Citus stands in the place of another one', async () => {
  const files = (await readdir(citusFolder, { recursive: true })).filter((name) => name.endsWith('.sql'));
  expect(files.length).toBeGreaterThan(7);
  expect(files.filter((name) => !existsSync(join(sqlFolder, name)))).toEqual([]);
});

test('views of analysts stand in folders of districts of src, each file at a place of its own in their order', async () => {
  const names = (await readMigrations()).filter(({ ofAnalytics }) => ofAnalytics).map(({ name }) => name);
  const districts = new Set(names.map((name) => basename(dirname(name))));
  expect([...districts].filter((district) => !existsSync(join(sqlFolder, '../src', district)))).toEqual([]);
  expect(new Set(names.map((name) => basename(name).slice(0, 3))).size).toBe(names.length);
  expect(names.filter((name) => !/^analytics\/[a-z-]+\/\d\d-[a-z-]+\.sql$/.test(name))).toEqual([]);
});

test('what only TimescaleDB has is named in no file that runs on Citus', async () => {
  const files = [
    ...(await readMigrations(sqlFolder, 'citus')),
    { name: 'roles.sql', text: await readFile(join(sqlFolder, 'roles.sql'), 'utf8') },
  ];
  const named = files.filter(({ text }) =>
    /timescaledb|create_hypertable|drop_chunks|hypertable_|public\.(first|last)\(/.test(
      withoutComments(text),
    ),
  );
  expect(named.map(({ name }) => name).sort()).toEqual([...RUNS_ON_BOTH.keys()].sort());
});

test('what only Citus has is named in no file that runs on TimescaleDB', async () => {
  const named = (await readMigrations(sqlFolder, 'timescaledb')).filter(({ text }) =>
    /citus|create_distributed_table|pg_dist_|run_command_on/.test(withoutComments(text)),
  );
  expect(named.map(({ name }) => name)).toEqual([]);
});

/* Statements of the owner stay on the coordinator, and the tables' rows are on other nodes. */
test('what changes a distributed table has a file for Citus that reaches every node', async () => {
  const changes =
    /\b(ALTER|DROP|TRUNCATE)\s+(TABLE\s+)?(IF EXISTS\s+)?(ONLY\s+)?(public\.)?asset_(snapshots|quarter_hours)\b|\b(INDEX|TRIGGER|GRANT|REVOKE|POLICY|RULE|STATISTICS)\b[^;]*\b(ON|TO|FROM)\s+(TABLE\s+)?(ONLY\s+)?(public\.)?asset_(snapshots|quarter_hours)\b/i;
  const changing = (await readMigrations(sqlFolder, 'citus')).filter(({ text }) =>
    changes.test(withoutComments(text)),
  );
  const apart = changing.filter(({ text }) => !text.includes('citus.enable_ddl_propagation = on'));
  expect(apart.map(({ name }) => name)).toEqual([
    /* Does nothing without TimescaleDB. */
    'migrations/0006-asset-snapshots-columnstore.sql',
    /* What it grants, 0007 grants as well. */
    'migrations/0019-governance.sql',
  ]);
  expect(changing.length).toBe(apart.length + 3);
});

test('both engines have the same files under the same names', async () => {
  const [ofTimescale, ofCitus] = await Promise.all([
    readMigrations(sqlFolder, 'timescaledb'),
    readMigrations(sqlFolder, 'citus'),
  ]);
  expect(ofCitus.map(({ name }) => name)).toEqual(ofTimescale.map(({ name }) => name));
  const differ = ofCitus.filter(({ sha256 }, index) => sha256 !== ofTimescale[index]?.sha256);
  expect(differ.map(({ name }) => name)).toContain('migrations/0005-asset-snapshots.sql');
});

test('on nodes a lock is waited for as long as on the coordinator', async () => {
  const roles = await readFile(join(citusFolder, 'roles.sql'), 'utf8');
  const seconds = /voltstream_app SET lock_timeout = '(\d+)s'/.exec(roles)?.[1];
  expect(Number(seconds) * 1_000).toBe(STATEMENT_LIMITS.lock_timeout);
});
