import { timingSafeEqual } from 'node:crypto';
import type { Connection } from '../../../platform/database/db.ts';
import { keyedHash } from '../../../platform/keyed-hash.ts';
import { newLongOneTimeCode, newOneTimeCode } from '../protocol/secrets.ts';
import {
  findCodesOfAddress,
  findLengthening,
  findLivingCode,
  findSignUpCodes,
  insertOneTimeCode,
  insertWrongCode,
  type LivingCode,
  lockCounted,
  updateAttempts,
  updateOneTimeCodeUsed,
} from './one-time-code-queries.ts';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
export const ONE_TIME_CODE_MINUTES = 10;
/** By the browser that asked for the code. */
const ATTEMPTS_MAX = 5;
/**
 * For one address, asked for from one network: strangers elsewhere do not use up the customer's. And for one address in
 * all, so that nobody's mailbox is filled from many networks: 100 guesses at six digits at most before codes get longer. Beyond
 * these one every 10 minutes, or strangers with four networks would keep the customer out.
 */
const CODES_PER_HOUR_MAX = 5;
const CODES_PER_HOUR_OF_ALL_MAX = 20;
const NEXT_CODE_SECONDS = 60;
/** Sign-ups are mailed to any address that somebody types. */
const SIGN_UPS_OF_NETWORK_MAX = 10;
const SIGN_UPS_OF_CLIENT_MAX = 100;
/** So many within a day, and the account's codes are long for a day. */
const WRONG_CODES_MAX = 10;

/** Those who may sign in where this is. */
export interface Accounts {
  /** As the audit log names them. */
  noun: string;
  find(connection: Connection, organization: string, email: string): Promise<{ id: string } | undefined>;
}

export interface CodeParts {
  connection: Connection;
  /** Customers where absent. A code for one kind of account is none for another with the same address. */
  accounts?: Accounts;
  pepper: string;
  /** The sign-in that the code is for: an authorization request, or one to portal or console, which no client asks for. */
  request: { organization_id: string; id: string; client_id: string | null };
  /** Where the browser is: an IPv4 address, or the /64 of an IPv6 one. */
  network: string;
  nowMilliseconds: number;
}

type CodeRefusal = 'wait' | 'too_many' | 'too_many_sign_ups';

/**
 * A new code, or why there is none now. `wait`: this request sent one to this address a moment ago. `too_many`: enough
 * were sent to this address; with `living`, one of them is good for this request.
 */
export type CodeOutcome = { code: string } | { refused: CodeRefusal; seconds: number; living?: true };

/**
 * Makes a code for an address, whether or not anybody has it: what it takes, what it counts and what it leaves behind
 * is the same for customers and for strangers.
 */
export async function makeOneTimeCode(
  parts: CodeParts,
  email: string,
  { signsUp, atOnce }: { signsUp: boolean; atOnce: boolean },
): Promise<CodeOutcome> {
  const { connection, request, nowMilliseconds } = parts;
  const organization = request.organization_id;
  const address_hash = addressHash(parts, email);
  const network_hash = networkHash(parts);
  await lockCodesOf(parts, email);
  const now = instant(parts, 0);
  const since = instant(parts, HOUR_SECONDS);
  const query = { address_hash, network_hash, request_id: request.id, since, now };
  const earlier = await findCodesOfAddress(connection, organization, query);
  const wait = atOnce ? 0 : secondsLeft(earlier.newest_of_request_seconds, NEXT_CODE_SECONDS);
  if (wait > 0) return { refused: 'wait', seconds: wait };
  const ofNetwork =
    earlier.count_of_network < CODES_PER_HOUR_MAX
      ? 0
      : secondsLeft(earlier.oldest_of_network_seconds, HOUR_SECONDS);
  const ofAll =
    earlier.count < CODES_PER_HOUR_OF_ALL_MAX ? 0 : secondsLeft(earlier.oldest_seconds, HOUR_SECONDS);
  if (ofNetwork + ofAll > 0) {
    /* A person who signs up has to wait. Codes for an address without a customer were mailed to nobody. */
    const living = signsUp ? undefined : await codeInForce(parts, email);
    /* Strangers asked for all of them, and none is good any more: the address gets one, which is good for 10 minutes. */
    const isKeptOut = !signsUp && ofNetwork === 0 && living === undefined;
    const seconds = Math.max(ofNetwork, ofAll);
    if (!isKeptOut)
      return { refused: 'too_many', seconds, ...(living === undefined ? {} : { living: true }) };
  }
  if (signsUp) {
    const wait = await secondsUntilSignUp(parts, network_hash, { since, now });
    if (wait > 0) return { refused: 'too_many_sign_ups', seconds: wait };
  }
  const is_long = await isGuarded(parts, address_hash);
  const code = is_long ? newLongOneTimeCode() : newOneTimeCode();
  await insertOneTimeCode(connection, organization, {
    request_id: request.id,
    client_id: request.client_id,
    address_hash,
    network_hash,
    code_hash: hashOf(parts, request.id, code),
    signs_up: signsUp,
    is_long,
    created_at: now,
    expires_at: new Date(nowMilliseconds + ONE_TIME_CODE_MINUTES * MINUTE_SECONDS * 1000).toISOString(),
  });
  return { code };
}

/** Counted behind locks: sign-ups that come at once are counted one after the other. */
async function secondsUntilSignUp(
  parts: CodeParts,
  network_hash: Buffer,
  period: { since: string; now: string },
): Promise<number> {
  const { connection, request, pepper } = parts;
  const organization = request.organization_id;
  /* People sign up at the wish of a client only. */
  const client_id = request.client_id ?? '';
  await lockCounted(connection, network_hash);
  await lockCounted(connection, keyedHash(pepper, 'client', client_id));
  const ofNetwork = await findSignUpCodes(connection, organization, { network_hash }, period);
  const ofClient = await findSignUpCodes(connection, organization, { client_id }, period);
  return Math.max(
    ofNetwork.count < SIGN_UPS_OF_NETWORK_MAX ? 0 : secondsLeft(ofNetwork.oldest_seconds, HOUR_SECONDS),
    ofClient.count < SIGN_UPS_OF_CLIENT_MAX ? 0 : secondsLeft(ofClient.oldest_seconds, HOUR_SECONDS),
  );
}

/** Which code the request would take for this address now; `isOwn`: it asked for it itself. */
export async function codeInForce(
  parts: CodeParts,
  email: string,
): Promise<(LivingCode & { isOwn: boolean }) | undefined> {
  const { connection, request } = parts;
  const address_hash = addressHash(parts, email);
  const found = await findLivingCode(connection, request.organization_id, {
    request_id: request.id,
    address_hash,
    since: instant(parts, ONE_TIME_CODE_MINUTES * MINUTE_SECONDS),
    now: instant(parts, 0),
  });
  if (found === undefined) return undefined;
  const isOwn = found.request_id === request.id;
  /* Six digits that any browser may guess at hold out for ten guesses, not for one more. */
  if (!isOwn && !found.is_long && (await isGuarded(parts, address_hash))) return undefined;
  return { ...found, isOwn };
}

/** `lengthened`: this wrong one was the one from which on the account's codes are long. */
export type CodeCheck = { check: 'right' | 'spent' } | { check: 'wrong' | 'spent'; lengthened: boolean };

/**
 * A code for another address proves that address, so it never counts for this one. The guess is counted first: guesses
 * sent at the same moment are as many as guesses sent one by one.
 */
export async function checkOneTimeCode(parts: CodeParts, email: string, typed: string): Promise<CodeCheck> {
  const { connection, request } = parts;
  const organization = request.organization_id;
  const address_hash = addressHash(parts, email);
  await lockCodesOf(parts, email);
  const code = await codeInForce(parts, email);
  if (code === undefined) return { check: 'spent' };
  const attempts = code.isOwn
    ? await updateAttempts(connection, organization, { id: code.id, attemptsMax: ATTEMPTS_MAX })
    : 0;
  if (attempts === undefined) return { check: 'spent' };
  if (timingSafeEqual(code.code_hash, hashOf(parts, code.request_id, typed))) {
    await updateOneTimeCodeUsed(connection, organization, code.id, instant(parts, 0));
    return { check: 'right' };
  }
  const before = await isGuarded(parts, address_hash);
  const lengthens = await insertWrongCode(connection, organization, {
    address_hash,
    since: instant(parts, DAY_SECONDS),
    now: instant(parts, 0),
    max: WRONG_CODES_MAX,
  });
  return { check: attempts >= ATTEMPTS_MAX ? 'spent' : 'wrong', lengthened: lengthens && !before };
}

/** Somebody guesses at the codes of this account. */
async function isGuarded(parts: CodeParts, address_hash: Buffer): Promise<boolean> {
  const since = instant(parts, DAY_SECONDS);
  return await findLengthening(parts.connection, parts.request.organization_id, { address_hash, since });
}

/** What the codes of an address are made, counted and ended under, until the transaction ends. */
export async function lockCodesOf(
  { connection, ...of }: Parameters<typeof addressHash>[0] & { connection: Connection },
  email: string,
): Promise<void> {
  await lockCounted(connection, addressHash(of, email));
}

export function addressHash(
  {
    pepper,
    request,
    accounts,
  }: Pick<CodeParts, 'pepper' | 'accounts'> & { request: Pick<CodeParts['request'], 'organization_id'> },
  email: string,
): Buffer {
  const whose = accounts === undefined ? '' : `${accounts.noun}\0`;
  return keyedHash(pepper, 'address', `${request.organization_id}\0${whose}${email.toLowerCase()}`);
}

function networkHash({ pepper, request, network }: CodeParts): Buffer {
  return keyedHash(pepper, 'network', `${request.organization_id}\0${network}`);
}

/** Bound to its request: a million codes are quickly hashed, so equal codes must not have equal hashes. */
function hashOf({ pepper }: CodeParts, request: string, code: string): Buffer {
  return keyedHash(pepper, 'one-time-code', `${request}\0${code}`);
}

function instant({ nowMilliseconds }: CodeParts, secondsAgo: number): string {
  return new Date(nowMilliseconds - secondsAgo * 1000).toISOString();
}

function secondsLeft(passedSeconds: number | null, ofSeconds: number): number {
  return passedSeconds === null ? 0 : Math.max(0, Math.ceil(ofSeconds - passedSeconds));
}
