import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { createLogger } from '../../../../src/platform/log/logger.ts';
import { createMetrics } from '../../../../src/platform/metrics.ts';
import { createMapReader, type MapReader } from '../../../../src/telemetry/snapshots/nodes/map-reader.ts';
import type { TestDatabase } from '../../../setup/database.ts';
import { addNode, addShard, createMapDatabase, HALVES } from './cluster.ts';

let database: TestDatabase;
let service: Database;
let reader: MapReader;
const asAdmin = (text: string) => withDatabaseClient(database.adminUrl, (client) => client.query(text));

beforeEach(async () => {
  database = await createMapDatabase();
  service = openDatabase({
    url: database.appUrl,
    applicationName: 'voltstream-test',
    connectionsMax: 1,
    onError: () => {},
  });
  await withDatabaseClient(database.adminUrl, async (client) => {
    await addShard(client, 102_008, HALVES[0], [1]);
    await addNode(client, 1, 'postgres://node-1:5432');
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await reader?.stop();
  await service?.close();
  await database?.drop();
});

const metrics = createMetrics({ runtime: false });
let reads: number;

/** From here on time passes when the test says so; the database is asked as always. */
function start(): void {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  reads = 0;
  reader = createMapReader({
    database: service,
    metrics,
    log: createLogger({ level: 'silent', name: 'nodes-test' }),
    onRead: () => {
      reads += 1;
    },
  });
}

async function failures(): Promise<number> {
  const found = /^voltstream_snapshot_shard_map_failures_total (\d+)$/m.exec(await metrics.text());
  return Number(found?.[1]);
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise(setImmediate);
}

test('the map is read every 30 s, and not used any more 60 s after it was read last', async () => {
  start();
  await until(() => reads === 1);
  expect(reader.current()?.nodes).toEqual([{ group: 1, host: 'node-1', port: 5432 }]);

  await asAdmin('ALTER TABLE pg_dist_node RENAME TO hidden');
  for (const failed of [1, 2]) {
    vi.advanceTimersByTime(30_000);
    await until(async () => (await failures()) === failed);
  }
  expect(reader.current()).not.toBeNull();
  vi.advanceTimersByTime(1);
  expect(reader.current()).toBeNull();

  await asAdmin('ALTER TABLE hidden RENAME TO pg_dist_node');
  vi.advanceTimersByTime(30_000);
  await until(() => reads === 2);
  expect(reader.current()?.nodes).toHaveLength(1);
});

test('whoever asks for it again within a second, or while it is read, changes nothing', async () => {
  start();
  for (let times = 0; times < 10; times += 1) reader.readAgain();
  await until(() => reads === 1);
  reader.readAgain();
  /* There is one connection: what was asked before has its answer before. */
  await service.asService(async () => {});
  expect(reads).toBe(1);
  vi.advanceTimersByTime(1_000);
  for (let times = 0; times < 10; times += 1) reader.readAgain();
  await until(() => reads === 2);
  await reader.stop();
  vi.advanceTimersByTime(60_000);
  reader.readAgain();
  expect(reads).toBe(2);
});
