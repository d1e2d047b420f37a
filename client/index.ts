import createClient, { type Client } from 'openapi-fetch';
import { API_VERSION, type components, type paths, TAKES_IDEMPOTENCY_KEY } from './description.ts';

export type { operations, paths, webhooks } from './description.ts';

/** What the interface shows and takes, by name: `Schemas['Subscription']`. */
export type Schemas = components['schemas'];

export type VoltstreamClient = Client<paths, 'application/json'>;

export interface VoltstreamClientOptions {
  /** Of the service, without a path: `https://api.voltstream.example`. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** `read:*` for a client that only reads; all that the client may do where absent. */
  scope?: string;
  /** How often one call is sent at most while the service asks to wait; 4 where absent. */
  attemptsMax?: number;
  /** A caller that is told to wait for longer gets the answer at once; 60 where absent. */
  waitSecondsMax?: number;
  /** What sends; the global `fetch` where absent. */
  fetch?: (request: Request) => Promise<Response>;
  /** Milliseconds of a clock; `Date.now` where absent. */
  now?: () => number;
}

/** The token endpoint gave none. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly status: number;
  /** The code of RFC 6749: `invalid_client`. */
  readonly code: string | undefined;

  constructor(status: number, { error, error_description }: TokenAnswer) {
    super(`No access token (${status}): ${error_description ?? error ?? 'the answer is not one of OAuth'}`);
    this.status = status;
    this.code = error;
  }
}

interface TokenAnswer {
  access_token?: string;
  expires_in?: number;
  error?: string;
  error_description?: string;
}

/**
 * Calls of the interface, typed by the description of one version, whose name every request carries. The access token is
 * asked for with the first call and again a minute before its end.
 */
export function createVoltstreamClient(options: VoltstreamClientOptions): VoltstreamClient {
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const tokens = createTokens(options, (request) => sendPatiently(request, send, options));

  /** A token can end before its time, by a change of the client: a 401 is asked again once, with a new one. */
  async function sendWithToken(request: Request): Promise<Response> {
    const token = await tokens.current();
    const answer = await sendPatiently(withToken(request, token), send, options);
    if (answer.status !== 401) return answer;
    await answer.body?.cancel();
    tokens.forget(token);
    return await sendPatiently(withToken(request, await tokens.current()), send, options);
  }

  const client = createClient<paths, 'application/json'>({
    baseUrl: options.baseUrl,
    fetch: sendWithToken,
    /* What a redirect leads to is a document, and no JSON that a call could give. */
    redirect: 'manual',
  });
  client.use({
    onRequest({ request, schemaPath }) {
      const { headers } = request;
      if (!headers.has('x-api-version')) headers.set('x-api-version', API_VERSION);
      const takesKey = TAKES_IDEMPOTENCY_KEY.has(`${request.method} ${schemaPath}`);
      if (takesKey && !headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID());
      return request;
    },
  });
  return client;
}

function withToken(request: Request, token: string): Request {
  const copy = request.clone();
  copy.headers.set('authorization', `Bearer ${token}`);
  return copy;
}

const ATTEMPTS_MAX = 4;
const WAIT_SECONDS_MAX = 60;

/** 429 and 503 say when to come again. They stored nothing, but for a 503 that says that its outcome is unknown. */
async function sendPatiently(
  request: Request,
  send: (request: Request) => Promise<Response>,
  { attemptsMax = ATTEMPTS_MAX, waitSecondsMax = WAIT_SECONDS_MAX }: VoltstreamClientOptions,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(request.clone());
    const mayComeAgain = (answer.status === 429 || answer.status === 503) && attempt < attemptsMax;
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    if (!mayComeAgain || !(seconds >= 0 && seconds <= waitSecondsMax)) return answer;
    await answer.body?.cancel();
    await wait(seconds, request.signal);
  }
}

function wait(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1000);
    signal.addEventListener('abort', abort, { once: true });
  });
}

const RENEWED_BEFORE_END_SECONDS = 60;

interface Token {
  readonly text: string;
  readonly renewAt: number;
}

/** Calls that need a new token at the same time wait for the same one. */
function createTokens(
  { baseUrl, clientId, clientSecret, scope, now = Date.now }: VoltstreamClientOptions,
  send: (request: Request) => Promise<Response>,
) {
  let token: Token | null = null;
  let pending: Promise<Token> | null = null;

  async function ask(): Promise<Token> {
    const askedAt = now();
    const answer = await send(
      new Request(`${baseUrl.replace(/\/$/, '')}/oauth/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`,
        },
        body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
      }),
    );
    const told = (await answer.json().catch(() => ({}))) as TokenAnswer;
    if (told.access_token === undefined) throw new TokenError(answer.status, told);
    const seconds = told.expires_in ?? 0;
    const renewAt = askedAt + Math.max(seconds - RENEWED_BEFORE_END_SECONDS, seconds / 2) * 1000;
    return { text: told.access_token, renewAt };
  }

  return {
    async current(): Promise<string> {
      if (token !== null && now() < token.renewAt) return token.text;
      pending ??= ask().finally(() => {
        pending = null;
      });
      token = await pending;
      return token.text;
    },
    /** The one that was refused: not one that came in the meantime. */
    forget(refused: string): void {
      if (token?.text === refused) token = null;
    },
  };
}
