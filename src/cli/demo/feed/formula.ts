import { type FeedDay, feedDay, minuteText, wallClock } from './days.ts';
import { isNationwideHoliday, weekdayOf } from './holidays.ts';

/*
 * The invented prices: whole numbers of cents per MWh that follow from the date alone, the same on every machine and at
 * every time. They have a shape of days and seasons, negative noons in summer, repeats, and quarter hours that end flat.
 */

const BASE = [11000, 10500, 8500, 7000, 6000, 6000, 6500, 7000, 8500, 9500, 11000, 11500];
const SUN = [10, 25, 50, 80, 100, 100, 95, 85, 60, 40, 15, 10];
const SHAPE = [
  ...[-1500, -1900, -2200, -2300, -2000, -1000, 800, 2600, 2400, 1000, 0, -600],
  ...[-1000, -1100, -700, 0, 1000, 3000, 5000, 5800, 4200, 2000, 500, -700],
];
const DIP_FROM_HOUR = 9;
const DIP = [2000, 5000, 8000, 10000, 10500, 9000, 6000, 3000];

/** FNV-1a over ASCII, 32 bits. */
export function hash(text: string): number {
  let value = 2166136261;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 16777619);
  }
  return value >>> 0;
}

/** A whole number from −n to n. */
export function noise(text: string, n: number): number {
  return (hash(text) % (2 * n + 1)) - n;
}

const pricesByDate = new Map<string, Int32Array>();

/** Cents per MWh of every interval of a day, in order. */
export function pricesOf(date: string): Int32Array {
  const found = pricesByDate.get(date);
  if (found !== undefined) return found;
  const prices = makePrices(feedDay(date));
  pricesByDate.set(date, prices);
  return prices;
}

function makePrices(day: FeedDay): Int32Array {
  const month = Number(day.date.slice(5, 7)) - 1;
  const level = at(BASE, month) + dayType(day.date) + noise(`day|${day.date}`, 1500);
  const sun = at(SUN, month) * (40 + (hash(`sun|${day.date}`) % 61));
  const prices = new Int32Array(day.starts.length);
  for (const [index, start] of day.starts.entries()) {
    const { hour, minute } = wallClock(start);
    const time = minuteText(start);
    const dip = Math.trunc((at(DIP, hour - DIP_FROM_HOUR) * sun) / 10000);
    const price = level + at(SHAPE, hour) - dip + noise(`t|${time}`, 350);
    const repeats = day.width === 15 && minute === 45 && hash(`flat|${time}`) % 10 === 0;
    prices[index] = repeats ? (prices[index - 1] ?? 0) : price;
  }
  if (hash(`tail|${day.date}`) % 5 === 0) {
    const tail = prices.length - (day.width === 15 ? 3 : 1);
    prices.fill(prices[tail - 1] ?? 0, tail);
  }
  return prices;
}

function dayType(date: string): number {
  const weekday = weekdayOf(date);
  if (weekday === 7 || isNationwideHoliday(date)) return -2000;
  return weekday === 6 ? -1000 : 0;
}

/** Zero where the list ends, and before it begins. */
function at(list: readonly number[], index: number): number {
  return list[index] ?? 0;
}

/** Price of the early auction, the second sequence of ENTSO-E, from the price of the same interval. */
export function earlyAuctionPrice(price: number, start: number): number {
  return price + 137 + (hash(`exaa|${minuteText(start)}`) % 900);
}

/** The forecast of the run at this instant, made from the price that it foresees. */
export function forecastPrice(price: number, start: number, run: number): number {
  return price + noise(`fc|${minuteText(run)}|${minuteText(start)}`, 1200);
}
