import type { Clock } from '../../platform/clock.ts';
import { eventBody } from '../document.ts';
import type { Receiver, WebhookRequests } from '../requests/send.ts';
import { type Attempt, isSuccess } from './health.ts';
import type { DueDelivery } from './queries.ts';

/** After this time no request of a portion is begun any more: what it knows of the endpoint is too old. */
export const BEGINS_WITHIN_MILLISECONDS = 1_000;

export interface SentPortion {
  /**
   * In the order in which they ended. Deliveries that were not sent, or were cut off by the signal, are not among them: they
   * stay due.
   */
  readonly attempts: readonly Attempt[];
  /** A failure that no receiver caused. */
  readonly error?: unknown;
}

/**
 * Sends a portion, several at once. After a failure it sends no more of them, because the endpoint then belongs to the
 * lane of failing ones.
 */
export async function sendPortion(
  { webhooks, clock }: { webhooks: WebhookRequests; clock: Clock },
  portion: { due: readonly DueDelivery[]; receiver: Receiver; atOnceMax: number },
  signal: AbortSignal,
): Promise<SentPortion> {
  const waiting = [...portion.due];
  const attempts: Attempt[] = [];
  const begunAt = performance.now();
  let error: unknown;
  let isEnding = false;

  function next(): DueDelivery | undefined {
    if (isEnding || signal.aborted || performance.now() - begunAt > BEGINS_WITHIN_MILLISECONDS)
      return undefined;
    return waiting.shift();
  }

  async function send({ event, known }: DueDelivery): Promise<void> {
    const atMilliseconds = clock.nowMilliseconds();
    const message = { id: event.id, body: eventBody(event), atSeconds: Math.floor(atMilliseconds / 1000) };
    try {
      const outcome = await webhooks.send(portion.receiver, message, signal);
      attempts.push({ event: event.id, known, atMilliseconds, outcome });
      isEnding ||= !isSuccess(outcome);
    } catch (thrown) {
      isEnding = true;
      if (!signal.aborted) error ??= thrown;
    }
  }

  async function hand(): Promise<void> {
    for (let delivery = next(); delivery !== undefined; delivery = next()) await send(delivery);
  }

  await Promise.all(Array.from({ length: portion.atOnceMax }, hand));
  return error === undefined ? { attempts } : { attempts, error };
}
