import { Decimal } from 'decimal.js';
import { DateTime } from 'luxon';
import { roundHalfUp } from '../../platform/money.ts';
import { centsPerKilowattHour } from '../amounts.ts';
import { addDays, MARKET_TIME_ZONE, startText } from '../calendar.ts';
import { SOURCES } from '../providers/index.ts';
import type { Curve, CurveDay, CurveInterval } from './curve.ts';
import { intervalLabels } from './labels.ts';
import { type MissingText, missingText } from './missing.ts';

/* The words and tables of the page of prices: complete without a script. */

/** From here on, Berlin time, tomorrow's prices are late. */
const LATE_FROM_HOUR = 15;

const TITLES: ReadonlyMap<string, string> = new Map(SOURCES.map(({ name, title }) => [name, title]));

export function sourceName(source: string): string {
  return TITLES.get(source) ?? source.replace(/^model:/, 'own model ');
}

export interface PriceRow {
  /** UTC start, for machines. */
  start: string;
  time: string;
  realized: string;
  forecast: string;
  isCurrent: boolean;
}

export interface DayView {
  deliveryOn: string;
  name: string;
  /** Opened on the page: today. */
  isOpen: boolean;
  summary: string;
  hasForecast: boolean;
  /** In the place of a price that is not there. */
  missing: MissingText;
  rows: PriceRow[];
}

export interface CurveView {
  now: { time: string; price: string } | null;
  publication: string;
  hasForecast: boolean;
  isEmpty: boolean;
  days: DayView[];
  /** Whose prices are shown, each with its licence. */
  sources: string[];
}

export function viewOf(curve: Curve): CurveView {
  const days = curve.days.map((day) => dayView(curve, day));
  const current = days.flatMap(({ rows }) => rows).find(({ isCurrent }) => isCurrent);
  return {
    now:
      current === undefined || current.realized === ''
        ? null
        : { time: current.time, price: current.realized },
    publication: publicationText(curve),
    hasForecast: curve.days.some((day) => day.forecastSource !== null),
    isEmpty: curve.days.every((day) =>
      day.intervals.every(({ realized, forecast }) => realized === null && forecast === null),
    ),
    days,
    sources: curve.attributions.map(({ source, licence }) => {
      const name = sourceName(source);
      return licence.startsWith(name) ? licence : `${name}: ${licence}`;
    }),
  };
}

/** In one sentence: is tomorrow there, since when, and if not, when is it expected. */
function publicationText(curve: Curve): string {
  const deliveryOn = addDays(curve.today, 1);
  const day = curve.days.find((candidate) => candidate.deliveryOn === deliveryOn);
  const name = `Tomorrow, ${dateText(deliveryOn)},`;
  const known = day?.intervals.filter(({ realized }) => realized !== null).length ?? 0;
  const first = day?.known?.first_complete_at ?? null;
  if (day?.known?.state === 'complete' && first !== null) {
    return `${name} is published; first seen ${momentText(first, curve.today)}.`;
  }
  if (day?.known?.state === 'suspect') return `${name} is held back: its prices are being checked.`;
  const lastIncompleteAt = day?.known?.last_incomplete_at ?? null;
  const last = lastIncompleteAt === null ? '' : ` Last looked ${momentText(lastIncompleteAt, curve.today)}.`;
  if (known > 0)
    return `${name} is published in part: ${known} of ${day?.intervals.length} intervals.${last}`;
  const { hour } = DateTime.fromMillis(curve.now, { zone: MARKET_TIME_ZONE });
  if (hour >= LATE_FROM_HOUR) return `${name} is late: it was expected about 13:00.${last}`;
  return hour >= 13
    ? `${name} is expected any minute; usually it is there about 13:00.${last}`
    : `${name} is expected about 13:00.`;
}

function dayView(curve: Curve, day: CurveDay): DayView {
  const labels = intervalLabels(day.deliveryOn);
  return {
    deliveryOn: day.deliveryOn,
    name: `${relativeName(curve, day.deliveryOn)}${dateText(day.deliveryOn)}`,
    isOpen: day.deliveryOn === curve.today,
    summary: summaryOf(day, missingText(day, curve.now)),
    missing: missingText(day, curve.now),
    hasForecast: day.forecastSource !== null,
    rows: day.intervals.map((interval, at) => rowOf(curve, interval, labels[at] ?? '')),
  };
}

function rowOf(curve: Curve, { start, minutes, realized, forecast }: CurveInterval, time: string): PriceRow {
  return {
    start: startText(start),
    time,
    realized: realized === null ? '' : centsPerKilowattHour(realized),
    forecast: forecast === null ? '' : centsPerKilowattHour(forecast),
    isCurrent: start <= curve.now && curve.now < start + minutes * 60_000,
  };
}

/** Only a complete day has a mean, a lowest and a highest price. */
function summaryOf(day: CurveDay, missing: MissingText): string {
  const count = day.intervals.length;
  const column = day.intervals.some(({ realized }) => realized !== null) ? 'realized' : 'forecast';
  const known = day.intervals.flatMap((interval) => {
    const amount = interval[column];
    return amount === null ? [] : [{ start: interval.start, amount: new Decimal(amount) }];
  });
  const [first] = known;
  if (first === undefined) return `${count} intervals ${missing}`;
  if (known.length < count) return `${known.length} of ${count} intervals, the others ${missing}`;
  const lowest = known.reduce(
    (best, interval) => (interval.amount.lessThan(best.amount) ? interval : best),
    first,
  );
  const highest = known.reduce(
    (best, interval) => (interval.amount.greaterThan(best.amount) ? interval : best),
    first,
  );
  const mean = Decimal.sum(...known.map(({ amount }) => amount)).dividedBy(count * 10);
  const priced = ({ start, amount }: typeof first) =>
    `${centsPerKilowattHour(amount.toFixed())} at ${DateTime.fromMillis(start, { zone: MARKET_TIME_ZONE }).toFormat('HH:mm')}`;
  const kind = column === 'forecast' ? `forecast by ${sourceName(day.forecastSource ?? '')}; ` : '';
  return `${kind}lowest ${priced(lowest)}, mean ${roundHalfUp(mean, 2).toFixed()}, highest ${priced(highest)} ct/kWh`;
}

function relativeName(curve: Curve, deliveryOn: string): string {
  const names = new Map([
    [addDays(curve.today, -1), 'Yesterday, '],
    [curve.today, 'Today, '],
    [addDays(curve.today, 1), 'Tomorrow, '],
  ]);
  return names.get(deliveryOn) ?? '';
}

function dateText(deliveryOn: string): string {
  return DateTime.fromISO(deliveryOn, { zone: 'utc' }).toFormat('cccc d LLLL yyyy');
}

/** `at 13:00`, with the date where it was not today. */
function momentText(instant: string, today: string): string {
  const moment = DateTime.fromISO(instant, { zone: MARKET_TIME_ZONE });
  const time = moment.toFormat('HH:mm');
  return moment.toISODate() === today ? `at ${time}` : `on ${moment.toFormat('d LLLL')} at ${time}`;
}
