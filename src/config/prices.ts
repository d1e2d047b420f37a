import { z } from 'zod';
import {
  addressVariable,
  type ConfiguredSource,
  configuredSources,
  listOf,
  MARKET_SOURCES,
  type SourceValues,
  settingsOf,
  variablesOf,
} from './price-sources.ts';

/*
 * Where day-ahead prices come from. The part of the configuration that service, worker and command line share; read
 * by config.ts. The variables of a source follow from its descriptor.
 */

const { synthetic } = configuredSources;
const ALL: readonly ConfiguredSource[] = Object.values(configuredSources);
const MARKET = MARKET_SOURCES.map(({ name }) => name);
const REALIZED = [...MARKET, synthetic.name] as const;

const sources = listOf(
  MARKET.join(','),
  z
    .array(z.enum(REALIZED, `needs some of ${REALIZED.join(', ')}, separated by commas`))
    .min(1, 'needs at least one source')
    .refine((names) => new Set(names).size === names.length, 'names a source twice')
    .refine(
      (names) => names.length === 1 || !names.includes(synthetic.name),
      `invented prices and those of the market are never mixed: ${synthetic.name} stands alone`,
    ),
);

const ownVariables = {
  /** Sources of realized prices in their order: the first one that has a whole day is served. */
  PRICES_SOURCES: sources,
  /** Address or e-mail that the sources find in the user agent. */
  PRICES_CONTACT: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'needs one address or e-mail without a space')
    .optional(),
};

/** Of every source, in the order of the sources. */
export const sourceVariables = ALL.flatMap((source) => variablesOf(source));

/** The variables of the sources are there as well; their types are those of `SourceValues`. */
export const priceVariables: typeof ownVariables = {
  ...ownVariables,
  ...Object.fromEntries(sourceVariables.map(({ name, schema }) => [name, schema])),
};

const schema = z.object(priceVariables);

export type PriceConfig = Readonly<z.output<typeof schema>> & SourceValues;

/** The part alone, for programs that look at feeds before there is a service. */
export function readPriceConfig(environment: Readonly<Record<string, string>> = {}): PriceConfig {
  return schema.parse(environment);
}

/** Whether prices are invented, under a name of their own; then no source of market prices or forecasts is asked. */
export function asksSyntheticOnly(config: PriceConfig): boolean {
  return config.PRICES_SOURCES.includes(synthetic.name);
}

/** Addresses of every feed that may be asked by the name of their variable. */
export function feedAddresses(config: PriceConfig): Record<string, readonly string[]> {
  const sources = asksSyntheticOnly(config)
    ? [synthetic]
    : ALL.filter((source) => source !== synthetic && settingsOf(config, source).isOn);
  return Object.fromEntries(
    sources.map((source) => [addressVariable(source), settingsOf(config, source).addresses]),
  );
}

function isLoopback(url: string): boolean {
  return /^https?:\/\/(127\.[\d.]+|localhost|\[::1\])(?=[:/]|$)/i.test(url);
}

/** `local`: of a feed on this machine under the name of a source; `synthetic`: invented, under their own name. */
export type PriceKind = 'market' | 'local' | 'synthetic';

/** Which kinds of prices the feeds give. A database holds one kind for good. */
export function priceKinds(config: PriceConfig): PriceKind[] {
  if (asksSyntheticOnly(config)) return ['synthetic'];
  const urls = Object.values(feedAddresses(config)).flat();
  return [...new Set(urls.map((url) => (isLoopback(url) ? 'local' : 'market')))];
}

/** Names of the variables whose feed is on this machine: its prices are invented. */
export function syntheticFeeds(config: PriceConfig): string[] {
  return Object.entries(feedAddresses(config))
    .filter(([, urls]) => urls.some(isLoopback))
    .map(([name]) => name);
}
