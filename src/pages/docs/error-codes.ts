import type { ErrorCode } from '../../platform/errors.ts';

/** What a page says about one top-level code. */
export interface ErrorPage {
  meaning: string;
  /** Statuses of the transport that come with the same code, beside the code's own. */
  otherStatuses?: readonly { status: number; words: string }[];
  /** What whoever gets it can do, one sentence each. */
  remedies: readonly string[];
}

export const ERROR_PAGES: Readonly<Record<ErrorCode, ErrorPage>> = {
  BAD_REQUEST: {
    meaning:
      'Something in the request cannot be accepted, and nothing of it was stored. From version 2026-05-27.curie on, errors lists every problem with its place.',
    otherStatuses: [
      { status: 408, words: 'the request did not arrive completely in time' },
      { status: 413, words: 'the body is too large; the message names the limit' },
      { status: 415, words: 'the media type or the coding of the body is not taken' },
      { status: 417, words: 'the request expects something else than 100-continue' },
      { status: 431, words: 'address and headers together are too large' },
    ],
    remedies: [
      'Read errors: code says what kind of problem it is, field where it is, message what is accepted.',
      'Correct every entry before sending again; the same request fails the same way.',
    ],
  },
  UNAUTHORIZED: {
    meaning:
      'The request carries no access token, or one that is malformed, expired or revoked, or whose client was switched off. At the token endpoint id and secret of the client are missing or wrong, or the client was switched off (error is invalid_client), or the refresh token is unknown, expired, revoked or already used (invalid_grant).',
    remedies: [
      'Send Authorization: Bearer followed by the access token, in one header.',
      'Get a new token from POST /oauth/token; access tokens live for 60 minutes.',
      'After invalid_client send id and secret by HTTP Basic, not in the body. Where the secret is lost, make a new one; further attempts with a wrong one have to wait.',
      'After invalid_grant the customer has to consent again. A refresh token works once: keep the new one of each answer.',
    ],
  },
  PAYMENT_REQUIRED: {
    meaning: 'The account of your organization is past due. The token endpoint keeps working.',
    remedies: ['Settle the account; no change to the requests is needed.'],
  },
  FORBIDDEN: {
    meaning:
      'The token is valid but does not allow this call: its scope covers reading only, or it acts for one customer and the call belongs to the organization. Or forecast prices are not enabled for the organization.',
    remedies: [
      'Ask for the scope write:* for every call that is not a GET.',
      'Use a token of the organization for calls about the organization.',
      'Order forecast prices from the operator, or ask for the type day_ahead.',
    ],
  },
  NOT_FOUND: {
    meaning:
      'There is no such path in the version used, or no such resource in your organization. What belongs to another organization answers exactly like what does not exist.',
    remedies: [
      'Compare the id, upper and lower case included.',
      'Compare the path with the description of your version; the header X-API-Version of the answer names it.',
      'Where the message names a newer version, send that one in the header X-API-Version.',
    ],
  },
  METHOD_NOT_ALLOWED: {
    meaning:
      'The path exists in the version used, but not with this method. The header Allow lists the methods.',
    remedies: [
      'Use one of the methods in Allow, or send a version that has this one in the header X-API-Version; the message names it.',
    ],
  },
  CONFLICT: {
    meaning:
      'The request is well formed but contradicts what is stored: something exists already, has ended already, or an idempotency key was used with another body.',
    remedies: ['Read the resource again and decide; repeating the request unchanged does not help.'],
  },
  UNPROCESSABLE_ENTITY: {
    meaning:
      'The only problem is a value that is not among the allowed ones. Or a meter reading is refused as implausible_meter_reading: it does not fit the readings that are stored, or its day was billed already or lies between two readings.',
    remedies: [
      'For a value that is not allowed, errors names the field and the values that are accepted.',
      'For a meter reading, look at value, timestamp and the list of readings again. One that is right can be entered by the supplier, and so can one of a day that was billed.',
    ],
  },
  TOO_MANY_REQUESTS: {
    meaning:
      'This client sent more requests than its rate allows, or has too much costly work waiting at once: large bodies, long periods, searches. The message says which. At the OAuth endpoints (error is slow_down) requests came too fast, or wrong secrets or dead tokens came before.',
    remedies: [
      'Wait the seconds in Retry-After.',
      'Where it is the rate, send more rows per request instead of more requests.',
      'Where too much work waits already, send large bodies and ask for long answers one after the other. Larger requests make it worse.',
      'At the token endpoint keep a token for as long as it lives, and correct the secret before the next attempt.',
    ],
  },
  INTERNAL_SERVER_ERROR: {
    meaning:
      'With status 500 a defect of the service; with status 503 it cannot answer now. With 503 nothing was stored, unless the message says that the outcome is unknown.',
    otherStatuses: [{ status: 503, words: 'the service is busy, restarting or without its database' }],
    remedies: [
      'After 503 wait the seconds in Retry-After and send the same request again. Where the outcome is unknown, do so with the same Idempotency-Key only, else look first what the request did. A batch of snapshots can be sent again without harm: rows that are stored already count as duplicates.',
      'After 500 report the requestId.',
    ],
  },
};
