import type { MailMessage } from '../../platform/mail.ts';
import type { AuthorizationRequest } from '../authorization-request-queries.ts';
import { ONE_TIME_CODE_MINUTES } from '../one-time-codes.ts';
import type { StartedSignIn } from '../sign-in.ts';
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

/**
 * What a first screen says when there is no new code; undefined where it leads on. A code that was sent a moment ago is
 * still good, so that one leads on as well.
 */
export function nextAfterStart(
  started: StartedSignIn,
  t: Texts,
): { status: number; retryAfterSeconds: number; error: string } | undefined {
  if (!('refused' in started) || started.refused === 'wait') return undefined;
  const { seconds } = started;
  return { status: 429, retryAfterSeconds: seconds, error: t.tooMany(Math.ceil(seconds / 60)) };
}
