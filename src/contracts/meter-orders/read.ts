import type { Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { newestRows, oneHandler, pageHandler } from '../../platform/interface/newest-first.ts';
import { mayFollow, positionOf, STAGE_NAMES, type StageName } from './moves.ts';
import { findMeterOrder, listMeterOrders, type MeterOrderRow } from './queries.ts';
import type { InternalStatus } from './schema.ts';
import { shownMeterOrder } from './shown.ts';

export const getMeterOrders = pageHandler(listMeterOrders, shownMeterOrder);

export const getMeterOrder = oneHandler(findMeterOrder, shownMeterOrder);

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
  return database.inOrganization({ organization }, (connection) =>
    newestRows(query, limit, (list) => listMeterOrders(connection, organization, undefined, list)),
  );
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
