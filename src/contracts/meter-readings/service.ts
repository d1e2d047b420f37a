/* For the pages on which customers send readings. */
export { whyUnfit } from './fits.ts';
export { isReal, newestReadingDay } from './rules.ts';
