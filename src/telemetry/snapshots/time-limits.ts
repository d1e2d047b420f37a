import { instantFromMicroseconds, instantMicroseconds } from '../../platform/time/instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../../platform/time/time.ts';

/** How far a gateway's clock may run ahead of the server's. */
const AHEAD_MICROSECONDS_MAX = 60_000_000;

/**
 * Before this year a double no longer counts single microseconds since 2000, and an instant would be stored as its
 * neighbour.
 */
const EARLIEST = instantMicroseconds('1715-01-01T00:00:00Z');

/** What one request accepts as a timestamp; `now` is taken once, so that no two rows see different limits. */
export interface TimeLimits {
  readonly now: number;
  readonly latest: number;
  readonly earliest: number;
  /** For the refusal of an older row. */
  tooOld(): string;
}

/** `retentionMonths` 0: without limit. */
export function timeLimits(nowMilliseconds: number, retentionMonths: number): TimeLimits {
  const now = nowMilliseconds * 1_000 - POSTGRES_EPOCH_MICROSECONDS;
  const earliest = retentionMonths === 0 ? EARLIEST : monthsBefore(nowMilliseconds, retentionMonths);
  return {
    now,
    latest: now + AHEAD_MICROSECONDS_MAX,
    earliest,
    tooOld: () => {
      const limit = `Before ${instantFromMicroseconds(earliest)}`;
      if (retentionMonths === 0) return limit;
      return `${limit}: snapshots are kept for ${retentionMonths} month${retentionMonths === 1 ? '' : 's'}`;
    },
  };
}

/**
 * The same day of an earlier month in UTC, or that month's last day. By hand, because this runs once per request: luxon
 * takes 15 µs for it, which is a twentieth of the time for a batch of 100 rows.
 */
function monthsBefore(nowMilliseconds: number, months: number): number {
  const date = new Date(nowMilliseconds);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const lastDay = new Date(0);
  lastDay.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + 1, 0);
  date.setUTCDate(Math.min(day, lastDay.getUTCDate()));
  return date.getTime() * 1_000 - POSTGRES_EPOCH_MICROSECONDS;
}
