import type { Redis } from 'ioredis';
import type { Logger } from '../log/logger.ts';
import type { Metrics } from '../metrics.ts';
import { unreachable } from '../unreachable.ts';
import { isReady, openRedis, redisPrefix } from './redis.ts';

/** Redis on the way of a request: an answer within milliseconds, or none and a decision of the process's own. */
export interface PromptRedis {
  /** Undefined when there is no answer in time. Never throws, and costs nothing while Redis is known to be away. */
  ask<Answer>(command: PromptCommand<Answer>): Promise<Answer | undefined>;
  close(): void;
}

/** Every key begins with the prefix: another database's service may use the same server. */
type PromptCommand<Answer> = (redis: Redis, prefix: string) => Promise<Answer>;

export interface PromptRedisOptions {
  url: string;
  databaseUrl: string;
  connectionName: string;
  /** How long one command may take. A round trip takes 0.2 ms on one machine, more where the server is far or busy. */
  answerMillisecondsMax: number;
  log: Logger;
  metrics: Metrics;
}

/** So many in a row without a good answer, and nobody waits any more. */
const FAILURES_MAX = 3;
/** While nobody waits, one command in this time looks whether the server is back. */
const PROBE_MILLISECONDS = 500;

/**
 * A server that hangs keeps its connection and answers nothing, which no client notices by itself; a full one answers
 * every command with an error. After three such commands none is sent but a probe beside the requests. One log line says
 * that Redis is gone, one that it is back.
 */
export function openPromptRedis(options: PromptRedisOptions): PromptRedis {
  const { log } = options;
  const gauge = options.metrics.gauge('redis_available', 'Whether Redis answers: 1 or 0', [], 'min');
  const prefix = redisPrefix(options.databaseUrl);
  let connected = false;
  let failures = 0;
  let probedAt = Number.NEGATIVE_INFINITY;
  let closing = false;
  /** Null until it is known for the first time. */
  let said: boolean | null = null;

  const isAvailable = () => connected && failures < FAILURES_MAX;

  function tell(error?: unknown): void {
    const available = isAvailable();
    if (closing || said === available) return;
    if (said === null && available) log.debug('Redis answers');
    else if (available) log.info('Redis is back: requests are counted together again');
    else {
      const where = unreachable('REDIS_URL', options.url, error);
      log.warn({ err: error }, `Redis does not answer: each process counts requests by itself. ${where}`);
    }
    said = available;
    gauge.set(available ? 1 : 0);
  }

  const redis = openRedis({
    url: options.url,
    use: 'commands',
    connectionName: options.connectionName,
    onStateChange: (state, error) => {
      if (state === 'back') return;
      connected = false;
      tell(error);
    },
  });
  redis.on('ready', () => {
    connected = true;
    failures = 0;
    tell();
  });

  async function answerOf<Answer>(command: PromptCommand<Answer>): Promise<Answer | undefined> {
    const outcome = await inTime(command(redis, prefix), options.answerMillisecondsMax);
    failures = 'answer' in outcome ? 0 : failures + 1;
    tell(outcome.error);
    return outcome.answer;
  }

  /** Writes, because a full server still answers what only reads. */
  function probe(): void {
    if (!isReady(redis) || performance.now() - probedAt < PROBE_MILLISECONDS) return;
    probedAt = performance.now();
    void answerOf((connection) => connection.set(`${prefix}:probe`, '1', 'EX', 1));
  }

  return {
    async ask(command) {
      if (isAvailable() && isReady(redis)) return await answerOf(command);
      probe();
      return undefined;
    },
    close: () => {
      closing = true;
      redis.disconnect();
    },
  };
}

interface CommandOutcome<Answer> {
  answer?: Answer;
  error?: unknown;
}

/**
 * After the timer it waits for the next reading. In a process that was busy for longer than the limit the timer fires
 * before it has read what came in meanwhile. Only after that reading is it certain that no answer came.
 */
function inTime<Answer>(reply: Promise<Answer>, millisecondsMax: number): Promise<CommandOutcome<Answer>> {
  return new Promise((resolve) => {
    const silence = () => resolve({ error: new Error(`No answer within ${millisecondsMax} ms`) });
    const timer = setTimeout(() => setImmediate(() => setImmediate(silence)), millisecondsMax);
    reply.then(
      (answer) => {
        clearTimeout(timer);
        resolve({ answer });
      },
      (error: unknown) => {
        clearTimeout(timer);
        resolve({ error });
      },
    );
  });
}
