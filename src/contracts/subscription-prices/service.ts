import { NEWEST_VERSION } from '../../config/versions.ts';
import type { Deps } from '../../platform/deps.ts';
import { unavailable } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/principal.ts';
import { createSubscriptionPrices } from './read.ts';
import type { SubscriptionPrices, SubscriptionPricesQuery } from './schema.ts';

/** Prices that come in between change the answer: then it is asked for again. */
const ROUNDS_MAX = 3;

interface ShownPrices extends SubscriptionPrices {
  /** A part of them has ended before its day, and nothing newer is known: what the header of the answer says. */
  readonly isCarriedForward: boolean;
}

/** The answers of the interface, for pages on which customers see the prices of their contracts. */
export function createShownPrices(deps: Pick<Deps, 'database' | 'clock' | 'config'>) {
  const pricesOf = createSubscriptionPrices(deps);
  return async (
    tenant: Tenant,
    subscription: string,
    query: SubscriptionPricesQuery,
  ): Promise<ShownPrices> => {
    const request = { principal: tenant, pathId: subscription, query, version: NEWEST_VERSION };
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const answer = await pricesOf({ ...request, requires: () => undefined, knows: () => true });
      const { headers, text: textOf } = await answer.find();
      const isCarriedForward = headers.link?.includes('rel="describedby"') === true;
      const text = await textOf();
      if (text !== null) return { ...(JSON.parse(text) as SubscriptionPrices), isCarriedForward };
    }
    throw unavailable('The prices are being changed');
  };
}
