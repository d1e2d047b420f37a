import type { QueryPair } from '../../../platform/interface/query.ts';
import type { Scope } from '../../../platform/principal.ts';
import { scopeRule, scopesOf } from '../protocol/scopes.ts';
import { type ChallengeMethod, isVerifier, keptChallenge } from './pkce.ts';
import type { AuthorizeFlow } from './request-queries.ts';

/** What is known of the client once it is certain where the answer goes. */
export interface AskingClient {
  grants: readonly string[];
  scopes: readonly Scope[];
  public: boolean;
  s256_only: boolean;
}

export interface AuthorizeParameters {
  flow: AuthorizeFlow;
  /** As it is kept; null: no challenge was sent. */
  code_challenge: string | null;
  scopes: readonly Scope[];
}

export type AuthorizeError =
  | 'invalid_request'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'server_error';

/** A fault that the client is told, by a redirect to the address that it registered. */
export interface AuthorizeRefusal {
  error: AuthorizeError;
  description: string;
}

const FLOWS: ReadonlyMap<string, AuthorizeFlow> = new Map([
  ['', 'consent'],
  ['login', 'login'],
  ['signup', 'signup'],
]);

/** Others are ignored, however often they come: extensions such as RFC 8707 repeat theirs. */
const KNOWN_NAMES = [
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'flow_type',
] as const;

/** The one readable value of a parameter; undefined when it was left out, sent empty, sent twice or cannot be read. */
export function onlyValue(pairs: readonly QueryPair[], name: string): string | undefined {
  const [pair, second] = pairs.filter((candidate) => candidate.name === name);
  if (pair === undefined || second !== undefined || pair.malformed || pair.value === '') return undefined;
  return pair.value;
}

/** Faults in the order in which a client can do something about them. */
export function readParameters(
  pairs: readonly QueryPair[],
  client: AskingClient,
): AuthorizeParameters | AuthorizeRefusal {
  for (const name of KNOWN_NAMES) {
    const sent = pairs.filter((pair) => pair.name === name);
    if (sent.length > 1) return invalid(`${name} was sent more than once`);
    if (sent[0]?.malformed === true)
      return invalid(`The percent encoding of ${name} cannot be read as UTF-8`);
  }
  const sent = new Map(pairs.map(({ name, value }) => [name, value]));
  const responseType = sent.get('response_type') ?? '';
  if (responseType === '') return invalid('response_type is missing');
  if (responseType !== 'code') {
    return { error: 'unsupported_response_type', description: 'The only response_type is code' };
  }
  if (!client.grants.includes('authorization_code')) {
    return {
      error: 'unauthorized_client',
      description: 'This client may not use the authorization code flow',
    };
  }
  const scopes = scopesOf(sent.get('scope'), client.scopes);
  if (scopes === undefined) return { error: 'invalid_scope', description: scopeRule(client.scopes) };
  const flow = FLOWS.get(sent.get('flow_type') ?? '');
  if (flow === undefined) return invalid('flow_type is login or signup, or left out');
  const challenge = readChallenge(sent, client);
  return 'error' in challenge ? challenge : { flow, code_challenge: challenge.kept, scopes };
}

function readChallenge(
  sent: ReadonlyMap<string, string>,
  client: AskingClient,
): { kept: string | null } | AuthorizeRefusal {
  const challenge = sent.get('code_challenge');
  const method = sent.get('code_challenge_method');
  if (challenge === undefined) {
    if (client.public) return invalid('code challenge required: this client has no secret');
    if (client.s256_only) return invalid('code challenge required: this client must use S256');
    return method === undefined ? { kept: null } : invalid('code_challenge_method without code_challenge');
  }
  /* An empty challenge is refused: one that got lost on the way must not pass for none. */
  if (!isVerifier(challenge)) {
    return invalid('code_challenge has 43 to 128 letters, digits, hyphens, dots, underscores and tildes');
  }
  if (!isMethod(method ?? 'plain')) return invalid('code_challenge_method is S256 or plain');
  if (client.s256_only && method !== 'S256')
    return invalid('This client must use code_challenge_method S256');
  return { kept: keptChallenge(challenge, method === 'S256' ? 'S256' : 'plain') };
}

function isMethod(text: string): text is ChallengeMethod {
  return text === 'S256' || text === 'plain';
}

function invalid(description: string): AuthorizeRefusal {
  return { error: 'invalid_request', description };
}
