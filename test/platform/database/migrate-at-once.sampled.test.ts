import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { readMigrations, sqlFolder } from '../../../src/platform/database/migration-files.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { isLongTier } from '../../setup/tier.ts';

/** Each has a connection of its own. */
const RUNNERS = isLongTier ? 20 : 6;

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(sqlFolder, folder, { recursive: true });
});
afterAll(async () => {
  await database?.drop();
  await rm(folder, { recursive: true });
});

test(`${RUNNERS} at once on an older database run every file exactly once`, async () => {
  const { length } = (await readMigrations(folder)).filter((file) => !file.repeatable);
  const texts = [
    ['things', 'CREATE TABLE things (id bigint PRIMARY KEY, name text); INSERT INTO things VALUES (1)'],
    [
      'things-index',
      '-- outside a transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS by_name ON things (name)',
    ],
    ['more-things', 'INSERT INTO things VALUES (2)'],
  ] as const;
  const names = texts.map(
    ([what], at) => `migrations/${String(length + 1 + at).padStart(4, '0')}-${what}.sql`,
  );
  for (const [at, [, text]] of texts.entries()) await writeFile(join(folder, names[at] ?? ''), text);
  const runs = await Promise.all(
    Array.from({ length: RUNNERS }, () =>
      withDatabaseClient(database.ownerUrl, (client) => migrate(client, { folder })),
    ),
  );
  expect(runs.flat().sort()).toEqual([...names].sort());
  expect(
    await storedRows({ database }, 'SELECT count(*)::int AS count, max(id)::int AS last FROM things'),
  ).toEqual([{ count: 2, last: 2 }]);
});
