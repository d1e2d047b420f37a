/** Requests with every figure of their answers, calculated by hand from the published prices of 2026. */
export interface WorkedExample {
  title: string;
  plan: 'dynamisch' | 'einspeisung';
  body: Readonly<Record<string, unknown>>;
  lines: readonly string[];
}

const BASE_FEE = 'base fee Grundgebühr 5.95';
const MODULE_1 = 'base grid Pauschale Netzentgeltreduktion (§14a EnWG Modul 1)';
const ENERGY = 'variable energy EPEX Day-Ahead Preis (12m avg.) 0.106291';
const OPTIMIZATION = 'variable optimization Optimierung (Lastverschiebung)';
const MARGIN = 'variable fee Beschaffung 0.02142';
const levies = (concessionFee: string) => [
  `variable levies Konzessionsabgabe ${concessionFee}`,
  'variable levies Stromsteuer 0.024395',
  'variable levies Offshore-Netzumlage 0.011198',
  'variable levies Aufschlag für besondere Netznutzung 0.018552',
  'variable levies KWKG-Umlage 0.005307',
];

const modules = (...numbers: number[]) => ({
  grid_fee_reductions: Object.fromEntries(numbers.map((number) => [`14a_module_${number}`, true])),
});

export const WORKED_EXAMPLES: readonly WorkedExample[] = [
  {
    title: 'an analog meter where a rate of 0 is sent',
    plan: 'dynamisch',
    body: { zip_code: '10115', usage: { consumption: 2500 }, optimization_rate: 0 },
    lines: [
      BASE_FEE,
      'base grid Netzentgelte 3.3082',
      'base metering Messstellengebühren 2.083333',
      'base 1 month × 11.341533 = 11.34',
      ENERGY,
      MARGIN,
      'variable grid Netzentgelte 0.088774',
      ...levies('0.028441'),
      'variable 208.3333 kWh × 0.304378 = 63.41',
      'amount 74.75',
    ],
  },
  {
    title: 'a smart meter where the rate of the plan counts',
    plan: 'dynamisch',
    body: { zip_code: '10115', usage: { consumption: 2500 } },
    lines: [
      BASE_FEE,
      'base grid Netzentgelte 3.3082',
      'base metering Messstellengebühren 2.5',
      'base 1 month × 11.7582 = 11.76',
      ENERGY,
      `${OPTIMIZATION} -0.010629`,
      MARGIN,
      'variable grid Netzentgelte 0.088774',
      ...levies('0.028441'),
      'variable 208.3333 kWh × 0.293749 = 61.2',
      'amount 72.96',
    ],
  },
  {
    title: 'modules 1 and 3 with prices by the clock all year',
    plan: 'dynamisch',
    body: { zip_code: '45468', usage: { consumption: 6000 }, optimization_rate: 0.2, ...modules(1, 3) },
    lines: [
      BASE_FEE,
      'base grid Netzentgelte 7.963083',
      `${MODULE_1} -13.754417`,
      'base metering Messstellengebühren 4.166667',
      'base 1 month × 4.325333 = 4.33',
      ENERGY,
      `${OPTIMIZATION} -0.021258`,
      MARGIN,
      'variable grid Netzentgelte 0.113482',
      ...levies('0.023681'),
      'variable 500 kWh × 0.303068 = 151.53',
      'amount 155.86',
    ],
  },
  {
    title: 'module 2 without a base price of the grid',
    plan: 'dynamisch',
    body: { zip_code: '45468', usage: { consumption: 4000 }, optimization_rate: 0.15, ...modules(2) },
    lines: [
      BASE_FEE,
      'base metering Messstellengebühren 4.166667',
      'base 1 month × 10.116667 = 10.12',
      ENERGY,
      `${OPTIMIZATION} -0.015944`,
      MARGIN,
      'variable grid Netzentgelte 0.113407',
      'variable grid Prozentuale Netzentgeltreduktion (§14a EnWG Modul 2) -0.068068',
      ...levies('0.023681'),
      'variable 333.3333 kWh × 0.240239 = 80.08',
      'amount 90.2',
    ],
  },
  {
    title: 'modules 1 and 3 with prices by the clock in half of the year',
    plan: 'dynamisch',
    body: { zip_code: '85716', usage: { consumption: 12_000 }, optimization_rate: 0.25, ...modules(1, 3) },
    lines: [
      BASE_FEE,
      'base grid Netzentgelte 9.772875',
      `${MODULE_1} -10.177475`,
      'base metering Messstellengebühren 4.166667',
      'base 1 month × 9.712067 = 9.71',
      ENERGY,
      `${OPTIMIZATION} -0.026573`,
      MARGIN,
      'variable grid Netzentgelte 0.057645',
      ...levies('0.018921'),
      'variable 1000 kWh × 0.237156 = 237.16',
      'amount 246.87',
    ],
  },
  {
    title: 'module 1 where its credit ends at the grid fees of the year',
    plan: 'dynamisch',
    body: { zip_code: '45468', usage: { consumption: 100 }, optimization_rate: 0, ...modules(1) },
    lines: [
      BASE_FEE,
      'base grid Netzentgelte 7.963083',
      `${MODULE_1} -8.908142`,
      'base metering Messstellengebühren 2.083333',
      'base 1 month × 7.088274 = 7.09',
      ENERGY,
      MARGIN,
      'variable grid Netzentgelte 0.113407',
      ...levies('0.023681'),
      'variable 8.3333 kWh × 0.324251 = 2.7',
      'amount 9.79',
    ],
  },
  {
    title: 'feeding in with VAT',
    plan: 'einspeisung',
    body: { zip_code: '10115', usage: { consumption: 5000 } },
    lines: [
      'base fee Grundgebühr -2.975',
      'base 1 month × -2.975 = -2.98',
      'variable energy EEG-Einspeisevergütung 0.09163',
      'variable 416.6667 kWh × 0.09163 = 38.18',
      'amount 35.2',
    ],
  },
];
