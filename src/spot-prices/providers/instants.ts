/** An instant of a feed: whole seconds, and whether a fraction of a second follows. */
export interface FeedInstant {
  readonly milliseconds: number;
  readonly wholeSecond: boolean;
}

/* Years that electricity is traded in: seconds sent as milliseconds and the like fall outside. */
const EARLIEST_MILLISECONDS = Date.UTC(2000, 0, 1);
const LATEST_MILLISECONDS = Date.UTC(2200, 0, 1);

const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;

export function isFeedTime(milliseconds: number): boolean {
  return milliseconds >= EARLIEST_MILLISECONDS && milliseconds < LATEST_MILLISECONDS;
}

/**
 * An ISO 8601 instant with `Z` or an offset; seconds and their fraction may be absent. Undefined for everything else, and
 * above all for a time without an offset: on the autumn day it would be two instants.
 */
export function instantFrom(text: string): FeedInstant | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const dayMilliseconds = Date.UTC(year, month - 1, day);
  const date = new Date(dayMilliseconds);
  /* Date.UTC carries the 30th of February into March. */
  if (date.getUTCDate() !== day || date.getUTCMonth() !== month - 1) return undefined;
  const offset = (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0)) * (match[8] === '-' ? -1 : 1);
  const milliseconds = dayMilliseconds + ((hour * 60 + minute - offset) * 60 + second) * 1_000;
  if (!isFeedTime(milliseconds)) return undefined;
  return { milliseconds, wholeSecond: !/[1-9]/.test(match[7] ?? '') };
}
