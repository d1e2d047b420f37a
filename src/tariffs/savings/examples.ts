import type { Savings } from './schema.ts';

export const savingsBodyExample = {
  zip_code: '45468',
  household: { usage: 3500 },
  assets: { ev: { distance: 12_000 } },
};

export const savingsExample: Savings = {
  object: 'savings',
  savings: 397.66,
  resolution: 'year',
  cost: { before: 1984.8, after: 1587.14 },
  usage: { consumption: 4947 },
  optimization_rate: 0.1316,
  grid_fee_reductions: { '14a_module_1': true, '14a_module_3': true },
  components: [
    {
      group: 'tariff',
      savings: 163.77,
      subcomponents: [
        { subgroup: 'base', name: 'Grundpreis', savings: -60.4 },
        { subgroup: 'variable', name: 'Arbeitspreis', savings: 224.17 },
      ],
    },
    {
      group: 'grid_fee_reductions',
      savings: 164.69,
      subcomponents: [
        {
          subgroup: '14a_module_1',
          name: 'Pauschale Netzentgeltreduktion (§14a EnWG Modul 1)',
          savings: 165.06,
        },
        {
          subgroup: '14a_module_3',
          name: 'Zeitvariables Netzentgelt (§14a EnWG Modul 3)',
          savings: -0.37,
        },
      ],
    },
    {
      group: 'optimization',
      savings: 69.2,
      subcomponents: [{ subgroup: 'variable', name: 'Optimierung (Lastverschiebung)', savings: 69.2 }],
    },
  ],
};
