import { Redis } from 'ioredis';
import { inject } from 'vitest';

const DATABASES = 15;

/**
 * An emptied Redis database: the next of fifteen in turn, and far fewer test files run at once. A test that empties or
 * stops the whole server starts one of its own.
 */
export async function takeTestRedis(): Promise<string> {
  const { redisAdminUrl } = inject('servers');
  const admin = new Redis(redisAdminUrl);
  try {
    const database = ((await admin.incr('voltstream-test-database')) % DATABASES) + 1;
    await admin.select(database);
    await admin.flushdb();
    return `${redisAdminUrl}/${database}`;
  } finally {
    admin.disconnect();
  }
}
