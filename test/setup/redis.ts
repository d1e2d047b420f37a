import { Redis } from 'ioredis';
import { inject } from 'vitest';

/** Each kind takes its databases in turn; far fewer are in use at once. */
const DATABASES = {
  /** For the time of a file. */
  own: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  /** Of services that stay for the next file: nobody empties them. */
  shared: [10, 11, 12, 13, 14, 15],
} as const;

/**
 * A Redis database, emptied where it is of a file alone. A test that empties or stops the whole server starts one of its own.
 */
export async function takeTestRedis(kind: keyof typeof DATABASES = 'own'): Promise<string> {
  const { redisAdminUrl } = inject('servers');
  const admin = new Redis(redisAdminUrl);
  try {
    const databases = DATABASES[kind];
    const database = databases[(await admin.incr(`voltstream-test-${kind}`)) % databases.length] ?? 0;
    await admin.select(database);
    if (kind === 'own') await admin.flushdb();
    return `${redisAdminUrl}/${database}`;
  } finally {
    admin.disconnect();
  }
}
