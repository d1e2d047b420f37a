import type { Deps } from '../../../platform/deps.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import { isLive } from '../access/access.ts';
import { findLiveRefreshToken, type LiveRefreshToken } from '../access/token-queries.ts';
import { REFRESH_TOKEN_PATTERN } from '../access/tokens.ts';
import type { TokenLimits } from '../attempts/token-limits.ts';
import { authenticClient, type ClientEndpoint, type TokenRequest } from '../clients/authenticate.ts';
import type { AuthClient } from '../clients/live-queries.ts';
import type { Keyring } from '../keys/keys.ts';
import { required } from '../protocol/parameters.ts';
import { accessClaims } from './revocation.ts';

const endpoint: ClientEndpoint = {
  act: 'token.introspect',
  route: 'POST /oauth/introspect',
  limits: 'inspect',
  /* Whoever knows an id could try out found tokens. */
  publicClients: false,
};

export type Introspection =
  | { active: false }
  | {
      active: true;
      scope: string;
      client_id: string;
      sub: string;
      token_type: 'Bearer' | 'refresh_token';
      iat: number;
      exp: number;
      iss: string;
      aud: string;
    };

const INACTIVE: Introspection = { active: false };

/**
 * RFC 7662. Access tokens of the whole organization, because its resource servers ask about them; of refresh tokens the
 * client's own only. Everything else is inactive, without a reason.
 */
export async function introspectToken(
  deps: Deps,
  keyring: Keyring,
  limits: TokenLimits,
  request: TokenRequest,
): Promise<Introspection> {
  const token = required(request.parameters, 'token');
  const nowMilliseconds = deps.clock.nowMilliseconds();
  const now = new Date(nowMilliseconds).toISOString();
  const { client } = await authenticClient(deps, limits, request, endpoint);
  if (REFRESH_TOKEN_PATTERN.test(token)) {
    const organization = client.organization_id;
    const hash = keyedHash(deps.config.SECRET_PEPPER, 'refresh-token', token);
    const refresh = await deps.database.inOrganization({ organization }, (connection) =>
      findLiveRefreshToken(connection, organization, hash, now),
    );
    return refresh === undefined ? INACTIVE : describeRefresh(deps, client, refresh);
  }
  return await describeAccess(deps, client, await accessClaims(deps, keyring, token, nowMilliseconds));
}

function describeRefresh(deps: Deps, client: AuthClient, token: LiveRefreshToken): Introspection {
  if (token.client_id !== client.id) return INACTIVE;
  return {
    active: true,
    scope: token.scopes.filter((scope) => client.scopes.includes(scope)).join(' '),
    client_id: client.id,
    sub: token.customer_id ?? client.id,
    token_type: 'refresh_token',
    iat: token.issued_at,
    exp: token.expires_at,
    iss: deps.config.BASE_URL,
    aud: deps.config.BASE_URL,
  };
}

async function describeAccess(
  deps: Deps,
  client: AuthClient,
  claims: Awaited<ReturnType<typeof accessClaims>>,
): Promise<Introspection> {
  if (claims === undefined || claims.org !== client.organization_id) return INACTIVE;
  if (!(await isLive(deps, claims))) return INACTIVE;
  const { scope, client_id, sub, iat, exp, iss } = claims;
  return {
    active: true,
    scope,
    client_id,
    sub,
    token_type: 'Bearer',
    iat,
    exp,
    iss,
    aud: deps.config.BASE_URL,
  };
}
