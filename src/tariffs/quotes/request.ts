import type { GridFeeModules } from './consumption.ts';
import type { NewQuote, QuoteQuery } from './schema.ts';

/** What a quote is asked for, whichever form the request has. */
export interface QuoteRequest {
  readonly zip: string;
  /** Decimal text, as all figures of the engine. */
  readonly kwh: string;
  readonly modules: GridFeeModules;
  readonly isTaxExempt: boolean;
  /** `plan`: that of the plan, or none. */
  readonly rate: string | 'plan';
  /** `by rate`: smart where the rate is above 0. */
  readonly meter: 'analog' | 'smart' | 'by rate';
  readonly fields: QuoteFields;
}

/** Where a request of its form names things, for refusals. */
export interface QuoteFields {
  /** By which the request asks for reductions: a feed-in plan refuses each of them. */
  readonly reductions: readonly string[];
  readonly modules1And2: string;
  readonly module1: string;
  readonly module2: string;
  readonly module3: string;
}

const NO_MODULE = { '14a_module_1': false, '14a_module_2': false, '14a_module_3': false } as const;

export function requestOfBody(body: NewQuote): QuoteRequest {
  const at = 'grid_fee_reductions';
  const sent = body.grid_fee_reductions;
  const modules = sent ?? NO_MODULE;
  return {
    zip: body.zip_code,
    kwh: String(body.usage.consumption),
    modules: {
      module1: modules['14a_module_1'],
      module2: modules['14a_module_2'],
      module3: modules['14a_module_3'],
    },
    isTaxExempt: body.is_tax_exempt,
    rate: body.optimization_rate === undefined ? 'plan' : String(body.optimization_rate),
    meter: 'by rate',
    fields: {
      /* Sent with every module false it asks for reductions all the same. */
      reductions: sent === undefined ? [] : [at],
      modules1And2: at,
      module1: `${at}.14a_module_1`,
      module2: `${at}.14a_module_2`,
      module3: `${at}.14a_module_3`,
    },
  };
}

/** Before gauss the meter is named, and what shifting of load saves is part of the plan for smart meters. */
export function requestOfQuery(query: QuoteQuery): QuoteRequest {
  const [module1, module2] = ['14a_module_1', '14a_module_2'] as const;
  return {
    zip: query.zip_code,
    kwh: String(query.usage),
    modules: { module1: query[module1], module2: query[module2], module3: false },
    isTaxExempt: query.is_tax_exempt,
    rate: query.meter_type === 'smart' ? 'plan' : '0',
    meter: query.meter_type,
    fields: {
      reductions: [module1, module2].filter((name) => query[name]),
      ...{ modules1And2: module2, module1, module2, module3: '14a_module_3' },
    },
  };
}
