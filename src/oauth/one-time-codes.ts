import { timingSafeEqual } from 'node:crypto';
import type { Connection } from '../platform/db.ts';
import { keyedHash } from '../platform/keyed-hash.ts';
import type { AuthorizationRequest } from './authorization-request-queries.ts';
import {
  findCodesOfAddress,
  insertOneTimeCode,
  lockAddress,
  updateAttempts,
  updateOneTimeCodeUsed,
} from './one-time-code-queries.ts';
import { newOneTimeCode } from './secrets.ts';

const MINUTE_MILLISECONDS = 60_000;
const HOUR_SECONDS = 3_600;
export const ONE_TIME_CODE_MINUTES = 10;
/** With five codes an hour: 25 guesses out of a million. */
const ATTEMPTS_MAX = 5;
const CODES_PER_HOUR_MAX = 5;
const NEXT_CODE_SECONDS = 60;

export interface CodeParts {
  connection: Connection;
  pepper: string;
  request: Pick<AuthorizationRequest, 'organization_id' | 'id'>;
  nowMilliseconds: number;
}

/** A new code, or why there is none now. `wait`: this request sent one to this address a moment ago. */
export type CodeOutcome = { code: string } | { refused: 'wait' | 'too_many'; seconds: number };

/**
 * Makes a code for an address, whether or not anybody has it: what it takes, what it counts and what it leaves behind
 * is the same for customers and for strangers.
 */
export async function makeOneTimeCode(
  parts: CodeParts,
  email: string,
  { atOnce = false }: { atOnce?: boolean } = {},
): Promise<CodeOutcome> {
  const { connection, request, nowMilliseconds } = parts;
  const organization = request.organization_id;
  const address_hash = addressHash(parts, email);
  await lockAddress(connection, address_hash);
  const earlier = await findCodesOfAddress(connection, organization, {
    address_hash,
    request_id: request.id,
    since: new Date(nowMilliseconds - HOUR_SECONDS * 1000).toISOString(),
    now: new Date(nowMilliseconds).toISOString(),
  });
  const wait = atOnce ? 0 : secondsLeft(earlier.newest_of_request_seconds, NEXT_CODE_SECONDS);
  if (wait > 0) return { refused: 'wait', seconds: wait };
  if (earlier.count >= CODES_PER_HOUR_MAX) {
    return { refused: 'too_many', seconds: secondsLeft(earlier.oldest_seconds, HOUR_SECONDS) };
  }
  const code = newOneTimeCode();
  const lifeMilliseconds = ONE_TIME_CODE_MINUTES * MINUTE_MILLISECONDS;
  await insertOneTimeCode(connection, organization, {
    request_id: request.id,
    address_hash,
    code_hash: hashOf(parts, code),
    created_at: new Date(nowMilliseconds).toISOString(),
    expires_at: new Date(nowMilliseconds + lifeMilliseconds).toISOString(),
  });
  return { code };
}

export type CodeCheck = 'right' | 'wrong' | 'spent';

/** The guess is counted first: guesses sent at the same moment are as many as guesses sent one by one. */
export async function checkOneTimeCode(parts: CodeParts, email: string, typed: string): Promise<CodeCheck> {
  const { connection, request, nowMilliseconds } = parts;
  const organization = request.organization_id;
  const now = new Date(nowMilliseconds).toISOString();
  const attempt = await updateAttempts(connection, organization, {
    request_id: request.id,
    address_hash: addressHash(parts, email),
    attemptsMax: ATTEMPTS_MAX,
    now,
  });
  if (attempt === undefined) return 'spent';
  if (!timingSafeEqual(attempt.code_hash, hashOf(parts, typed))) {
    return attempt.attempts >= ATTEMPTS_MAX ? 'spent' : 'wrong';
  }
  await updateOneTimeCodeUsed(connection, organization, attempt.id, now);
  return 'right';
}

function addressHash({ pepper, request }: CodeParts, email: string): Buffer {
  return keyedHash(pepper, 'address', `${request.organization_id}\0${email.toLowerCase()}`);
}

/** Bound to its request: a million codes are quickly hashed, so equal codes must not have equal hashes. */
function hashOf({ pepper, request }: CodeParts, code: string): Buffer {
  return keyedHash(pepper, 'one-time-code', `${request.id}\0${code}`);
}

function secondsLeft(passedSeconds: number | null, ofSeconds: number): number {
  return passedSeconds === null ? 0 : Math.max(0, Math.ceil(ofSeconds - passedSeconds));
}
