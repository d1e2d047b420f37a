import { type Clock, elapsedSeconds } from '../clock.ts';
import type { Database } from '../database/db.ts';
import type { Logger } from '../log/logger.ts';
import { maskText } from '../log/redaction.ts';
import type { Metrics } from '../metrics.ts';
import type { JobDefinition, JobResult, JobWorker, ScheduleLine } from './jobs.ts';
import {
  type BegunRun,
  updateRunBegun,
  updateRunDone,
  updateRunFailed,
  updateRunHeartbeat,
  updateRunReturned,
} from './queries.ts';

/** A worker that works writes a sign of life more often than it may be silent. */
const HEARTBEAT_MILLISECONDS = 15_000;
export const SILENCE_MILLISECONDS_MAX = 60_000;
/** A run that ended its process this often besides its own attempts would go on doing so. */
const INTERRUPTIONS_MAX = 10;
const RETRY_SECONDS_MAX = 3_600;
const ERROR_CHARACTERS_MAX = 2_000;

export interface ProcessorParts<Deps> {
  database: Database;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  lines: readonly ScheduleLine[];
  workers: readonly JobWorker<Deps>[];
  deps: Deps;
}

export type Outcome = 'done' | 'failed' | 'returned' | 'passed' | 'nothing';

export interface Processor {
  /** Runs one row of `job_runs`, if it still wants to be run. Throws only when the database is away. */
  process(id: number): Promise<Outcome>;
  /** Resolves when no job is running. */
  idle(): Promise<void>;
  /** Tells those running jobs to stop that lose nothing by it. */
  startClosing(): void;
  /** Tells running jobs to stop, and gives back those that do not: another worker takes them at once. */
  giveBack(): Promise<void>;
}

export function createProcessor<Deps>(parts: ProcessorParts<Deps>): Processor {
  const { database, clock, log } = parts;
  const closing = new AbortController();
  const ending = new AbortController();
  const running = new Map<number, BegunRun>();
  const waitingForIdle: (() => void)[] = [];
  const outcomes = parts.metrics.counter('job_runs_total', 'Runs of jobs by how they ended', [
    'job',
    'outcome',
  ]);
  const seconds = parts.metrics.histogram('job_run_duration_seconds', 'Time that one run of a job took', [
    'job',
  ]);

  async function process(id: number): Promise<Outcome> {
    const now = clock.nowMilliseconds();
    const begun = await database.asService((connection) =>
      updateRunBegun(connection, id, now, now - SILENCE_MILLISECONDS_MAX),
    );
    if (begun === null) return 'nothing';
    const job = parts.lines.find((line) => line.id === begun.schedule)?.job;
    const found = parts.workers.find((one) => one.definition.name === job?.name);
    if (found === undefined) return fail(begun, `No job belongs to the schedule ${begun.schedule}`);
    if (begun.fence > found.definition.attempts + INTERRUPTIONS_MAX) {
      return fail(begun, `Begun ${begun.fence} times without an end`);
    }
    const startedAt = performance.now();
    running.set(id, begun);
    const outcome = await run(begun, found).finally(() => {
      running.delete(id);
      if (running.size === 0) for (const resolve of waitingForIdle.splice(0)) resolve();
    });
    seconds.observe({ job: found.definition.name }, elapsedSeconds(startedAt));
    outcomes.inc({ job: found.definition.name, outcome });
    return outcome;
  }

  async function run(begun: BegunRun, found: JobWorker<Deps>): Promise<Outcome> {
    const passed = new AbortController();
    const signal = AbortSignal.any([passed.signal, ending.signal]);
    const runLog = log.child({ job: found.definition.name, run: begun.id, dueAt: begun.due_at });
    const heart = setInterval(() => void beat(begun, passed, runLog), HEARTBEAT_MILLISECONDS);
    try {
      const result = await found.run(parts.deps, {
        payload: begun.payload,
        dueAt: begun.due_at,
        signal,
        closing: closing.signal,
        log: runLog,
      });
      return await finish(begun, result, runLog);
    } catch (error) {
      if (closing.signal.aborted) runLog.info('job run stopped: this process is about to end');
      else runLog.error({ err: error }, 'job run failed');
      return await retryLater(begun, found.definition, error);
    } finally {
      clearInterval(heart);
    }
  }

  async function beat(begun: BegunRun, passed: AbortController, runLog: Logger): Promise<void> {
    try {
      const ours = await database.asService((connection) =>
        updateRunHeartbeat(connection, begun, clock.nowMilliseconds()),
      );
      if (!ours) passed.abort(new Error('Another worker has taken this run over'));
    } catch (error) {
      runLog.warn({ err: error }, 'sign of life not written');
    }
  }

  async function finish(begun: BegunRun, result: JobResult, runLog: Logger): Promise<Outcome> {
    const ours = await database.asService((connection) =>
      updateRunDone(connection, begun, result, clock.nowMilliseconds()),
    );
    if (ours) runLog.info({ result }, 'job run done');
    else runLog.warn('job run was taken over by another worker; its result is left out');
    return ours ? 'done' : 'passed';
  }

  async function retryLater(begun: BegunRun, definition: JobDefinition, error: unknown): Promise<Outcome> {
    const text = maskText(error instanceof Error ? error.message : String(error)).slice(
      0,
      ERROR_CHARACTERS_MAX,
    );
    if (!closing.signal.aborted && begun.fence >= definition.attempts) return fail(begun, text);
    const delaySeconds = closing.signal.aborted
      ? 0
      : Math.min(definition.retrySeconds * 2 ** (begun.fence - 1), RETRY_SECONDS_MAX);
    const ours = await database.asService((connection) =>
      updateRunReturned(connection, begun, text, clock.nowMilliseconds() + delaySeconds * 1000),
    );
    return ours ? 'returned' : 'passed';
  }

  async function fail(begun: BegunRun, text: string): Promise<Outcome> {
    log.error({ run: begun.id, schedule: begun.schedule, reason: text }, 'job run failed for good');
    const ours = await database.asService((connection) =>
      updateRunFailed(connection, begun, text, clock.nowMilliseconds()),
    );
    return ours ? 'failed' : 'passed';
  }

  const startClosing = () => closing.abort(new Error('This process is about to end'));

  async function giveBack(): Promise<void> {
    startClosing();
    ending.abort(new Error('This process is about to end'));
    for (const begun of running.values()) {
      await database.asService((connection) =>
        updateRunReturned(connection, begun, null, clock.nowMilliseconds()),
      );
    }
  }

  async function idle(): Promise<void> {
    if (running.size > 0) await new Promise<void>((resolve) => waitingForIdle.push(resolve));
  }

  return { process, idle, startClosing, giveBack };
}
