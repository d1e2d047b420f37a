import { keyedHash } from '../../../platform/keyed-hash.ts';
import { insertGrant, newGrantId, updateGrantRevoked } from '../access/grant-queries.ts';
import {
  burnForeignCode,
  findCode,
  type UsedCode,
  updateCodeGrant,
  updateCodeUsed,
} from '../authorize/code-queries.ts';
import { isProven, isVerifier } from '../authorize/pkce.ts';
import { invalidCode, invalidRequest, invalidScope } from '../failures.ts';
import type { GrantOutcome, GrantRequest } from './grant-request.ts';
import { type Parameters, required } from './parameters.ts';
import { scopesOf } from './scopes.ts';
import { grantEnd, issueRefreshToken } from './tokens.ts';

/**
 * The code of a customer's consent for tokens that act for that customer. It is used up first, and stays used up when
 * client, address or verifier then turn out wrong: nobody gets a second guess. A code that comes back was copied by
 * somebody, so what its first use gave dies, without any time of grace.
 */
export async function authorizationCode(request: GrantRequest): Promise<GrantOutcome> {
  const { connection, client, parameters, nowMilliseconds } = request;
  const organization = client.organization_id;
  const presented = presentedCode(parameters);
  const scope = parameters.get('scope');
  if (scopesOf(scope, client.scopes) === undefined) return { refused: invalidScope(client.scopes) };
  const hash = keyedHash(request.pepper, 'authorization-code', presented.code);
  const now = new Date(nowMilliseconds).toISOString();

  const code = await updateCodeUsed(connection, organization, hash, now);
  if (code === undefined) return await refuseUsed(request, hash, now);
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

/** What is missing or malformed is refused before the code is looked at, and does not use it up. */
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

async function refuseUsed(
  { connection, client }: GrantRequest,
  hash: Buffer,
  now: string,
): Promise<GrantOutcome> {
  const organization = client.organization_id;
  const known = await findCode(connection, organization, hash);
  if (known === undefined) {
    await burnForeignCode(connection, hash, now);
    return { refused: invalidCode() };
  }
  if (known.grant_id === null) return { refused: invalidCode(), replayed: true };
  await updateGrantRevoked(connection, organization, known.grant_id, {
    at: now,
    reason: 'authorization_code_reused',
  });
  return { refused: invalidCode(), grant: known.grant_id, replayed: true };
}
