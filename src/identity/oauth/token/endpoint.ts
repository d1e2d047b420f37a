import { audit } from '../../../platform/audit.ts';
import type { Connection } from '../../../platform/database/db.ts';
import type { Deps } from '../../../platform/deps.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import type { Scope } from '../../../platform/principal.ts';
import { LAST_USE_STEP_MILLISECONDS } from '../access/access.ts';
import {
  insertGrant,
  type LockedGrant,
  lockGrantOfToken,
  newGrantId,
  updateGrantRevoked,
} from '../access/grant-queries.ts';
import { findTokenUsedBefore, updateTokenUsed } from '../access/token-queries.ts';
import {
  ACCESS_TOKEN_SECONDS,
  GRANT_DAYS,
  grantEnd,
  issueRefreshToken,
  mintAccessToken,
} from '../access/tokens.ts';
import type { TokenLimits } from '../attempts/token-limits.ts';
import {
  findCode,
  findOrganizationOfCode,
  type UsedCode,
  updateCodeGrant,
  updateCodeUsed,
} from '../authorize/code-queries.ts';
import { isProven, isVerifier } from '../authorize/pkce.ts';
import { authenticClient, type ClientEndpoint, type TokenRequest } from '../clients/authenticate.ts';
import { type AuthClient, updateLastUse } from '../clients/live-queries.ts';
import type { Keyring } from '../keys/keys.ts';
import {
  invalidCode,
  invalidGrant,
  invalidRequest,
  invalidScope,
  type OAuthFailure,
  unauthorizedClient,
  unsupportedGrantType,
} from '../protocol/failures.ts';
import { type Parameters, required } from '../protocol/parameters.ts';
import { scopesOf } from '../protocol/scopes.ts';

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
 * Checks in this order: shape, grant type, limits, client, what the client may use, and then the grant's own rules. Refusals
 * after the client is known by name stand in the audit log. A client without a secret differs from a stranger who knows its
 * id only by the code or token that it presents: a refused one counts like a wrong secret.
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
  /* Before a code or a refresh token is used up: without a key the client would have neither this one nor the next. */
  const key = await keyring.signing();
  const organization = client.organization_id;
  const nowMilliseconds = deps.clock.nowMilliseconds();
  const outcome = await deps.database.inOrganization({ organization }, async (connection) => {
    const decided = await decide(deps, connection, { parameters, client, grantName, nowMilliseconds });
    await record(connection, request, { organization, client: client.id }, decided);
    return decided;
  });
  if ('refused' in outcome) {
    const { refused } = outcome;
    tellReplayed(deps, organization, outcome);
    if (outcome.unknownCode !== undefined)
      await endForeignCode(deps, request, outcome.unknownCode, nowMilliseconds);
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
    access_token: await mintAccessToken(key, deps.config.BASE_URL, subject, nowMilliseconds),
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

/** In the log of an organization whose code a client of another one presented no client is named. */
async function record(
  connection: Connection,
  request: TokenRequest,
  { organization, client }: { organization: string; client: string | null },
  outcome: GrantOutcome,
): Promise<void> {
  const refused = 'refused' in outcome ? outcome : undefined;
  const grant = 'issued' in outcome ? outcome.issued.id : (outcome.grant ?? null);
  await audit(connection, {
    organization_id: organization,
    client_id: client,
    grant_id: grant,
    act: refused?.replayed === true ? 'token.replay' : endpoint.act,
    object_id: grant ?? client,
    route: endpoint.route,
    result: refused === undefined ? 'done' : refused.refused.error,
    request_id: request.id,
    address: request.address === '' ? null : request.address,
  });
}

/** Several workers of one honest client share a token and ask at the same moment: the losers are only refused. */
const RACE_MILLISECONDS = 2_000;

/**
 * Every use ends the token and gives a new one of the same family. A token that comes back after its use was copied
 * by somebody: nobody knows who of the two is honest, so the whole family dies, access tokens included. A scope narrows
 * this one access token: the next refresh token stands for all that was granted (RFC 6749, 6).
 */
async function refreshToken(request: GrantRequest): Promise<GrantOutcome> {
  const { connection, client, nowMilliseconds } = request;
  const organization = client.organization_id;
  const hash = keyedHash(request.pepper, 'refresh-token', required(request.parameters, 'refresh_token'));
  const now = new Date(nowMilliseconds).toISOString();

  const grant = await lockGrantOfToken(connection, organization, hash, GRANT_DAYS);
  if (grant === undefined) return { refused: invalidGrant() };
  /*
   * A token of another client is refused and nothing else happens. Otherwise whoever finds a token could revoke all
   * tokens of its owner.
   */
  if (grant.client_id !== client.id) return { refused: invalidGrant(), grant: grant.id };
  if (grant.revoked_at !== null) return { refused: invalidGrant(), grant: grant.id };
  /* Refused before the token is used up: the next request may still ask for what was granted. */
  const granted = grant.scopes.filter((scope) => client.scopes.includes(scope));
  const scopes = scopesOf(request.parameters.get('scope'), granted);
  if (scopes === undefined) return { refused: invalidScope(granted), grant: grant.id };
  if (!(await updateTokenUsed(connection, organization, hash, now))) {
    return await refuseUsedToken(request, grant, hash, now);
  }
  const family = { organization, id: grant.id, endsAt: grant.ends_at };
  const next = await issueRefreshToken(connection, request.pepper, family, nowMilliseconds);
  return { issued: { id: grant.id, customer: grant.customer_id, scopes, refreshToken: next } };
}

async function refuseUsedToken(
  { connection, client, nowMilliseconds }: GrantRequest,
  grant: LockedGrant,
  hash: Buffer,
  now: string,
): Promise<GrantOutcome> {
  const raceBegan = new Date(nowMilliseconds - RACE_MILLISECONDS).toISOString();
  const replayed = await findTokenUsedBefore(connection, client.organization_id, hash, raceBegan);
  if (!replayed) return { refused: invalidGrant(), grant: grant.id };
  const revocation = { at: now, reason: 'refresh_token_reused' };
  await updateGrantRevoked(connection, client.organization_id, grant.id, revocation);
  return { refused: invalidGrant(), grant: grant.id, replayed: true };
}

/**
 * The code of a customer's consent for tokens that act for that customer. It is used up first, and stays used up when
 * client, address or verifier then turn out wrong: nobody gets a second guess. A code that comes back was copied by
 * somebody, so what its first use gave dies, without any time of grace.
 */
async function authorizationCode(request: GrantRequest): Promise<GrantOutcome> {
  const { connection, client, parameters, nowMilliseconds } = request;
  const organization = client.organization_id;
  const presented = presentedCode(parameters);
  const scope = parameters.get('scope');
  if (scopesOf(scope, client.scopes) === undefined) return { refused: invalidScope(client.scopes) };
  const hash = keyedHash(request.pepper, 'authorization-code', presented.code);
  const now = new Date(nowMilliseconds).toISOString();

  const code = await updateCodeUsed(connection, organization, hash, now);
  if (code === undefined) return await refuseUsedCode(connection, organization, hash, now);
  if (code.client_id !== client.id || !isMeant(code, presented)) return { refused: invalidCode() };
  const allowed = code.scopes ?? client.scopes;
  const scopes = scopesOf(scope, allowed);
  if (scopes === undefined) return { refused: invalidScope(allowed) };

  const id = newGrantId();
  await insertGrant(connection, organization, {
    id,
    client_id: client.id,
    customer_id: code.customer_id,
    kind: 'authorization_code',
    scopes: [...scopes],
    created_at: now,
  });
  await updateCodeGrant(connection, organization, hash, id);
  const issued = { id, customer: code.customer_id, scopes };
  if (!client.grants.includes('refresh_token')) return { issued };
  const family = { organization, id, endsAt: grantEnd(nowMilliseconds) };
  const refreshToken = await issueRefreshToken(connection, request.pepper, family, nowMilliseconds);
  return { issued: { ...issued, refreshToken } };
}

interface PresentedCode {
  code: string;
  redirectUri: string;
  verifier: string | undefined;
}

/**
 * The code that was presented. A missing or malformed parameter is refused before the code is looked at, and does not use it
 * up.
 */
function presentedCode(parameters: Parameters): PresentedCode {
  const code = required(parameters, 'code');
  const redirectUri = required(parameters, 'redirect_uri');
  const verifier = parameters.get('code_verifier');
  if (verifier !== undefined && !isVerifier(verifier)) {
    const rule = 'Expected 43 to 128 letters, digits, hyphens, dots, underscores and tildes';
    throw invalidRequest('code_verifier', rule, 'invalid_format');
  }
  return { code, redirectUri, verifier };
}

/** The address is compared as text, character by character: two that look alike may lead to two places. */
function isMeant(code: UsedCode, presented: PresentedCode): boolean {
  if (code.expired || code.redirect_uri !== presented.redirectUri) return false;
  return isProven(code.code_challenge, presented.verifier);
}

async function refuseUsedCode(
  connection: Connection,
  organization: string,
  hash: Buffer,
  now: string,
): Promise<RefusedGrant> {
  const known = await findCode(connection, organization, hash);
  if (known === undefined) return { refused: invalidCode(), unknownCode: hash };
  if (known.grant_id === null)
    return known.expired ? { refused: invalidCode() } : { refused: invalidCode(), replayed: true };
  await updateGrantRevoked(connection, organization, known.grant_id, {
    at: now,
    reason: 'authorization_code_reused',
  });
  return { refused: invalidCode(), grant: known.grant_id, replayed: true };
}

/** A code that a client of another organization presents was copied as well: it ends where it was issued. */
async function endForeignCode(
  deps: Deps,
  request: TokenRequest,
  hash: Buffer,
  nowMilliseconds: number,
): Promise<void> {
  const { database } = deps;
  const organization = await database.asService((connection) => findOrganizationOfCode(connection, hash));
  if (organization === undefined) return;
  const now = new Date(nowMilliseconds).toISOString();
  const outcome = await database.inOrganization({ organization }, async (connection) => {
    const unused = await updateCodeUsed(connection, organization, hash, now);
    const ended =
      unused === undefined
        ? await refuseUsedCode(connection, organization, hash, now)
        : { refused: invalidCode() };
    await record(connection, request, { organization, client: null }, ended);
    return ended;
  });
  tellReplayed(deps, organization, outcome);
}

function tellReplayed({ changed }: Deps, organization: string, { replayed, grant }: RefusedGrant): void {
  if (replayed === true && grant !== undefined) changed.emit({ organization, object: grant });
}

/** Input of a grant type: the client is authenticated and may use this type, the transaction is open. */
interface GrantRequest {
  connection: Connection;
  client: AuthClient;
  parameters: Parameters;
  pepper: string;
  nowMilliseconds: number;
}

interface IssuedGrant {
  id: string;
  customer: string | null;
  scopes: readonly Scope[];
  /** Absent for a client that may not refresh. */
  refreshToken?: string;
}

/**
 * A refusal is returned and not thrown where it leaves something behind that must be committed (a killed family, the
 * line in the audit log).
 */
type GrantOutcome = { issued: IssuedGrant } | RefusedGrant;

interface RefusedGrant {
  refused: OAuthFailure;
  grant?: string;
  replayed?: true;
  /** Not of the client's organization. */
  unknownCode?: Buffer;
}

type GrantType = (request: GrantRequest) => Promise<GrantOutcome>;
