import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolder } from '../../scripts/data-folder.mjs';
import { resetLocalServices, startLocalServices } from '../../scripts/local-services.ts';
import type { Cleanup } from './cleanup.ts';

/** A Redis of a run's own, which the run may kill. */
export interface OwnRedis {
  readonly url: string;
  /** SIGKILL, and a new start on the same files and port. Undefined where it runs in a container. */
  readonly killAndStart: (() => Promise<void>) | undefined;
}

export async function startOwnRedis(cleanup: Cleanup): Promise<OwnRedis> {
  const folder = join(dataFolder, 'load', `redis-${process.pid}`);
  cleanup.add(async () => {
    await resetLocalServices(folder);
    await rm(folder, { recursive: true, force: true });
  });
  const start = () => startLocalServices({ folder, needs: { redis: true } });
  let { redis } = await start();
  const { url } = redis;
  if (redis.pid === undefined) return { url, killAndStart: undefined };
  return {
    url,
    killAndStart: async () => {
      if (redis.pid !== undefined) process.kill(redis.pid, 'SIGKILL');
      ({ redis } = await start());
    },
  };
}
