import type { Connection, Database } from '../../../platform/database/db.ts';
import { notFound } from '../../../platform/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { REFUSALS, type RefusalCode } from '../refusal.ts';
import {
  type BillingRun,
  countRefusals,
  findRun,
  findRunProgress,
  listNewestRuns,
  listRefusals,
  type RefusalFilter,
  type RefusalRow,
  type RunProgress,
} from './queries.ts';

export interface RunReport {
  readonly run: BillingRun;
  readonly progress: RunProgress;
  /** Refusals that stand now, by cause, the most frequent first; also by runs before this one. */
  readonly refusals: readonly { readonly code: string; readonly count: number; readonly meaning: string }[];
}

/** How far a run is and what came of it; the newest one where none is named. */
export function billingReport(database: Database, organization: string, id?: string): Promise<RunReport> {
  return database.inOrganization({ organization }, async (connection) => {
    const run =
      id === undefined
        ? (await listNewestRuns(connection, organization, 1))[0]
        : await namedRun(connection, organization, id);
    if (run === undefined) throw notFound();
    const counts = await countRefusals(connection, organization);
    return {
      run,
      progress: await findRunProgress(connection, organization, run.id),
      refusals: counts.map(({ code, count }) => ({ code, count, meaning: meaningOf(code) })),
    };
  });
}

/** What cannot be an id is no run. */
async function namedRun(
  connection: Connection,
  organization: string,
  id: string,
): Promise<BillingRun | undefined> {
  return isId(id) ? await findRun(connection, organization, id) : undefined;
}

function meaningOf(code: string): string {
  return code in REFUSALS ? REFUSALS[code as RefusalCode] : 'a cause that this version does not know';
}

/** Documents that are due and missing, those first that are late first. */
export function missingDocuments(
  database: Database,
  organization: string,
  filter: RefusalFilter,
  rowsMax: number,
): Promise<RefusalRow[]> {
  return database.inOrganization({ organization }, (connection) =>
    listRefusals(connection, organization, filter, rowsMax),
  );
}
