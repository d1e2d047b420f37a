import type { Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { newestRows, oneHandler, pageHandler } from '../../platform/interface/newest-first.ts';
import { findReduction, listReductions, type ReductionRow } from './queries.ts';
import { shownReduction } from './shown.ts';

export const getReductions = pageHandler(listReductions, shownReduction);

export const getReduction = oneHandler(findReduction, shownReduction);

interface ReductionQuery {
  status?: string | undefined;
  customer?: string | undefined;
  subscription?: string | undefined;
}

/** The newest of an organization, for the operator. */
export function newestReductions(
  database: Database,
  organization: string,
  query: ReductionQuery,
  limit: number,
): Promise<ReductionRow[]> {
  return database.inOrganization({ organization }, (connection) =>
    newestRows(query, limit, (list) => listReductions(connection, organization, undefined, list)),
  );
}

export async function reductionForStaff(
  database: Database,
  organization: string,
  id: string,
): Promise<ReductionRow> {
  const row = await database.inOrganization({ organization }, async (connection) =>
    isId(id) ? await findReduction(connection, organization, undefined, id) : undefined,
  );
  if (row === undefined) throw notFound();
  return row;
}
