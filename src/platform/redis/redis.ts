import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';

/**
 * `commands`: fails at once while the server is away, so that nobody waits for it. `work`: waits as long as it takes, as
 * the queue's worker demands.
 */
export type RedisUse = 'commands' | 'work';

export interface RedisOptions {
  url: string;
  use: RedisUse;
  connectionName: string;
  /** Called once when the connection is lost and once when it is back, not at every attempt in between. */
  onStateChange(state: 'lost' | 'back', error?: Error): void;
}

const RECONNECT_MILLISECONDS_MAX = 2_000;
const REDIS_VERSION_MIN = [6, 2] as const;

/** Two databases behind one Redis must not take each other's runs: the numbers of rows would mean something else. */
export function redisPrefix(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `voltstream-${createHash('sha256').update(`${host}${pathname}`).digest('hex').slice(0, 12)}`;
}

/** Connects in the background and goes on trying for ever. */
export function openRedis(options: RedisOptions): Redis {
  const redis = new Redis(options.url, {
    connectionName: options.connectionName,
    retryStrategy: (attempts) => Math.min(attempts * 100, RECONNECT_MILLISECONDS_MAX),
    ...(options.use === 'commands'
      ? { enableOfflineQueue: false, maxRetriesPerRequest: 1, connectTimeout: 2_000, commandTimeout: 2_000 }
      : { maxRetriesPerRequest: null }),
  });
  let lost = false;
  let closing = false;
  const markLost = (error?: Error) => {
    if (lost || closing) return;
    lost = true;
    options.onStateChange('lost', error);
  };
  redis.on('error', markLost);
  redis.on('close', () => markLost());
  redis.on('end', () => {
    closing = true;
  });
  redis.on('ready', () => {
    if (lost) options.onStateChange('back');
    lost = false;
  });
  return redis;
}

/** Commands can be sent now; asked before a round so that an outage costs nothing. */
export function isReady(redis: Redis): boolean {
  return redis.status === 'ready';
}

/**
 * What makes this server unfit for a queue, one sentence each. Valkey answers the version of Redis that it is compatible
 * with under the same name.
 */
export async function redisProblems(redis: Redis): Promise<string[]> {
  return unfitBy(await redisFacts(redis));
}

/** The same, of facts that were asked for. */
export function unfitBy(facts: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  const policy = facts.get('maxmemory_policy') ?? 'unknown';
  if (policy !== 'noeviction') {
    problems.push(
      `Redis may evict keys (maxmemory-policy is ${policy}): set it to noeviction and do not share the instance with a cache`,
    );
  }
  const version = facts.get('redis_version') ?? '0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [majorMin, minorMin] = REDIS_VERSION_MIN;
  if (major < majorMin || (major === majorMin && minor < minorMin)) {
    problems.push(`Redis ${version} is too old: ${REDIS_VERSION_MIN.join('.')} or newer is needed`);
  }
  return problems;
}

/** What the server tells of itself, by the names of its `INFO`. */
export async function redisFacts(redis: Redis): Promise<ReadonlyMap<string, string>> {
  const lines = (await redis.info()).split(/\r?\n/).filter((line) => line.includes(':'));
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)] as const),
  );
}
