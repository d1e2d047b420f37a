import { audit } from '../../../platform/audit.ts';
import type { Connection } from '../../../platform/database/db.ts';
import type { Deps } from '../../../platform/deps.ts';
import { insertGrant, newGrantId } from '../access/grant-queries.ts';
import { LAST_USE_STEP_MILLISECONDS } from '../access/last-use.ts';
import type { TokenLimits } from '../attempts/token-limits.ts';
import { authenticClient, type ClientEndpoint, type TokenRequest } from '../clients/authenticate.ts';
import { type AuthClient, updateLastUse } from '../clients/live-queries.ts';
import { invalidScope, unauthorizedClient, unsupportedGrantType } from '../failures.ts';
import type { Keyring } from '../keys/keys.ts';
import { authorizationCode } from './authorization-code.ts';
import type { GrantOutcome, GrantRequest, GrantType } from './grant-request.ts';
import { type Parameters, required } from './parameters.ts';
import { refreshToken } from './refresh-token.ts';
import { scopesOf } from './scopes.ts';
import { ACCESS_TOKEN_SECONDS, grantEnd, issueRefreshToken, mintAccessToken } from './tokens.ts';

/** Every grant type that the endpoint gives, by the name of the request. */
const grantTypes: ReadonlyMap<string, GrantType> = new Map([
  ['authorization_code', authorizationCode],
  ['client_credentials', clientCredentials],
  ['refresh_token', refreshToken],
]);

const endpoint: ClientEndpoint = {
  act: 'token.issue',
  route: 'POST /oauth/token',
  limits: 'issue',
  publicClients: true,
};

export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token?: string;
  scope: string;
}

/**
 * In this order: shape, grant type, limits, client, what the client may use, and then the grant's own rules. What is
 * refused after the client is known by name stands in the audit log. What a client without a secret presents is all that
 * tells it from a stranger who knows its id: a refused one counts like a wrong secret.
 */
export async function answerTokenRequest(
  deps: Deps,
  keyring: Keyring,
  limits: TokenLimits,
  request: TokenRequest,
): Promise<TokenResponse> {
  const { parameters } = request;
  const grantName = required(parameters, 'grant_type');
  if (!grantTypes.has(grantName)) throw unsupportedGrantType([...grantTypes.keys()]);
  const { client, asking } = await authenticClient(deps, limits, request, endpoint);
  const organization = client.organization_id;
  const nowMilliseconds = deps.clock.nowMilliseconds();
  const outcome = await deps.database.inOrganization({ organization }, async (connection) => {
    const decided = await decide(deps, connection, { parameters, client, grantName, nowMilliseconds });
    await record(connection, request, client, decided);
    return decided;
  });
  if ('refused' in outcome) {
    const { refused, grant: object } = outcome;
    if (outcome.replayed === true && object !== undefined) deps.changed.emit({ organization, object });
    if (client.public && refused.error === 'invalid_grant') await limits.countFailure(asking);
    throw refused;
  }

  const { issued } = outcome;
  const subject = {
    organization,
    client: client.id,
    grant: issued.id,
    customer: issued.customer,
    scopes: issued.scopes,
    version: client.version,
  };
  return {
    access_token: await mintAccessToken(keyring, deps.config.BASE_URL, subject, nowMilliseconds),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    ...(issued.refreshToken === undefined ? {} : { refresh_token: issued.refreshToken }),
    scope: issued.scopes.join(' '),
  };
}

interface TokenDecision {
  parameters: Parameters;
  client: AuthClient;
  grantName: string;
  nowMilliseconds: number;
}

async function decide(deps: Deps, connection: Connection, request: TokenDecision): Promise<GrantOutcome> {
  const { client, grantName, nowMilliseconds, parameters } = request;
  const grantType = client.grants.includes(grantName) ? grantTypes.get(grantName) : undefined;
  if (grantType === undefined) return { refused: unauthorizedClient() };
  const now = new Date(nowMilliseconds).toISOString();
  const unlessAfter = new Date(nowMilliseconds - LAST_USE_STEP_MILLISECONDS).toISOString();
  await updateLastUse(connection, client.organization_id, client.id, { now, unlessAfter });
  return await grantType({
    connection,
    client,
    parameters,
    pepper: deps.config.SECRET_PEPPER,
    nowMilliseconds,
  });
}

/** The client acts for itself; a client of role `customer` for the one customer it was registered for. */
async function clientCredentials(request: GrantRequest): Promise<GrantOutcome> {
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

async function record(
  connection: Connection,
  request: TokenRequest,
  client: AuthClient,
  outcome: GrantOutcome,
): Promise<void> {
  const refused = 'refused' in outcome ? outcome : undefined;
  const grant = 'issued' in outcome ? outcome.issued.id : (outcome.grant ?? null);
  await audit(connection, {
    organization_id: client.organization_id,
    client_id: client.id,
    grant_id: grant,
    act: refused?.replayed === true ? 'token.replay' : endpoint.act,
    object_id: grant ?? client.id,
    route: endpoint.route,
    result: refused === undefined ? 'done' : refused.refused.error,
    request_id: request.id,
    address: request.address === '' ? null : request.address,
  });
}
