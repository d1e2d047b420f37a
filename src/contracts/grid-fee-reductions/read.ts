import type { Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { ListFilter } from '../../platform/interface/filters.ts';
import { pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { findReduction, listReductions, type ReductionRow } from './queries.ts';
import type { GridFeeReduction } from './schema.ts';
import { shownReduction } from './shown.ts';

type ReductionDeps = Pick<Deps, 'database'>;

export async function getReductions(
  { database }: ReductionDeps,
  { principal, list }: ApiRequest,
): Promise<Page<GridFeeReduction>> {
  const { organization, customer } = principal;
  const rows = await database.inOrganization(principal, (connection) =>
    listReductions(connection, organization, customer, list),
  );
  return pageOf(rows, list, shownReduction);
}

export async function getReduction(
  { database }: ReductionDeps,
  { principal, pathId }: ApiRequest,
): Promise<GridFeeReduction> {
  const { organization, customer } = principal;
  const row = await database.inOrganization(principal, (connection) =>
    findReduction(connection, organization, customer, pathId),
  );
  if (row === undefined) throw notFound();
  return shownReduction(row);
}

interface ReductionQuery {
  status?: string | undefined;
  customer?: string | undefined;
  subscription?: string | undefined;
}

/** The newest of an organization, for the operator. */
export async function newestReductions(
  database: Database,
  organization: string,
  query: ReductionQuery,
  limit: number,
): Promise<ReductionRow[]> {
  const filters = Object.entries(query).flatMap(([field, value]): ListFilter[] =>
    value === undefined ? [] : [{ field, operator: 'eq', value, type: 'string' }],
  );
  const rows = await database.inOrganization({ organization }, (connection) =>
    listReductions(connection, organization, undefined, { limit, after: null, filters }),
  );
  return rows.slice(0, limit);
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
