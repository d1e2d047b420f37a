import { isDeepStrictEqual } from 'node:util';
import { isVersionName, LATEST_STABLE_VERSION } from '../../src/config/versions.ts';
import type { Contract } from '../../src/platform/interface/contract.ts';
import type { HttpMethod } from '../../src/platform/interface/route.ts';
import type { VersionEngine } from '../../src/platform/interface/versioning.ts';
import { ruleCodes, UPGRADE_API_VERSION } from '../../src/platform/rule-codes.ts';

type Json = Record<string, unknown>;

export interface Answer<Body = Json> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

export interface RequestOptions {
  /** Sent as JSON; text and bytes are sent as they are. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

type Send = <Body = Json>(path: string, options?: RequestOptions) => Promise<Answer<Body>>;
type SendBody = <Body = Json>(
  path: string,
  body?: unknown,
  options?: RequestOptions,
) => Promise<Answer<Body>>;

export interface ApiClient {
  request<Body = Json>(method: string, path: string, options?: RequestOptions): Promise<Answer<Body>>;
  get: Send;
  post: SendBody;
  patch: SendBody;
}

interface ClientOptions {
  baseUrl: string;
  token: string | null;
  /** Sent as X-API-Version; null sends none. */
  version: string | null;
  versions: VersionEngine;
}

export function apiClient(options: ClientOptions): ApiClient {
  const { baseUrl, token, version, versions } = options;

  async function request<Body = Json>(method: string, path: string, given: RequestOptions = {}) {
    const isRaw = typeof given.body === 'string' || given.body instanceof Uint8Array;
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(version === null ? {} : { 'x-api-version': version }),
      ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...given.headers,
    };
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(given.body === undefined
        ? {}
        : { body: isRaw ? (given.body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(given.body) }),
      ...(given.signal && { signal: given.signal }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const body = (isJson && text !== '' ? JSON.parse(text) : {}) as Json;
    const contract = contractOf(versions, { method, path, headers });
    if (response.status === 200 && isJson) holdAgainstSchema(contract, { method, path, body });
    if (response.status >= 400) holdAgainstRefusals(contract, body);
    if (`${body.message}`.startsWith('custom in')) throw new Error(`A code that is no word: ${body.message}`);
    return { status: response.status, headers: response.headers, body: body as Body, text };
  }

  return {
    request,
    get: (path, given) => request('GET', path, given),
    post: (path, body, given) => request('POST', path, { ...given, body }),
    patch: (path, body, given) => request('PATCH', path, { ...given, body }),
  };
}

function contractOf(
  versions: VersionEngine,
  sent: { method: string; path: string; headers: Record<string, string> },
): Contract | undefined {
  const named = sent.headers['x-api-version'] ?? LATEST_STABLE_VERSION;
  if (!isVersionName(named)) return undefined;
  const path = sent.path.split('?')[0] ?? '';
  return versions
    .contracts(named)
    .find(({ route }) => isMethod(route.method, sent.method) && pathPattern(route.path).test(path));
}

/** A field that the published schema does not know, or one that it promises and that is missing, fails any test. */
function holdAgainstSchema(
  contract: Contract | undefined,
  { method, path, body }: { method: string; path: string; body: Json },
): void {
  if (contract === undefined) return;
  const shown = contract.route.list === undefined ? [body] : listItems(body);
  for (const item of shown) {
    const parsed = contract.response.parse(item);
    if (!isDeepStrictEqual(parsed, item)) {
      throw new Error(
        `${method} ${path} answered with more than its schema: ${JSON.stringify(item)} is not ${JSON.stringify(parsed)}`,
      );
    }
  }
}

/** A code of a rule that the description of the call does not name fails any test. */
function holdAgainstRefusals(contract: Contract | undefined, { errors }: { errors?: unknown }): void {
  if (contract === undefined || !Array.isArray(errors)) return;
  const { refusals = [], method, path } = contract.route;
  const rules = new Set<string>(ruleCodes().map(({ code }) => code));
  const named = new Set<string>([...refusals, UPGRADE_API_VERSION]);
  for (const { code } of errors as { code: string }[]) {
    if (rules.has(code) && !named.has(code))
      throw new Error(`${method} ${path} does not name ${code} in refusals`);
  }
}

function isMethod(route: HttpMethod, sent: string): boolean {
  return route === sent;
}

function listItems(body: Json): unknown[] {
  const items = Object.values(body).find((value) => Array.isArray(value));
  if (items === undefined) throw new Error(`A list without items: ${JSON.stringify(body)}`);
  return items;
}

function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{[a-z_]+\}/g, '[^/]+')}$`);
}
