import { createHash } from 'node:crypto';
import { DateTime } from 'luxon';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import { csvLine } from '../../platform/csv/csv.ts';
import type { Database } from '../../platform/database/db.ts';
import { createSharedRead } from '../../platform/database/shared-read.ts';
import { inTurns } from '../../platform/turns.ts';
import { centsPerKilowattHour } from '../amounts.ts';
import {
  addDays,
  type DeliveryDay,
  dayStart,
  daysBetween,
  MARKET_TIME_ZONE,
  startText,
} from '../calendar.ts';
import { type DayPrices, dayCurve } from './curve.ts';
import type { Period } from './period.ts';
import { type DayMark, SERIES_SOURCES } from './series-source.ts';

/** Encoded days that are kept, in characters: more than four years of them. */
const DAY_CHARACTERS_MAX = 8 * 1024 * 1024;
/** A day takes 0.2 ms to encode: after so many of them, what waits gets its turn. */
const DAYS_AT_ONCE = 16;

/** What there is for a period at one moment. */
export interface SeriesState {
  /** Names the content: type, dates, resolution and the state of every day. */
  readonly name: string;
  /** Every interval of the period has a price. */
  readonly complete: boolean;
  readonly marks: readonly DayMark[];
}

export interface SeriesAnswers {
  /** Read now: one look into an index, shared by all who ask at this moment. */
  state(period: Period, nowMilliseconds: number): Promise<SeriesState>;
  /** The text of the series; null when a day has changed since its state was read. */
  text(period: Period, state: SeriesState, form: 'json' | 'csv'): Promise<string | null>;
}

/** Of the series as a table. */
export const SPOT_PRICE_COLUMNS = ['timestamp', 'amount_ct_kwh'] as const;

/** Encodes series. A day is encoded once and kept by its mark; many who ask at once get one text. */
export function createSeriesAnswers(database: Database): SeriesAnswers {
  const days = new BoundedCache<DayText>(DAY_CHARACTERS_MAX);
  const sharedState = createSharedRead<SeriesState>();
  const sharedText = createSharedRead<string | null>();

  async function readState(period: Period, nowMilliseconds: number): Promise<SeriesState> {
    const marks = await SERIES_SOURCES[period.type].marks(database, period, nowMilliseconds);
    const complete = marks.every((mark) => mark.complete) && marks.length === period.dates;
    return { name: nameOf(period, marks), complete, marks };
  }

  /** Null when a day is not what its mark says any more. */
  async function textsOf(
    period: Period,
    marks: readonly DayMark[],
  ): Promise<Map<DeliveryDay, DayText> | null> {
    const keyOf = ({ deliveryOn, mark }: DayMark) =>
      [period.type, period.resolution, deliveryOn, mark].join(' ');
    const texts = new Map<DeliveryDay, DayText>();
    const unknown: DayMark[] = [];
    for (const mark of marks) {
      const known = days.get(keyOf(mark));
      if (known === undefined) unknown.push(mark);
      else texts.set(mark.deliveryOn, known);
    }
    if (unknown.length === 0) return texts;
    const prices = await database.asService((connection) =>
      SERIES_SOURCES[period.type].prices(connection, unknown),
    );
    for await (const mark of inTurns(unknown, DAYS_AT_ONCE)) {
      const ofDay = prices.get(mark.deliveryOn);
      if (ofDay === undefined) return null;
      const text = dayText(mark.deliveryOn, period.resolution, ofDay);
      days.set(keyOf(mark), text, text.items.length + text.missing.length);
      texts.set(mark.deliveryOn, text);
    }
    return texts;
  }

  return {
    state: (period, nowMilliseconds) =>
      sharedState([period.type, period.first, period.last].join(' '), () =>
        readState(period, nowMilliseconds),
      ),
    text: (period, { name, marks }, form) =>
      sharedText(`${name} ${form}`, async () => {
        const texts = await textsOf(period, marks);
        if (texts === null) return null;
        if (form === 'json') return encoded(period, await piecesOf(period, texts, (day) => day));
        const rows = await piecesOf(period, texts, tableOf);
        return csvLine(SPOT_PRICE_COLUMNS.join(',')) + rows.join('');
      }),
  };
}

/** One delivery day as a piece of an answer: encoded once, joined many times. */
interface DayText {
  /** Elements of `items`, separated by commas, without the brackets. */
  readonly items: string;
  /** Elements of `missing`. */
  readonly missing: string;
}

/** Writes a day in the resolution of the series. Forecasts are quarter-hourly throughout. */
function dayText(deliveryOn: DeliveryDay, resolution: Period['resolution'], prices?: DayPrices): DayText {
  const items: string[] = [];
  const missing: string[] = [];
  for (const { start, eurMwh } of dayCurve(deliveryOn, resolution, prices)) {
    const timestamp = startText(start);
    if (eurMwh === null) missing.push(`"${timestamp}"`);
    else items.push(`{"timestamp":"${timestamp}","amount":${centsPerKilowattHour(eurMwh)}}`);
  }
  return { items: items.join(','), missing: missing.join(',') };
}

/** Of each day of the period, those without any price included. */
async function piecesOf<Piece>(
  period: Period,
  texts: ReadonlyMap<DeliveryDay, DayText>,
  pieceOf: (text: DayText) => Piece,
): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const day of inTurns(daysBetween(period.first, period.last), DAYS_AT_ONCE))
    pieces.push(pieceOf(texts.get(day) ?? dayText(day, period.resolution)));
  return pieces;
}

/** Rows of one day, with an empty price where there is none. An amount is a text here too: it may have more digits than a number. */
function tableOf({ items, missing }: DayText): string {
  const priced = items.matchAll(/"timestamp":"([^"]+)","amount":([^}]+)/g);
  const rows = new Map([...priced].map(([, timestamp = '', amount = '']) => [timestamp, amount]));
  for (const timestamp of JSON.parse(`[${missing}]`) as string[]) rows.set(timestamp, '');
  return [...rows.keys()]
    .toSorted()
    .map((timestamp) => csvLine(`${timestamp},${rows.get(timestamp)}`))
    .join('');
}

function encoded(period: Period, pieces: readonly DayText[]): string {
  const joined = (part: keyof DayText) =>
    pieces
      .map((piece) => piece[part])
      .filter((text) => text !== '')
      .join(',');
  const head = JSON.stringify({
    object: 'price',
    type: period.type,
    period: { start: midnightText(period.first), end: midnightText(addDays(period.last, 1)) },
    currency: 'EUR',
    unit: 'ct/kWh',
    resolution: period.resolution,
  });
  return `${head.slice(0, -1)},"missing":[${joined('missing')}],"items":[${joined('items')}]}`;
}

/** 160 bits: no two contents are ever called the same. */
function nameOf(period: Period, marks: readonly DayMark[]): string {
  const parts = [period.type, period.first, period.last, period.resolution];
  const states = marks.map(({ deliveryOn, mark }) => `${deliveryOn}:${mark}`);
  return createHash('sha256')
    .update([...parts, ...states].join(' '))
    .digest('base64url')
    .slice(0, 27);
}

/** Local midnight with the offset of that moment, in whole seconds. */
function midnightText(deliveryOn: DeliveryDay): string {
  return DateTime.fromMillis(dayStart(deliveryOn), { zone: MARKET_TIME_ZONE }).toFormat(
    "yyyy-MM-dd'T'HH:mm:ssZZ",
  );
}
