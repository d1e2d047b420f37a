/* For the pages on which customers send readings. */
export { readingDays, whyUnfit } from './fits.ts';
export { newestReadingDay } from './rules.ts';
