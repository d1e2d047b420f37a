import type { Deps } from '../deps.ts';
import { audit } from '../platform/audit.ts';
import type { Connection } from '../platform/db.ts';
import { authorizationCode } from './authorization-code.ts';
import { isAuthentic, type PresentedClient, presentedClient, searchableId } from './client-authentication.ts';
import { clientCredentials } from './client-credentials.ts';
import { invalidClient, type OAuthFailure, unauthorizedClient, unsupportedGrantType } from './failures.ts';
import type { GrantOutcome, GrantType } from './grant.ts';
import type { Keyring } from './keys.ts';
import { LAST_USE_STEP_MILLISECONDS } from './last-use.ts';
import { type Parameters, required } from './parameters.ts';
import { type AuthClient, findClient, updateLastUse } from './queries.ts';
import { refreshToken } from './refresh-token.ts';
import type { TokenLimits } from './token-limits.ts';
import { ACCESS_TOKEN_SECONDS, mintAccessToken } from './tokens.ts';

/** Every grant type that the endpoint gives, by the name of the request. */
const grantTypes: ReadonlyMap<string, GrantType> = new Map([
  ['authorization_code', authorizationCode],
  ['client_credentials', clientCredentials],
  ['refresh_token', refreshToken],
]);

const TOKEN_ROUTE = 'POST /oauth/token';

export interface TokenRequest {
  /** Every `Authorization` header as it was sent. */
  authorization: readonly string[];
  parameters: Parameters;
  id: string;
  /** Shortened, for the audit log. */
  address: string;
  /** Whole, for limits. */
  remoteAddress: string;
}

export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token?: string;
  scope: string;
}

/**
 * In this order: shape, grant type, limits, client, what the client may use, and then the grant's own rules. What is
 * refused after the client is known by name stands in the audit log, whoever it was; what is turned away by a limit does
 * not, or a flood would fill it.
 */
export async function answerTokenRequest(
  deps: Deps,
  keyring: Keyring,
  limits: TokenLimits,
  request: TokenRequest,
): Promise<TokenResponse> {
  const { parameters } = request;
  const grantName = required(parameters, 'grant_type');
  const grantType = grantTypes.get(grantName);
  if (grantType === undefined) throw unsupportedGrantType([...grantTypes.keys()]);
  const presented = presentedClient(request.authorization, parameters);
  const asking = { client: presented.id, address: request.remoteAddress };
  await limits.admit(asking);

  const client = await deps.database.asService((connection) =>
    findClient(connection, searchableId(presented.id)),
  );
  await limits.takeRequest('issue', client !== undefined, asking);
  const nowMilliseconds = deps.clock.nowMilliseconds();
  const work = async (connection: Connection) => {
    const outcome = await decide(deps, connection, {
      ...request,
      presented,
      client,
      grantName,
      nowMilliseconds,
    });
    await record(connection, request, { presented, client, outcome });
    return outcome;
  };
  const outcome =
    client === undefined
      ? await deps.database.asService(work)
      : await deps.database.inOrganization({ organization: client.organization_id }, work);
  if (client === undefined || 'refused' in outcome) {
    const refusal = refusalOf(outcome);
    if (refusal.error === 'invalid_client') await limits.countFailure(asking);
    throw refusal;
  }

  const { issued } = outcome;
  const subject = {
    organization: client.organization_id,
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

function refusalOf(outcome: GrantOutcome): OAuthFailure {
  return 'refused' in outcome ? outcome.refused : invalidClient();
}

interface Decision {
  parameters: Parameters;
  presented: PresentedClient;
  client: AuthClient | undefined;
  grantName: string;
  nowMilliseconds: number;
}

async function decide(deps: Deps, connection: Connection, request: Decision): Promise<GrantOutcome> {
  const { client, grantName, nowMilliseconds } = request;
  const pepper = deps.config.SECRET_PEPPER;
  const now = new Date(nowMilliseconds).toISOString();
  const authentic = await isAuthentic(connection, pepper, request.presented, client, now);
  if (client === undefined || !authentic) return { refused: invalidClient() };
  const grantType = client.grants.includes(grantName) ? grantTypes.get(grantName) : undefined;
  if (grantType === undefined) return { refused: unauthorizedClient() };
  const unlessAfter = new Date(nowMilliseconds - LAST_USE_STEP_MILLISECONDS).toISOString();
  await updateLastUse(connection, client.organization_id, client.id, { now, unlessAfter });
  return await grantType({ connection, client, parameters: request.parameters, pepper, nowMilliseconds });
}

interface Decided extends Pick<Decision, 'presented' | 'client'> {
  outcome: GrantOutcome;
}

async function record(connection: Connection, request: TokenRequest, decided: Decided): Promise<void> {
  const { client, outcome } = decided;
  const issued = 'issued' in outcome ? outcome.issued : undefined;
  const refused = 'refused' in outcome ? outcome : undefined;
  const grant = issued?.id ?? refused?.grant ?? null;
  await audit(connection, {
    organization_id: client?.organization_id ?? null,
    client_id: client?.id ?? null,
    grant_id: grant,
    act: refused?.replayed === true ? 'token.replay' : 'token.issue',
    /* A made-up client id may be anything that somebody typed: only what can be an id is kept. */
    object_id: grant ?? (searchableId(decided.presented.id) || null),
    route: TOKEN_ROUTE,
    result: refused === undefined ? 'done' : refused.refused.error,
    request_id: request.id,
    address: request.address === '' ? null : request.address,
  });
}
