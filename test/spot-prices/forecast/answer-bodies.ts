import { formulaPrices } from './stored-history.ts';

/* Answers of energyforecast.de as they are at noon of 2026-11-19: real prices to midnight, then a forecast. */

export const NEXT = '2026-11-20';

interface RowOptions {
  price?: (eurMwh: number) => number;
  total?: (eurMwh: number) => number;
  origin?: string | null;
  minutes?: 15 | 60;
}

const DAY_START = Date.parse('2026-11-18T23:00:00Z');
const iso = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

/** Rows of the answer: the last 52 quarters of 2026-11-19 as market, 2026-11-20 as forecast. */
function rowsOfAnswer(options: RowOptions = {}) {
  const { price = (eurMwh) => eurMwh, total = price, minutes = 15 } = options;
  const all = [...formulaPrices('2026-11-19'), ...formulaPrices(NEXT)];
  const count = minutes / 15;
  const list = [];
  for (let index = 44; index < all.length; index += count) {
    const part = all.slice(index, index + count);
    const mean = part.reduce((sum, value) => sum + value, 0) / count;
    const start = DAY_START + index * 900_000;
    const origin = index < 96 ? 'market' : 'forecast';
    list.push({
      start: iso(start),
      end: iso(start + minutes * 60_000),
      eurMwh: price(mean),
      total: total(mean),
      ...(options.origin === null ? {} : { price_origin: options.origin ?? origin }),
    });
  }
  return list;
}

const inCents = (eurMwh: number) => Number((eurMwh / 10).toFixed(6));
const inEuroPerKwh = (eurMwh: number) => Number((eurMwh / 1000).toFixed(8));

/** ct/kWh with a total beside it. */
export function v2(options: RowOptions = {}): Uint8Array {
  const data = rowsOfAnswer(options).map(({ eurMwh, total, ...row }) => ({
    ...row,
    price_ct_kwh: inCents(eurMwh),
    total_ct_kwh: inCents(total),
  }));
  return Buffer.from(JSON.stringify({ generated_at: '2026-11-19T03:10:00Z', valid_until: null, data }));
}

/** EUR/kWh without. */
export function v1(options: RowOptions = {}): Uint8Array {
  return Buffer.from(
    JSON.stringify(
      rowsOfAnswer(options).map(({ eurMwh, total: _total, ...row }) => ({
        ...row,
        price: inEuroPerKwh(eurMwh),
      })),
    ),
  );
}
