import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { DateTime } from 'luxon';
import type { Clock } from '../../platform/clock.ts';
import { BodyTooLarge, type HttpAnswer, type HttpClient } from '../../platform/http/client.ts';

/*
 * One request to a feed. This file judges the status and the transport, the feed's wire file judges the body. A token stands
 * in the address: nothing leaves this file before it was masked.
 */

export interface FeedParts {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly config: { readonly PRICES_CONTACT?: string | undefined };
}

export interface FeedRequest {
  /** Its connections are its own. */
  readonly source: string;
  readonly url: URL;
  /** Secrets inside the address. */
  readonly tokens: readonly string[];
  /** After inflating. */
  readonly bodyBytesMax: number;
  /** From the first byte sent to the last one received, redirects included. */
  readonly answerMilliseconds: number;
  readonly signal?: AbortSignal;
}

interface FeedExchange {
  readonly requestedAt: number;
  /** When the last byte was there: the only proof of time. */
  readonly capturedAt: number;
  readonly maskedUrl: string;
  /** Null without an answer. */
  readonly httpStatus: number | null;
  readonly contentType: string | null;
}

export type FeedAnswer = FeedExchange &
  (
    | { readonly status: 'answered'; readonly httpStatus: number; readonly body: Uint8Array }
    | {
        readonly status: 'transient_failure' | 'throttled' | 'denied' | 'rejected';
        readonly reason: string;
        readonly retryAfterSeconds?: number;
        readonly body?: Uint8Array;
      }
  );

const REDIRECTS_MAX = 2;
const MASK = '***';

/** A shorter one is found by chance in ordinary text: "demo" in a licence. */
const CHARACTERS_MIN_IN_BODY = 8;

const { name, version } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { name: string; version: string };

/** SMARD answers an empty user agent with a challenge page. */
function userAgent(contact: string | undefined): string {
  return `${name}-prices/${version}${contact === undefined ? '' : ` (+${contact})`}`;
}

/** Throws only when the caller's own signal ended it. */
export async function requestFeed(parts: FeedParts, request: FeedRequest): Promise<FeedAnswer> {
  request.signal?.throwIfAborted();
  const requestedAt = parts.clock.nowMilliseconds();
  const outcome = await exchange(parts, request);
  request.signal?.throwIfAborted();
  const { answer } = outcome;
  const made: FeedExchange = {
    requestedAt,
    capturedAt: parts.clock.nowMilliseconds(),
    maskedUrl: maskTokens(outcome.url.href, request.tokens),
    httpStatus: answer?.status ?? outcome.httpStatus ?? null,
    contentType: maskedType(answer, request.tokens),
  };
  if (answer === undefined) {
    const { failure = 'transient_failure', reason = '' } = outcome;
    return { ...made, status: failure, reason: maskTokens(reason, request.tokens) };
  }
  const body = maskBytes(answer.body, request.tokens);
  const failure = failureOf(answer, made.contentType, requestedAt);
  if (failure === null) return { ...made, status: 'answered', httpStatus: answer.status, body };
  return { ...made, ...failure, body };
}

interface RequestOutcome {
  readonly url: URL;
  readonly answer?: HttpAnswer;
  readonly httpStatus?: number;
  readonly failure?: 'transient_failure' | 'rejected';
  readonly reason?: string;
}

async function exchange(parts: FeedParts, request: FeedRequest): Promise<RequestOutcome> {
  const limit = AbortSignal.timeout(request.answerMilliseconds);
  const signal = request.signal === undefined ? limit : AbortSignal.any([limit, request.signal]);
  let url = request.url;
  try {
    for (let redirects = 0; ; redirects += 1) {
      const answer = await parts.http.get({
        pool: request.source,
        url,
        headers: { 'user-agent': userAgent(parts.config.PRICES_CONTACT) },
        bodyBytesMax: request.bodyBytesMax,
        signal,
      });
      if (!isRedirect(answer.status)) return { url, answer };
      const next = nextUrl(url, answer, redirects);
      if (typeof next === 'string') {
        return { url, httpStatus: answer.status, failure: 'rejected', reason: next };
      }
      url = next;
    }
  } catch (error) {
    if (error instanceof BodyTooLarge) {
      return { url, httpStatus: error.status, failure: 'rejected', reason: error.message };
    }
    if (limit.aborted) return { url, reason: `No whole answer within ${request.answerMilliseconds} ms` };
    return { url, reason: transportReason(error) };
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Where a redirect leads, or why it is not followed. The same host only: a token never goes elsewhere. */
function nextUrl(from: URL, answer: HttpAnswer, redirects: number): URL | string {
  const location = answer.headers.location;
  const next = typeof location === 'string' ? URL.parse(location, from.href) : null;
  if (next === null) return `Status ${answer.status} without an address to go to`;
  if (next.host !== from.host || next.protocol !== from.protocol) {
    return `A redirect to another host, ${next.protocol}//${next.host}, is not followed`;
  }
  if (redirects >= REDIRECTS_MAX) return `More than ${REDIRECTS_MAX} redirects`;
  next.username = '';
  next.password = '';
  return next;
}

type Failure = {
  readonly status: 'transient_failure' | 'throttled' | 'denied' | 'rejected';
  readonly reason: string;
  readonly retryAfterSeconds?: number;
};

function failureOf(answer: HttpAnswer, contentType: string | null, now: number): Failure | null {
  const { status, body } = answer;
  const reason = `Status ${status}`;
  if (status === 429) {
    const seconds = retryAfter(answer.headers['retry-after'], now);
    return { status: 'throttled', reason, ...(seconds === null ? {} : { retryAfterSeconds: seconds }) };
  }
  if (status === 401 || status === 403) return { status: 'denied', reason };
  if (contentType?.toLowerCase().startsWith('text/html') === true) {
    return { status: 'transient_failure', reason: `${reason} with an HTML page` };
  }
  if (status === 408 || status >= 500) return { status: 'transient_failure', reason };
  if (status === 204) return null;
  if (status < 200 || status >= 300) return { status: 'rejected', reason };
  if (body.length === 0) return { status: 'transient_failure', reason: `${reason} with an empty body` };
  if (!isUtf8(body)) return { status: 'transient_failure', reason: 'The body is not valid UTF-8' };
  return null;
}

/** Seconds, or the date of RFC 9110. */
function retryAfter(header: string | string[] | undefined, now: number): number | null {
  const text = String(header ?? '').trim();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = DateTime.fromHTTP(text);
  return date.isValid ? Math.max(0, Math.ceil((date.toMillis() - now) / 1000)) : null;
}

function maskedType(answer: HttpAnswer | undefined, tokens: readonly string[]): string | null {
  const header = answer?.headers['content-type'];
  return typeof header === 'string' ? maskTokens(header.slice(0, 200), tokens) : null;
}

/** The sentence of the deepest cause: "connect ECONNREFUSED …" tells more than "fetch failed". */
function transportReason(error: unknown): string {
  let deepest: unknown = error;
  for (let depth = 0; depth < 5 && deepest instanceof Error && deepest.cause !== undefined; depth += 1) {
    deepest = deepest.cause;
  }
  if (!(deepest instanceof Error)) return 'The connection failed';
  const code = (deepest as NodeJS.ErrnoException).code;
  const text = [code, deepest.message].filter((part) => part !== undefined && part !== '').join(': ');
  return `The connection failed: ${text}`.slice(0, 300);
}

/** Every spelling of the tokens inside a text, gone. */
function maskTokens(text: string, tokens: readonly string[]): string {
  let masked = text;
  for (const spelling of tokens.flatMap(spellings)) masked = masked.replaceAll(spelling, MASK);
  return masked;
}

/** A body that repeats the request would bring its token into the store. */
function maskBytes(body: Uint8Array, tokens: readonly string[]): Uint8Array {
  const long = tokens.filter((token) => token.length >= CHARACTERS_MIN_IN_BODY);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!long.flatMap(spellings).some((spelling) => bytes.includes(spelling))) return body;
  /* latin1 keeps every byte as it is. */
  return Buffer.from(maskTokens(bytes.toString('latin1'), long), 'latin1');
}

/** As it is, as a parameter of an address, and as a form writes it; the longest first. */
function spellings(token: string): string[] {
  if (token === '') return [];
  const form = new URLSearchParams({ t: token }).toString().slice(2);
  const json = JSON.stringify(token).slice(1, -1);
  const all = new Set([token, encodeURIComponent(token), encodeURI(token), form, json]);
  return [...all].sort((a, b) => b.length - a.length);
}
