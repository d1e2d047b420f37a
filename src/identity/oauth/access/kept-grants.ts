import { audit } from '../../../platform/audit.ts';
import type { Database } from '../../../platform/database/db.ts';
import { notFound } from '../../../platform/errors.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import { searchableId } from '../protocol/parameters.ts';
import {
  findGrantOrganization,
  type GrantFilter,
  type GrantRow,
  listGrants,
  lockGrant,
  updateGrantRevoked,
} from './grant-queries.ts';

/** What one organization's clients were granted, newest first. */
export async function grantsOf(
  database: Database,
  organization: string,
  filter: GrantFilter,
): Promise<GrantRow[]> {
  return await database.inOrganization({ organization }, (connection) =>
    listGrants(connection, organization, filter),
  );
}

/** Takes a consent back: its refresh tokens end at once, its access tokens within 5 seconds. */
export async function revokeGrant(database: Database, id: string, act: StaffAct): Promise<GrantRow> {
  const organization = await database.asService((connection) =>
    findGrantOrganization(connection, searchableId(id)),
  );
  if (organization === undefined) throw notFound();
  return await database.inOrganization({ organization }, async (connection) => {
    const grant = await lockGrant(connection, organization, id);
    if (grant === undefined) throw notFound();
    if (grant.revoked_at !== null) return grant;
    const revoked = { revoked_at: act.now, revoked_reason: 'operator' };
    await updateGrantRevoked(connection, organization, id, { at: act.now, reason: revoked.revoked_reason });
    await audit(connection, { ...staffOf(act, organization), act: 'grant.revoke', object_id: id });
    return { ...grant, ...revoked };
  });
}
