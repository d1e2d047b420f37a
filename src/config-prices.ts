import { z } from 'zod';

/*
 * Where day-ahead prices come from. The part of the configuration that service, worker and command line share; read
 * by config.ts.
 */

/** Feeds whose prices may be served, in the order in which they are asked. */
const MARKET_SOURCES = ['entsoe', 'smard', 'energy-charts'] as const;
const SOURCES = [...MARKET_SOURCES, 'synthetic'] as const;

/** Plain http only to this machine: a price that was changed on the way would be billed. */
const FEED_ADDRESS = /^(https:\/\/[^/?#]+|http:\/\/127\.0\.0\.1(:\d+)?)(\/[^?#]*[^/?#])?$/;
const ADDRESS_RULE = 'needs an https:// address, or http://127.0.0.1, without a slash at the end';

const address = (fallback: string) => z.string().regex(FEED_ADDRESS, ADDRESS_RULE).default(fallback);

const token = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'needs 1 to 200 printable characters without a space')
  .optional();

/** The parts between commas, each held against the schema. */
function listOf<Item extends z.ZodType>(fallback: string, items: z.ZodArray<Item>) {
  return z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const parts = text.split(',').map((part) => part.trim());
      const parsed = items.safeParse(parts.filter((part) => part !== ''));
      if (parsed.success) return parsed.data;
      context.addIssue({ code: 'custom', message: parsed.error.issues[0]?.message ?? '' });
      return z.NEVER;
    });
}

const sources = listOf(
  MARKET_SOURCES.join(','),
  z
    .array(z.enum(SOURCES, `needs some of ${SOURCES.join(', ')}, separated by commas`))
    .min(1, 'needs at least one source')
    .refine((names) => new Set(names).size === names.length, 'names a source twice')
    .refine(
      (names) => names.length === 1 || !names.includes('synthetic'),
      'invented prices and those of the market are never mixed: synthetic stands alone',
    ),
);

const switchedOff = z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] }).default(false);

export const priceVariables = {
  /** Sources of realized prices in their order: the first one that has a whole day is served. */
  PRICES_SOURCES: sources,
  /** Setting it says that publishing ENTSO-E's prices was cleared. Without it ENTSO-E is not asked. */
  PRICES_ENTSOE_TOKEN: token,
  /** Without it energyforecast.de is not asked. */
  PRICES_ENERGYFORECAST_TOKEN: token,
  /** Terms of the contract with energyforecast.de; kept with every fetch. */
  PRICES_ENERGYFORECAST_LICENCE: z
    .string()
    .max(1000)
    .default("energyforecast.de, terms of the operator's contract"),
  /** Address or e-mail that the sources find in the user agent. */
  PRICES_CONTACT: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'needs one address or e-mail without a space')
    .optional(),
  /** A second address behind a comma is tried after a failed connection or a 5xx of the first. */
  PRICES_ENTSOE_URL: listOf(
    'https://web-api.tp.entsoe.eu,https://external-api.tp.entsoe.eu',
    z
      .array(z.string().regex(FEED_ADDRESS, ADDRESS_RULE))
      .min(1, 'needs an address')
      .max(2, 'takes two addresses at most'),
  ),
  PRICES_SMARD_URL: address('https://www.smard.de'),
  PRICES_ENERGY_CHARTS_URL: address('https://api.energy-charts.info'),
  /** The feed of invented prices, on this machine; asked where PRICES_SOURCES is `synthetic`. */
  PRICES_SYNTHETIC_URL: z
    .string()
    .regex(
      /^http:\/\/127\.0\.0\.1(:\d+)?(\/[^?#]*[^/?#])?$/,
      'needs an address of this machine, http://127.0.0.1',
    )
    .default('http://127.0.0.1:4310/energy-charts'),
  PRICES_AWATTAR_URL: address('https://api.awattar.de'),
  PRICES_ENERGYFORECAST_URL: address('https://www.energyforecast.de'),
  /** Asks Nord Pool's portal when it published, for the record; a use that nobody there has documented. */
  PRICES_NORDPOOL: switchedOff,
  PRICES_NORDPOOL_URL: address('https://dataportal-api.nordpoolgroup.com'),
  /** Shows forecasts on the page of prices, where everybody sees them. */
  PRICES_PAGE_FORECASTS: switchedOff,
};

const schema = z.object(priceVariables);

export type PriceConfig = Readonly<z.output<typeof schema>>;

/** The part alone, for programs that look at feeds before there is a service. */
export function readPriceConfig(environment: Readonly<Record<string, string>> = {}): PriceConfig {
  return schema.parse(environment);
}

/** Whether prices are invented, under a name of their own; then no source of market prices or forecasts is asked. */
export function asksSyntheticOnly(config: PriceConfig): boolean {
  return config.PRICES_SOURCES.includes('synthetic');
}

/** Addresses of every feed that may be asked by the name of their variable. */
export function feedAddresses(config: PriceConfig): Record<string, readonly string[]> {
  if (asksSyntheticOnly(config)) return { PRICES_SYNTHETIC_URL: [config.PRICES_SYNTHETIC_URL] };
  return {
    PRICES_ENTSOE_URL: config.PRICES_ENTSOE_URL,
    PRICES_SMARD_URL: [config.PRICES_SMARD_URL],
    PRICES_ENERGY_CHARTS_URL: [config.PRICES_ENERGY_CHARTS_URL],
    PRICES_AWATTAR_URL: [config.PRICES_AWATTAR_URL],
    PRICES_ENERGYFORECAST_URL: [config.PRICES_ENERGYFORECAST_URL],
    ...(config.PRICES_NORDPOOL ? { PRICES_NORDPOOL_URL: [config.PRICES_NORDPOOL_URL] } : {}),
  };
}

function isLoopback(url: string): boolean {
  return /^https?:\/\/(127\.[\d.]+|localhost|\[::1\])(?=[:/]|$)/i.test(url);
}

/** Names of the variables whose feed is on this machine: its prices are invented. */
export function syntheticFeeds(config: PriceConfig): string[] {
  return Object.entries(feedAddresses(config))
    .filter(([, urls]) => urls.some(isLoopback))
    .map(([name]) => name);
}

export function pricesAreSynthetic(config: PriceConfig): boolean {
  return syntheticFeeds(config).length > 0;
}
