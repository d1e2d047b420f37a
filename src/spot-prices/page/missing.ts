import { DateTime } from 'luxon';
import { addDays, MARKET_TIME_ZONE } from '../calendar.ts';
import type { CurveDay } from './curve.ts';

/** Berlin's clock on the day before delivery: nobody has the result of the auction earlier. */
const EARLIEST = { hour: 12, minute: 45 };
/** Sources are asked every hour at least; an answer that is older says nothing about now. */
const ANSWER_MILLISECONDS_MAX = 6 * 3_600_000;

export type MissingText = 'not published' | 'not fetched' | 'held back';

/**
 * What is true of the intervals of a day without a price: its prices are held back because they look like none, a source
 * has lately said that it has none, or nobody could be asked.
 */
export function missingText(
  { deliveryOn, known }: Pick<CurveDay, 'deliveryOn' | 'known'>,
  now: number,
): MissingText {
  if (known?.state === 'suspect') return 'held back';
  const dayBefore = DateTime.fromISO(addDays(deliveryOn, -1), { zone: MARKET_TIME_ZONE });
  if (now < dayBefore.set(EARLIEST).toMillis()) return 'not published';
  const lastIncompleteAt = known?.last_incomplete_at ?? null;
  const isAnswered =
    lastIncompleteAt !== null &&
    now - DateTime.fromISO(lastIncompleteAt).toMillis() <= ANSWER_MILLISECONDS_MAX;
  return isAnswered ? 'not published' : 'not fetched';
}
