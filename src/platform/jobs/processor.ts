import { type Clock, elapsedSeconds } from '../clock.ts';
import type { Database } from '../database/db.ts';
import { isDiskFull } from '../database/pg-errors.ts';
import type { Logger } from '../log/logger.ts';
import { maskText } from '../log/redaction.ts';
import type { Metrics } from '../metrics.ts';
import type { Traces } from '../traces.ts';
import { type JobDefinition, type JobResult, type JobWorker, PayloadRefused } from './jobs.ts';
import {
  type BegunRun,
  claimRuns,
  inOrganizationOf,
  updateRunDone,
  updateRunFailed,
  updateRunHeartbeat,
  updateRunReturned,
} from './queries.ts';

/** A worker that works writes a sign of life more often than it may be silent. */
const HEARTBEAT_MILLISECONDS = 15_000;
export const SILENCE_MILLISECONDS_MAX = 60_000;
/**
 * A run that ended its process this often besides its own attempts would go on doing so. As often it may find the disk of the
 * database full: it takes hours until somebody has made room, and then the work is still to be done.
 */
const INTERRUPTIONS_MAX = 10;
/** While an update goes from process to process, some know a job and others do not yet. */
const UNKNOWN_MILLISECONDS_MAX = 3_600_000;
const RETRY_SECONDS_MAX = 3_600;
const ERROR_CHARACTERS_MAX = 2_000;

export interface ProcessorParts<Deps> {
  database: Database;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Each run is a trace of its own. */
  traces?: Traces | null;
  workers: readonly JobWorker<Deps>[];
  /** Runs the jobs of this pool only; all of them where absent. What no worker knows belongs to the pool `own`. */
  pool?: JobDefinition['pool'];
  deps: Deps;
  /** Told that a run may be started from an instant on. */
  nudge(runAt: readonly string[]): void;
}

export type RunOutcome = 'done' | 'failed' | 'returned' | 'passed' | 'nothing';

export interface BegunWork {
  readonly ended: Promise<RunOutcome>;
}

export interface Processor {
  /** Runs what is due, one after the other, until nothing may be started. Throws only when the database is away. */
  work(): Promise<void>;
  /** Runs the one whose turn it is. */
  next(): Promise<RunOutcome>;
  /** Begins those whose turn it is, so many at most, and waits for their beginning only. None where none may be started. */
  begin(runsMax: number): Promise<BegunWork[]>;
  /** Resolves when no job is running. */
  idle(): Promise<void>;
  /** Tells those running jobs to stop that lose nothing by it. */
  startClosing(): void;
  /** Tells running jobs to stop, and gives back those that do not: another worker takes them at once. */
  giveBack(): Promise<void>;
}

export function createProcessor<Deps>(parts: ProcessorParts<Deps>): Processor {
  const { database, clock, log, traces = null } = parts;
  const closing = new AbortController();
  const ending = new AbortController();
  const running = new Map<number, BegunRun>();
  let claims = 0;
  const waitingForIdle: (() => void)[] = [];
  const outcomes = parts.metrics.counter('job_runs_total', 'Runs of jobs by how they ended', [
    'job',
    'outcome',
  ]);
  const seconds = parts.metrics.histogram('job_run_duration_seconds', 'Time that one run of a job took', [
    'job',
  ]);

  const known = parts.workers.map(({ definition }) => definition);
  const definitions = known.filter(({ pool }) => parts.pool === undefined || pool === parts.pool);
  const elsewhere = known.filter((definition) => !definitions.includes(definition)).map(({ name }) => name);
  const instantAt = (milliseconds: number) => new Date(milliseconds).toISOString();

  async function work(): Promise<void> {
    while (!closing.signal.aborted && (await next()) !== 'nothing');
  }

  async function next(): Promise<RunOutcome> {
    const [begun] = await begin(1);
    return (await begun?.ended) ?? 'nothing';
  }

  async function begin(runsMax: number): Promise<BegunWork[]> {
    if (closing.signal.aborted) return [];
    claims += 1;
    try {
      const begun = await claim(runsMax);
      /* Else they would begin after this process said that nothing runs any more. */
      if (closing.signal.aborted) {
        for (const run of begun) await giveBackRun(run);
        return [];
      }
      for (const run of begun) running.set(run.id, run);
      return begun.map((run) => ({ ended: endOf(run) }));
    } finally {
      claims -= 1;
      tellIdle();
    }
  }

  async function claim(runsMax: number): Promise<BegunRun[]> {
    const now = clock.nowMilliseconds();
    const unknownBeforeMilliseconds = parts.pool === 'requests' ? null : now - UNKNOWN_MILLISECONDS_MAX;
    const times = { nowMilliseconds: now, unknownBeforeMilliseconds };
    const begun = await database.asService((connection) =>
      claimRuns(connection, definitions, times, { elsewhere, runsMax }),
    );
    /* If the slots are full, more are often due: another worker looks while this one works. */
    if (begun.length === runsMax) parts.nudge([instantAt(now)]);
    return begun;
  }

  async function endOf(begun: BegunRun): Promise<RunOutcome> {
    const outcome = await outcomeOf(begun).finally(() => {
      running.delete(begun.id);
      tellIdle();
    });
    outcomes.inc({ job: begun.job, outcome });
    return outcome;
  }

  async function outcomeOf(begun: BegunRun): Promise<RunOutcome> {
    const found = parts.workers.find(({ definition }) => definition.name === begun.job);
    if (found === undefined) return fail(begun, `No worker knows the job ${begun.job}`);
    if (begun.attempts > found.definition.attempts + INTERRUPTIONS_MAX) {
      return fail(begun, `Begun ${begun.attempts} times without an end`);
    }
    const startedAt = performance.now();
    const outcome = await (traces === null ? run(begun, found) : runTraced(traces, begun, found));
    seconds.observe({ job: begun.job }, elapsedSeconds(startedAt));
    return outcome;
  }

  function runTraced(traces: Traces, begun: BegunRun, found: JobWorker<Deps>): Promise<RunOutcome> {
    const attributes = {
      'voltstream.job.name': begun.job,
      'voltstream.job.run': begun.id,
      'voltstream.job.attempt': begun.attempts,
      ...(begun.organization_id === null ? {} : { 'voltstream.organization.id': begun.organization_id }),
    };
    return traces.alone({ name: begun.job, kind: 'CONSUMER', attributes }, async (span) => {
      const outcome = await run(begun, found);
      span.setAttribute('voltstream.job.outcome', outcome);
      if (outcome !== 'done' && !closing.signal.aborted) traces.fail(span, outcome);
      return outcome;
    });
  }

  async function run(begun: BegunRun, found: JobWorker<Deps>): Promise<RunOutcome> {
    const passed = new AbortController();
    const signal = AbortSignal.any([passed.signal, ending.signal]);
    const runLog = log.child({ job: begun.job, run: begun.id, dueAt: begun.due_at });
    const heart = setInterval(() => void beat(begun, passed, runLog), HEARTBEAT_MILLISECONDS);
    try {
      const result = await found.run(parts.deps, {
        id: begun.id,
        payload: begun.payload,
        organization: begun.organization_id,
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
      const ours = await inOrganizationOf(database, begun, (connection) =>
        updateRunHeartbeat(connection, begun, clock.nowMilliseconds()),
      );
      if (!ours) passed.abort(new Error('Another worker has taken this run over'));
    } catch (error) {
      runLog.warn({ err: error }, 'sign of life not written');
    }
  }

  async function finish(begun: BegunRun, result: JobResult, runLog: Logger): Promise<RunOutcome> {
    const ours = await inOrganizationOf(database, begun, (connection) =>
      updateRunDone(connection, begun, result, clock.nowMilliseconds()),
    );
    if (ours) runLog.info({ result }, 'job run done');
    else runLog.warn('job run was taken over by another worker; its result is left out');
    return ours ? 'done' : 'passed';
  }

  async function retryLater(begun: BegunRun, definition: JobDefinition, error: unknown): Promise<RunOutcome> {
    const text = maskText(error instanceof Error ? error.message : String(error)).slice(
      0,
      ERROR_CHARACTERS_MAX,
    );
    const patience = isDiskFull(error) ? INTERRUPTIONS_MAX : 0;
    const isFinal = error instanceof PayloadRefused || begun.attempts >= definition.attempts + patience;
    if (!closing.signal.aborted && isFinal) return fail(begun, text);
    if (closing.signal.aborted) return (await giveBackRun(begun)) ? 'returned' : 'passed';
    const delaySeconds = Math.min(definition.retrySeconds * 2 ** (begun.attempts - 1), RETRY_SECONDS_MAX);
    const next = clock.nowMilliseconds() + delaySeconds * 1000;
    const ours = await inOrganizationOf(database, begun, (connection) =>
      updateRunReturned(connection, begun, text, next),
    );
    parts.nudge([instantAt(next)]);
    return ours ? 'returned' : 'passed';
  }

  async function fail(begun: BegunRun, text: string): Promise<RunOutcome> {
    log.error(
      { run: begun.id, job: begun.job, schedule: begun.schedule, reason: text },
      'job run failed for good',
    );
    const ours = await inOrganizationOf(database, begun, (connection) =>
      updateRunFailed(connection, begun, text, clock.nowMilliseconds()),
    );
    return ours ? 'failed' : 'passed';
  }

  const startClosing = () => closing.abort(new Error('This process is about to end'));

  async function giveBack(): Promise<void> {
    startClosing();
    ending.abort(new Error('This process is about to end'));
    for (const begun of running.values()) await giveBackRun(begun);
  }

  /** Any worker may start it at once; the attempt does not count. */
  async function giveBackRun(begun: BegunRun): Promise<boolean> {
    const now = clock.nowMilliseconds();
    const ours = await inOrganizationOf(database, begun, (connection) =>
      updateRunReturned(connection, begun, null, now),
    );
    parts.nudge([instantAt(now)]);
    return ours;
  }

  const isIdle = () => running.size === 0 && claims === 0;

  function tellIdle(): void {
    if (isIdle()) for (const resolve of waitingForIdle.splice(0)) resolve();
  }

  async function idle(): Promise<void> {
    if (!isIdle()) await new Promise<void>((resolve) => waitingForIdle.push(resolve));
  }

  return { work, next, begin, idle, startClosing, giveBack };
}
