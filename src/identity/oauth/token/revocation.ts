import { audit } from '../../../platform/audit.ts';
import type { Connection } from '../../../platform/database/db.ts';
import type { Deps } from '../../../platform/deps.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import { lockGrantOfToken, updateGrantRevoked } from '../access/grant-queries.ts';
import { insertRevokedToken } from '../access/token-queries.ts';
import {
  type Claims,
  GRANT_DAYS,
  REFRESH_TOKEN_PATTERN,
  TOKEN_CHARACTERS_MAX,
  verifiedClaims,
} from '../access/tokens.ts';
import type { TokenLimits } from '../attempts/token-limits.ts';
import { authenticClient, type ClientEndpoint, type TokenRequest } from '../clients/authenticate.ts';
import type { AuthClient } from '../clients/live-queries.ts';
import type { Keyring } from '../keys/keys.ts';
import { required } from '../protocol/parameters.ts';

const endpoint: ClientEndpoint = {
  act: 'token.revoke',
  route: 'POST /oauth/revoke',
  limits: 'inspect',
  publicClients: true,
};

/**
 * RFC 7009. A refresh token ends everything that was issued with it, an access token itself only. The form of a token shows
 * which it is, so a wrong hint does no harm. An unknown token, or one of another client, is answered like a revoked one and
 * stays as it is.
 */
export async function revokeToken(
  deps: Deps,
  keyring: Keyring,
  limits: TokenLimits,
  request: TokenRequest,
): Promise<void> {
  const token = required(request.parameters, 'token');
  const nowMilliseconds = deps.clock.nowMilliseconds();
  const now = new Date(nowMilliseconds).toISOString();
  const claims = await accessClaims(deps, keyring, token, nowMilliseconds);
  const { client } = await authenticClient(deps, limits, request, endpoint);
  const organization = client.organization_id;
  const grant = await deps.database.inOrganization({ organization }, async (connection) => {
    const revoked =
      claims === undefined
        ? await revokeFamily(connection, client, { pepper: deps.config.SECRET_PEPPER, token, now })
        : await revokeAccess(connection, client, claims, now);
    await audit(connection, {
      organization_id: organization,
      client_id: client.id,
      grant_id: revoked ?? null,
      act: endpoint.act,
      object_id: revoked ?? null,
      route: endpoint.route,
      result: revoked === undefined ? 'unchanged' : 'done',
      request_id: request.id,
      address: request.address === '' ? null : request.address,
    });
    return revoked;
  });
  if (grant !== undefined) deps.changed.emit({ organization, object: claims?.jti ?? grant });
}

/** Undefined for everything that is no living access token of ours. */
export async function accessClaims(
  deps: Deps,
  keyring: Keyring,
  token: string,
  nowMilliseconds: number,
): Promise<Claims | undefined> {
  if (REFRESH_TOKEN_PATTERN.test(token) || token.length > TOKEN_CHARACTERS_MAX) return undefined;
  return await verifiedClaims(token, keyring, deps.config.BASE_URL, nowMilliseconds);
}

/** Also by a refresh token that was used already: whoever signs out with an old one wants out. */
async function revokeFamily(
  connection: Connection,
  client: AuthClient,
  { pepper, token, now }: { pepper: string; token: string; now: string },
): Promise<string | undefined> {
  const hash = keyedHash(pepper, 'refresh-token', token);
  const grant = await lockGrantOfToken(connection, client.organization_id, hash, GRANT_DAYS);
  if (grant === undefined || grant.client_id !== client.id) return undefined;
  const revocation = { at: now, reason: 'revoked_by_client' };
  await updateGrantRevoked(connection, client.organization_id, grant.id, revocation);
  return grant.id;
}

async function revokeAccess(
  connection: Connection,
  client: AuthClient,
  claims: Claims,
  now: string,
): Promise<string | undefined> {
  if (claims.client_id !== client.id || claims.org !== client.organization_id) return undefined;
  await insertRevokedToken(connection, client.organization_id, {
    jti: claims.jti,
    client_id: client.id,
    revoked_at: now,
    expires_at: new Date(claims.exp * 1000).toISOString(),
  });
  return claims.grant;
}
