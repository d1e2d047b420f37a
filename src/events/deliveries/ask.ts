import type { Connection } from '../../platform/database/db.ts';
import { placeRuns } from '../../platform/jobs/waiting-runs.ts';
import { deliverWebhooksJob, retryWebhooksJob } from '../jobs.ts';
import { type ServedEndpoint, updateWaitingRuns } from './endpoint-queries.ts';
import { CLOCK_DIFFERENCE_MILLISECONDS_MAX } from './health.ts';
import { instantText, millisecondsOf } from './instants.ts';

/** A run that shows no sign of life for longer has lost the endpoint. It shows one with each portion: every 31 s at least. */
export const LEASE_MILLISECONDS = 90_000;

export type Lane = 'healthy' | 'failing';

export function laneOf({ failing_since }: Pick<ServedEndpoint, 'failing_since'>): Lane {
  return failing_since === null ? 'healthy' : 'failing';
}

/** Whether a run serves the endpoint: it looks again before it lets go of it, behind the same lock. */
export function isServed({ served_at }: Pick<ServedEndpoint, 'served_at'>, now: number): boolean {
  if (served_at === null) return false;
  const at = millisecondsOf(served_at);
  return at > now - LEASE_MILLISECONDS && at <= now + CLOCK_DIFFERENCE_MILLISECONDS_MAX;
}

export type RunEndpoint = Pick<ServedEndpoint, 'id' | 'failing_since' | 'asked_run' | 'asked_at'>;

export interface WaitingRun {
  readonly id: string;
  readonly asked_run: number;
  readonly asked_at: string;
}

/**
 * Makes sure that a run of each endpoint begins at its instant at the latest. The caller has locked them. An endpoint has
 * one waiting run at most: one that waits for later is brought forward. Returns what changed, for the endpoints' rows.
 */
export async function askForRuns(
  connection: Connection,
  organization: string,
  needs: readonly { endpoint: RunEndpoint; atMilliseconds: number }[],
): Promise<WaitingRun[]> {
  const late = needs.filter(
    ({ endpoint, atMilliseconds }) =>
      endpoint.asked_at === null || millisecondsOf(endpoint.asked_at) > atMilliseconds,
  );
  const requests = late.map(({ endpoint, atMilliseconds }) => ({
    endpoint,
    runAt: instantText(atMilliseconds),
  }));
  const runs = await placeRuns(
    connection,
    organization,
    requests.map(({ endpoint, runAt }) => ({
      definition: laneOf(endpoint) === 'healthy' ? deliverWebhooksJob : retryWebhooksJob,
      payload: { endpoint: endpoint.id },
      runAt,
      before: endpoint.asked_run,
    })),
  );
  return requests.map(({ endpoint, runAt }, index) => ({
    id: endpoint.id,
    asked_run: runs[index] as number,
    asked_at: runAt,
  }));
}

/** The same for one endpoint, unless a run serves it: that one looks again before it ends. */
export async function askForRun(
  connection: Connection,
  organization: string,
  endpoint: ServedEndpoint,
  { now, atMilliseconds }: { now: number; atMilliseconds: number },
): Promise<void> {
  if (endpoint.kind !== 'address' || isServed(endpoint, now)) return;
  const needs = [{ endpoint, atMilliseconds: notBefore(endpoint, atMilliseconds) }];
  const runs = await askForRuns(connection, organization, needs);
  if (runs.length > 0) await updateWaitingRuns(connection, organization, runs);
}

/** An instant, or later where the endpoint asked to be left alone. */
export function notBefore({ wait_until }: Pick<ServedEndpoint, 'wait_until'>, milliseconds: number): number {
  return wait_until === null ? milliseconds : Math.max(milliseconds, millisecondsOf(wait_until));
}
