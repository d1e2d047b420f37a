import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { resetLocalServices, startLocalServices } from '../../scripts/local-services.ts';
import type { Cleanup } from './cleanup.ts';

/** A Redis of a run's own, which the run may kill. */
export interface OwnRedis {
  readonly url: string;
  /** SIGKILL, and after a while a new start on the same files and port. Undefined where it runs in a container. */
  readonly killAndStart: ((goneMilliseconds?: number) => Promise<void>) | undefined;
  /** As if it had lost its files. */
  empty(): Promise<void>;
}

export async function startOwnRedis(cleanup: Cleanup): Promise<OwnRedis> {
  const folder = join(dataFolder, 'load', `redis-${process.pid}`);
  cleanup.add(async () => {
    await resetLocalServices(folder);
    await rm(folder, { recursive: true, force: true });
  });
  const start = () => startLocalServices({ folder, needs: { redis: true } });
  let { redis } = await start();
  const { url, adminUrl } = redis;
  const empty = async () => {
    const client = new Redis(adminUrl);
    await client.flushall();
    client.disconnect();
  };
  if (redis.pid === undefined) return { url, empty, killAndStart: undefined };
  return {
    url,
    empty,
    killAndStart: async (goneMilliseconds = 0) => {
      if (redis.pid !== undefined) process.kill(redis.pid, 'SIGKILL');
      await wait(goneMilliseconds);
      ({ redis } = await start());
    },
  };
}

/** The process of the Redis behind this address, where it is one of this machine. */
export async function redisPidOf(url: string): Promise<number | null> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1 });
  redis.on('error', () => {});
  try {
    const pid = Number(/^process_id:(\d+)/m.exec(await redis.info('server'))?.[1]);
    return /valkey|redis/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1')) ? pid : null;
  } catch {
    return null;
  } finally {
    redis.disconnect();
  }
}
