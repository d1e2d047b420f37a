import type { ReplayedAnswer } from './idempotency.ts';

type Headers = Readonly<Record<string, string>>;

/** An answer of which a header says what its members cannot say: they are the same in every version that has them. */
export class AnswerWithHeaders<Body = unknown> {
  readonly body: Body;
  readonly headers: Headers;

  constructor(body: Body, headers: Headers) {
    this.body = body;
    this.headers = headers;
  }
}

const REPLAYED: Headers = { 'idempotent-replayed': 'true' };
const NO_HEADERS: Headers = {};

/** The answer of a handler, as the object to encode and the headers to send with it. */
export function bodyAndHeadersOf(result: unknown): { readonly body: unknown; readonly headers: Headers } {
  if (result instanceof AnswerWithHeaders) return result;
  if (isReplay(result)) return { body: result.body, headers: REPLAYED };
  return { body: result, headers: NO_HEADERS };
}

function isReplay(result: unknown): result is ReplayedAnswer {
  return typeof result === 'object' && result !== null && 'replayed' in result;
}
