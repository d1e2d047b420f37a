import type { Selectable } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Outcome } from '../requests/send.ts';
import { instantText, millisecondsOf } from './instants.ts';
import { RETRY_AFTER_SECONDS_MAX } from './waits.ts';

/*
 * What an endpoint's answers say about the endpoint. Pure: the columns before and what happened go in, the columns after
 * and what its contact is to be told come out.
 *
 *   2xx                        it works; requests may go out several at once again
 *   410                        it is gone: off at once
 *   429, 503 with Retry-After  it is left alone for so long, and then gets one request at a time until it works
 *   anything else              it fails; after a day its contact is told. An attempt that fails five days after the first
 *                              one, without a success between them, switches it off. Where nothing waits and five days
 *                              had no attempt, nobody knows whether it still fails, and it begins anew
 */

const DAY_MILLISECONDS = 24 * 3_600_000;
const TOLD_AFTER_MILLISECONDS = DAY_MILLISECONDS;
const OFF_AFTER_MILLISECONDS = 5 * DAY_MILLISECONDS;
/** Workers' clocks differ by less: what lies further ahead was written by a clock that was wrong. */
export const CLOCK_DIFFERENCE_MILLISECONDS_MAX = 60_000;

export type EndpointHealth = Pick<
  Selectable<Tables['webhook_endpoints']>,
  | 'disabled_at'
  | 'disabled_reason'
  | 'failing_since'
  | 'last_success_at'
  | 'last_failure_at'
  | 'first_mail_at'
  | 'wait_until'
  | 'one_at_a_time'
>;

/** One request to an endpoint and what came of it. */
export interface Attempt {
  readonly event: string;
  /** How many attempts of this delivery were logged when it was taken. */
  readonly known: number;
  readonly atMilliseconds: number;
  readonly outcome: Outcome;
}

export type Notice = 'failing' | 'gone' | 'long_failure';

export interface Judgement {
  readonly health: EndpointHealth;
  /** What its contact is to be told; null: nothing. */
  readonly notice: Notice | null;
}

export function isSuccess(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299;
}

/** `attempts` in the order in which they ended. Without any it says whether its contact is to be told by now. */
export function judge(before: EndpointHealth, attempts: readonly Attempt[], now: number): Judgement {
  const health = withoutFutures(before, now);
  for (const attempt of attempts) {
    if (isSuccess(attempt.outcome)) noteSuccess(health, attempt);
    else noteFailure(health, attempt, now);
  }
  return { health, notice: noticeOf(health, attempts, now) };
}

function noteSuccess(health: EndpointHealth, { atMilliseconds }: Attempt): void {
  /* A request that was under way when it asked to be left alone says nothing about afterwards. */
  const isAfterWait = health.wait_until === null || atMilliseconds >= millisecondsOf(health.wait_until);
  health.last_success_at = later(health.last_success_at, atMilliseconds);
  health.failing_since = null;
  health.first_mail_at = null;
  if (!isAfterWait) return;
  health.wait_until = null;
  health.one_at_a_time = false;
}

function noteFailure(health: EndpointHealth, { atMilliseconds, outcome }: Attempt, now: number): void {
  health.failing_since ??= instantText(atMilliseconds);
  health.last_failure_at = later(health.last_failure_at, atMilliseconds);
  if (outcome.kind !== 'answered' || outcome.retryAfterSeconds === null) return;
  if (outcome.status !== 429 && outcome.status !== 503) return;
  const seconds = Math.min(outcome.retryAfterSeconds, RETRY_AFTER_SECONDS_MAX);
  health.wait_until = later(health.wait_until, now + seconds * 1000);
  health.one_at_a_time = true;
}

function noticeOf(health: EndpointHealth, attempts: readonly Attempt[], now: number): Notice | null {
  if (health.disabled_at !== null) return null;
  if (attempts.some(({ outcome }) => outcome.kind === 'answered' && outcome.status === 410)) {
    return switchedOff(health, 'gone', now);
  }
  const { failing_since, last_failure_at } = health;
  if (failing_since === null || last_failure_at === null) return null;
  const since = millisecondsOf(failing_since);
  /* By the attempts and not by the clock: an endpoint that nothing is sent to may work again. */
  if (millisecondsOf(last_failure_at) - since >= OFF_AFTER_MILLISECONDS) {
    return switchedOff(health, 'long_failure', now);
  }
  if (now - since < TOLD_AFTER_MILLISECONDS || health.first_mail_at !== null) return null;
  health.first_mail_at = instantText(now);
  return 'failing';
}

/** For an endpoint for which nothing waits. */
export function withoutOldFailure(before: EndpointHealth, now: number): EndpointHealth {
  const last = before.last_failure_at;
  if (last === null || now - millisecondsOf(last) < OFF_AFTER_MILLISECONDS) return before;
  return { ...before, failing_since: null, first_mail_at: null };
}

function switchedOff(health: EndpointHealth, reason: 'gone' | 'long_failure', now: number): Notice {
  health.disabled_at = instantText(now);
  health.disabled_reason = reason;
  return reason;
}

/** Whether the newest attempt that failed went by a clock that ran ahead: its waits count from there. */
export function isAhead({ last_failure_at }: Pick<EndpointHealth, 'last_failure_at'>, now: number): boolean {
  return (
    last_failure_at !== null && millisecondsOf(last_failure_at) > now + CLOCK_DIFFERENCE_MILLISECONDS_MAX
  );
}

/** A clock that ran ahead must not keep an endpoint waiting until its time has come. */
export function withoutFutures(before: EndpointHealth, now: number): EndpointHealth {
  const atMost = (stored: string | null, latest: number) =>
    stored !== null && millisecondsOf(stored) > latest ? instantText(now) : stored;
  const latest = now + CLOCK_DIFFERENCE_MILLISECONDS_MAX;
  return {
    ...before,
    failing_since: atMost(before.failing_since, latest),
    last_failure_at: atMost(before.last_failure_at, latest),
    last_success_at: atMost(before.last_success_at, latest),
    wait_until: atMost(
      before.wait_until,
      isAhead(before, now) ? now : latest + RETRY_AFTER_SECONDS_MAX * 1000,
    ),
  };
}

function later(stored: string | null, milliseconds: number): string {
  return stored !== null && millisecondsOf(stored) > milliseconds ? stored : instantText(milliseconds);
}
