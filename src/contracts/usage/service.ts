/* For nouns that build on usage, as bills do: what the meter was on which days, and which of them are settled. */

export { partOn, partsWithin } from './meter-parts.ts';
export { settledUntil } from './settlement.ts';

/* For the page on which customers see their usage. */

export { createUsage } from './read.ts';
