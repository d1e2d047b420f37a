import { inject } from 'vitest';

/** Of `npm run test:long`: everything, however many requests that takes. */
export const isLongTier: boolean = inject('tier') === 'long';

/** How many random inputs a property is tried with: so many by `npm test`, ten times as many by `npm run test:long`. */
export function runs(count: number): number {
  return isLongTier ? 10 * count : count;
}

/** By `npm test` one of so many, by `npm run test:long` all. `turn` says which: of several things each gets another one. */
export function sampled<Item>(all: readonly Item[], oneOf: number, turn = 0): Item[] {
  return all.filter((_, index) => isLongTier || (index + turn) % oneOf === 0);
}
