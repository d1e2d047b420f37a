import type { NewClientInput } from '../../../src/identity/oauth/clients/schema.ts';
import type { Deps } from '../../../src/platform/deps.ts';
import type { StaffAct } from '../../../src/platform/staff-act.ts';
import { createClient, createOrganization } from '../../setup/factories.ts';

export interface TestClient {
  organization: string;
  id: string;
  secret: string;
}

export function actAt(deps: Deps): StaffAct {
  return { staff: 'test', reason: 'a test needs it', command: 'test', now: deps.clock.now().toISOString() };
}

/** A client in an organization of its own, or in the given one. */
export async function registeredClient(
  deps: Deps,
  input: Partial<NewClientInput> = {},
  organization?: string,
): Promise<TestClient> {
  const owner = organization ?? (await createOrganization(deps));
  const { client_id, client_secret } = await createClient(deps, owner, input);
  return { organization: owner, id: client_id, secret: client_secret };
}

export function basic({ id, secret }: { id: string; secret: string }): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

export interface TokenAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

interface TokenRequestOptions {
  authorization?: string;
  headers?: Record<string, string>;
  method?: string;
  query?: string;
}

/** Sends a token request as it is given: a text or bytes as they are, an object as a form. */
export async function requestToken(
  baseUrl: string,
  body: string | Uint8Array<ArrayBuffer> | Record<string, string> | undefined,
  options: TokenRequestOptions = {},
): Promise<TokenAnswer> {
  const isForm = typeof body === 'object' && !(body instanceof Uint8Array);
  const response = await fetch(`${baseUrl}/oauth/token${options.query ?? ''}`, {
    method: options.method ?? 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(options.authorization === undefined ? {} : { authorization: options.authorization }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: isForm ? new URLSearchParams(body).toString() : body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
}

/** The tokens of a client that asks for itself. */
export async function tokensOf(baseUrl: string, client: TestClient): Promise<Tokens> {
  const answer = await requestToken(
    baseUrl,
    { grant_type: 'client_credentials' },
    { authorization: basic(client) },
  );
  if (answer.status !== 200) throw new Error(`No token: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as unknown as Tokens;
}

export async function refreshed(
  baseUrl: string,
  client: TestClient,
  refreshToken: string,
): Promise<TokenAnswer> {
  return await requestToken(
    baseUrl,
    { grant_type: 'refresh_token', refresh_token: refreshToken },
    { authorization: basic(client) },
  );
}

/** The status that a call of the interface with this token gets; 404 and 403 count as let in. */
export async function callStatus(baseUrl: string, accessToken: string, path = '/assets'): Promise<number> {
  const response = await fetch(`${baseUrl}${path}`, {
    headers: { authorization: `Bearer ${accessToken}`, 'x-api-version': '2026-09-08.gauss' },
  });
  await response.body?.cancel();
  return response.status;
}
