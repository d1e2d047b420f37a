import { Decimal } from 'decimal.js';
import { DateTime } from 'luxon';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import { roundHalfUp } from '../../platform/money.ts';
import { offsetWhereTwice } from '../../platform/time/berlin-calendar.ts';
import { centsPerKilowattHour } from '../amounts.ts';
import { addDays, type DeliveryDay, gridOf, MARKET_TIME_ZONE, startsOf, startText } from '../calendar.ts';
import { SOURCES } from '../providers/index.ts';
import { type Curve, type CurveDay, type CurveInterval, missingText } from './curve.ts';
import type { PriceTexts } from './texts.ts';

/* The words and tables of the page of prices: complete without a script. */

/** From here on, Berlin time, tomorrow's prices are late. */
const LATE_FROM_HOUR = 15;

const TITLES: ReadonlyMap<string, string> = new Map(SOURCES.map(({ name, title }) => [name, title]));

export function sourceName(source: string, t: Pick<PriceTexts, 'ownModel'>): string {
  const title = TITLES.get(source);
  if (title !== undefined) return title;
  return source.startsWith('model:') ? t.ownModel(source.slice('model:'.length)) : source;
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
  missing: string;
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

export function viewOf(curve: Curve, t: PriceTexts): CurveView {
  const days = curve.days.map((day) => dayView(curve, day, t));
  const current = days.flatMap(({ rows }) => rows).find(({ isCurrent }) => isCurrent);
  return {
    now:
      current === undefined || current.realized === ''
        ? null
        : { time: current.time, price: current.realized },
    publication: publicationText(curve, t),
    hasForecast: curve.days.some((day) => day.forecastSource !== null),
    isEmpty: curve.days.every((day) =>
      day.intervals.every(({ realized, forecast }) => realized === null && forecast === null),
    ),
    days,
    sources: curve.attributions.map(({ source, licence }) => {
      if (source === 'synthetic' && t.syntheticSource !== null) return t.syntheticSource;
      const name = sourceName(source, t);
      return licence.startsWith(name) ? licence : `${name}: ${licence}`;
    }),
  };
}

/** In one sentence: is tomorrow there, since when, and if not, when is it expected. */
function publicationText(curve: Curve, t: PriceTexts): string {
  const deliveryOn = addDays(curve.today, 1);
  const day = curve.days.find((candidate) => candidate.deliveryOn === deliveryOn);
  const name = dateText(deliveryOn, t);
  const said = t.publication;
  const known = day?.intervals.filter(({ realized }) => realized !== null).length ?? 0;
  const first = day?.known?.first_complete_at ?? null;
  if (day?.known?.state === 'complete' && first !== null) {
    return said.complete(name, momentText(first, curve.today, t));
  }
  if (day?.known?.state === 'suspect') return said.suspect(name);
  const lastIncompleteAt = day?.known?.last_incomplete_at ?? null;
  const last = lastIncompleteAt === null ? '' : t.lastLooked(momentText(lastIncompleteAt, curve.today, t));
  if (known > 0) {
    const partly = day?.known?.is_held_back ? said.partlyHeld : said.partial;
    return `${partly(name, known, day?.intervals.length ?? 0)}${last}`;
  }
  const { hour } = DateTime.fromMillis(curve.now, { zone: MARKET_TIME_ZONE });
  if (hour >= LATE_FROM_HOUR) return `${said.late(name)}${last}`;
  return hour >= 13 ? `${said.soon(name)}${last}` : said.expected(name);
}

function dayView(curve: Curve, day: CurveDay, t: PriceTexts): DayView {
  const labels = intervalLabels(day.deliveryOn, t);
  const missing = t.missing[missingText(day, curve.now)];
  return {
    deliveryOn: day.deliveryOn,
    name: `${relativeName(curve, day.deliveryOn, t)}${dateText(day.deliveryOn, t)}`,
    isOpen: day.deliveryOn === curve.today,
    summary: summaryOf(day, missing, t),
    missing,
    hasForecast: day.forecastSource !== null,
    rows: day.intervals.map((interval, at) => rowOf(curve, interval, labels[at] ?? '', t)),
  };
}

function rowOf(
  curve: Curve,
  { start, minutes, realized, forecast }: CurveInterval,
  time: string,
  t: PriceTexts,
): PriceRow {
  return {
    start: startText(start),
    time,
    realized: realized === null ? '' : priceText(centsPerKilowattHour(realized), t),
    forecast: forecast === null ? '' : priceText(centsPerKilowattHour(forecast), t),
    isCurrent: start <= curve.now && curve.now < start + minutes * 60_000,
  };
}

/** Only a complete day has a mean, a lowest and a highest price. */
function summaryOf(day: CurveDay, missing: string, t: PriceTexts): string {
  const count = day.intervals.length;
  const column = day.intervals.some(({ realized }) => realized !== null) ? 'realized' : 'forecast';
  const known = day.intervals.flatMap((interval) => {
    const amount = interval[column];
    return amount === null ? [] : [{ start: interval.start, amount: new Decimal(amount) }];
  });
  const [first] = known;
  if (first === undefined) return t.allMissing(count, missing);
  if (known.length < count) return t.someMissing(known.length, count, missing);
  const lowest = known.reduce(
    (best, interval) => (interval.amount.lessThan(best.amount) ? interval : best),
    first,
  );
  const highest = known.reduce(
    (best, interval) => (interval.amount.greaterThan(best.amount) ? interval : best),
    first,
  );
  const mean = Decimal.sum(...known.map(({ amount }) => amount)).dividedBy(count * 10);
  const priced = ({ start, amount }: typeof first) => {
    const time = DateTime.fromMillis(start, { zone: MARKET_TIME_ZONE }).toFormat('HH:mm');
    const price = priceText(centsPerKilowattHour(amount.toFixed()), t);
    return t.priceAt(price, `${time}${offsetWhereTwice(start)}`);
  };
  const kind = column === 'forecast' ? t.forecastBy(sourceName(day.forecastSource ?? '', t)) : '';
  const meanText = priceText(roundHalfUp(mean, 2).toFixed(), t);
  return `${kind}${t.summary(priced(lowest), meanText, priced(highest))}`;
}

/** Exact decimal text, with the point of its reader. */
function priceText(amount: string, t: PriceTexts): string {
  return amount.replace('.', t.decimalPoint);
}

function relativeName(curve: Curve, deliveryOn: string, t: PriceTexts): string {
  const names = new Map([
    [addDays(curve.today, -1), t.yesterday],
    [curve.today, t.today],
    [addDays(curve.today, 1), t.tomorrow],
  ]);
  return names.get(deliveryOn) ?? '';
}

function dateText(deliveryOn: string, t: PriceTexts): string {
  return DateTime.fromISO(deliveryOn, { zone: 'utc', locale: t.lang }).toFormat(t.dayForm);
}

/** `at 13:00`, with the date where it was not today. */
function momentText(instant: string, today: string, t: PriceTexts): string {
  const moment = DateTime.fromISO(instant, { zone: MARKET_TIME_ZONE, locale: t.lang });
  const time = moment.toFormat('HH:mm');
  return moment.toISODate() === today ? t.at(time) : t.onAt(moment.toFormat(t.dateForm), time);
}

/** A page shows nine days, in two languages; at midnight one of them is another. */
const DAYS_KEPT_MAX = 64;

const known = new BoundedCache<readonly string[]>(DAYS_KEPT_MAX);

/**
 * What the intervals of a day are called, in their order. Made once for each day: for nine of them the clock of the market
 * takes 300 ms, in which nobody else is answered, and the page is open to everybody.
 */
export function intervalLabels(
  deliveryOn: DeliveryDay,
  t: Pick<PriceTexts, 'lang' | 'span'>,
): readonly string[] {
  const key = `${t.lang} ${deliveryOn}`;
  const made = known.get(key);
  if (made !== undefined) return made;
  const grid = gridOf(deliveryOn);
  const labels = startsOf(grid).map((start) => intervalLabel(start, grid.minutes, t));
  known.set(key, labels);
  return labels;
}

/** `02:15 to 02:30`; in the night in which an hour comes twice with the offset, which tells the two apart. */
function intervalLabel(start: number, minutes: number, t: Pick<PriceTexts, 'span'>): string {
  const from = DateTime.fromMillis(start, { zone: MARKET_TIME_ZONE });
  const to = from.plus({ minutes });
  return `${t.span(from.toFormat('HH:mm'), to.toFormat('HH:mm'))}${offsetWhereTwice(start)}`;
}
