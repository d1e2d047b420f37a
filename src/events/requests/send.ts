import { performance } from 'node:perf_hooks';
import { DateTime } from 'luxon';
import { Agent, request } from 'undici';
import type { AddressRules } from './address.ts';
import { readAddress } from './check.ts';
import { AddressRefused, type ConnectOptions, guardedConnections } from './connect.ts';
import { lookup } from './lookup.ts';
import { type Message, signatureHeaders } from './signature.ts';

export type { Message };

const CONNECT_MILLISECONDS = 5_000;
const EXCHANGE_MILLISECONDS = 30_000;
const HEAD_BYTES_MAX = 16 * 1024;
/** Many servers close a silent connection after 5 s; a request that meets the end of one would count as failed. */
const IDLE_MILLISECONDS = 2_000;
/** With more requests at once, or more open sockets, the next ones close theirs when they are done. */
const KEPT_SOCKETS_MAX = 256;
const READ_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 1_024;
const RETRY_AFTER_SECONDS_MAX = 24 * 60 * 60;

export interface Receiver {
  readonly url: string;
  /** One, or during a change of secret two, the newest first; 32 bytes each. */
  readonly secrets: readonly Buffer[];
}

/** `connection` is all one wording: nobody learns from it what listens where. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The first 1,024 bytes as text. */
      readonly answer: string;
      /** Null: none, or nonsense. */
      readonly retryAfterSeconds: number | null;
      readonly milliseconds: number;
    }
  | {
      readonly kind: 'failed';
      readonly error: 'connection' | 'tls' | 'time_out' | 'address';
      readonly milliseconds: number;
    };

export interface WebhookRequests {
  /** Rejects only when the signal ends it; the receiver may have the message then. */
  send(receiver: Receiver, message: Message, signal?: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
}

export type WebhookRequestOptions = AddressRules &
  Partial<ConnectOptions> & { readonly exchangeMilliseconds?: number };

/** The exchange took longer than it may. */
class ExchangeTooLong extends Error {}

/**
 * POST requests to addresses that customers chose. No redirects, no proxy of the environment, no cookies.
 *
 * Connections are pooled by host. The pools have no limit of their own, so that nobody waits behind another customer's
 * endpoint of the same host: who calls decides how many requests an endpoint gets at once.
 */
export function openWebhookRequests(options: WebhookRequestOptions): WebhookRequests {
  const exchangeMilliseconds = options.exchangeMilliseconds ?? EXCHANGE_MILLISECONDS;
  const connections = guardedConnections(options, {
    lookup: options.lookup ?? lookup,
    connectMilliseconds: options.connectMilliseconds ?? CONNECT_MILLISECONDS,
    certificateAuthorities: options.certificateAuthorities,
  });
  const agent = new Agent({
    connect: connections.connect,
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: HEAD_BYTES_MAX,
    keepAliveTimeout: IDLE_MILLISECONDS,
    keepAliveMaxTimeout: IDLE_MILLISECONDS,
    /* One time for the whole exchange stands above them. */
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  let underWay = 0;

  async function exchange(url: URL, receiver: Receiver, message: Message, signal: AbortSignal) {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        ...signatureHeaders(message, receiver.secrets),
        'content-type': 'application/json',
        'user-agent': 'Voltstream-Webhooks',
        accept: '*/*',
        'accept-encoding': 'identity',
      },
      body: message.body,
      signal,
      reset: underWay > KEPT_SOCKETS_MAX || connections.open > KEPT_SOCKETS_MAX,
      highWaterMark: HEAD_BYTES_MAX,
    });
    return {
      kind: 'answered' as const,
      status: statusCode,
      answer: await readAnswer(body),
      retryAfterSeconds: retryAfterSeconds(headers['retry-after'], message.atSeconds),
    };
  }

  return {
    send: async (receiver, message, signal) => {
      signal?.throwIfAborted();
      const startedAt = performance.now();
      const milliseconds = () => Math.round(performance.now() - startedAt);
      const read = readAddress(receiver.url);
      if ('problem' in read) return { kind: 'failed', error: 'address', milliseconds: 0 };
      const ending = new AbortController();
      const endWithCaller = () => ending.abort(signal?.reason);
      signal?.addEventListener('abort', endWithCaller, { once: true });
      const timer = setTimeout(() => ending.abort(new ExchangeTooLong()), exchangeMilliseconds);
      underWay += 1;
      try {
        const answered = await exchange(read.url, receiver, message, ending.signal);
        return { ...answered, milliseconds: milliseconds() };
      } catch (error) {
        signal?.throwIfAborted();
        return { kind: 'failed', error: failureOf(error), milliseconds: milliseconds() };
      } finally {
        underWay -= 1;
        clearTimeout(timer);
        signal?.removeEventListener('abort', endWithCaller);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Reads to the end, or so much that a sender of endless answers costs no more; the rest ends with the connection. */
async function readAnswer(body: AsyncIterable<Buffer>): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    if (bytes < KEPT_BYTES_MAX) kept.push(part.subarray(0, KEPT_BYTES_MAX - bytes));
    bytes += part.length;
    if (bytes >= READ_BYTES_MAX) break;
  }
  return answerText(Buffer.concat(kept));
}

/**
 * Bytes of a stranger as text that may be stored and shown: no control characters, which move the cursor of a terminal
 * or end a text in the database, none that turn the direction of reading, no half characters.
 */
function answerText(bytes: Buffer): string {
  const text = new TextDecoder('utf-8').decode(bytes, { stream: bytes.length === KEPT_BYTES_MAX });
  return text.replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, '\uFFFD');
}

/** Seconds from now, at most a day; null where the header is absent or says nothing. */
function retryAfterSeconds(header: string | string[] | undefined, nowSeconds: number): number | null {
  if (typeof header !== 'string') return null;
  const text = header.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : dateSeconds(text) - nowSeconds;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX);
}

function dateSeconds(text: string): number {
  return DateTime.fromHTTP(text, { zone: 'utc' }).toSeconds();
}

function failureOf(error: unknown): 'connection' | 'tls' | 'time_out' | 'address' {
  if (error instanceof AddressRefused) return 'address';
  if (error instanceof ExchangeTooLong) return 'time_out';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return isTlsCode(code) ? 'tls' : 'connection';
}

/** Codes of Node and OpenSSL, and the names that OpenSSL gives its findings in certificates. */
function isTlsCode(code: string): boolean {
  if (code === 'EPROTO' || /^ERR_(?:SSL|TLS)_/.test(code)) return true;
  return /^(?:CERT_|CRL_|DEPTH_|SELF_SIGNED_|UNABLE_TO_|ERROR_IN_C|HOSTNAME_|INVALID_|PATH_LENGTH_)/.test(
    code,
  );
}
