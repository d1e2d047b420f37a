import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../../platform/deps.ts';
import { networkOf } from '../../../platform/http/network.ts';
import { mayStrangerAsk } from '../../../platform/http/pages/hosted.ts';
import type { MailMessage } from '../../../platform/mail.ts';
import { letterheadOf } from '../../brands/service.ts';
import { createAttemptLimiter } from '../attempts/limits.ts';

/** Against guessing one-time codes of many customers, and against having many of them mailed. */
export interface ScreenLimits {
  /** Whether pages and forms from there are not looked at for a while; the answer says for how long. */
  isClosed(request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
  /** What a form led to is counted, and its message goes out. `signIn`: whose it is, for the alarm. */
  settle(
    request: FastifyRequest,
    reply: FastifyReply,
    next: SettledForm,
    signIn: { organization_id: string; client_id: string | null } | null,
  ): Promise<void>;
}

export interface SettledForm {
  mail?: MailMessage | null;
  /** Somebody asked for a code, or guessed one: not endlessly often from one address. */
  counts?: true;
  /** A code was wrong; of one from which on codes are long an alarm is raised. */
  guess?: CodeGuess;
}

/** `lengthening`: further codes of the account are long for a day. */
type CodeGuess = 'wrong' | 'lengthening';

export function createScreenLimits(
  deps: Pick<Deps, 'config' | 'clock' | 'redis' | 'metrics' | 'log' | 'group' | 'mail' | 'limiter'>,
): ScreenLimits {
  const { config, clock, redis, metrics, log, group } = deps;
  const wrongCodes = metrics.counter('one_time_code_failures_total', 'Wrong one-time codes');
  const alarms = metrics.counter(
    'one_time_code_alarms_total',
    'Accounts for which ten wrong one-time codes came within a day',
  );
  const attempts = createAttemptLimiter({ redis, clock, entriesMax: config.TOKEN_CACHE_ENTRIES_MAX, group }, [
    {
      name: 'sign-in-address',
      failuresMax: config.TOKEN_FAILURES_OF_ADDRESS_MAX,
      windowSeconds: 60,
      closedSeconds: 60,
      closedSecondsMax: 900,
    },
  ]);
  function noteGuess(guess: CodeGuess, signIn: Parameters<ScreenLimits['settle']>[3]): void {
    wrongCodes.inc();
    if (guess !== 'lengthening') return;
    alarms.inc();
    const { organization_id: organization, client_id: client } = signIn ?? {};
    log.error({ organization, client }, 'many wrong one-time codes for one account');
  }
  return {
    isClosed: async (request, reply) => {
      const mayAsk = await mayStrangerAsk(deps, request, reply);
      const network = networkOf(request.remoteAddress);
      const closed = request.method === 'POST' ? await attempts.secondsToWait([network]) : 0;
      if (closed > 0) reply.header('retry-after', closed);
      return !mayAsk || closed > 0;
    },
    settle: async (request, reply, { mail, counts, guess }, signIn) => {
      if (counts === true) await attempts.countFailure([networkOf(request.remoteAddress)]);
      if (guess !== undefined) noteGuess(guess, signIn);
      /*
       * Behind the answer: putting a message together takes 0.6 ms, by which customers could be told from strangers. Also when
       * nobody waits for the answer any more: who clicks twice drops the first one, and its code is the one that counts.
       */
      if (mail) finished(reply.raw, () => deps.mail.send(mail));
    },
  };
}

/** The message of a form as a mail of this organization. */
export function withLetterhead(
  deps: Pick<Deps, 'database'>,
  organization: string,
  form: SettledForm,
): SettledForm {
  if (!form.mail) return form;
  return { ...form, mail: { ...form.mail, letterhead: letterheadOf(deps, organization) } };
}
