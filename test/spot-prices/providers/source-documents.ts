import { gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import type { ReadableSource } from '../../../src/spot-prices/providers/index.ts';
import { periodOf, publication } from './documents.ts';

/* Bodies of every source whose prices are read: tests that hold for all of them take these. */

export interface SourceDocuments {
  /** Around a price as it is written there. */
  readonly around: (price: string) => string;
  /** EUR/MWh in one of its units; 1 where absent. */
  readonly unitEurMwh?: number;
  /** Whole, with a price, without white space at the end. */
  readonly whole: string;
}

const start = startsOf(gridOf('2026-11-21'))[0] ?? 0;

/** Synthetic prices have the form of Energy-Charts. */
export const SOURCE_DOCUMENTS: Readonly<Record<Exclude<ReadableSource, 'synthetic'>, SourceDocuments>> = {
  entsoe: {
    around: (price) =>
      publication([{ curve: 'A01', periods: [{ ...periodOf('2026-11-21'), points: [[1, price]] }] }]),
    whole: publication([
      { periods: [{ from: start, to: start + 3_600_000, points: [[1, '94.26']] }] },
    ]).trimEnd(),
  },
  smard: {
    around: (price) => `{"series":[[1795215600000,94.26],[1795216500000,${price}]]}`,
    whole: `{"meta_data":{"created":1},"series":[[${start},94.26],[${start + 900_000},91.96]]}`,
  },
  'energy-charts': {
    around: (price) =>
      `{"unit":"EUR / MWh","deprecated":false,"unix_seconds":[1795215600,1795216500],"price":[94.26,${price}]}`,
    whole: `{"unit":"EUR / MWh","deprecated":false,"unix_seconds":[${start / 1_000}],"price":[94.26]}`,
  },
  awattar: {
    around: (price) =>
      `{"url":"/de/v1/marketdata","data":[{"start_timestamp":1795215600000,"end_timestamp":1795219200000,"marketprice":${price},"unit":"Eur/MWh"}]}`,
    whole: `{"url":"/de/v1","data":[{"start_timestamp":${start},"end_timestamp":${start + 3_600_000},"unit":"Eur/MWh","marketprice":94.3}]}`,
  },
  energyforecast: {
    around: (price) =>
      `{"data":[{"start":"2026-11-20T23:00:00Z","end":"2026-11-20T23:15:00Z","price_ct_kwh":${price},"total_ct_kwh":${price},"price_origin":"forecast"}]}`,
    unitEurMwh: 10,
    whole:
      '[{"start":"2026-11-20T23:00:00Z","end":"2026-11-20T23:15:00Z","price":0.09426,"price_origin":"forecast"}]',
  },
};

export const DOCUMENTED_SOURCES = Object.keys(SOURCE_DOCUMENTS) as (keyof typeof SOURCE_DOCUMENTS)[];
