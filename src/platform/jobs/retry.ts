import { audit } from '../audit.ts';
import type { Database } from '../database/db.ts';
import { type StaffAct, staffOf } from '../staff-act.ts';
import { type FailedRun, inOrganizationOf, listFailedRuns, updateFailedRunQueued } from './queries.ts';

/** A run that was given up begins anew, with all its attempts. Null where there is none of that number. */
export async function retryRun(database: Database, id: number, act: StaffAct): Promise<FailedRun | null> {
  const [found] = await database.asService((connection) => listFailedRuns(connection, 1, id));
  if (found === undefined) return null;
  return inOrganizationOf(database, found, async (connection) => {
    if (!(await updateFailedRunQueued(connection, id, act.now))) return null;
    await audit(connection, {
      ...staffOf(act, found.organization_id),
      act: 'job_run.retry',
      object_id: String(id),
    });
    return found;
  });
}
