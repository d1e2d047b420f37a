import { type PriceConfig, type PriceKind, priceKinds } from '../config/prices.ts';
import type { Database } from '../platform/database/db.ts';
import type { Deps } from '../platform/deps.ts';
import { createShortCache } from '../platform/short-cache.ts';
import { findPriceKind } from './upkeep/day-queries.ts';

/* Invented prices never pass for those of the market: whoever shows prices asks here of which kind they are. */

const TITLES: Readonly<Record<PriceKind, string | null>> = {
  market: null,
  local: 'local: prices of a feed on this machine, no market prices',
  synthetic: 'synthetic: invented numbers, no market prices',
};

/**
 * Where the licences of the prices stand, for the header `Link`. What are no prices of the market say so there, as its
 * title: the members of an answer are fixed.
 */
export function licenseLink({ docsBase }: Pick<Deps['config'], 'docsBase'>, kind: PriceKind): string {
  const title = TITLES[kind];
  return `<${docsBase}/data-sources>; rel="license"${title === null ? '' : `; title="${title}"`}`;
}

interface KindParts {
  readonly database: Database;
  readonly config: PriceConfig;
}

/**
 * Of which kind the shown prices are: what the database holds, whoever this process asks; where it holds none yet, what it
 * asks for. Looked up every five seconds.
 */
export function createPriceKind({ database, config }: KindParts): () => Promise<PriceKind> {
  const kept = createShortCache<PriceKind>();
  const find = async () =>
    (await database.asService(findPriceKind)) ??
    priceKinds(config).find((kind) => kind !== 'market') ??
    'market';
  return () => kept('kind', find);
}

/** Why a process must not start: the prices that it asks for are never stored beside those of the database. */
export async function priceKindProblems({ database, config }: KindParts): Promise<string[]> {
  const held = await database.asService(findPriceKind);
  const given = priceKinds(config);
  if (held === null || given.includes(held)) return [];
  return [
    `PRICES_SOURCES and the addresses of its sources give ${given.join(' and ')} prices, and this database holds ${held} ones for good: configure sources of that kind, or another database`,
  ];
}
