import { audit } from '../../../platform/audit.ts';
import { findCustomerByEmail } from '../../customers/queries.ts';
import { createCustomer } from '../../customers/service.ts';
import type { RequestParts } from '../authorize/consent.ts';
import { type SignUp, updateRequest } from '../authorize/request-queries.ts';
import {
  type Accounts,
  type CodeCheck,
  type CodeOutcome,
  type CodeParts,
  checkOneTimeCode,
  makeOneTimeCode,
} from './one-time-codes.ts';

/** What became of the wish for a code; `mailTo` where one has to be sent. */
export type StartedSignIn = { mailTo: string; code: string } | { mailTo: null } | RefusedSignIn;
export type RefusedSignIn = Extract<CodeOutcome, { refused: unknown }>;

/** One sign-in: what its codes need, and who is behind it for the audit log. */
type SignInParts = CodeParts & Pick<RequestParts, 'trace'>;

const CUSTOMERS: Accounts = { noun: 'customer', find: findCustomerByEmail };

/** Begins to sign in at the wish of a client; with `signUp` a stranger becomes a customer by it. */
export async function startSignIn(
  parts: RequestParts,
  email: string,
  signUp: SignUp | null,
): Promise<StartedSignIn> {
  const { connection, request } = parts;
  /* A stranger who tried to sign in before signing up was sent nothing yet. */
  const atOnce = signUp !== null && request.sign_up === null;
  const started = await issueCode(parts, email, { signsUp: signUp !== null, atOnce });
  if (!('refused' in started) || goesOn(started)) {
    await updateRequest(connection, request.organization_id, request.id, { email, sign_up: signUp });
  }
  return started;
}

/**
 * A code for an address. Strangers see and wait for the same as those who are known, but get no message; who signs up gets one
 * always.
 */
export async function issueCode(
  parts: SignInParts,
  email: string,
  { signsUp, atOnce }: { signsUp: boolean; atOnce: boolean },
): Promise<StartedSignIn> {
  const outcome = await makeOneTimeCode(parts, email, { signsUp, atOnce });
  const { find } = parts.accounts ?? CUSTOMERS;
  const account = await find(parts.connection, parts.request.organization_id, email);
  await record(parts, 'one_time_code.issue', 'code' in outcome ? 'done' : outcome.refused);
  if (!('code' in outcome)) return outcome;
  if (account === undefined && !signsUp) return { mailTo: null };
  return { mailTo: email, code: outcome.code };
}

/** A code that was sent is still good: a moment ago by this request, or by others who asked for too many. */
export function goesOn(refused: RefusedSignIn): boolean {
  return refused.refused === 'wait' || refused.living === true;
}

/** Outcome of a typed code, with the account that a right one signs in. */
export type FinishedSignIn =
  | { check: 'right'; account: string }
  | { check: 'wrong' | 'spent'; guess?: 'wrong' | 'lengthening' };

export async function finishSignIn(parts: RequestParts, typed: string): Promise<FinishedSignIn> {
  const { connection, request } = parts;
  const email = request.email ?? '';
  const finished = await checkCode(parts, { email, typed }, () => signUp(parts, email));
  if (finished.check === 'right') {
    const signedIn = { customer_id: finished.account, sign_up: null };
    await updateRequest(connection, request.organization_id, request.id, signedIn);
  }
  return finished;
}

/** A right code without an account is refused: it was mailed to nobody. `newcomer` may make a customer of a proven address. */
export async function checkCode(
  parts: SignInParts,
  { email, typed }: { email: string; typed: string },
  newcomer?: () => Promise<string | undefined>,
): Promise<FinishedSignIn> {
  const { noun, find } = parts.accounts ?? CUSTOMERS;
  const checked = await checkOneTimeCode(parts, email, typed);
  /* Behind the lock of the address: who signed up with it in another browser a moment ago is known. */
  const known = await find(parts.connection, parts.request.organization_id, email);
  const { check } = checked;
  const account = check === 'right' ? (known?.id ?? (await newcomer?.())) : undefined;
  if (account === undefined) {
    const refused = check === 'right' ? 'wrong' : check;
    await record(parts, `${noun}.sign_in`, refused);
    return { check: refused, ...guessOf(checked) };
  }
  await record(parts, `${noun}.sign_in`, 'done', account);
  return { check: 'right', account };
}

/** A wrong code is counted, and the one from which on the account's codes are long raises an alarm. */
function guessOf(checked: CodeCheck): { guess?: 'wrong' | 'lengthening' } {
  if (!('lengthened' in checked)) return {};
  return { guess: checked.lengthened ? 'lengthening' : 'wrong' };
}

async function signUp(parts: RequestParts, email: string): Promise<string | undefined> {
  const { connection, request, nowMilliseconds } = parts;
  if (request.sign_up === null) return undefined;
  const { type, first_name, last_name, company_name } = request.sign_up;
  const names = { first_name, last_name, email };
  const customer =
    type === 'company'
      ? { ...names, type, company_name: company_name ?? '' }
      : { ...names, type: 'person' as const };
  const now = new Date(nowMilliseconds).toISOString();
  const id = await createCustomer(connection, request.organization_id, customer, now);
  await record(parts, 'customer.create', 'done', id);
  return id;
}

async function record(
  { connection, request, trace }: SignInParts,
  act: string,
  result: string,
  account?: string,
): Promise<void> {
  await audit(connection, {
    ...trace,
    organization_id: request.organization_id,
    client_id: request.client_id,
    act,
    object_id: account ?? request.id,
    result,
  });
}
