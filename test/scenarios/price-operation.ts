import { CronExpressionParser } from 'cron-parser';
import { sql } from 'kysely';
import type { ScheduleLine } from '../../src/platform/jobs/jobs.ts';
import { createProcessor, type Processor } from '../../src/platform/jobs/processor.ts';
import type { JobQueue } from '../../src/platform/jobs/queue.ts';
import { reconcile, registerSchedules } from '../../src/platform/jobs/reconciler.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { jobWorkers } from '../../workers/index.ts';
import { scheduleLines } from '../../workers/schedules.ts';
import type { PriceRun } from '../spot-prices/price-run.ts';

/** A worker with all its lines and jobs about prices whose time is moved from one due moment to the next. */
export class PriceOperation {
  readonly lines: readonly ScheduleLine[];
  readonly processor: Processor;
  readonly #run: PriceRun;
  readonly #ticks = new Map<string, number>();

  constructor(run: PriceRun) {
    this.#run = run;
    const { deps } = run;
    this.lines = scheduleLines(deps.config.DATABASE_URL).filter((line) => /price/.test(line.job.name));
    this.processor = createProcessor({
      database: deps.database,
      clock: deps.clock,
      log: deps.log,
      metrics: createMetrics({ runtime: false }),
      nudge: () => {},
      workers: jobWorkers,
      deps,
    });
  }

  /** What a worker process does first. */
  start(): Promise<void> {
    return registerSchedules(this.#run.deps, this.lines);
  }

  /** Due ticks into rows, and the word that something is due into the queue. */
  async round(queue: Pick<JobQueue, 'sendRound'>): Promise<void> {
    await reconcile(this.#run.deps);
    await queue.sendRound();
  }

  /** The same without a queue between: what is due runs at once, one after the other. */
  async work(): Promise<void> {
    await reconcile(this.#run.deps);
    await this.processor.work();
  }

  /** Works whenever something is due, up to that instant. `before` hears of each moment first. */
  async workUntil(instant: string, before: (milliseconds: number) => void = () => {}): Promise<void> {
    const end = Date.parse(instant);
    for (;;) {
      const next = await this.nextMoment();
      if (next > end) break;
      const { clock } = this.#run;
      if (next > clock.nowMilliseconds()) clock.advance(next - clock.nowMilliseconds());
      before(clock.nowMilliseconds());
      await this.work();
    }
    this.#run.clock.set(instant);
  }

  #tickAfter(line: ScheduleLine, now: number): number {
    const known = this.#ticks.get(line.id) ?? 0;
    const tick = known > now ? known : nextTick(line, now);
    this.#ticks.set(line.id, tick);
    return tick;
  }

  /** When the next tick falls due or a returned run is to be tried again. */
  async nextMoment(): Promise<number> {
    const now = this.#run.clock.nowMilliseconds();
    const ticks = this.lines.map((line) => this.#tickAfter(line, now));
    const { rows } = await this.#run.deps.database.asService((connection) =>
      sql<{ at: number }>`
        SELECT (extract(epoch FROM min(next_at)) * 1000)::float8 AS at
          FROM job_runs WHERE state = 'queued' HAVING min(next_at) IS NOT NULL`.execute(connection),
    );
    return Math.min(...ticks, Math.max(rows[0]?.at ?? Number.POSITIVE_INFINITY, now));
  }
}

function nextTick({ cron, timeZone }: Pick<ScheduleLine, 'cron' | 'timeZone'>, after: number): number {
  return CronExpressionParser.parse(cron, { tz: timeZone, currentDate: new Date(after) })
    .next()
    .getTime();
}

/** All ticks of a line in (after, until]. */
export function ticksBetween(line: ScheduleLine, after: number, until: number): string[] {
  const ticks: string[] = [];
  for (let tick = nextTick(line, after); tick <= until; tick = nextTick(line, tick)) {
    ticks.push(new Date(tick).toISOString());
  }
  return ticks;
}
