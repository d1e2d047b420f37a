import { keyedHash } from '../../../platform/keyed-hash.ts';
import { type LockedGrant, lockGrantOfToken, updateGrantRevoked } from '../access/grant-queries.ts';
import { invalidGrant, invalidScope } from '../failures.ts';
import type { GrantOutcome, GrantRequest } from './grant-request.ts';
import { required } from './parameters.ts';
import { findTokenUsedBefore, updateTokenUsed } from './refresh-token-queries.ts';
import { scopesOf } from './scopes.ts';
import { GRANT_DAYS, issueRefreshToken } from './tokens.ts';

/** Several workers of one honest client share a token and ask at the same moment: the losers are only refused. */
const RACE_MILLISECONDS = 2_000;

/**
 * Every use ends the token and gives a new one of the same family. A token that comes back after its use was copied
 * by somebody: nobody knows who of the two is honest, so the whole family dies, access tokens included. A scope narrows
 * this one access token: the next refresh token stands for all that was granted (RFC 6749, 6).
 */
export async function refreshToken(request: GrantRequest): Promise<GrantOutcome> {
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
    return await refuseUsed(request, grant, hash, now);
  }
  const family = { organization, id: grant.id, endsAt: grant.ends_at };
  const next = await issueRefreshToken(connection, request.pepper, family, nowMilliseconds);
  return { issued: { id: grant.id, customer: grant.customer_id, scopes, refreshToken: next } };
}

async function refuseUsed(
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
