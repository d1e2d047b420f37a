import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { NEWEST_VERSION } from '../../config/versions.ts';

export interface GatewayOptions {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  connections: number;
  /** Ends what is under way and every wait between two tries. */
  signal: AbortSignal;
  /** Told of every try that has to be repeated. */
  onFailedTry(reason: string): void;
  /** Set where a person waits: after so many tries of one call the last reason is thrown. A fleet tries for ever. */
  triesMax?: number;
}

export interface Answer {
  status: number;
  body: unknown;
}

const ANSWER_SECONDS_MAX = 35;
const PAUSE_SECONDS_MAX = 10;

/**
 * Calls the interface as a gateway should: one token for all, a new one when it is refused; after 429, 503 and other
 * 5xx, and when there is no answer at all, the same request again, as late as the service asks for.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #pool: Pool;
  #token: Promise<string> | null = null;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#pool = new Pool(options.baseUrl, {
      connections: options.connections,
      headersTimeout: ANSWER_SECONDS_MAX * 1000,
      bodyTimeout: ANSWER_SECONDS_MAX * 1000,
    });
  }

  /** Any answer below 500 but 401 and 429; a client whose credentials are refused throws, and the last of `triesMax`. */
  async call(method: 'GET' | 'POST', path: string, body?: string): Promise<Answer> {
    let refused = false;
    for (let tries = 1; ; tries += 1) {
      const { signal } = this.#options;
      signal.throwIfAborted();
      let reason: string;
      let pauseSeconds: number;
      try {
        const token = await this.#currentToken();
        const response = await this.#pool.request({
          method,
          path,
          signal,
          headers: {
            authorization: `Bearer ${token}`,
            'x-api-version': NEWEST_VERSION,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body }),
        });
        const answer: Answer = { status: response.statusCode, body: await response.body.json() };
        if (answer.status === 401 && !refused) {
          refused = true;
          this.#token = null;
          continue;
        }
        if (answer.status !== 429 && answer.status < 500) return answer;
        reason = `${answer.status} on ${method} ${path}`;
        pauseSeconds = retryAfterSeconds(response.headers['retry-after']) ?? backOffSeconds(tries);
      } catch (error) {
        if (signal.aborted || error instanceof CredentialsRefused) throw error;
        reason = error instanceof Error ? error.message : String(error);
        pauseSeconds = backOffSeconds(tries);
      }
      if (tries === this.#options.triesMax)
        throw new Error(
          `${this.#options.baseUrl} did not serve ${method} ${path} in ${tries} tries: ${reason}`,
        );
      this.#options.onFailedTry(reason);
      await wait(pauseSeconds * 1000, undefined, { signal });
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #currentToken(): Promise<string> {
    this.#token ??= requestToken(this.#pool, this.#options).catch((error: unknown) => {
      this.#token = null;
      throw error;
    });
    return this.#token;
  }
}

/** The token endpoint knows this client not, or not with this secret: trying again cannot help. */
export class CredentialsRefused extends Error {}

/** An access token by the client credentials grant. */
export async function requestToken(
  pool: Pool,
  client: { clientId: string; clientSecret: string; signal?: AbortSignal },
): Promise<string> {
  const credentials = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
  const response = await pool.request({
    method: 'POST',
    path: '/oauth/token',
    headers: {
      authorization: `Basic ${credentials}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
    ...(client.signal === undefined ? {} : { signal: client.signal }),
  });
  const answer = (await response.body.json()) as { access_token?: unknown; message?: unknown };
  if (response.statusCode === 200 && typeof answer.access_token === 'string') return answer.access_token;
  const reason = `Token refused with ${response.statusCode}: ${String(answer.message)}`;
  if (response.statusCode < 500 && response.statusCode !== 429) throw new CredentialsRefused(reason);
  throw new Error(reason);
}

function retryAfterSeconds(header: string | string[] | undefined): number | null {
  const seconds = Number(header);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, PAUSE_SECONDS_MAX) : null;
}

function backOffSeconds(tries: number): number {
  return Math.min(PAUSE_SECONDS_MAX, 0.25 * 2 ** Math.min(tries, 6));
}
