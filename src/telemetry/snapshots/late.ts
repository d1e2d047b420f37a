import type { Clock } from '../../platform/clock.ts';
import { ON_TIME_SECONDS } from '../../platform/database/time-limits.ts';
import { instantFromMicroseconds } from '../../platform/time/instant.ts';
import { POSTGRES_EPOCH_MICROSECONDS } from '../../platform/time/time.ts';
import { instantAt, keyAt, rowEnd } from './encode.ts';
import type { BytePiece } from './merge.ts';
import { viewOf } from './weeks.ts';

const QUARTER_HOUR_MICROSECONDS = 900_000_000;
/** Of one entry: a day. */
const QUARTER_HOURS_MAX = 96;

/** Quarter hours that have to be summed again: for each entry an asset, the first one, and how many follow each other. */
export interface LateQuarterHours {
  readonly assets: number[];
  readonly starts: string[];
  readonly counts: number[];
}

/** Rows before this instant, microseconds since 2000, may be summed already when they are committed now. */
export function onTimeSince(clock: Clock): number {
  return (clock.nowMilliseconds() - ON_TIME_SECONDS * 1_000) * 1_000 - POSTGRES_EPOCH_MICROSECONDS;
}

/** The quarter hours of the rows before an instant. Rows of an asset ascend within a piece. */
export function lateQuarterHours(pieces: readonly BytePiece[], before: number): LateQuarterHours {
  const late: LateQuarterHours = { assets: [], starts: [], counts: [] };
  let [asset, next, entry] = [-1, -1, -1];
  for (const { buffer, start, end } of pieces) {
    const view = viewOf(buffer);
    for (let row = start; row < end; row = rowEnd(view, row)) {
      const instant = instantAt(view, row);
      if (instant >= before) continue;
      const quarterHour = Math.floor(instant / QUARTER_HOUR_MICROSECONDS);
      const key = keyAt(view, row);
      if (key === asset && quarterHour === next - 1) continue;
      if (key === asset && quarterHour === next && (late.counts[entry] ?? 0) < QUARTER_HOURS_MAX) {
        late.counts[entry] = (late.counts[entry] ?? 0) + 1;
      } else {
        entry = late.assets.push(key) - 1;
        late.starts.push(instantFromMicroseconds(quarterHour * QUARTER_HOUR_MICROSECONDS));
        late.counts.push(1);
      }
      asset = key;
      next = quarterHour + 1;
    }
  }
  return late;
}
