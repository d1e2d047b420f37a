import type { IntervalMinutes } from '../calendar.ts';
import type { WireAnswer, WireRequest } from '../series.ts';
import { answerOf, rejected, sha256 } from './body.ts';
import { DayReadings } from './day-readings.ts';
import { instantFrom } from './instants.ts';
import {
  amountOf,
  isObject,
  type Json,
  type JsonObject,
  listOf,
  objectOf,
  parseJsonBody,
  shownJson,
} from './json-body.ts';
import type { MarketRow, MarketRows } from './price-source.ts';
import { assertTimesOnce } from './row-times.ts';

interface ForecastRow extends MarketRow {
  readonly origin: 'market' | 'forecast';
}

interface Forecast {
  /** 2: ct/kWh with a total beside it. 1: EUR/kWh without. */
  readonly version: 1 | 2;
  readonly generatedAt: string | null;
  readonly rows: readonly ForecastRow[];
}

/** The rows marked as forecast. Whether the account adds surcharges is decided against stored prices. */
export function readEnergyForecast(body: Uint8Array, request: WireRequest): WireAnswer {
  return answerOf(() => {
    const { rows, generatedAt } = readForecast(body);
    if (rows.length === 0) return { status: 'not_published', detail: 'The list is empty' };
    const minutes = widthOf(rows);
    const readings = new DayReadings({ days: request.days, minutesOn: () => minutes });
    for (const { start, eurMwh, origin } of rows) {
      if (origin === 'forecast') readings.add(readings.gridAt(start).deliveryOn, start, eurMwh);
    }
    return {
      status: 'read',
      ...readings.read(),
      contentHash: sha256(body),
      sourceStamp: generatedAt,
      licence: null,
    };
  });
}

/**
 * The rows marked as market, and whether the body states a total that was checked: without one (version 1), a few
 * comparable rows are the only guard against surcharges.
 */
export function readMarketRows(body: Uint8Array): MarketRows {
  return answerOf(() => {
    const { rows, version } = readForecast(body);
    const market = rows
      .filter(({ origin }) => origin === 'market')
      .map(({ start, minutes, eurMwh }) => ({ start, minutes, eurMwh }));
    return { status: 'read' as const, rows: market, statesTotal: version === 2 };
  });
}

function readForecast(body: Uint8Array): Forecast {
  const document = parseJsonBody(body);
  const forecast = formOf(document);
  assertTimesOnce(forecast.rows.map(({ start }) => start));
  widthOf(forecast.rows);
  return forecast;
}

/** Three shapes: an object with `data`, a bare list, and the list inside `forecast` that Home Assistant gets. */
function formOf(document: Json): Forecast {
  if (Array.isArray(document)) {
    return { version: 1, generatedAt: null, rows: document.map((row, index) => readRow(row, index, 1)) };
  }
  const object = objectOf(document, 'The body');
  if (isObject(object.forecast)) {
    const list = listOf(object.forecast.data, 'forecast.data');
    return { version: 1, generatedAt: null, rows: list.map((row, index) => readRow(row, index, 1)) };
  }
  const list = listOf(object.data, 'data');
  return {
    version: 2,
    generatedAt: generatedAtOf(object.generated_at),
    rows: list.map((row, index) => readRow(row, index, 2)),
  };
}

function generatedAtOf(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && instantFrom(value) !== undefined) return value;
  throw rejected(`generated_at is ${shownJson(value)}, not an instant with its offset`);
}

function readRow(value: Json, index: number, version: 1 | 2): ForecastRow {
  const name = version === 1 ? `[${index}]` : `data[${index}]`;
  const row = objectOf(value, name);
  const start = timeOf(row.start, `${name}.start`);
  const minutes = (timeOf(row.end, `${name}.end`) - start) / 60_000;
  if (!(minutes === 15 || (minutes === 60 && version === 1))) {
    const expected = version === 1 ? '15 or 60' : '15';
    throw rejected(`${name} is ${minutes} minutes wide, not ${expected}`);
  }
  if (start % (minutes * 60_000) !== 0) {
    throw rejected(`${name}.start lies between the intervals of ${minutes} minutes`);
  }
  const origin = row.price_origin;
  if (origin !== 'market' && origin !== 'forecast') {
    throw rejected(`${name}.price_origin is ${shownJson(origin)}, not "market" or "forecast"`);
  }
  return { start, minutes, origin, eurMwh: version === 1 ? priceOf1(row, name) : priceOf2(row, name) };
}

function priceOf1(row: JsonObject, name: string): string {
  return amountOf(row.price, `${name}.price`, 1_000);
}

/** Defaults of the account leak into the total: it must be the price. */
function priceOf2(row: JsonObject, name: string): string {
  const price = amountOf(row.price_ct_kwh, `${name}.price_ct_kwh`, 10);
  const total = amountOf(row.total_ct_kwh, `${name}.total_ct_kwh`, 10);
  if (total !== price) {
    const [shownTotal, shownPrice] = [shownJson(row.total_ct_kwh), shownJson(row.price_ct_kwh)];
    throw rejected(
      `${name}.total_ct_kwh is ${shownTotal} beside a price_ct_kwh of ${shownPrice}: surcharges are included`,
    );
  }
  return price;
}

/** A time without an offset occurs twice in autumn and is believed by nobody. */
function timeOf(value: Json | undefined, name: string): number {
  const instant = typeof value === 'string' ? instantFrom(value) : undefined;
  if (instant === undefined) throw rejected(`${name} is ${shownJson(value)}, not an instant with its offset`);
  if (!instant.wholeSecond) throw rejected(`${name} is ${shownJson(value)}, inside a second`);
  return instant.milliseconds;
}

/** One width in the whole answer. */
function widthOf(rows: readonly ForecastRow[]): IntervalMinutes {
  const minutes = rows[0]?.minutes ?? 15;
  const other = rows.find((row) => row.minutes !== minutes);
  if (other === undefined) return minutes;
  throw rejected(`The rows have widths of ${minutes} and of ${other.minutes} minutes`);
}
