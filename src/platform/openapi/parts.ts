import { ERROR_CATALOGUE, type ErrorCode, GENERIC_ENTRY_CODES } from '../errors.ts';
import { LIMIT_DEFAULT, LIMIT_MAX } from '../interface/pagination.ts';
import type { VersionName } from '../version-name.ts';

/* The parts of an API document that do not come from a route's schemas. */

type Json = Record<string, unknown>;

export const LIST_PROPERTIES: Json = {
  object: { type: 'string', const: 'list', description: 'Says what kind of object it is.' },
  has_more: { type: 'boolean', description: 'Whether another page follows.' },
  next_page: {
    type: ['string', 'null'],
    description: 'Send it as `cursor`, everything else unchanged, for the next page; null on the last one.',
  },
};

export const ERROR_ENTRY: Json = {
  type: 'object',
  required: ['code', 'field', 'message'],
  properties: {
    code: {
      type: 'string',
      description: `${GENERIC_ENTRY_CODES.map((code) => `\`${code}\``).join(', ')}, or the name of a business rule.`,
    },
    field: {
      type: 'string',
      description:
        'Dotted path of the field (`snapshots.17.power_kw`), the parameter or header as sent, or empty for the whole body.',
    },
    message: {
      type: 'string',
      description: 'What is wrong and what is accepted; for people, not for parsing.',
    },
  },
};

export const ERROR = {
  type: 'object',
  required: ['code', 'message', 'requestId', 'docs'],
  properties: {
    code: {
      type: 'string',
      enum: Object.keys(ERROR_CATALOGUE),
      description: 'What kind of failure it is; the page of `docs` explains it.',
    },
    message: { type: 'string', description: 'For people, not for parsing.' },
    requestId: { type: 'string', format: 'uuid', description: 'Name it when you report a problem.' },
    docs: { type: 'string', format: 'uri', description: 'The page that explains `code`.' },
    errors: {
      type: 'array',
      description: 'Every problem that was found; absent when there is none to name.',
      items: { $ref: '#/components/schemas/ErrorEntry' },
    },
  },
};

export const parametersOf = (version: VersionName, versions: readonly VersionName[]): Json => ({
  version: {
    name: 'X-API-Version',
    in: 'header',
    description: 'The version for this request; without it the one that the token was issued for.',
    schema: { type: 'string', enum: [...versions] },
    // Without it readers are shown the first of the list, in which the described call may not exist.
    example: version,
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the answer that the caller has; a list of them, or `*`.',
    schema: { type: 'string' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repetition safe for 24 hours: the same key with the same body gives the first answer again, with another body 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'Items per page.',
    schema: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
  },
  cursor: {
    name: 'cursor',
    in: 'query',
    description: 'The `next_page` of the page before; leave it out for the first one.',
    schema: { type: 'string' },
  },
});

export const HEADERS: Json = {
  requestId: { description: 'The id of this request.', schema: { type: 'string', format: 'uuid' } },
  version: { description: 'The version that this answer speaks.', schema: { type: 'string' } },
  rateLimitLimit: {
    description: 'Requests that the client may make at once. Absent while processes count by themselves.',
    schema: { type: 'integer' },
  },
  rateLimitRemaining: {
    description: 'Requests that are left of them now.',
    schema: { type: 'integer' },
  },
  rateLimitReset: {
    description: 'Seconds until all of them are there again.',
    schema: { type: 'integer' },
  },
  retryAfter: {
    description: 'Seconds after which the same request may be sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  replayed: {
    description: '`true` when the answer is that of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  etag: {
    description: 'Names this answer: sent back as `If-None-Match` it is answered 304 while nothing changed.',
    schema: { type: 'string' },
  },
  cacheControl: {
    description:
      '`private` with the seconds for which the caller may keep the answer in `max-age`, or `no-store` where no cache may.',
    schema: { type: 'string' },
  },
  license: { description: 'The licences of the data, as `rel="license"`.', schema: { type: 'string' } },
};

const PLAIN_HEADERS: Json = {
  'X-Request-Id': { $ref: '#/components/headers/requestId' },
  'X-API-Version': { $ref: '#/components/headers/version' },
};

const RATE_LIMIT_HEADERS: Json = {
  'RateLimit-Limit': { $ref: '#/components/headers/rateLimitLimit' },
  'RateLimit-Remaining': { $ref: '#/components/headers/rateLimitRemaining' },
  'RateLimit-Reset': { $ref: '#/components/headers/rateLimitReset' },
};

/** Of every answer to a request with a good token. */
export const ANSWER_HEADERS: Json = { ...PLAIN_HEADERS, ...RATE_LIMIT_HEADERS };

/** Of answers that callers may keep. */
export const KEPT_HEADERS: Json = {
  ...ANSWER_HEADERS,
  ETag: { $ref: '#/components/headers/etag' },
  'Cache-Control': { $ref: '#/components/headers/cacheControl' },
  Link: { $ref: '#/components/headers/license' },
};

/** A request that nobody was recognised in is not counted; one that is turned away by a busy service was not looked at. */
function headersOf(status: number): Json {
  return {
    ...PLAIN_HEADERS,
    ...(status === 401 || status === 503 ? {} : RATE_LIMIT_HEADERS),
    ...(status === 429 || status === 503
      ? { 'Retry-After': { $ref: '#/components/headers/retryAfter' } }
      : {}),
  };
}

/** The failures of the catalogue by the name of their response, with the statuses that speak with the same code. */
const FAILURES: readonly { status: number; code: ErrorCode; description: string }[] = [
  {
    status: 400,
    code: 'BAD_REQUEST',
    description: 'Something in the request is not valid; nothing was stored',
  },
  { status: 401, code: 'UNAUTHORIZED', description: 'No valid access token' },
  { status: 402, code: 'PAYMENT_REQUIRED', description: 'The account of the organization is past due' },
  {
    status: 403,
    code: 'FORBIDDEN',
    description: 'The token does not allow this, or it is not enabled for the organization',
  },
  { status: 404, code: 'NOT_FOUND', description: 'It does not exist for this organization' },
  { status: 408, code: 'BAD_REQUEST', description: 'The request did not arrive in time' },
  { status: 409, code: 'CONFLICT', description: 'It conflicts with what is stored' },
  { status: 413, code: 'BAD_REQUEST', description: 'The body is too large; the message names the limit' },
  { status: 415, code: 'BAD_REQUEST', description: 'Media type or content coding is not accepted' },
  {
    status: 422,
    code: 'UNPROCESSABLE_ENTITY',
    description: 'A value is not among the allowed ones, or a meter reading does not fit the stored ones',
  },
  {
    status: 429,
    code: 'TOO_MANY_REQUESTS',
    description:
      'More requests than the client may make, or too much costly work of it at once; the message says which, and how many seconds to wait',
  },
  { status: 500, code: 'INTERNAL_SERVER_ERROR', description: 'A defect of the service' },
  {
    status: 503,
    code: 'INTERNAL_SERVER_ERROR',
    description: 'Busy, restarting or without its database; try again',
  },
];

export function responsesOf(): Json {
  return Object.fromEntries(
    FAILURES.map(({ status, code, description }) => [
      String(status),
      {
        description: `${description} (\`${code}\`).`,
        headers: headersOf(status),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}
