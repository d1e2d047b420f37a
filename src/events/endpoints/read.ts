import type { Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import {
  type DeliveryState,
  type EndpointRow,
  findEndpoint,
  findStateCount,
  listEndpointRows,
} from './queries.ts';

/** The endpoints of an organization, newest first. */
export async function listEndpoints(database: Database, organization: string): Promise<EndpointRow[]> {
  return await database.inOrganization({ organization }, (connection) =>
    listEndpointRows(connection, organization),
  );
}

/** One word for people; the instants say more. */
export function stateOfEndpoint({
  disabled_at,
  failing_since,
}: Pick<EndpointRow, 'disabled_at' | 'failing_since'>): 'on' | 'failing' | 'disabled' {
  if (disabled_at !== null) return 'disabled';
  return failing_since === null ? 'on' : 'failing';
}

/** Counting ends here: an endpoint that was away for days has hundreds of thousands. */
export const COUNTED_MAX = 1_000;

/** With how many deliveries wait and how many were given up, each counted to 1,000. */
export async function readEndpoint(
  database: Database,
  organization: string,
  id: string,
): Promise<{ endpoint: EndpointRow; deliveries: Record<'pending' | 'failed', number> }> {
  if (!isId(organization) || !isId(id)) throw notFound();
  return await database.inOrganization({ organization }, async (connection) => {
    const endpoint = await findEndpoint(connection, organization, id);
    if (endpoint === undefined) throw notFound();
    const counted = (state: DeliveryState) =>
      findStateCount(connection, organization, id, { state, max: COUNTED_MAX });
    return { endpoint, deliveries: { pending: await counted('pending'), failed: await counted('failed') } };
  });
}
