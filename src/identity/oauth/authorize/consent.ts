import { type AuditEntry, audit } from '../../../platform/audit.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import { redirectWith } from '../protocol/redirect-uris.ts';
import { newAuthorizationCode } from '../protocol/secrets.ts';
import { findCodeOfRequest, insertAuthorizationCode, updateUnusedCode } from './code-queries.ts';
import type { AuthorizeRefusal } from './parameters.ts';
import { type AuthorizationRequest, updateRequest } from './request-queries.ts';
import { ScreenFailure } from './visit.ts';

const CODE_MILLISECONDS = 10 * 60_000;

/** Input of the steps of an authorization: its request, locked, in the open transaction of its organization. */
export interface RequestParts {
  connection: Connection;
  request: AuthorizationRequest;
  pepper: string;
  /** Address of this service: tells the client whose answer it is (RFC 9207). */
  issuer: string;
  nowMilliseconds: number;
  /** Where the browser is: an IPv4 address, or the /64 of an IPv6 one. */
  network: string;
  /** Who asked by which route, for the audit log. */
  trace: Pick<AuditEntry, 'route' | 'request_id' | 'address'>;
}

/** Own programs of the organization that say so are trusted; everybody else asks each time. */
export function needsConsent(request: Pick<AuthorizationRequest, 'flow' | 'third_party'>): boolean {
  return request.flow !== 'login' || request.third_party;
}

/**
 * Ends the request with a code for the customer who signed in; returns where the browser goes. A second time, a moment
 * later, gives another code in the place of the first, unless that one was used.
 */
export async function allow(parts: RequestParts): Promise<string> {
  const { connection, request, pepper, nowMilliseconds } = parts;
  if (request.customer_id === null) throw new Error('Nobody has signed in');
  const organization = request.organization_id;
  const code = newAuthorizationCode();
  const hash = keyedHash(pepper, 'authorization-code', code);
  if (request.ended_at === null) {
    await endRequest(parts);
    await insertAuthorizationCode(connection, organization, {
      hash,
      request_id: request.id,
      client_id: request.client_id,
      customer_id: request.customer_id,
      redirect_uri: request.redirect_uri,
      code_challenge: request.code_challenge,
      scopes: request.scopes,
      created_at: new Date(nowMilliseconds).toISOString(),
      expires_at: new Date(nowMilliseconds + CODE_MILLISECONDS).toISOString(),
    });
  } else if (!(await updateUnusedCode(connection, organization, { request_id: request.id, hash }))) {
    throw new ScreenFailure('over');
  }
  await record(parts, 'authorization.allow');
  return redirectWith(request.redirect_uri, { code, ...common(parts) });
}

/** Ends the request without a code; a second time is told the same, unless there is a code after all. */
export async function refuse(parts: RequestParts, { error, description }: AuthorizeRefusal): Promise<string> {
  const { connection, request } = parts;
  if (request.ended_at === null) await endRequest(parts);
  else if (await findCodeOfRequest(connection, request.organization_id, request.id)) {
    throw new ScreenFailure('over');
  }
  await record(parts, error === 'access_denied' ? 'authorization.deny' : 'authorization.fail');
  return redirectWith(request.redirect_uri, { error, error_description: description, ...common(parts) });
}

function common({ request, issuer }: RequestParts) {
  return { state: request.state?.toString('utf8') ?? null, iss: issuer };
}

/** Ends a request and clears what was typed in. */
async function endRequest({ connection, request, nowMilliseconds }: RequestParts): Promise<void> {
  await updateRequest(connection, request.organization_id, request.id, {
    ended_at: new Date(nowMilliseconds).toISOString(),
    email: null,
    sign_up: null,
  });
}

async function record({ connection, request, trace }: RequestParts, act: string): Promise<void> {
  await audit(connection, {
    ...trace,
    organization_id: request.organization_id,
    client_id: request.client_id,
    act,
    object_id: request.customer_id ?? request.id,
    result: 'done',
  });
}
