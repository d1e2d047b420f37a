import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { pricesOf } from '../../src/cli/demo/feed/formula.ts';
import { type Feed, startFeed } from '../../src/cli/demo/feed/server.ts';
import { readWorkerConfig } from '../../src/config/config.ts';
import type { JobResult } from '../../src/platform/jobs/jobs.ts';
import { createLogger } from '../../src/platform/log/logger.ts';
import type { DeliveryDay } from '../../src/spot-prices/calendar.ts';
import type { PriceParts } from '../../src/spot-prices/parts.ts';
import { openWorkerDeps, type WorkerDeps } from '../../workers/deps.ts';
import { jobWorkers } from '../../workers/index.ts';
import { type FakeClock, fakeClock } from '../setup/clock.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { testEnvironment } from '../setup/environment.ts';
import { feedConfig } from '../setup/feed.ts';
import { takeTestRedis } from '../setup/redis.ts';
import { storedRows } from '../setup/stored-rows.ts';

interface Options {
  /** The first instant of the clock that service and feed share. */
  at: string;
  /** Order of the feeds; all of them where absent. */
  sources?: string;
  /** Variables of its own. */
  more?: Readonly<Record<string, string>>;
}

/** Not by TRUNCATE: of few rows that takes ten times as long. */
const EMPTIED =
  'spot_prices price_day_sums price_day_changes price_days price_source_days price_revisions price_forecast_frozen price_forecast_values price_forecast_days price_forecast_captures price_alarms price_fetches price_payloads price_sources'.split(
    ' ',
  );

/** The worker's own parts on an empty database, reading from a feed that lives by the same clock. No wait takes time. */
export class PriceRun {
  readonly clock: FakeClock;
  /** Milliseconds of every wait, in order. */
  readonly waits: number[] = [];
  readonly lines: Record<string, unknown>[] = [];
  readonly #options: Options;
  #feed: Feed | undefined;
  #database: TestDatabase | undefined;
  #deps: (WorkerDeps & Pick<PriceParts, 'wait'>) | undefined;
  redisUrl = '';

  constructor(options: Options) {
    this.#options = options;
    this.clock = fakeClock(options.at);
    beforeAll(() => this.#open());
    afterAll(() => this.#close());
  }

  get feed(): Feed {
    return present(this.#feed);
  }

  get database(): TestDatabase {
    return present(this.#database);
  }

  /** What jobs get, with waits that only move the clock. */
  get deps(): WorkerDeps & Pick<PriceParts, 'wait'> {
    return present(this.#deps);
  }

  /** The environment of a process that reads from the same feed. */
  environment(): Record<string, string> {
    return {
      ...testEnvironment(this.database, this.redisUrl),
      ...feedConfig(this.feed),
      ...this.#sources(),
      ...this.#options.more,
    };
  }

  #sources(): Record<string, string> {
    return this.#options.sources === undefined ? {} : { PRICES_SOURCES: this.#options.sources };
  }

  async #open(): Promise<void> {
    this.#feed = await startFeed({ now: () => this.clock.nowMilliseconds() });
    this.#database = await createTestDatabase();
    this.redisUrl = await takeTestRedis();
    const config = readWorkerConfig({ ...this.environment(), BASE_URL: 'http://127.0.0.1:1' });
    const write = (line: string) => void this.lines.push(JSON.parse(line) as Record<string, unknown>);
    const log = createLogger({ level: 'info', name: 'price-run', destination: { write } });
    const wait = async (milliseconds: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      this.waits.push(milliseconds);
      this.clock.advance(Math.ceil(milliseconds));
    };
    this.#deps = { ...openWorkerDeps(config, { clock: this.clock, log }), wait };
  }

  async #close(): Promise<void> {
    await this.#deps?.close();
    await this.#feed?.close();
    await this.#database?.drop();
  }

  /** One run of a job, due at that instant, at whatever the clock says. */
  async runJob(name: string, dueAt: string, payload: unknown = {}): Promise<JobResult> {
    const job = jobWorkers.find((worker) => worker.definition.name === name);
    const { signal } = new AbortController();
    return await present(job).run(this.deps, {
      id: 1,
      payload,
      organization: null,
      dueAt,
      signal,
      closing: signal,
      log: this.deps.log,
    });
  }

  /** Served amounts of a day in cents per MWh, in order. */
  async servedCents(deliveryOn: DeliveryDay): Promise<number[]> {
    const rows = await this.rows<{ cents: number }>(
      'SELECT (amount * 100)::float8 AS cents FROM spot_prices WHERE delivery_on = $1 ORDER BY interval_start',
      [deliveryOn],
    );
    return rows.map((row) => row.cents);
  }

  rows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return storedRows<Row>({ database: this.database }, text, values);
  }

  /** Requests to the feeds of realized prices so far. */
  requests(): number {
    const { entsoe, smard, 'energy-charts': energyCharts } = this.feed.requests();
    return entsoe + smard + energyCharts;
  }

  /** Everything about prices gone, all feeds well, nobody paused. */
  async empty(): Promise<void> {
    this.waits.length = 0;
    this.lines.length = 0;
    this.feed.set({ entsoe: {}, smard: {}, 'energy-charts': {}, awattar: {}, energyforecast: {} });
    /* Frozen curves refuse to go, except for a superuser who switches triggers off. */
    const deletions = EMPTIED.map((table) => `DELETE FROM ${table}`);
    await this.rows(['SET LOCAL session_replication_role = replica', ...deletions].join(';'));
  }

  async emptySchedules(): Promise<void> {
    await this.deps.database.asService(async (connection) => {
      await sql`DELETE FROM job_runs`.execute(connection);
      await sql`DELETE FROM schedules`.execute(connection);
    });
  }
}

/** What the formula says for a day, in cents per MWh. */
export function formulaCents(deliveryOn: DeliveryDay): number[] {
  return [...pricesOf(deliveryOn)];
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('Not there yet');
  return value;
}
