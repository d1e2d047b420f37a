import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWorkerConfig } from '../../src/config/config.ts';
import { removeOldRecords } from '../../src/governance/retention/service.ts';
import { openWorkerDeps, type WorkerDeps } from '../../workers/deps.ts';
import { testEnvironment } from '../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';

let database: TestDatabase;
let deps: WorkerDeps;

beforeAll(async () => {
  database = await createTestDatabase();
  const environment = testEnvironment(database, 'redis://127.0.0.1:1');
  deps = openWorkerDeps(
    readWorkerConfig({ ...environment, BASE_URL: 'http://127.0.0.1:1', LOG_LEVEL: 'silent' }),
  );
});

afterAll(async () => {
  await deps.close();
  await database.drop();
});

test('old records are removed although the sums of quarter hours have the connection for seconds', async () => {
  /* Longer than a request may wait for a connection: 2 seconds. */
  const summing = deps.maintenance.asService((connection) => sql`SELECT pg_sleep(2.5)`.execute(connection));
  const { signal } = new AbortController();
  const removed = await removeOldRecords(deps, { signal });
  expect(removed).toMatchObject({ snapshot_chunks: 0 });
  await summing;
});
