import { insertGrant, newGrantId } from '../access/grant-queries.ts';
import { invalidScope } from '../failures.ts';
import type { GrantOutcome, GrantRequest } from './grant-request.ts';
import { scopesOf } from './scopes.ts';
import { grantEnd, issueRefreshToken } from './tokens.ts';

/** The client acts for itself; a client of role `customer` for the one customer it was registered for. */
export async function clientCredentials(request: GrantRequest): Promise<GrantOutcome> {
  const { connection, client, nowMilliseconds } = request;
  const scopes = scopesOf(request.parameters.get('scope'), client.scopes);
  if (scopes === undefined) return { refused: invalidScope(client.scopes) };
  const id = newGrantId();
  await insertGrant(connection, client.organization_id, {
    id,
    client_id: client.id,
    customer_id: client.customer_id,
    kind: 'client_credentials',
    scopes: [...scopes],
    created_at: new Date(nowMilliseconds).toISOString(),
  });
  const issued = { id, customer: client.customer_id, scopes };
  if (!client.grants.includes('refresh_token')) return { issued };
  const family = { organization: client.organization_id, id, endsAt: grantEnd(nowMilliseconds) };
  const refreshToken = await issueRefreshToken(connection, request.pepper, family, nowMilliseconds);
  return { issued: { ...issued, refreshToken } };
}
