import { awattar } from './awattar.ts';
import { energyCharts } from './energy-charts.ts';
import { energyforecast } from './energyforecast.ts';
import { entsoe } from './entsoe.ts';
import { nordpool } from './nordpool.ts';
import { smard } from './smard.ts';
import { synthetic } from './synthetic.ts';

/*
 * Every source there is. What may be configured, asked, stored, served and named follows from these lists.
 */

/** Sources of market prices, best first: the first one that has a whole day is served, unless PRICES_SOURCES says otherwise. */
export const MARKET_SOURCES = [entsoe, smard, energyCharts] as const;

/** Invented prices: asked instead of all others, never beside one. */
export const syntheticSource = synthetic;

/** All whose prices are stored and may be served. */
export const PRICE_SOURCES = [...MARKET_SOURCES, syntheticSource] as const;

/** Hourly means that only confirm. */
export const meansSource = awattar;
/** Forecasts; they have a store of their own. */
export const forecastSource = energyforecast;
/** Evidence of when the market published. */
export const publicationSource = nordpool;

/** All whose values are stored. */
export const STORED_SOURCES = [...PRICE_SOURCES, forecastSource] as const;
/** All whose bodies have prices that can be read. */
export const READABLE_SOURCES = [...PRICE_SOURCES, meansSource, forecastSource] as const;
/** Whoever may be asked. */
export const SOURCES = [...READABLE_SOURCES, publicationSource] as const;

export type RealizedSource = (typeof PRICE_SOURCES)[number]['name'];
export type ReadableSource = (typeof READABLE_SOURCES)[number]['name'];
export type SourceName = (typeof SOURCES)[number]['name'];

export const REALIZED_SOURCES: readonly RealizedSource[] = PRICE_SOURCES.map(({ name }) => name);

type ByName<List extends readonly { readonly name: string }[]> = {
  readonly [Source in List[number] as Source['name']]: Source;
};

function byName<const List extends readonly { readonly name: string }[]>(list: List): ByName<List> {
  return Object.freeze(Object.fromEntries(list.map((source) => [source.name, source]))) as ByName<List>;
}

export const sources = byName(SOURCES);

const ORIGINS: ReadonlyMap<string, string> = new Map(
  [...PRICE_SOURCES, meansSource].map(({ name, origin }) => [name, origin]),
);

/** Who measured what a source gives. */
export function originOf(name: string): string {
  return ORIGINS.get(name) ?? name;
}
