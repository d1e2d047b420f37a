import type { MailMessage } from '../../../platform/mail.ts';
import type { AuthorizationRequest } from '../authorize/request-queries.ts';
import { ONE_TIME_CODE_MINUTES } from '../sign-in/one-time-codes.ts';
import { goesOn, type RefusedSignIn, type StartedSignIn } from '../sign-in/sign-in.ts';
import type { Texts } from './texts.ts';

/** The mail with the code; null where none is sent. */
export function messageOf(
  started: StartedSignIn,
  request: Pick<AuthorizationRequest, 'client_name'>,
  t: Texts,
): MailMessage | null {
  if (!('mailTo' in started) || started.mailTo === null) return null;
  const text = t.mailText(started.code, request.client_name, ONE_TIME_CODE_MINUTES);
  return { to: started.mailTo, subject: t.mailSubject, text };
}

/** Why there is no new code, in the reader's words. */
export function refusalIn(t: Texts, { refused, seconds }: RefusedSignIn): string {
  if (refused === 'wait') return t.wait(seconds);
  const minutes = Math.ceil(seconds / 60);
  return refused === 'too_many' ? t.tooMany(minutes) : t.tooManySignUps(minutes);
}

/** Answer of a first screen when there is no new code; undefined where it leads on. */
export function nextAfterStart(
  started: StartedSignIn,
  t: Texts,
): { status: number; retryAfterSeconds: number; error: string } | undefined {
  if (!('refused' in started) || goesOn(started)) return undefined;
  return { status: 429, retryAfterSeconds: started.seconds, error: refusalIn(t, started) };
}
