import { configuredSources } from '../../config/price-sources.ts';
import { rangeSource } from './energy-charts.ts';

/**
 * Invented prices of a feed on this machine, for trying things out. It has the form of Energy-Charts, and a name of its
 * own: its numbers can never pass for those of a source.
 */
export const synthetic = rangeSource(
  {
    ...configuredSources.synthetic,
    title: 'Synthetic prices',
    origin: 'invented',
    pace: { daysMax: 45, milliseconds: 500 },
  },
  { dayPaceMilliseconds: 0 },
);
