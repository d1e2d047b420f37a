import type { Connection } from '../../platform/database/db.ts';
import { addDays, type DayGrid, gridOf, type Zone } from '../calendar.ts';
import { originOf } from '../providers/index.ts';
import { findServedMedian, type PriceDay, type SourceDay, type StartAmounts } from '../queries.ts';
import { raiseAlarm, resolveAlarms } from './alarms.ts';
import type { Candidate } from './choose-source.ts';
import type { DaySeen, ServingParts } from './day-seen.ts';
import { updateSourceDay } from './day-statements.ts';
import { agreeWholly } from './disagreements.ts';
import { misplacedMedian, REFERENCE_DAYS, REFERENCE_DAYS_MIN } from './median-guard.ts';
import { looksUnpublished } from './zero-guard.ts';

const EMPTY: StartAmounts = new Map();

/** The median of the days before; null where too few of them have prices. */
export async function findReference(
  connection: Connection,
  zone: Zone,
  grid: DayGrid,
): Promise<string | null> {
  return await findServedMedian(connection, zone, {
    from: gridOf(addDays(grid.deliveryOn, -REFERENCE_DAYS)),
    before: grid,
    daysMin: REFERENCE_DAYS_MIN,
  });
}

interface JudgedDay {
  readonly grid: DayGrid;
  readonly day: PriceDay | undefined;
  readonly sourceDay: SourceDay;
  readonly values: ReadonlyMap<string, StartAmounts>;
  readonly reference: string | null;
  readonly seen: DaySeen;
}

/** Complete, partial, or suspect: a day that is not served yet and does not look like prices. */
export async function judge(
  connection: Connection,
  parts: ServingParts,
  judged: JudgedDay,
): Promise<Candidate> {
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
  if (state !== sourceDay.state || own.size !== sourceDay.interval_count || isNewlyReleased) {
    await updateSourceDay(connection, {
      ...{ zone, deliveryOn, source, state, releasedAt },
      intervalCount: own.size,
    });
  }
  if (isSuspect) {
    await raiseAlarm(connection, parts, {
      ...{ kind: 'suspect', zone, source, deliveryOn },
      detail: `${deliveryOn}: ${source} ${suspicion.sentence}; stored, not served`,
      fetchId: seen.source === source ? (seen.fetchId ?? null) : null,
    });
  } else if (sourceDay.state === 'suspect' || isNewlyReleased) {
    await resolveAlarms(connection, parts, { kind: 'suspect', zone, source, deliveryOn });
  }
  return { source, state, intervalCount: own.size };
}

interface DaySuspicion {
  readonly kind: 'zeros' | 'median';
  readonly sentence: string;
}

/** What is served complete already is not called in question. Zeros have a rule of their own and need no other. */
function suspicionOf({ grid, day, sourceDay, reference }: JudgedDay, own: StartAmounts): DaySuspicion | null {
  if (day?.state === 'complete' && sourceDay.state !== 'suspect') return null;
  if (looksUnpublished(grid, own)) {
    return { kind: 'zeros', sentence: 'gives zeros like an unpublished future' };
  }
  const median = misplacedMedian(own, reference);
  if (median === null) return null;
  const sentence = `has a median of ${median} EUR/MWh, that of the ${REFERENCE_DAYS} days before is ${reference}`;
  return { kind: 'median', sentence };
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
