import type { z } from 'zod';
import type { Logger } from '../log/logger.ts';

/*
 * The database is the truth, the queue a nudge: which job is due stands in `job_runs`, and what travels through Redis is
 * the number of such a row. A lost, doubled or late message does no harm, as long as every job can run twice.
 */

/** What a noun says about a job; the line in workers/index.ts adds the function. */
export interface JobDefinition<Payload extends z.ZodType = z.ZodType> {
  /** `sweep-expired-rows`: verb and noun. */
  name: string;
  /** Ids and dates only: they are read anew when the job runs. */
  payload: Payload;
  /** How often a run is begun before it counts as failed. */
  attempts: number;
  /** Seconds before the second attempt; doubled for each further one. */
  retrySeconds: number;
}

export function job<Payload extends z.ZodType>(definition: JobDefinition<Payload>): JobDefinition<Payload> {
  return Object.freeze(definition);
}

/** One begun run as the job's function sees it. */
export interface JobRun<Payload = unknown> {
  readonly payload: Payload;
  /** The instant at which the tick fell due, UTC: days are derived from it, not from the moment of running. */
  readonly dueAt: string;
  /** Aborted when another worker has taken the run over, or when the process can wait no longer for its end. */
  readonly signal: AbortSignal;
  /** Aborted earlier, when the process begins to end: for work that may stop anywhere and that waits on others. */
  readonly closing: AbortSignal;
  readonly log: Logger;
}

/** What a run leaves in its row: counts, days, hashes. */
export type JobResult = Readonly<Record<string, unknown>>;

/** A definition with its function; `Deps` is what the worker process hands to every job. */
export interface JobWorker<Deps> {
  readonly definition: JobDefinition;
  readonly run: (deps: Deps, run: JobRun) => Promise<JobResult>;
}

/** One line of workers/index.ts, with the payload's type checked against the function. */
export function worker<Deps, Payload extends z.ZodType>(
  definition: JobDefinition<Payload>,
  run: (deps: Deps, run: JobRun<z.output<Payload>>) => Promise<JobResult>,
): JobWorker<Deps> {
  return {
    definition,
    run: (deps, untyped) => run(deps, { ...untyped, payload: definition.payload.parse(untyped.payload) }),
  };
}

/**
 * What happens to ticks that fell due while no worker ran: each of them, only the newest, or none of them.
 */
export type CatchUp = 'all' | 'last' | 'skip';

/** One line of workers/schedules.ts. */
export interface ScheduleLine {
  /** Names the schedule's row; stays the same when the times change. */
  readonly id: string;
  readonly job: JobDefinition;
  /** Six fields, seconds first. */
  readonly cron: string;
  readonly timeZone: string;
  readonly catchUp: CatchUp;
  /** Missed ticks older than this are left out. */
  readonly ageSecondsMax?: number;
  /** Also once when a worker starts, unless a run of it waits or works already. */
  readonly atStart?: boolean;
  readonly payload?: Readonly<Record<string, string>>;
}
