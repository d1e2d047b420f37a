import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/db.ts';
import { type JobResult, type JobRun, organizationOf } from '../platform/jobs/jobs.ts';
import { takeWaitingRuns } from '../platform/jobs/waiting-runs.ts';
import { askForRuns, isServed, notBefore } from './deliveries/ask.ts';
import { lockWillingEndpoints, updateWaitingRuns } from './deliveries/endpoint-queries.ts';
import { insertDeliveries } from './deliveries/queries.ts';
import { fanOutEventJob } from './jobs.ts';
import { updateSequences } from './queries.ts';

/** Taken along with one event: at fifty endpoints 2,500 rows, which hold the endpoints' locks for a twentieth of a second. */
const OTHERS_MAX = 49;

/**
 * Gives events their places in the order of commits, and makes one delivery for each endpoint that wants to hear of an
 * event, and a run for each of these endpoints. Done again it writes nothing more. Events of the organization that wait
 * for the same are taken along.
 *
 * The endpoints are locked from here to the commit. So a run that serves one of them sees the new deliveries, or it has
 * finished already and another run is asked for.
 */
export async function fanOutEvent(
  { database, clock }: { database: Database; clock: Clock },
  run: Pick<JobRun<{ event: string }>, 'payload' | 'organization'>,
): Promise<JobResult> {
  const organization = organizationOf(run);
  /* In a transaction of its own: whoever reads events waits for it. */
  await database.inOrganization({ organization }, updateSequences);
  return await database.inOrganization({ organization }, async (connection) => {
    const others = await takeWaitingRuns(connection, organization, fanOutEventJob, {
      runsMax: OTHERS_MAX,
      nowMilliseconds: clock.nowMilliseconds(),
    });
    const events = [run.payload.event, ...others.map(({ event }) => event)];
    const endpoints = await lockWillingEndpoints(connection, organization, events);
    if (endpoints.length === 0) return { events: events.length, deliveries: 0 };
    const now = clock.nowMilliseconds();
    const ids = endpoints.map(({ id }) => id);
    const inserted = await insertDeliveries(connection, organization, { events, endpoints: ids, now });
    const told = new Set(inserted);
    const needs = endpoints
      .filter(
        (endpoint) =>
          told.has(endpoint.id) &&
          endpoint.kind === 'address' &&
          endpoint.disabled_at === null &&
          !isServed(endpoint, now),
      )
      .map((endpoint) => ({ endpoint, atMilliseconds: notBefore(endpoint, now) }));
    const runs = await askForRuns(connection, organization, needs);
    if (runs.length > 0) await updateWaitingRuns(connection, organization, runs);
    return { events: events.length, deliveries: inserted.length };
  });
}
