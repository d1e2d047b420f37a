import type { Connection, Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type EndpointRow, lockEndpoint } from './queries.ts';

/** The transaction of a change: the endpoint is locked, as fan-out and delivery lock it. Unknown or deleted: not found. */
export async function withEndpoint<Result>(
  database: Database,
  organization: string,
  id: string,
  work: (connection: Connection, endpoint: EndpointRow) => Promise<Result>,
): Promise<Result> {
  if (!isId(organization) || !isId(id)) throw notFound();
  return await database.inOrganization({ organization }, async (connection) => {
    const endpoint = await lockEndpoint(connection, organization, id);
    if (endpoint === undefined) throw notFound();
    return await work(connection, endpoint);
  });
}

/** What the audit log keeps: where data goes and which. The path of an address can hold a secret of the receiver. */
export function shownSettings({ kind, url, topics, disabled_at }: EndpointRow) {
  return { kind, origin: url === null ? null : new URL(url).origin, topics, disabled: disabled_at !== null };
}
