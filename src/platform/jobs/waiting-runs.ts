import { sql } from 'kysely';
import type { z } from 'zod';
import { noteEnqueued } from '../database/after-commit.ts';
import type { Connection } from '../database/db.ts';
import { checkedPayload, type JobDefinition } from './jobs.ts';
import { instant } from './queries.ts';

/* Runs that wait, handled by the organization's own transactions. Claims pass over the rows that such a transaction holds. */

/**
 * Ends some runs of a job that are due in an organization and have not begun, and returns their payloads: the caller does
 * their work in this transaction, with its own. Where it rolls back they wait again. One whose payload the job refuses goes
 * on waiting: begun by itself it is given up, and nobody's work with it.
 */
export async function takeWaitingRuns<Payload extends z.ZodType>(
  connection: Connection,
  organization: string,
  definition: JobDefinition<Payload>,
  { runsMax, nowMilliseconds }: { runsMax: number; nowMilliseconds: number },
): Promise<z.output<Payload>[]> {
  const now = instant(nowMilliseconds);
  const { rows } = await sql<{ id: number; payload: unknown }>`
    WITH taken AS (
      SELECT id FROM job_runs
       WHERE state = 'queued' AND lane = ${`${definition.name} ${organization}`} AND next_at <= ${now}
       ORDER BY next_at, id LIMIT ${runsMax} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE job_runs AS run
       SET state = 'done', fence = run.fence + 1, attempts = run.attempts + 1, started_at = ${now}, finished_at = ${now},
           error = NULL, result = '{"taken_along": true}'
      FROM taken
     WHERE run.id = taken.id
    RETURNING run.id, run.payload`.execute(connection);
  const read = rows.map(({ id, payload }) => ({ id, ...definition.payload.safeParse(payload) }));
  const refused = read.flatMap(({ id, success }) => (success ? [] : [id]));
  if (refused.length > 0) {
    await sql`
      UPDATE job_runs SET state = 'queued', attempts = attempts - 1, finished_at = NULL, result = NULL
       WHERE id = ANY(${refused}::bigint[])`.execute(connection);
  }
  return read.flatMap(({ data }) => (data === undefined ? [] : [data]));
}

const OPEN_STATES = ['queued', 'running', 'failed'] as const;

/**
 * Payloads of runs of some jobs that wait, work or were given up in an organization: what they are for is not done yet. Of those
 * that were given up before `failedSince` somebody else has done it.
 */
export function openRuns(
  organization: string,
  definitions: readonly Pick<JobDefinition<z.ZodType>, 'name'>[],
  {
    states = OPEN_STATES,
    failedSince = '-infinity',
  }: { states?: readonly (typeof OPEN_STATES)[number][]; failedSince?: string } = {},
) {
  const lanes = definitions.map(({ name }) => `${name} ${organization}`);
  /* Each state has its own index. */
  const ofStates = states.map((state) => {
    const since = state === 'failed' ? sql`AND finished_at >= ${failedSince}::timestamptz` : sql``;
    return sql`SELECT payload FROM job_runs WHERE state = ${sql.lit(state)} AND lane = ANY(${lanes}::text[]) ${since}`;
  });
  return sql.join(ofStates, sql` UNION ALL `);
}

export interface PlacedRun<Payload extends z.ZodType> {
  readonly definition: JobDefinition<Payload>;
  readonly payload: z.input<Payload>;
  readonly runAt: string;
  /** A run that was asked for before and is to be this one; null: none was. */
  readonly before: number | null;
}

/**
 * Asks for runs whose rows the caller knows by number, so that one thing never has more than one run waiting. A run of
 * before that still waits is moved to the job, and to the instant where that is earlier: it keeps its place among those
 * that wait. One that works already, or begins just now, stays: it has not read yet what this transaction writes. Else
 * there is a new one. Returns the numbers, in order.
 *
 * The caller holds the row that remembers the number, and whoever begins the run locks that row first.
 */
export async function placeRuns<Payload extends z.ZodType>(
  connection: Connection,
  organization: string,
  runs: readonly PlacedRun<Payload>[],
): Promise<number[]> {
  if (runs.length === 0) return [];
  for (const { definition, payload } of runs) checkedPayload(definition, payload);
  const old = runs.filter(({ before }) => before !== null);
  const alive = old.length === 0 ? new Set<number>() : await moveRuns(connection, old);
  const fresh = runs.filter(({ before }) => before === null || !alive.has(before));
  const inserted = fresh.length === 0 ? [] : await insertPlacedRuns(connection, organization, fresh);
  for (const { runAt } of runs) noteEnqueued(connection, runAt);
  return runs.map(({ before }) => {
    const id = before !== null && alive.has(before) ? before : inserted.shift();
    if (id === undefined) throw new Error('A run that was asked for has no number');
    return id;
  });
}

/** Moves those that wait; returns all that wait or work. */
async function moveRuns<Payload extends z.ZodType>(
  connection: Connection,
  runs: readonly PlacedRun<Payload>[],
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    WITH place AS (
      SELECT * FROM unnest(${runs.map(({ before }) => before)}::bigint[],
                           ${runs.map(({ definition }) => definition.name)}::text[],
                           ${runs.map(({ runAt }) => runAt)}::timestamptz[]) AS place (id, job, run_at)
    ), moved AS (
      UPDATE job_runs AS run
         SET job = place.job, due_at = least(run.due_at, place.run_at), next_at = least(run.next_at, place.run_at)
        FROM place WHERE run.id = place.id AND run.state = 'queued'
      RETURNING run.id)
    SELECT id FROM moved`.execute(connection);
  const { rows: working } = await sql<{ id: number }>`
    SELECT id FROM job_runs
     WHERE id = ANY(${runs.map(({ before }) => before)}::bigint[]) AND state = 'running'`.execute(connection);
  return new Set([...rows, ...working].map(({ id }) => id));
}

async function insertPlacedRuns<Payload extends z.ZodType>(
  connection: Connection,
  organization: string,
  runs: readonly PlacedRun<Payload>[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO job_runs (organization_id, job, payload, due_at, next_at)
    SELECT ${organization}, place.job, place.payload::jsonb, place.run_at, place.run_at
      FROM unnest(${runs.map(({ definition }) => definition.name)}::text[],
                  ${runs.map(({ payload }) => JSON.stringify(payload))}::text[],
                  ${runs.map(({ runAt }) => runAt)}::timestamptz[])
           WITH ORDINALITY AS place (job, payload, run_at, position)
     ORDER BY place.position
    RETURNING id`.execute(connection);
  return rows.map(({ id }) => id);
}
