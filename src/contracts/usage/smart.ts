import type { Connection } from '../../platform/database/db.ts';
import {
  berlinDayAt,
  berlinMilliseconds,
  type CalendarDay,
  earlier,
  later,
} from '../../platform/time/berlin-calendar.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { type IntervalSums, QUARTER_HOUR_MILLISECONDS, type Span, STEP_MILLISECONDS } from './intervals.ts';
import { type RecentDays, wholeDays } from './measured.ts';
import { listKeptCounts, listKeptDaySums, listKeptStarts, listKeptSums } from './queries.ts';
import type { Resolution } from './schema.ts';
import { settledUntil, shownUntil } from './settlement.ts';

interface SeriesQuery {
  connection: Connection;
  organization: string;
  subscription: Pick<SubscriptionRow, 'id' | 'type' | 'household_id'>;
  resolution: Resolution;
  /** Days on which the meter was smart and supplied, the second one exclusive. */
  first: CalendarDay;
  end: CalendarDay;
  nowMilliseconds: number;
  recentDays: RecentDays;
  mayGoOn(): void;
}

/**
 * Adds the energy of a smart meter. What is kept is final and added up by the database: quarter hours for fine intervals,
 * sums of days for others. In months that are not settled yet, at most two, measurements fill what is not kept.
 */
export async function addSmartUsage(sums: IntervalSums, query: SeriesQuery): Promise<void> {
  const { connection, organization, subscription, resolution, first, end } = query;
  const owner = { organization, subscription: subscription.id };
  const step = STEP_MILLISECONDS[resolution];
  if (step === undefined) {
    const unit = resolution === 'week' || resolution === 'month' ? resolution : 'day';
    const midnights = new Map(sums.begins.map(({ day, begins }) => [day, begins]));
    for (const { day, kwh } of await listKeptDaySums(connection, owner, { first, end }, unit)) {
      sums.add(midnights.get(day) ?? berlinMilliseconds(day), kwh, true);
    }
  } else {
    const span: Span = { from: berlinMilliseconds(first), until: berlinMilliseconds(end) };
    for (const { start, kwh } of await listKeptSums(connection, owner, span, step))
      sums.add(start, kwh, true);
  }
  await addMeasured(sums, query);
}

async function addMeasured(sums: IntervalSums, query: SeriesQuery): Promise<void> {
  const { connection, organization, subscription, nowMilliseconds, recentDays, mayGoOn } = query;
  const unsettledFrom = settledUntil(nowMilliseconds);
  const shownEnd = berlinDayAt(shownUntil(nowMilliseconds));
  const first = later(query.first, unsettledFrom);
  const end = earlier(query.end, shownEnd);
  if (first >= end) return;
  const owner = { organization, subscription: subscription.id };
  const counts = await listKeptCounts(connection, owner, { first, end });
  const open = wholeDays(first, end, berlinMilliseconds(end)).filter(
    ({ day, begins, ends }) => (counts.get(day) ?? 0) < (ends - begins) / QUARTER_HOUR_MILLISECONDS,
  );
  const begun = open.filter(({ day }) => counts.has(day));
  const kept = await listKeptStarts(
    connection,
    owner,
    begun.map(({ begins, ends }) => ({ from: begins, until: ends })),
  );
  const measured = await recentDays(
    connection,
    organization,
    subscription.household_id,
    open,
    { mayGoOn },
    nowMilliseconds,
  );
  for (const quarterHours of measured.values()) {
    for (const quarterHour of quarterHours) {
      if (!kept.has(quarterHour.start)) sums.add(quarterHour.start, quarterHour[subscription.type], false);
    }
  }
}
