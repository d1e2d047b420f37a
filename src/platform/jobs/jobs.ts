import type { z } from 'zod';
import type { Logger } from '../log/logger.ts';

/*
 * How work gets done outside a request. A row of `job_runs` is the truth, the queue is a nudge.
 *
 *   enqueue(connection, job, payload, { key, runAt })    in the caller's transaction: the row leaves with the commit
 *   a schedule's tick (reconciler.ts)                    writes the same row
 *        ↓ after the commit
 *   a message "something is due" through Redis           queue.ts; for a later instant the message is delayed
 *        ↓
 *   a worker claims the next row and runs it             claim_job_run in sql/repeatable/job-runs.sql, processor.ts
 *
 * A message names no row. Its taker claims rows until none may be started, and each claim decides anew which one comes next.
 * So a lost, doubled or late message does no harm, and the order is fair at the moment of starting. Every 30 seconds each
 * worker sends such a message by itself, and works without waiting for one (the round): that finds what lost its message,
 * and what a consumer of messages that hangs has left lying.
 *
 * The nudge goes through Redis and not through NOTIFY. NOTIFY takes a lock of the whole cluster at each commit, wakes all
 * workers for one run, and knows no "later". LISTEN needs a connection that no pooler may share.
 *
 * A run is started at least once. It may be started again after a crash, so every job can run twice. A run that ends with
 * an error waits, longer each time, and after `attempts` starts it is given up: `npm run cli -- jobs` lists and retries
 * those.
 */

interface JobLimits {
  /**
   * Which slots of a process it runs in. `requests`: it waits for servers of others, for half a minute where they hang. Such
   * runs have many slots of their own, so that they never take the few in which everything else is done.
   */
  pool: 'own' | 'requests';
  /** How many runs work at the same time, in all workers together. */
  concurrency: number;
  /** How many of them for one organization. */
  concurrencyPerOrganization: number;
}

/** What a noun says about a job; the line in workers/index.ts adds the function. */
export interface JobDefinition<Payload extends z.ZodType = z.ZodType> extends JobLimits {
  /** `sweep-expired-rows`: verb and noun. */
  name: string;
  /** For the table of operators: `04:20`, in Berlin, or what asks for it: `with each event`. */
  when: string;
  /** For the same: `removes …`, in one sentence. */
  does: string;
  /** Ids and dates only: they are read anew when the job runs. Checked when a run is asked for and when it starts. */
  payload: Payload;
  /** How often a run is begun before it is given up; more often while the disk of the database is full. */
  attempts: number;
  /** Seconds before the second attempt; doubled for each further one. */
  retrySeconds: number;
}

const LIMITS: JobLimits = { pool: 'own', concurrency: 4, concurrencyPerOrganization: 1 };

export function job<Payload extends z.ZodType>(
  definition: Omit<JobDefinition<Payload>, keyof JobLimits> & Partial<JobLimits>,
): JobDefinition<Payload> {
  return Object.freeze({ ...LIMITS, ...definition });
}

/** One begun run as the job's function sees it. */
export interface JobRun<Payload = unknown> {
  /** Number of its row; the same each time that it is begun. */
  readonly id: number;
  readonly payload: Payload;
  /** Whose work it is; null: the service's own. The function opens its transactions for this organization. */
  readonly organization: string | null;
  /** The instant at which it fell due, UTC: days are derived from it, not from the moment of running. */
  readonly dueAt: string;
  /** Aborted when another worker has taken the run over, or when the process can wait no longer for its end. */
  readonly signal: AbortSignal;
  /** Aborted earlier, when the process begins to end: for work that may stop anywhere and that waits on others. */
  readonly closing: AbortSignal;
  readonly log: Logger;
}

/** The organization of a run that was asked for inside one. */
export function organizationOf(run: Pick<JobRun, 'organization'>): string {
  if (run.organization === null) throw new TypeError('This run belongs to no organization');
  return run.organization;
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
    run: (deps, untyped) => run(deps, { ...untyped, payload: checkedPayload(definition, untyped.payload) }),
  };
}

/** A payload that its job's schema refuses. It does not become better by waiting, so such a run is given up at once. */
export class PayloadRefused extends Error {}

export function checkedPayload<Payload extends z.ZodType>(
  definition: Pick<JobDefinition<Payload>, 'name' | 'payload'>,
  payload: unknown,
): z.output<Payload> {
  const checked = definition.payload.safeParse(payload);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'payload'}: ${message}`,
  );
  throw new PayloadRefused(`Payload of ${definition.name}: ${problems.join('; ')}`);
}

/** A run follows for each tick that fell due while no worker ran, for the newest one only, or for none. */
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
