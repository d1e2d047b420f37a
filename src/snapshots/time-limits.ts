import { DateTime } from 'luxon';
import { instantFromMicroseconds, instantMicroseconds } from '../platform/instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../platform/time.ts';

/** How far a gateway's clock may run ahead of the server's. */
const AHEAD_MICROSECONDS_MAX = 60_000_000;

/**
 * Before this year a double no longer counts single microseconds since 2000, and an instant would be stored as its
 * neighbour.
 */
const EARLIEST = '1715-01-01T00:00:00.000Z';

/** What one request accepts as a timestamp; `now` is taken once, so that no two rows see different limits. */
export interface TimeLimits {
  readonly now: number;
  readonly latest: number;
  readonly earliest: number;
  /** For the refusal of an older row. */
  readonly tooOld: string;
}

export function timeLimits(nowMilliseconds: number, retentionMonths: number): TimeLimits {
  const now = nowMilliseconds * 1_000 - POSTGRES_EPOCH_MICROSECONDS;
  const latest = now + AHEAD_MICROSECONDS_MAX;
  if (retentionMonths === 0) {
    return { now, latest, earliest: instantMicroseconds(EARLIEST), tooOld: `Before ${EARLIEST}` };
  }
  const cut = DateTime.fromMillis(nowMilliseconds, { zone: 'utc' }).minus({ months: retentionMonths });
  const earliest = cut.toMillis() * 1_000 - POSTGRES_EPOCH_MICROSECONDS;
  const months = retentionMonths === 1 ? '1 month' : `${retentionMonths} months`;
  const tooOld = `Before ${instantFromMicroseconds(earliest)}: snapshots are kept for ${months}`;
  return { now, latest, earliest, tooOld };
}
