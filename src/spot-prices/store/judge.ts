import type { Connection } from '../../platform/database/db.ts';
import type { DayGrid } from '../calendar.ts';
import { originOf } from '../providers/index.ts';
import type { PriceDay, SourceDay, StartAmounts } from '../queries.ts';
import { raiseAlarm, resolveAlarms } from './alarms.ts';
import type { Candidate } from './choose-source.ts';
import type { DaySeen, ServingParts } from './day-seen.ts';
import type { SourceDayState } from './day-statements.ts';
import { agreeWholly } from './disagreements.ts';
import { type PriceScale, scaleSuspicion } from './scale-guard.ts';
import { looksUnpublished } from './zero-guard.ts';

const EMPTY: StartAmounts = new Map();

interface JudgedDay {
  readonly grid: DayGrid;
  readonly day: PriceDay | undefined;
  readonly sourceDay: SourceDay;
  readonly values: ReadonlyMap<string, StartAmounts>;
  readonly reference: PriceScale | null;
  readonly seen: DaySeen;
}

export interface Judgement {
  readonly candidate: Candidate;
  /** What is to be written of it; null where it stands so already. */
  readonly update: SourceDayState | null;
}

/** Complete, partial, or suspect: a day that is not served yet and does not look like prices. */
export async function judge(
  connection: Connection,
  parts: ServingParts,
  judged: JudgedDay,
): Promise<Judgement> {
  const { grid, sourceDay, values, seen } = judged;
  const { zone, deliveryOn } = seen;
  const { source } = sourceDay;
  const own = values.get(source) ?? EMPTY;
  const suspicion = suspicionOf(judged, own);
  const isConfirmed = suspicion !== null && isConfirmedNow(judged, suspicion);
  const isSuspect = suspicion !== null && !isConfirmed && sourceDay.released_at === null;
  const state = isSuspect ? 'suspect' : own.size === grid.count ? 'complete' : 'partial';

  const releasedAt = isConfirmed ? parts.clock.nowMilliseconds() : null;
  const isNewlyReleased = releasedAt !== null && sourceDay.released_at === null;
  const intervalCount = own.size;
  const isChanged =
    state !== sourceDay.state || intervalCount !== sourceDay.interval_count || isNewlyReleased;
  if (isSuspect) {
    await raiseAlarm(connection, parts, {
      ...{ kind: 'suspect', zone, source, deliveryOn },
      detail: `${deliveryOn}: ${source} ${suspicion.sentence}; stored, not served`,
      fetchId: seen.source === source ? (seen.fetchId ?? null) : null,
    });
  } else if (sourceDay.state === 'suspect' || isNewlyReleased) {
    await resolveAlarms(connection, parts, { kind: 'suspect', zone, source, deliveryOn });
  }
  return {
    candidate: { source, state, intervalCount },
    update: isChanged ? { deliveryOn, source, state, intervalCount, releasedAt } : null,
  };
}

interface DaySuspicion {
  readonly kind: 'zeros' | 'scale';
  readonly sentence: string;
}

/** What is served complete already is not called in question. Zeros have a rule of their own and need no other. */
function suspicionOf({ grid, day, sourceDay, reference }: JudgedDay, own: StartAmounts): DaySuspicion | null {
  if (day?.state === 'complete' && sourceDay.state !== 'suspect') return null;
  if (looksUnpublished(grid, own)) {
    return { kind: 'zeros', sentence: 'gives zeros like an unpublished future' };
  }
  const sentence = scaleSuspicion(own, reference);
  return sentence === null ? null : { kind: 'scale', sentence };
}

/** Another origin agrees; or zeros are still there when the day is over. A broken writer is broken on the next day too. */
function isConfirmedNow({ grid, sourceDay, values, seen }: JudgedDay, { kind }: DaySuspicion): boolean {
  const { source } = sourceDay;
  if (seen.confirmed?.includes(source) === true || otherOriginAgrees(grid, source, values)) return true;
  return kind === 'zeros' && seen.isUnchangedNextDay === true && seen.source === source;
}

/** Only another origin confirms: two feeds of one make the same mistake. */
function otherOriginAgrees(
  grid: DayGrid,
  source: string,
  values: ReadonlyMap<string, StartAmounts>,
): boolean {
  const own = values.get(source) ?? EMPTY;
  return [...values].some(
    ([name, other]) => originOf(name) !== originOf(source) && agreeWholly(grid, own, other),
  );
}
