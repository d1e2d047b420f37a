import {
  addMonths,
  berlinDayAt,
  berlinMilliseconds,
  type CalendarDay,
  earlier,
  firstOfMonth,
  later,
} from '../../src/platform/time/berlin-calendar.ts';

export const QUARTER_HOUR = 900_000;
const MINUTE = 60_000;
/** What a household takes, kW for each kWh of a usual day, and how much more than that its roof gives. */
const KW = 0.012;
const ROOF = 8;

/** EUR/MWh, of all quarter hours but those of the next. */
const USUAL_PRICE = 80;
/** Days on which it costs nothing to use energy, both clock changes among them. */
const NEGATIVE_DAYS = ['2025-10-26', '2025-12-25', '2025-12-26', '2026-01-01', '2026-03-29'];

/** What the market pays or asks for: less than nothing on some days and each Sunday for a while, and nothing before that. */
export function priceAt(start: number): number {
  if (NEGATIVE_DAYS.includes(berlinDayAt(start))) return -90.51;
  const at = new Date(start);
  if (at.getUTCDay() !== 0 || at.getUTCHours() < 10 || at.getUTCHours() > 12) return USUAL_PRICE;
  return at.getUTCHours() === 10 ? 0 : -500;
}

/** Instants in milliseconds since 1970, the second one exclusive. */
export interface Span {
  from: number;
  until: number;
}

export const instantOf = (milliseconds: number) => new Date(milliseconds).toISOString();

/** Days of Berlin, the second no longer part of it. */
export const spanOf = (first: string, end: string): Span => ({
  ...{ from: berlinMilliseconds(first), until: berlinMilliseconds(end) },
});

/** kWh. */
export interface Energy {
  consumption: number;
  feed_in: number;
  solar: number;
}

/** What is measured in a quarter hour: power by minute, and what it comes to. */
export interface Measured extends Energy {
  start: number;
  grid: [minute: number, kw: number][];
  roof: [minute: number, kw: number][];
}

/**
 * What is measured at the grid connection and on the roof of a household. A value holds until the next one, at most 15
 * minutes. At three in the night the gateway begins anew: its value comes 5 minutes late, and what held before is over. From
 * ten to one the roof gives something for 10 minutes of each quarter hour: some is used, the rest is fed in.
 */
export function measuredIn({ from, until }: Span, perDay: number, hasRoof: boolean): Measured[] {
  const kw = Math.max(1, Math.round(perDay * 4)) * KW;
  const found: Measured[] = [];
  for (let start = from; start + QUARTER_HOUR <= until; start += QUARTER_HOUR) {
    const [hour, minute] = [new Date(start).getUTCHours(), new Date(start).getUTCMinutes()];
    if (hour === 3 && minute === 0) {
      const energy = { consumption: kw / 6, feed_in: 0, solar: 0 };
      found.push({ start, grid: [[5, kw]], roof: [], ...energy });
    } else if (hasRoof && hour >= 10 && hour < 13) {
      const [fed, made] = [ROOF * kw, (ROOF + 1) * kw];
      const energy = { consumption: kw / 12, feed_in: fed / 6, solar: made / 6 };
      found.push({
        start,
        grid: [
          [0, -fed],
          [10, kw],
        ],
        roof: [
          [0, -made],
          [10, 0],
        ],
        ...energy,
      });
    } else {
      found.push({ start, grid: [[0, kw]], roof: [], consumption: kw / 4, feed_in: 0, solar: 0 });
    }
  }
  return found;
}

/** As a gateway sends them. */
export function rowsOf(asset: string, measured: readonly Measured[], what: 'grid' | 'roof') {
  return measured.flatMap((quarterHour) =>
    quarterHour[what].map(([minute, power_kw]) => {
      const timestamp = new Date(quarterHour.start + minute * MINUTE).toISOString();
      return { asset, timestamp, power_kw };
    }),
  );
}

/** A month is final from its 8th working day on; that lies before the 15th of the next one. */
const FINAL_DAY = '15';

/**
 * What a smart meter counted under one contract: what the metering operator says; else what the household sent before its
 * month was final.
 */
export class Counted {
  readonly #kwh = new Map<number, number>();

  operatorSays({ from, until }: Span, kwh: number): void {
    for (let start = from; start < until; start += QUARTER_HOUR) this.#kwh.set(start, kwh);
  }

  sent(today: CalendarDay, start: number, kwh: number): void {
    const month = firstOfMonth(today);
    const open = today.slice(8) < FINAL_DAY ? addMonths(month, -1) : month;
    if (start >= berlinMilliseconds(open) && !this.#kwh.has(start)) this.#kwh.set(start, kwh);
  }

  /** Quarter hours of some days of which nothing is known. */
  gaps(first: CalendarDay, end: CalendarDay): Span[] {
    const spans: Span[] = [];
    const until = berlinMilliseconds(end);
    for (let start = berlinMilliseconds(first); start < until; start += QUARTER_HOUR) {
      const last = spans.at(-1);
      if (this.#kwh.has(start)) continue;
      if (last?.until === start) last.until += QUARTER_HOUR;
      else spans.push({ from: start, until: start + QUARTER_HOUR });
    }
    return spans;
  }

  /** kWh of some days. */
  total(first: CalendarDay, end: CalendarDay): number {
    return this.#sum(first, end, () => 1);
  }

  /** EUR at the prices of the market, net. */
  valued(first: CalendarDay, end: CalendarDay): number {
    return this.#sum(first, end, (start) => priceAt(start) / 1_000);
  }

  /** kWh of quarter hours with a price below zero. */
  atNegativePrice(first: CalendarDay, end: CalendarDay): number {
    return this.#sum(first, end, (start) => (priceAt(start) < 0 ? 1 : 0));
  }

  #sum(first: CalendarDay, end: CalendarDay, weigh: (start: number) => number): number {
    const until = berlinMilliseconds(end);
    let sum = 0;
    for (let start = berlinMilliseconds(first); start < until; start += QUARTER_HOUR)
      sum += (this.#kwh.get(start) ?? 0) * weigh(start);
    return sum;
  }

  /** kWh by month. */
  months(first: CalendarDay, end: CalendarDay): number[] {
    const sums: number[] = [];
    for (let month = firstOfMonth(first); month < end; month = addMonths(month, 1)) {
      sums.push(this.#sum(later(month, first), earlier(addMonths(month, 1), end), () => 1));
    }
    return sums;
  }
}
