import type { Database } from '../platform/database/db.ts';
import { type JobResult, type JobRun, organizationOf } from '../platform/jobs/jobs.ts';
import { insertDeliveries } from './queries.ts';

/** One delivery for each endpoint that wants to hear of an event. Done again it writes nothing more. */
export async function fanOutEvent(
  { database }: { database: Database },
  run: Pick<JobRun<{ event: string }>, 'payload' | 'organization'>,
): Promise<JobResult> {
  const organization = organizationOf(run);
  const deliveries = await database.inOrganization({ organization }, (connection) =>
    insertDeliveries(connection, organization, run.payload.event),
  );
  return { deliveries };
}
