import type { Connection } from '../../platform/database/db.ts';
import { meterValuesKeptSince } from '../../platform/retention.ts';
import {
  addDays,
  berlinDayAt,
  berlinMilliseconds,
  type CalendarDay,
  earlier,
  firstOfMonth,
  later,
} from '../../platform/time/berlin-calendar.ts';
import { householdShares } from '../../tariffs/expected-usage/service.ts';
import { listReadingsOfMeter } from '../meter-readings/queries.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { kwhOf, type Reading, type ReadingStretch, readingsThatCount, stretchesOf } from './analog.ts';
import {
  IntervalSums,
  QUARTER_HOUR_MILLISECONDS,
  type Span,
  STEP_MILLISECONDS,
  supplyDays,
} from './intervals.ts';
import { type RecentDays, wholeDays } from './measured.ts';
import { ALL_DAYS, findMeterParts, type MeterPart, partOn, partsWithin } from './meter-parts.ts';
import { type Period, periodOf } from './period.ts';
import {
  listKeptCounts,
  listKeptDaySums,
  listKeptStarts,
  listKeptSums,
  listUnsettledMonths,
} from './queries.ts';
import type { Resolution, Usage, UsageQuery } from './schema.ts';
import { settledMonths, settledUntil, shownUntil } from './settlement.ts';

interface UsageRequest {
  connection: Connection;
  organization: string;
  subscription: SubscriptionRow;
  query: UsageQuery;
  nowMilliseconds: number;
  recentDays: RecentDays;
  mayGoOn(): void;
}

/** The answer, or the months, by their first days, that have to be frozen before there is one. */
export type FoundUsage =
  | { readonly shown: Omit<Usage, 'object'> }
  | { readonly unsettled: readonly CalendarDay[]; readonly contract: SubscriptionRow };

export async function usageIn(request: UsageRequest): Promise<FoundUsage> {
  const { connection, organization, subscription, nowMilliseconds } = request;
  const today = berlinDayAt(nowMilliseconds);
  const all = await findMeterParts(connection, organization, subscription.meter_id);
  const supply = supplyDays(subscription);
  const rows = all.some(isAnalog)
    ? await listReadingsOfMeter(connection, organization, subscription.meter_id)
    : [];
  const period = periodOf(request.query, {
    meterType: partOn(all, today).type,
    isAnalogIn: (first, end) => partsWithin(all, first, end).some(isAnalog),
    today,
    suppliedFrom: supply?.first ?? null,
    latestReadingOn:
      supply === null || subscription.type === 'feed_in'
        ? null
        : latestWithin(readingsOf(rows, partOn(all, today)), supply),
  });
  const meter_type = partOn(all, period === null ? today : addDays(period.end, -1)).type;
  if (period === null || supply === null) {
    return { shown: { meter_type, resolution: period?.resolution ?? 'month', data: [] } };
  }
  const parts = partsWithin(
    all,
    later(period.first, supply.first),
    earlier(period.end, supply.end ?? ALL_DAYS.end),
  );
  const unsettled = await unsettledMonths(request, parts);
  if (unsettled.length > 0) return { unsettled, contract: subscription };
  const sums = new IntervalSums(period);
  /* Without the readings that were removed, days before would be estimates that were none. */
  const keptSince = meterValuesKeptSince(nowMilliseconds);
  for (const part of parts) {
    if (!isAnalog(part)) await addSmartUsage(sums, { ...request, ...part, resolution: period.resolution });
    else if (subscription.type === 'consumption' && keptSince < part.end) {
      const from = later(supply.first, partOn(all, part.first).first);
      const readings = readingsOf(rows, part);
      const kept = { ...part, first: later(part.first, keptSince) };
      await addAnalogUsage(sums, request, { part: kept, period, suppliedFrom: from, readings });
    }
  }
  const until = berlinMilliseconds(earlier(period.end, supply.end ?? ALL_DAYS.end));
  return {
    shown: { meter_type, resolution: period.resolution, data: sums.data({ until, nowMilliseconds }) },
  };
}

const isAnalog = ({ type }: MeterPart) => type === 'analog';

/** Months that are settled and of whose days with a smart meter some are not frozen yet. */
async function unsettledMonths(
  { connection, organization, subscription, nowMilliseconds }: UsageRequest,
  parts: readonly MeterPart[],
): Promise<CalendarDay[]> {
  const months = settledMonths(parts, nowMilliseconds).map((month) => ({
    ...month,
    subscription: subscription.id,
  }));
  if (months.length === 0) return [];
  const unsettled = await listUnsettledMonths(connection, organization, months);
  return unsettled.map(({ month }) => month);
}

type UsageRows = Awaited<ReturnType<typeof listReadingsOfMeter>>;

/** Another device counts from anew: only what its own register showed is compared. */
const readingsOf = (rows: UsageRows, { register }: MeterPart) =>
  readingsThatCount(rows.filter((row) => row.register === register));

/** Readings belong to the meter: what came after the end of supply is of the next contract and ends this one, too. */
function latestWithin(
  readings: readonly Reading[],
  { first, end }: { first: CalendarDay; end: CalendarDay | null },
): CalendarDay | null {
  const latest = readings.at(-1)?.read_on;
  if (latest === undefined || latest < first) return null;
  return end !== null && latest > end ? end : latest;
}

/** Adds each stretch of days to the months that it reaches into. */
async function addAnalogUsage(
  sums: IntervalSums,
  { connection, subscription, nowMilliseconds }: UsageRequest,
  analog: { part: MeterPart; period: Period; suppliedFrom: CalendarDay; readings: readonly Reading[] },
): Promise<void> {
  const { part, period, readings } = analog;
  const stretches = stretchesOf({
    ...{ readings, first: part.first, end: part.end },
    suppliedFrom: analog.suppliedFrom,
    estimatedUntil: firstOfMonth(berlinDayAt(nowMilliseconds)),
  });
  leaveGapsOpen(sums, part, stretches);
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (first === undefined || last === undefined) return;
  const shares = await householdShares(connection, first.from, last.until);
  /* Both ascend: each pair that meets is looked at once. */
  let at = 0;
  for (const [index, { day, begins }] of sums.begins.entries()) {
    const next = sums.begins[index + 1]?.day ?? period.end;
    for (let stretch = stretches[at]; stretch !== undefined && stretch.from < next; stretch = stretches[at]) {
      const from = later(later(stretch.from, day), part.first);
      const until = earlier(earlier(stretch.until, next), part.end);
      if (from < until) {
        const kwh = kwhOf(stretch, { from, until }, subscription.estimated_usage, shares);
        sums.add(begins, kwh, stretch.isFinal);
      }
      if (stretch.until > next) break;
      at += 1;
    }
  }
}

/** Days of the register between and behind what its readings and the estimate tell. */
function leaveGapsOpen(
  sums: IntervalSums,
  part: MeterPart,
  stretches: readonly Pick<ReadingStretch, 'from' | 'until'>[],
): void {
  let known = part.first;
  for (const { from, until } of [...stretches, { from: part.end, until: part.end }]) {
    const next = earlier(from, part.end);
    if (known < next) sums.leaveOpen({ from: berlinMilliseconds(known), until: berlinMilliseconds(next) });
    known = later(known, until);
  }
}

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
 * Adds the energy of a smart meter. Kept values are final and added up by the database: quarter hours for fine intervals,
 * sums of days for others. In months that are not settled yet, at most two, measurements fill what is not kept.
 */
async function addSmartUsage(sums: IntervalSums, query: SeriesQuery): Promise<void> {
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
  const hidden = later(first, end);
  if (hidden < query.end)
    sums.leaveOpen({ from: berlinMilliseconds(hidden), until: berlinMilliseconds(query.end) });
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
  for (const { day, begins, ends } of open) {
    const known = new Map((measured.get(day) ?? []).map((quarterHour) => [quarterHour.start, quarterHour]));
    for (let start = begins; start < ends; start += QUARTER_HOUR_MILLISECONDS) {
      const quarterHour = known.get(start);
      if (kept.has(start)) continue;
      if (quarterHour !== undefined) sums.add(start, quarterHour[subscription.type], false);
      else sums.leaveOpen({ from: start, until: start + QUARTER_HOUR_MILLISECONDS });
    }
  }
}
