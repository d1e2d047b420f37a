import { statfs } from 'node:fs/promises';
import { request } from 'undici';
import { openRedis, redisFacts, unfitBy } from '../../platform/redis/redis.ts';
import {
  CHECK_MILLISECONDS,
  type Check,
  type Finding,
  failure,
  failures,
  ok,
  secondsAhead,
  warning,
} from './check.ts';

/* What is around the database: Redis, the service as callers reach it, and the disk of this machine. */

const MEBIBYTE = 1_048_576;
const GIBIBYTE = 1_073_741_824;
const DISK_FREE_GIBIBYTES = { warning: 5, failure: 0.5 };
/** The share of its memory, where that has a limit. Above the limit all is refused, because nothing may be evicted. */
const MEMORY_SHARE_MAX = 0.8;
const DATE_SECONDS_MAX = 3;
const BODY_BYTES_MAX = 65_536;

export function surroundingChecks(given: {
  redisUrl: string | undefined;
  baseUrl: string | undefined;
  /** Production, and no mail server; null where no process runs that would send. */
  lacksMail: boolean | null;
  folder: string;
}): Check[] {
  const { redisUrl, baseUrl, lacksMail, folder } = given;
  return [
    {
      name: 'redis',
      remedy: 'Start Valkey or Redis, or correct REDIS_URL.',
      look: async (signal) =>
        redisUrl === undefined
          ? ok('not looked at: REDIS_URL is not set here, the API and the worker need it')
          : await lookAtRedis(redisUrl, signal),
    },
    {
      name: 'api',
      remedy: 'Start the API, or correct BASE_URL; the log of the API says why it does not start.',
      look: async (signal) =>
        baseUrl === undefined
          ? ok('not looked at: BASE_URL is not set here')
          : await lookAtApi(baseUrl, signal),
    },
    {
      name: 'mail',
      remedy: 'docs/configuration.md explains SMTP_URL.',
      look: async () => {
        if (lacksMail === null)
          return ok('not looked at: SMTP_URL is not set here, the API and the worker read it');
        if (!lacksMail) return ok('has a way');
        return warning(
          'SMTP_URL is not set here: nobody signs in to the console, and no reminder or receipt is sent',
          'Set SMTP_URL and MAIL_FROM for API and worker, and restart them.',
        );
      },
    },
    {
      name: 'disk',
      remedy: 'Look at the disk of this machine with df.',
      look: async () => {
        const { bavail, bsize, blocks } = await statfs(folder);
        const free = (bavail * bsize) / GIBIBYTE;
        const found = `${free.toFixed(1)} of ${((blocks * bsize) / GIBIBYTE).toFixed(0)} GiB are free on this machine`;
        const remedy = 'Make room, or a larger disk; look at that of the database server as well.';
        if (free < DISK_FREE_GIBIBYTES.failure) return failure(found, remedy);
        return free < DISK_FREE_GIBIBYTES.warning ? warning(found, remedy) : ok(found);
      },
    },
  ];
}

async function lookAtRedis(url: string, signal: AbortSignal): Promise<readonly Finding[]> {
  let lost: Error | undefined;
  const redis = openRedis({
    url,
    use: 'work',
    connectionName: 'doctor',
    onStateChange: (state, error) => {
      if (state === 'lost') lost = error;
    },
  });
  const gone = new Promise<never>((_, reject) => {
    redis.once('error', reject);
    redis.once('close', () => reject(lost ?? new Error('The connection was closed')));
    signal.addEventListener('abort', () => redis.disconnect());
  });
  try {
    return judgeRedis(await Promise.race([redisFacts(redis), gone]));
  } finally {
    gone.catch(() => {});
    redis.disconnect();
  }
}

export function judgeRedis(facts: ReadonlyMap<string, string>): readonly Finding[] {
  const bytes = Number(facts.get('used_memory') ?? 0);
  const most = Number(facts.get('maxmemory') ?? 0);
  const used = `${(bytes / MEBIBYTE).toFixed(0)} MiB${most > 0 ? ` of ${(most / MEBIBYTE).toFixed(0)}` : ''}`;
  const file = `${facts.get('aof_enabled') === '1' ? 'an' : 'no'} append-only file`;
  const name = facts.get('server_name') === 'valkey' ? 'Valkey' : 'Redis';
  const version = facts.get('valkey_version') ?? facts.get('redis_version') ?? 'of unknown version';
  return [
    ...failures(
      unfitBy(facts),
      'Correct it in the configuration of the server, and restart it.',
      `${name} ${version}, ${used}, ${facts.get('maxmemory_policy')}, ${file}`,
    ),
    ...(facts.get('aof_enabled') === '0'
      ? [
          warning(
            'a restart of Redis forgets what is newer than its last save',
            'Set appendonly yes in its configuration; what is lost there is found again in the database within 30 s.',
          ),
        ]
      : []),
    ...(most > 0 && bytes > most * MEMORY_SHARE_MAX
      ? [
          warning(
            `${used} of memory are used`,
            'Raise maxmemory: what does not fit is refused, and limits of requests are then counted by each process.',
          ),
        ]
      : []),
    ...(facts.get('rdb_last_bgsave_status') === 'err'
      ? [
          warning(
            'the last save to disk failed',
            'Look at the disk and the log of Redis; what is lost there is found again in the database within 30 s.',
          ),
        ]
      : []),
  ];
}

async function lookAtApi(baseUrl: string, signal: AbortSignal): Promise<readonly Finding[]> {
  const sentAt = Date.now();
  const { statusCode, headers, body } = await request(`${baseUrl}/readyz`, {
    signal,
    headersTimeout: CHECK_MILLISECONDS,
    bodyTimeout: CHECK_MILLISECONDS,
  });
  const receivedAt = Date.now();
  const text = (await body.text()).slice(0, BODY_BYTES_MAX);
  const clock = clockFinding(headers.date, sentAt, receivedAt);
  if (statusCode === 200) return [ok(`${baseUrl} is ready`), ...clock];
  return [failure(`${baseUrl}/readyz answers ${statusCode}: ${reasonsOf(text)}`, WHY_NOT_READY), ...clock];
}

const WHY_NOT_READY =
  'Look at the other lines, and at the log of the API; another 5xx comes from a proxy before it.';

/** Where something else answers there, its words do not help. */
function reasonsOf(text: string): string {
  try {
    const { reasons } = JSON.parse(text) as { reasons?: unknown };
    if (Array.isArray(reasons)) return reasons.join('; ');
  } catch {}
  return 'not the answer of this service';
}

function clockFinding(
  date: string | string[] | undefined,
  sentAt: number,
  receivedAt: number,
): readonly Finding[] {
  const ahead = secondsAhead(date, sentAt, receivedAt);
  if (ahead === null || Math.abs(ahead) <= DATE_SECONDS_MAX) return [];
  return [
    warning(
      `the Date of its answers differs by ${Math.abs(ahead).toFixed(0)} s from the clock of this machine`,
      'Let all machines take their time from the same servers (chrony, systemd-timesyncd).',
    ),
  ];
}
