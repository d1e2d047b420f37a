import type { NewQuote, Quote } from './schema.ts';

export const newQuoteExample = {
  zip_code: '10115',
  usage: { consumption: 2500 },
} as const satisfies Partial<NewQuote>;

export const quoteExample: Quote = {
  object: 'quote',
  amount: 72.96,
  currency: 'EUR',
  resolution: 'month',
  components: [
    {
      ...{ group: 'base', amount: 11.76, quantity: 1, quantity_unit: 'month', unit_amount: 11.7582 },
      subcomponents: [
        { subgroup: 'fee', name: 'Grundgebühr', amount: 5.95 },
        { subgroup: 'grid', name: 'Netzentgelte', amount: 3.3082 },
        { subgroup: 'metering', name: 'Messstellengebühren', amount: 2.5 },
      ],
    },
    {
      ...{ group: 'variable', amount: 61.2, quantity: 208.3333, quantity_unit: 'kWh', unit_amount: 0.293749 },
      subcomponents: [
        { subgroup: 'energy', name: 'EPEX Day-Ahead Preis (12m avg.)', amount: 0.106291 },
        { subgroup: 'optimization', name: 'Optimierung (Lastverschiebung)', amount: -0.010629 },
        { subgroup: 'fee', name: 'Beschaffung', amount: 0.02142 },
        { subgroup: 'grid', name: 'Netzentgelte', amount: 0.088774 },
        { subgroup: 'levies', name: 'Konzessionsabgabe', amount: 0.028441 },
        { subgroup: 'levies', name: 'Stromsteuer', amount: 0.024395 },
        { subgroup: 'levies', name: 'Offshore-Netzumlage', amount: 0.011198 },
        { subgroup: 'levies', name: 'Aufschlag für besondere Netznutzung', amount: 0.018552 },
        { subgroup: 'levies', name: 'KWKG-Umlage', amount: 0.005307 },
      ],
    },
  ],
  quoted_at: '2026-11-20T09:00:00.000Z',
};
