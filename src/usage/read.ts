import type { Deps } from '../deps.ts';
import { listReadingsOfMeter } from '../meter-readings/queries.ts';
import { listMeterStates } from '../meters/queries.ts';
import { stateOn } from '../meters/service.ts';
import { berlinDayAt, berlinMilliseconds, type CalendarDay } from '../platform/berlin-calendar.ts';
import type { Connection } from '../platform/db.ts';
import { badRequest, notFound, unavailable } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import type { ApiRequest } from '../platform/route.ts';
import { findSubscription, type SubscriptionRow } from '../subscriptions/queries.ts';
import { analogValues, type Reading, readingsThatCount } from './analog.ts';
import { firstOfMonth, intervalStarts, sumsOf, type Value } from './intervals.ts';
import { measuredWhereUnknown } from './measured.ts';
import { type Period, periodOf } from './period.ts';
import { listQuarterHours } from './queries.ts';
import type { Consumption, Usage, UsageQuery } from './schema.ts';
import { householdShares } from './service.ts';
import { settledAt, shownUntil } from './settlement.ts';
import { type Span, smartValues } from './smart.ts';
import { supplyOf } from './supply.ts';

type Parts = Pick<Deps, 'database' | 'clock'>;
type Request = ApiRequest<UsageQuery>;

export async function getUsage(parts: Parts, request: Request): Promise<Usage> {
  return { object: 'usage', ...(await usageOf(parts, request)) };
}

/** The same under its older name; feed-in contracts had none. */
export async function getConsumption(parts: Parts, request: Request): Promise<Consumption> {
  return { object: 'consumption', ...(await usageOf(parts, request)) };
}

function usageOf({ database, clock }: Parts, request: Request): Promise<Omit<Usage, 'object'>> {
  const { organization, customer } = request.principal;
  const id = request.params.id ?? '';
  if (!isId(id)) throw notFound();
  return database.inOrganization(request.principal, async (connection) => {
    const subscription = await findSubscription(connection, organization, customer, id);
    if (subscription === undefined) throw notFound();
    if (subscription.type === 'feed_in' && !request.knows('feed-in')) {
      const message = 'Feed-in needs API version 2026-05-27.curie or later';
      throw badRequest([{ code: 'upgrade_api_version', field: 'subscription', message }]);
    }
    const states = await listMeterStates(connection, organization, subscription.meter_id);
    const meter = stateOn(states, berlinDayAt(clock.nowMilliseconds()));
    const about = {
      connection,
      organization,
      subscription,
      nowMilliseconds: clock.nowMilliseconds(),
      signal: request.signal,
    };
    const shown =
      meter.type === 'smart' ? smartUsage(about, request.query) : analogUsage(about, request.query);
    return { meter_type: meter.type, ...(await shown) };
  });
}

interface About {
  connection: Connection;
  organization: string;
  subscription: SubscriptionRow;
  nowMilliseconds: number;
  signal: AbortSignal;
}

type Shown = Pick<Usage, 'resolution' | 'data'>;

async function smartUsage(about: About, query: UsageQuery): Promise<Shown> {
  const { nowMilliseconds, subscription } = about;
  const today = berlinDayAt(nowMilliseconds);
  const ground = { meterType: 'smart', today, suppliedFrom: null, latestReadingOn: null } as const;
  const period = periodOf(query, ground);
  const supply = supplyOf(subscription);
  if (period === null) throw new Error('A smart meter always has a period');
  if (supply === null) return { resolution: period.resolution, data: [] };
  const span = {
    from: Math.max(berlinMilliseconds(period.first), supply.from),
    until: Math.min(berlinMilliseconds(period.end), supply.until, nowMilliseconds),
  };
  const values = span.from < span.until ? await valuesOfSmartMeter(about, span) : [];
  return shown(period, values, supply, nowMilliseconds);
}

async function valuesOfSmartMeter(
  { connection, organization, subscription, nowMilliseconds, signal }: About,
  span: Span,
): Promise<Value[]> {
  const imported = await listQuarterHours(connection, organization, subscription.id, span);
  const measurable = { from: span.from, until: Math.min(span.until, shownUntil(nowMilliseconds)) };
  const measured = await measuredWhereUnknown(
    connection,
    organization,
    subscription,
    imported,
    measurable,
    () => {
      if (signal.aborted) throw unavailable('The caller has left');
    },
  );
  return smartValues(imported, measured, settledAt(nowMilliseconds));
}

async function analogUsage(about: About, query: UsageQuery): Promise<Shown> {
  const { connection, organization, subscription, nowMilliseconds } = about;
  const today = berlinDayAt(nowMilliseconds);
  const supply = supplyOf(subscription);
  const rows = await listReadingsOfMeter(connection, organization, subscription.meter_id);
  const readings = subscription.type === 'feed_in' ? [] : readingsThatCount(rows);
  const period = periodOf(query, {
    meterType: 'analog',
    today,
    suppliedFrom: supply === null ? null : berlinDayAt(supply.from),
    latestReadingOn: supply === null ? null : latestWithin(readings, supply),
  });
  if (period === null || supply === null || subscription.type === 'feed_in') {
    return { resolution: 'month', data: [] };
  }
  const values = await valuesOfAnalogMeter(about, period, supply, readings);
  return shown(period, values, supply, nowMilliseconds);
}

/** Readings belong to the meter: what came after the end of supply is of the next contract and ends this one, too. */
function latestWithin(readings: readonly Reading[], supply: Span): CalendarDay | null {
  const latest = readings.at(-1)?.read_on;
  if (latest === undefined || berlinMilliseconds(latest) < supply.from) return null;
  return berlinMilliseconds(latest) > supply.until ? berlinDayAt(supply.until) : latest;
}

async function valuesOfAnalogMeter(
  { connection, subscription, nowMilliseconds }: About,
  period: Period,
  supply: Span,
  readings: readonly Reading[],
): Promise<Value[]> {
  const suppliedFrom = berlinDayAt(supply.from);
  const first = later(period.first, suppliedFrom);
  const end = Number.isFinite(supply.until) ? earlier(period.end, berlinDayAt(supply.until)) : period.end;
  const estimatedUntil = firstOfMonth(berlinDayAt(nowMilliseconds));
  if (first >= end) return [];
  const ends = [readings.at(-1)?.read_on ?? first, earlier(end, estimatedUntil)];
  const shares = await householdShares(
    connection,
    earlier(first, readings[0]?.read_on ?? first),
    ends.reduce(later),
  );
  const { estimated_usage: estimatedUsage } = subscription;
  return analogValues({
    readings,
    estimatedUsage,
    first,
    end,
    suppliedFrom,
    estimatedUntil,
    shareOf: shares,
  });
}

const later = (a: CalendarDay, b: CalendarDay) => (a > b ? a : b);
const earlier = (a: CalendarDay, b: CalendarDay) => (a < b ? a : b);

function shown(period: Period, values: readonly Value[], supply: Span, nowMilliseconds: number): Shown {
  const until = Math.min(berlinMilliseconds(period.end), supply.until);
  return {
    resolution: period.resolution,
    data: sumsOf(values, intervalStarts(period), { until, nowMilliseconds }),
  };
}
