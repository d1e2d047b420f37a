import { rangeProvider } from './energy-charts.ts';

/**
 * Invented prices of a feed on this machine, for trying things out. It has the form of Energy-Charts, and a name of its
 * own: its numbers can never pass for those of a source.
 */
export const synthetic = rangeProvider({
  source: 'synthetic',
  daysMax: 90,
  dayPaceMilliseconds: 0,
  addressOf: (config) => config.PRICES_SYNTHETIC_URL,
});
