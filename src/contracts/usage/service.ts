/* For nouns that build on usage, as bills do: what the meter was on which days, which of them are settled, and when. */

export { lockUsage as holdUsage } from './kept-queries.ts';
export { partOn, partsWithin } from './meter-parts.ts';
export { freezesAt, settledMonths, settledUntil } from './settlement.ts';

/* For the page on which customers see their usage. */

export { createUsage } from './read.ts';
