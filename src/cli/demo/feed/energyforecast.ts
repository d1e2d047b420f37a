import { plain } from './amounts.ts';
import { dateAt, feedDay, floorToHour, localText, nakedText, secondText, shiftDate } from './days.ts';
import { forecastPrice } from './formula.ts';
import { delayOf } from './publication.ts';
import { type FeedReply, type FeedRequest, JSON_TYPE, jsonReply, notFound, TOKEN } from './reply.ts';
import { type FeedValue, valuesOf } from './values.ts';

/*
 * energyforecast.de: two runs a day; real prices stand among the forecast ones as soon as they were taken in. Unless
 * they are set to zero, the defaults of an account leak into the prices.
 */

const HOUR = 3_600_000;
const QUARTER = HOUR / 4;
const DAY = 24 * HOUR;
/** Minutes of the day, UTC. */
const RUNS = [3 * 60 + 10, 15 * 60 + 10];
const TAKES_IN = 12 * 60 + 10;
const ACCOUNT = { vat: 19, fixedCents: 15 };
const PLAN_HOURS = 48;

interface ForecastRow {
  readonly start: number;
  readonly end: number;
  readonly origin: 'market' | 'forecast';
  /** ct/kWh, with what the account adds. */
  readonly price: number;
  readonly total: number;
}

export function answerEnergyforecast(request: FeedRequest): FeedReply {
  const { path, query } = request;
  const name = /^\/api\/(v2\/forecast|v1\/predictions\/(?:next_48_hours|next_96_hours|prices_for_ha))$/.exec(
    path,
  )?.[1];
  if (name === undefined) return notFound();
  if (query.get('token') !== TOKEN) return jsonReply('{"error":"Invalid token"}', 401);
  if ((query.get('market_zone') ?? 'DE-LU') !== 'DE-LU')
    return jsonReply('{"error":"Unknown market zone"}', 400);
  if (name === 'v2/forecast') return secondVersion(request);
  const hours = request.switches.hours ?? (name.endsWith('next_96_hours') ? 96 : PLAN_HOURS);
  const isQuarterly = query.get('resolution') === 'QUARTER_HOURLY';
  const rows = rowsOf(request, hours, isQuarterly ? QUARTER : HOUR).map((row) =>
    firstVersionRow(request, row),
  );
  const list = `[${rows.join(',')}]`;
  const body = name.endsWith('prices_for_ha') ? `{"forecast":{"state":0,"data":${list}}}` : list;
  return { status: 200, contentType: `${JSON_TYPE}; charset=utf-8`, body };
}

function secondVersion(request: FeedRequest): FeedReply {
  const run = latestRun(request.now - delayOf(request.switches));
  const rows = rowsOf(request, request.switches.hours ?? PLAN_HOURS, QUARTER).map((row) => {
    const times = `"start":"${timeText(request, row.start)}","end":"${timeText(request, row.end)}"`;
    const prices = `"price_ct_kwh":${plain(row.price, 6)},"total_ct_kwh":${plain(row.total, 6)}`;
    return `{${times},${prices},"price_origin":"${row.origin}"}`;
  });
  const head = `"generated_at":"${secondText(run)}","valid_until":"${secondText(nextRun(run))}"`;
  return jsonReply(`{${head},"data":[${rows.join(',')}]}`);
}

function firstVersionRow(request: FeedRequest, row: ForecastRow): string {
  const naive = request.switches.naive_times === true;
  const text = naive ? nakedText : localText;
  /* This version has no total: what the account adds is in the price. */
  const price = plain(row.total / 100, 5);
  return `{"start":"${text(row.start)}","end":"${text(row.end)}","price":${price},"price_origin":"${row.origin}"}`;
}

function timeText(request: FeedRequest, milliseconds: number): string {
  return request.switches.naive_times === true ? nakedText(milliseconds) : secondText(milliseconds);
}

/** From the current hour on. */
function rowsOf(request: FeedRequest, hours: number, width: number): ForecastRow[] {
  const delay = delayOf(request.switches);
  const run = latestRun(request.now - delay);
  const from = floorToHour(request.now);
  const rows: ForecastRow[] = [];
  const days = new Map<string, { isMarket: boolean; values: FeedValue[] }>();
  for (let start = from; start < from + hours * HOUR; start += width) {
    const date = dateAt(start);
    const day = days.get(date) ?? {
      isMarket: request.now - delay >= takenInAt(date),
      values: valuesOf(date, request.switches),
    };
    days.set(date, day);
    const cents: number[] = [];
    let holes = 0;
    for (let quarter = start; quarter < start + width; quarter += QUARTER) {
      const value = valueAt(date, day.values, quarter);
      if (value === undefined || value.dropped) holes += 1;
      else cents.push(day.isMarket ? value.cents : forecastPrice(value.cents, quarter, run));
    }
    if (holes > 0 || request.switches.absent_days?.includes(date) === true) continue;
    const mean = cents.reduce((sum, cent) => sum + cent, 0) / cents.length;
    rows.push({
      start,
      end: start + width,
      origin: day.isMarket ? 'market' : 'forecast',
      ...priced(request, mean),
    });
  }
  return rows;
}

function valueAt(date: string, values: readonly FeedValue[], milliseconds: number): FeedValue | undefined {
  const day = feedDay(date);
  return values[Math.floor((milliseconds - day.from) / (day.width * 60_000))];
}

/** Prices in ct/kWh from cents per MWh, and what the request or else the account adds to them. */
function priced({ query, switches }: FeedRequest, cents: number): { price: number; total: number } {
  const bare = cents / 1000;
  const dearer = (fixedCents: number, vat: number) => (bare + fixedCents) * (1 + vat / 100);
  const total = dearer(
    Number(query.get('fixed_cost_cent') ?? ACCOUNT.fixedCents),
    Number(query.get('vat') ?? ACCOUNT.vat),
  );
  const { surcharge = false } = switches;
  if (surcharge === false) return { price: bare, total };
  const leaked = dearer(ACCOUNT.fixedCents, ACCOUNT.vat);
  return { price: surcharge === 'total' ? bare : leaked, total: leaked };
}

/** 12:10 UTC of the day before. */
function takenInAt(date: string): number {
  const dayBefore = shiftDate(date, -1);
  return utcMidnightOf(dayBefore) + TAKES_IN * 60_000;
}

/** Berlin's noon lies in the same day of UTC. */
function utcMidnightOf(date: string): number {
  const day = feedDay(date);
  return floorToDay(day.from + DAY / 2);
}

function floorToDay(milliseconds: number): number {
  return Math.floor(milliseconds / DAY) * DAY;
}

function latestRun(now: number): number {
  const today = floorToDay(now);
  const runs = [today - DAY, today].flatMap((midnight) => RUNS.map((minutes) => midnight + minutes * 60_000));
  return runs.filter((run) => run <= now).at(-1) ?? 0;
}

function nextRun(run: number): number {
  return run + DAY / 2;
}
