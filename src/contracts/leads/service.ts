import { findInOrganizations } from '../../identity/organizations/service.ts';
import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { pageOf } from '../../platform/interface/newest-first.ts';
import type { ApiRequest, Page } from '../../platform/interface/route.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { checkoutAddress } from './checkout.ts';
import {
  findLead,
  type LeadRow,
  listLeads,
  lockLead,
  updateLeadConverted,
  updateLeadVisited,
} from './queries.ts';
import type { Lead } from './schema.ts';

type LeadDeps = Pick<Deps, 'database' | 'config'>;

export async function getLeads({ database, config }: LeadDeps, request: ApiRequest): Promise<Page<Lead>> {
  const { organization } = request.principal;
  const { list } = request;
  const rows = await database.inOrganization(request.principal, (connection) =>
    listLeads(connection, organization, list),
  );
  return pageOf(rows, list, (row) => shownLead(row, config));
}

export async function getLead({ database, config }: LeadDeps, request: ApiRequest): Promise<Lead> {
  const { organization } = request.principal;
  const row = await database.inOrganization(request.principal, (connection) =>
    findLead(connection, organization, request.pathId),
  );
  if (row === undefined) throw notFound();
  return shownLead(row, config);
}

export function shownLead(row: LeadRow, config: LeadDeps['config']): Lead {
  const { id, slug, subscription_id, subscribed_at, created_by, last_visited_at, created_at } = row;
  return {
    object: 'lead',
    id,
    link: `${checkoutAddress(config, slug)}?id=${id}`,
    subscription: subscription_id,
    subscribed_at,
    created_by,
    last_visited_at,
    metadata: row.metadata as Lead['metadata'],
    created_at,
  };
}

/** The lead that a sign-up names, for this transaction alone; undefined when there is none. */
export async function holdLead(
  connection: Connection,
  organization: string,
  id: string,
): Promise<{ id: string; plan_id: string; subscription_id: string | null } | undefined> {
  return isId(id) ? lockLead(connection, organization, id) : undefined;
}

/** A held lead became a contract; there is no way back. */
export function convertLead(
  connection: Connection,
  organization: string,
  id: string,
  { subscription, now }: { subscription: string; now: string },
): Promise<void> {
  return updateLeadConverted(connection, organization, id, {
    subscription_id: subscription,
    subscribed_at: now,
  });
}

/**
 * The checkout has seen somebody open the link. Returns the latest visit that is known.
 */
export async function leadVisited(
  database: Database,
  id: string,
  visitedAt: string,
  act: StaffAct,
): Promise<string> {
  if (!isId(id)) throw notFound();
  const visited = await findInOrganizations(database, async (connection, organization) => {
    const lead = await updateLeadVisited(connection, organization, id, visitedAt);
    if (lead !== undefined) {
      await audit(connection, { ...staffOf(act, organization), act: 'lead.visited', object_id: id });
    }
    return lead;
  });
  if (visited === undefined) throw notFound();
  return visited.found.last_visited_at ?? visitedAt;
}
