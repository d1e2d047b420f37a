import { type AuditEntry, audit } from '../../platform/audit.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/principal.ts';
import { type ConsentRow, listConsents, lockGrant, updateGrantRevoked } from './access/grant-queries.ts';
import { GRANT_DAYS } from './access/tokens.ts';

const DAY_MILLISECONDS = 86_400_000;
/** More than anybody has; the page is not endless. */
const CONSENTS_MAX = 200;

/** The programs that a customer has let in, as long as they can still come. */
export function consentsOf(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  { organization, customer }: Required<Tenant>,
): Promise<ConsentRow[]> {
  const since = new Date(clock.nowMilliseconds() - GRANT_DAYS * DAY_MILLISECONDS).toISOString();
  return database.inOrganization({ organization }, (connection) =>
    listConsents(connection, organization, customer, { since, limit: CONSENTS_MAX }),
  );
}

/** Ends one of them: its refresh tokens at once, its access tokens within 5 seconds. One that is over stays as it is. */
export async function endConsent(
  { database, clock, changed }: Pick<Deps, 'database' | 'clock' | 'changed'>,
  { organization, customer }: Required<Tenant>,
  id: string,
  trace: Pick<AuditEntry, 'route' | 'request_id' | 'address'>,
): Promise<void> {
  const isEnded = await database.inOrganization({ organization }, async (connection) => {
    const grant = isId(id) ? await lockGrant(connection, organization, id) : undefined;
    if (grant?.customer_id !== customer || grant.kind !== 'authorization_code') throw notFound();
    if (grant.revoked_at !== null) return false;
    const revocation = { at: clock.now().toISOString(), reason: 'customer' };
    await updateGrantRevoked(connection, organization, id, revocation);
    const done = { act: 'grant.revoke', object_id: id, grant_id: id, result: 'done' };
    await audit(connection, { ...trace, organization_id: organization, ...done });
    return true;
  });
  if (isEnded) changed.emit({ organization, object: id });
}
