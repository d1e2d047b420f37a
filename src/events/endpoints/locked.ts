import { setTimeout as wait } from 'node:timers/promises';
import type { Connection, Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { BEGINS_WITHIN_MILLISECONDS } from '../deliveries/send-portion.ts';
import { type EndpointRow, lockEndpoint } from './queries.ts';

/** Between the commit of a portion and the first look at the clock of a worker that has much to do. */
const MARGIN_MILLISECONDS = 500;

/** The transaction of a change: the endpoint is locked, as fan-out and delivery lock it. Unknown or deleted: not found. */
export async function withEndpoint<Result>(
  database: Database,
  organization: string,
  id: string,
  work: (connection: Connection, endpoint: EndpointRow) => Promise<Result>,
): Promise<Result> {
  const { result } = await changed(database, organization, id, work);
  return result;
}

/**
 * The same for a change that takes something back: the endpoint, its address or a secret. A worker that serves it may have
 * taken deliveries before, and begins their requests for a second more. Afterwards none begins that does not know the
 * change.
 */
export async function withdrawFrom<Result>(
  database: Database,
  organization: string,
  id: string,
  work: (connection: Connection, endpoint: EndpointRow) => Promise<Result>,
): Promise<Result> {
  const { result, wasServed } = await changed(database, organization, id, work);
  if (wasServed) await wait(BEGINS_WITHIN_MILLISECONDS + MARGIN_MILLISECONDS);
  return result;
}

async function changed<Result>(
  database: Database,
  organization: string,
  id: string,
  work: (connection: Connection, endpoint: EndpointRow) => Promise<Result>,
): Promise<{ result: Result; wasServed: boolean }> {
  if (!isId(organization) || !isId(id)) throw notFound();
  return await database.inOrganization({ organization }, async (connection) => {
    const locked = await lockEndpoint(connection, organization, id);
    if (locked === undefined) throw notFound();
    const { served_by, ...endpoint } = locked;
    return { result: await work(connection, endpoint), wasServed: served_by !== null };
  });
}

/** What the audit log keeps: where data goes and which. The path of an address can hold a secret of the receiver. */
export function shownSettings({ kind, url, topics, disabled_at }: EndpointRow) {
  return { kind, origin: url === null ? null : new URL(url).origin, topics, disabled: disabled_at !== null };
}
