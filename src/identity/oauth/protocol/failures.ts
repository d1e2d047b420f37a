import { type EntryCode, type ErrorCode, Failure } from '../../../platform/errors.ts';
import type { Scope } from '../../../platform/principal.ts';
import { tooManyRequestsMessage } from '../../../platform/rate-limit/rate-limit.ts';
import { scopeRule } from './scopes.ts';

export type OAuthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'slow_down'
  | 'temporarily_unavailable'
  | 'server_error';

interface OAuthFailureOptions {
  status?: number;
  message?: string;
  entry?: { code: EntryCode; field: string; message: string };
  headers?: Record<string, string>;
}

/** A failure of the token endpoint: the envelope of every error, and the name that RFC 6749 gives it. */
export class OAuthFailure extends Failure {
  readonly error: OAuthError;

  constructor(code: ErrorCode, error: OAuthError, options: OAuthFailureOptions) {
    super(code, {
      ...(options.status === undefined ? {} : { status: options.status }),
      ...(options.message === undefined ? {} : { message: options.message }),
      ...(options.headers === undefined ? {} : { headers: options.headers }),
      entries: options.entry === undefined ? [] : [options.entry],
    });
    this.error = error;
  }
}

export function invalidRequest(field: string, message: string, code: EntryCode = 'custom'): OAuthFailure {
  return new OAuthFailure('BAD_REQUEST', 'invalid_request', { entry: { code, field, message } });
}

export function invalidClient(message = 'Unknown client or wrong secret'): OAuthFailure {
  const headers = { 'www-authenticate': 'Basic realm="oauth"' };
  return new OAuthFailure('UNAUTHORIZED', 'invalid_client', { message, headers });
}

/**
 * A refused refresh token. Without `WWW-Authenticate`: strict clients take that header for a challenge and never look
 * at `error`.
 */
export function invalidGrant(): OAuthFailure {
  const message = 'The refresh token is unknown, expired, revoked or already used';
  return new OAuthFailure('UNAUTHORIZED', 'invalid_grant', { message });
}

/** A refused authorization code: one sentence for all reasons, so that a thief does not learn which one it was. */
export function invalidCode(): OAuthFailure {
  const message = 'The code is unknown, expired, already used or was issued for another request';
  return new OAuthFailure('BAD_REQUEST', 'invalid_grant', { message });
}

/** A scope that is unknown, or more than the client, the customer or the first token request allowed. */
export function invalidScope(allowed: readonly Scope[]): OAuthFailure {
  const entry = { code: 'custom' as const, field: 'scope', message: scopeRule(allowed) };
  return new OAuthFailure('BAD_REQUEST', 'invalid_scope', { entry });
}

export function unauthorizedClient(): OAuthFailure {
  const message = 'This client may not use this grant type';
  return new OAuthFailure('BAD_REQUEST', 'unauthorized_client', { message });
}

export function unsupportedGrantType(known: readonly string[]): OAuthFailure {
  const message = `Unknown grant type. Known: ${known.join(', ')}`;
  return new OAuthFailure('BAD_REQUEST', 'unsupported_grant_type', { message });
}

/** `because`: where something else than the number of requests is the reason. */
export function slowDown(seconds: number, because?: string): OAuthFailure {
  const message =
    because === undefined ? tooManyRequestsMessage(seconds) : `${because}. Retry after ${seconds} seconds`;
  return new OAuthFailure('TOO_MANY_REQUESTS', 'slow_down', {
    message,
    headers: { 'retry-after': String(seconds) },
  });
}

/** The name for a failure that was not made here: of the transport, of the database, of a defect. */
export function oauthErrorOf(failure: Failure): OAuthError {
  if (failure instanceof OAuthFailure) return failure.error;
  if (failure.status === 503) return 'temporarily_unavailable';
  return failure.status >= 500 ? 'server_error' : 'invalid_request';
}
