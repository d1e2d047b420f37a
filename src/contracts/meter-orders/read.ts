import type { Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { ListFilter } from '../../platform/interface/filters.ts';
import { pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { mayFollow, positionOf, STAGE_NAMES, type StageName } from './moves.ts';
import { findMeterOrder, listMeterOrders, type MeterOrderRow } from './queries.ts';
import type { InternalStatus, MeterOrder } from './schema.ts';
import { shownMeterOrder } from './shown.ts';

type ReadDeps = Pick<Deps, 'database'>;

export async function getMeterOrders(
  { database }: ReadDeps,
  { principal, list }: ApiRequest,
): Promise<Page<MeterOrder>> {
  const { organization, customer } = principal;
  const rows = await database.inOrganization(principal, (connection) =>
    listMeterOrders(connection, organization, customer, list),
  );
  return pageOf(rows, list, shownMeterOrder);
}

export async function getMeterOrder(
  { database }: ReadDeps,
  { principal, pathId }: ApiRequest,
): Promise<MeterOrder> {
  const { organization, customer } = principal;
  const row = await database.inOrganization(principal, (connection) =>
    findMeterOrder(connection, organization, customer, pathId),
  );
  if (row === undefined) throw notFound();
  return shownMeterOrder(row);
}

interface MeterOrderQuery {
  internal_status?: InternalStatus | undefined;
  customer?: string | undefined;
  subscription?: string | undefined;
}

/** The newest orders of an organization, for the operator. */
export function newestMeterOrders(
  database: Database,
  organization: string,
  query: MeterOrderQuery,
  limit: number,
): Promise<MeterOrderRow[]> {
  const filters = Object.entries(query).flatMap(([field, value]): ListFilter[] =>
    value === undefined ? [] : [{ field, operator: 'eq', value, type: 'string' }],
  );
  return database.inOrganization({ organization }, async (connection) => {
    const rows = await listMeterOrders(connection, organization, undefined, { limit, after: null, filters });
    return rows.slice(0, limit);
  });
}

/** One order, with the stages that may follow. */
export async function meterOrderForStaff(
  database: Database,
  organization: string,
  id: string,
): Promise<MeterOrderRow & { may_follow: StageName[] }> {
  const row = isId(id)
    ? await database.inOrganization({ organization }, (connection) =>
        findMeterOrder(connection, organization, undefined, id),
      )
    : undefined;
  if (row === undefined) throw notFound();
  const position = positionOf(row);
  return { ...row, may_follow: STAGE_NAMES.filter((name) => mayFollow(position, name)) };
}
