import type { Decimal } from 'decimal.js';
import { BoundedCache } from '../../platform/bounded-cache.ts';

const AMOUNTS_KEPT = 20_000;
const amounts = new BoundedCache<Decimal>(AMOUNTS_KEPT);

/**
 * An amount that follows from a rule and these figures alone, calculated once: the same few figures come in every quote,
 * and exact arithmetic with them was half of what a quote costs.
 */
export function keptAmount(rule: string, figures: readonly string[], calculate: () => Decimal): Decimal {
  const key = `${rule} ${figures.join(' ')}`;
  const known = amounts.get(key);
  if (known !== undefined) return known;
  const calculated = calculate();
  amounts.set(key, calculated);
  return calculated;
}
