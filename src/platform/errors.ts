import type { RuleCode } from './rule-codes.ts';

/**
 * The error catalogue. A failure is made where its rule is: a kind (the top-level code), entries (code, field,
 * sentence) and nothing about HTTP beyond the status that the kind implies. `error-handler.ts` is the one place
 * that turns it into an answer.
 */

/** Top-level codes with their status and the message used when there is no entry to build one from. */
export const ERROR_CATALOGUE = {
  BAD_REQUEST: { status: 400, message: 'The request is not valid' },
  UNAUTHORIZED: { status: 401, message: 'Invalid or malformed token' },
  PAYMENT_REQUIRED: { status: 402, message: "Your organization's account is past due" },
  FORBIDDEN: { status: 403, message: 'You are not allowed to access this resource' },
  NOT_FOUND: { status: 404, message: 'Resource not found' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method not allowed' },
  CONFLICT: { status: 409, message: 'The request conflicts with the stored state' },
  UNPROCESSABLE_ENTITY: { status: 422, message: 'The request holds a value that is not allowed' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests' },
  INTERNAL_SERVER_ERROR: { status: 500, message: 'Internal server error' },
} as const;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Codes of single entries that come from validation; a message is built around them. */
export const GENERIC_ENTRY_CODES = [
  'invalid_type',
  'too_big',
  'too_small',
  'invalid_format',
  'not_multiple_of',
  'unrecognized_keys',
  'invalid_union',
  'invalid_key',
  'invalid_element',
  'invalid_value',
  'custom',
] as const;

export type EntryCode = (typeof GENERIC_ENTRY_CODES)[number] | RuleCode;

export interface ErrorEntry {
  code: EntryCode;
  /** Dotted path (`snapshots.17.power_kw`), the name of a query parameter or header as sent, or `''` for the body. */
  field: string;
  message: string;
}

interface FailureOptions {
  entries?: readonly ErrorEntry[];
  message?: string;
  /** Only where the transport has a status of its own (408, 413, 415, 503 …). */
  status?: number;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A failure with a place in the catalogue; everything else that is thrown is a defect and answers 500. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly entries: readonly ErrorEntry[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: FailureOptions = {}) {
    const entries = options.entries ?? [];
    super(options.message ?? messageOf(code, entries), { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.status = options.status ?? ERROR_CATALOGUE[code].status;
    this.entries = entries;
    this.headers = options.headers ?? {};
  }
}

function isGeneric(code: EntryCode): boolean {
  return (GENERIC_ENTRY_CODES as readonly string[]).includes(code);
}

/** The single message of an answer: built from the first entry, because old versions show nothing else. */
export function messageOf(code: ErrorCode, entries: readonly ErrorEntry[]): string {
  const first = entries[0];
  if (first === undefined) return ERROR_CATALOGUE[code].message;
  if (!isGeneric(first.code)) return first.message;
  const place = first.field === '' ? 'in the body' : `in '${first.field}'`;
  /* The code of a rule of our own says nothing to a reader. */
  return `${first.code === 'custom' ? place.replace('in', 'In') : `${first.code} ${place}`}: ${first.message}`;
}

export const badRequest = (entries: readonly ErrorEntry[]) => new Failure('BAD_REQUEST', { entries });
export const conflict = (entries: ErrorEntry[]) => new Failure('CONFLICT', { entries });
export const notFound = () => new Failure('NOT_FOUND');

/** What a schema refused. Nothing but values that an enum does not have is 422, everything else 400. */
export function invalidInput(entries: readonly ErrorEntry[]): Failure {
  const onlyDisallowed = entries.every((entry) => entry.code === 'invalid_value');
  return new Failure(onlyDisallowed ? 'UNPROCESSABLE_ENTITY' : 'BAD_REQUEST', { entries });
}

/** The path is right, and the body names a thing that is not there; one of another organization is told in the same words. */
export function unknownReference(field: string, what: string): Failure {
  return notFoundBecause({ code: 'custom', field, message: `There is no such ${what} in your organization` });
}

const QUOTED_CHARACTERS_MAX = 40;

/** What a caller sent, for an answer to that caller only: as much as is needed to find it again. */
export function quoted(sent: string): string {
  return JSON.stringify(
    sent.length > QUOTED_CHARACTERS_MAX ? `${sent.slice(0, QUOTED_CHARACTERS_MAX)}…` : sent,
  );
}

/** The message is that of everything that is not found; from the version with structured errors on, the entry says more. */
export function notFoundBecause(entry: ErrorEntry): Failure {
  return new Failure('NOT_FOUND', { message: ERROR_CATALOGUE.NOT_FOUND.message, entries: [entry] });
}

/** RFC 6750: without a token only the scheme is named, an error would tell the client to throw its token away. */
export function noTokenSent(): Failure {
  return new Failure('UNAUTHORIZED', {
    message: 'No token was sent. Send the header Authorization: Bearer <token>',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** The service cannot do it now; nothing was stored unless the message says otherwise. */
export function unavailable(
  message = 'The service is busy or restarting; try again shortly',
  cause?: unknown,
) {
  return new Failure('INTERNAL_SERVER_ERROR', { status: 503, message, cause });
}

/** How a caller goes on who cannot know whether the change was made. */
export const IF_OUTCOME_UNKNOWN =
  'With the same Idempotency-Key it may be sent again; without one, look first what it did';

/**
 * Collects what the rules of one call find. All findings of status 400 are reported together; only when there is
 * none those of 409, and then those of 422.
 */
export class Findings {
  readonly #entries: Record<'BAD_REQUEST' | 'CONFLICT' | 'UNPROCESSABLE_ENTITY', ErrorEntry[]> = {
    BAD_REQUEST: [],
    CONFLICT: [],
    UNPROCESSABLE_ENTITY: [],
  };

  badRequest(code: EntryCode, field: string, message: string): void {
    this.#entries.BAD_REQUEST.push({ code, field, message });
  }

  /** Those that another place has found. */
  badRequests(entries: readonly ErrorEntry[]): void {
    this.#entries.BAD_REQUEST.push(...entries);
  }

  conflict(code: EntryCode, field: string, message: string): void {
    this.#entries.CONFLICT.push({ code, field, message });
  }

  unprocessable(code: EntryCode, field: string, message: string): void {
    this.#entries.UNPROCESSABLE_ENTITY.push({ code, field, message });
  }

  /**
   * Entries stand in the order of the schema's fields. `fields` names the order where rules are checked in another one; a
   * field stands for all that lies below it.
   */
  throwIfAny(fields: readonly string[] = []): void {
    const rank = ({ field }: ErrorEntry) =>
      fields.findIndex((known) => field === known || field.startsWith(`${known}.`));
    for (const code of ['BAD_REQUEST', 'CONFLICT', 'UNPROCESSABLE_ENTITY'] as const) {
      const entries = this.#entries[code].toSorted((left, right) => rank(left) - rank(right));
      if (entries.length > 0) throw new Failure(code, { entries });
    }
  }
}
