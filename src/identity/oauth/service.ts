import { type AuditEntry, audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Deps } from '../../platform/deps.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/principal.ts';
import { type ConsentRow, listConsents, lockConsents, updateGrantRevoked } from './access/grant-queries.ts';
import { ACCESS_TOKEN_SECONDS } from './access/tokens.ts';
import { hasCodeSince, updateCodesWithdrawn } from './authorize/code-queries.ts';

/** The programs that a customer has let in, as long as they can still come. */
export function consentsOf(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  { organization, customer }: Required<Tenant>,
): Promise<ConsentRow[]> {
  return database.inOrganization({ organization }, (connection) =>
    listConsents(connection, organization, customer, momentsOf(clock)),
  );
}

/** Now, and the instant from which on an access token that was given is good. */
function momentsOf(clock: Clock): { now: string; since: string } {
  const milliseconds = clock.nowMilliseconds();
  const since = new Date(milliseconds - ACCESS_TOKEN_SECONDS * 1000).toISOString();
  return { now: new Date(milliseconds).toISOString(), since };
}

/** Ends all that a program was given: codes that it has not exchanged and refresh tokens at once, access tokens within 5 seconds. What is over stays as it is. */
export async function endConsent(
  { database, clock, changed }: Pick<Deps, 'database' | 'clock' | 'changed'>,
  { organization, customer }: Required<Tenant>,
  client: string,
  trace: Pick<AuditEntry, 'route' | 'request_id' | 'address'>,
): Promise<void> {
  const ended = await database.inOrganization({ organization }, async (connection) => {
    if (!isId(client)) throw notFound();
    const consent = { customer, client, ...momentsOf(clock) };
    const hasCode = await hasCodeSince(connection, organization, consent);
    /* Before the grants: an exchange takes its code first. */
    const codes = await updateCodesWithdrawn(connection, organization, consent);
    const known = await lockConsents(connection, organization, consent);
    if (known.length === 0 && !hasCode) throw notFound();
    if (codes > 0) {
      const done = { act: 'authorization.withdraw', object_id: customer, client_id: client, result: 'done' };
      await audit(connection, { ...trace, organization_id: organization, ...done });
    }
    const living = known.filter(({ revoked_at }) => revoked_at === null);
    for (const { id } of living) {
      const revocation = { at: clock.now().toISOString(), reason: 'customer' };
      await updateGrantRevoked(connection, organization, id, revocation);
      const done = { act: 'grant.revoke', object_id: id, grant_id: id, result: 'done' };
      await audit(connection, { ...trace, organization_id: organization, ...done });
    }
    return living;
  });
  for (const { id } of ended) changed.emit({ organization, object: id });
}
