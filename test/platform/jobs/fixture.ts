import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import { type Database, openDatabase } from '../../../src/platform/database/db.ts';
import {
  type JobDefinition,
  type JobRun,
  job,
  type ScheduleLine,
  worker,
} from '../../../src/platform/jobs/jobs.ts';
import { createProcessor, type Processor } from '../../../src/platform/jobs/processor.ts';
import { reconcile, registerSchedules } from '../../../src/platform/jobs/reconciler.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { createMetrics, type Metrics } from '../../../src/platform/metrics.ts';
import { openRedis } from '../../../src/platform/redis/redis.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { takeTestRedis } from '../../setup/redis.ts';
import { storedRows } from '../../setup/stored-rows.ts';

const START = '2026-11-05T06:01:40Z';

export interface RunRow {
  id: number;
  due_at: string;
  state: string;
  fence: number;
  attempts: number;
  organization_id: string | null;
  error: string | null;
  result: { worker?: string } | null;
}

/** The runs that a job of the tests was given, and what it does with each. */
export interface Counting {
  runs: JobRun[];
  work: (run: JobRun) => Promise<void>;
}

export const counting = (work: Counting['work'] = async () => {}): Counting => ({ runs: [], work });

const definition = job({
  name: 'count-ticks',
  when: 'at each tick',
  does: 'counts it',
  payload: z.object({}),
  attempts: 3,
  retrySeconds: 60,
});

export function line(cron: string, catchUp: ScheduleLine['catchUp'], id = 'count-ticks'): ScheduleLine {
  return { id, job: definition, cron, timeZone: 'Europe/Berlin', catchUp };
}

export const everyMinute = [line('0 * * * * *', 'all')];

/** A database with its own queue, a clock that stands still, and no schedules before each test. */
export class JobFixture {
  clock: FakeClock = fakeClock(START);
  #testDatabase: TestDatabase | undefined;
  #database: Database | undefined;
  #second: Database | undefined;
  #redis: Redis | undefined;
  #redisUrl = '';

  constructor() {
    beforeAll(() => this.#open());
    afterAll(() => this.#close());
    beforeEach(() => this.#empty());
  }

  get database(): Database {
    return present(this.#database);
  }

  /** The connections of another worker process. */
  get second(): Database {
    return present(this.#second);
  }

  get redis(): Redis {
    return present(this.#redis);
  }

  get databaseUrl(): string {
    return present(this.#testDatabase).appUrl;
  }

  get testDatabase(): TestDatabase {
    return present(this.#testDatabase);
  }

  openRedis(use: 'commands' | 'work'): Redis {
    return openRedis({ url: this.#redisUrl, use, connectionName: 'jobs-test', onStateChange: () => {} });
  }

  async #open(): Promise<void> {
    this.#testDatabase = await createTestDatabase();
    this.#database = this.#openDatabase();
    this.#second = this.#openDatabase();
    this.#redisUrl = await takeTestRedis();
    this.#redis = this.openRedis('commands');
    await once(this.#redis, 'ready');
  }

  #openDatabase(): Database {
    return openDatabase({
      url: this.databaseUrl,
      applicationName: 'jobs-test',
      connectionsMax: 4,
      onError: () => {},
    });
  }

  async #close(): Promise<void> {
    this.#redis?.disconnect();
    await this.#database?.close();
    await this.#second?.close();
    await this.#testDatabase?.drop();
  }

  async #empty(): Promise<void> {
    this.clock.set(START);
    await this.rows('DELETE FROM job_runs');
    await this.rows('DELETE FROM schedules');
    await this.redis.flushdb();
  }

  register(lines: readonly ScheduleLine[]): Promise<void> {
    return registerSchedules(this, lines);
  }

  reconcile(): Promise<number> {
    return reconcile(this);
  }

  /** What the database holds, of all organizations. */
  rows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return storedRows<Row>({ database: this.testDatabase }, text, values);
  }

  listRuns(): Promise<RunRow[]> {
    return this.rows<RunRow>(
      `SELECT id::int, to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS due_at, state, fence,
              attempts, organization_id, error, result
         FROM job_runs
        ORDER BY due_at, id`,
    );
  }

  async onlyRun(): Promise<RunRow> {
    return present((await this.listRuns())[0]);
  }

  processorOf(
    name: string,
    counted: Counting,
    options: {
      database?: Database;
      job?: JobDefinition;
      metrics?: Metrics;
      nudge?: (at: readonly string[]) => void;
    } = {},
  ): Processor {
    return createProcessor({
      database: options.database ?? this.database,
      clock: this.clock,
      log: createLogger({ level: 'silent', name: 'jobs-test' }),
      metrics: options.metrics ?? createMetrics({ runtime: false }),
      nudge: options.nudge ?? (() => {}),
      workers: [
        worker(options.job ?? definition, async (_deps: null, run) => {
          counted.runs.push(run);
          await counted.work(run);
          return { worker: name };
        }),
      ],
      deps: null,
    });
  }
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('Not there yet');
  return value;
}
