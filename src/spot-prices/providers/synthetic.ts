import { rangeSource } from './energy-charts.ts';

/**
 * Invented prices of a feed on this machine, for trying things out. It has the form of Energy-Charts, and a name of its
 * own: its numbers can never pass for those of a source.
 */
export const synthetic = rangeSource(
  {
    name: 'synthetic',
    title: 'Synthetic prices',
    origin: 'invented',
    pace: { daysMax: 45, milliseconds: 500 },
    licence: {
      text: 'invented numbers of a feed on this machine, no market prices; free for every use',
      ignoresBody: true,
    },
    address: {
      defaults: ['http://127.0.0.1:4310/energy-charts'],
      thisMachineOnly: true,
      meaning:
        'the feed of invented prices on this machine; asked, and nobody else, where `PRICES_SOURCES` is `synthetic`; refused in production',
    },
  },
  { dayPaceMilliseconds: 0 },
);
