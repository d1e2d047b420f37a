import { describe, expect, test } from 'vitest';
import { wireFiles } from '../../../src/spot-prices/providers/wire-files.ts';
import type { Feed } from '../../../src/spot-prices/series.ts';
import { bytes, periodOf, publication } from './documents.ts';

/** One document of each feed around a price, in the feed's own unit. */
const DOCUMENTS: Readonly<Record<Exclude<Feed, 'synthetic'>, (price: string) => string>> = {
  entsoe: (price) =>
    publication([{ curve: 'A01', periods: [{ ...periodOf('2026-11-21'), points: [[1, price]] }] }]),
  smard: (price) => `{"series":[[1795215600000,94.26],[1795216500000,${price}]]}`,
  'energy-charts': (price) =>
    `{"unit":"EUR / MWh","deprecated":false,"unix_seconds":[1795215600,1795216500],"price":[94.26,${price}]}`,
  awattar: (price) =>
    `{"url":"/de/v1/marketdata","data":[{"start_timestamp":1795215600000,"end_timestamp":1795219200000,"marketprice":${price},"unit":"Eur/MWh"}]}`,
  energyforecast: (price) =>
    `{"data":[{"start":"2026-11-20T23:00:00Z","end":"2026-11-20T23:15:00Z","price_ct_kwh":${price},"total_ct_kwh":${price},"price_origin":"forecast"}]}`,
};

const UNITS: Readonly<Partial<Record<Feed, number>>> = { energyforecast: 10 };

describe.each(Object.keys(DOCUMENTS) as (keyof typeof DOCUMENTS)[])('%s', (feed) => {
  const read = (price: string) =>
    wireFiles[feed](bytes(DOCUMENTS[feed](price)), { zone: 'DE-LU', days: null });
  const inUnit = (eurMwh: number) => String(eurMwh / (UNITS[feed] ?? 1));

  test('a price of 100,000 EUR/MWh on either side is the last one that is read', () => {
    expect(read(inUnit(100_000))).toMatchObject({ status: 'read' });
    expect(read(inUnit(-100_000))).toMatchObject({ status: 'read' });
    expect(read(inUnit(100_001))).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('100000'),
    });
    expect(read(inUnit(-100_001))).toMatchObject({ status: 'rejected' });
  });

  test.each(['1e399', '-1e399', 'Infinity', '-Infinity', 'NaN'])('a price of %s is refused', (price) => {
    expect(read(price)).toMatchObject({ status: 'rejected' });
  });
});
