import { hash } from './formula.ts';
import type { SourceSwitches } from './switches.ts';

/** One request to a source. */
export interface FeedRequest {
  /** Behind the name of the source: `/api`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly switches: SourceSwitches;
  /** How many requests this source has had, this one included. */
  readonly count: number;
}

export interface FeedReply {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export type AnswerRequest = (request: FeedRequest) => FeedReply;

/** The only token that the feed knows. */
export const TOKEN = 'demo';

/** Stands wherever a source has room for a sentence about its data. */
export const SYNTHETIC = 'Synthetic data of a local feed server: invented values, no market prices.';

export const JSON_TYPE = 'application/json';

export function jsonReply(body: string, status = 200): FeedReply {
  return { status, contentType: JSON_TYPE, body };
}

export function notFound(): FeedReply {
  return jsonReply('{"detail":"Not Found"}', 404);
}

/** A page as a proxy or a maintenance shows it. */
export function pageReply(status: number, title: string): FeedReply {
  const body = `<!DOCTYPE html>\n<html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return { status, contentType: 'text/html; charset=utf-8', body };
}

/** 32 hexadecimal digits that follow from a request; other ones at every request where the switch says so. */
export function documentId(request: FeedRequest): string {
  const query = [...request.query].map(([name, value]) => `${name}=${value}`).join('&');
  const seed = `${request.path}?${query}${request.switches.fresh_mrid === true ? `#${request.count}` : ''}`;
  return ['a', 'b', 'c', 'd'].map((part) => hash(`${part}|${seed}`).toString(16).padStart(8, '0')).join('');
}
