import type { Quote } from '../../tariffs/quotes/schema.ts';
import type { Savings } from '../../tariffs/savings/schema.ts';
import { renderPage } from './pages.ts';

/** Requests of the API description, each with its answer. */
interface PricedExamples {
  readonly quoteBody: object;
  readonly quote: Quote;
  readonly savingsBody: object;
  readonly savings: Savings;
}

/** The guide to prices. */
export function quotesPage(examples: PricedExamples, baseUrl: string, preview: string): string {
  const { quoteBody, quote, savingsBody, savings } = examples;
  const lines = savings.components.flatMap(({ subcomponents }) =>
    subcomponents.map((line) => ({ name: line.name, savings: line.savings.toFixed(2) })),
  );
  return renderPage('quotes', {
    ...{ title: 'Quotes and savings', baseUrl, preview, lines, savingsBody },
    ...{ body: quoteBody, groups: explainedQuote(quote), amount: quote.amount.toFixed(2) },
    savings: savings.savings.toFixed(2),
    cost: { before: savings.cost.before.toFixed(2), after: savings.cost.after.toFixed(2) },
  });
}

/** How each row of the example comes about: a sum that a reader can do, and what goes into it. */
const RULES: Readonly<Record<string, readonly [sum: string, words: string]>> = {
  'base Grundgebühr': ['1.19 × 5.00', 'base fee of the plan, EUR a month'],
  'base Netzentgelte': ['1.19 × 33.36 / 12', 'base price of the grid operator, EUR a year'],
  'base Messstellengebühren': [
    '30.00 / 12',
    'most that a smart meter may cost up to 6,000 kWh (§30 MsbG), EUR a year with VAT',
  ],
  'variable EPEX Day-Ahead Preis (12m avg.)': [
    '1.19 × 8.932 / 100',
    'mean of the day-ahead prices of twelve months, ct',
  ],
  'variable Optimierung (Lastverschiebung)': [
    '-0.10 × 0.106291',
    'what shifting load to cheap hours saves: the rate of the plan, of the row above as it is shown',
  ],
  'variable Beschaffung': ['1.19 × 1.80 / 100', 'margin of the plan for procurement, ct'],
  'variable Netzentgelte': ['1.19 × 7.46 / 100', 'price of the grid operator per kWh, ct'],
  'variable Konzessionsabgabe': [
    '1.19 × 2.39 / 100',
    'for the use of public ways, by inhabitants of the municipality (§2 KAV), ct',
  ],
  'variable Stromsteuer': ['1.19 × 2.05 / 100', 'electricity tax (§3 StromStG), ct'],
  'variable Offshore-Netzumlage': ['1.19 × 0.941 / 100', 'levy for grids at sea, ct'],
  'variable Aufschlag für besondere Netznutzung': [
    '1.19 × 1.559 / 100',
    'levy for reduced grid fees of others, ct',
  ],
  'variable KWKG-Umlage': ['1.19 × 0.446 / 100', 'levy for combined heat and power, ct'],
};

const UNITS = { base: 'EUR/month', variable: 'EUR/kWh' } as const;

interface ExplainedGroup {
  rows: readonly { name: string; amount: string; unit: string; sum: string; words: string }[];
  /** `1 month × 11.7582 = 11.76 EUR`. */
  total: string;
}

/** The example of the API description, row by row. */
export function explainedQuote(quote: Quote): ExplainedGroup[] {
  return quote.components.map((component) => {
    const { group, quantity, quantity_unit, unit_amount, amount, subcomponents } = component;
    const rows = subcomponents.map(({ name, amount: ofRow }) => {
      const rule = RULES[`${group} ${name}`];
      if (rule === undefined) throw new Error(`The guide does not explain the row ${name} of ${group}`);
      return { name, amount: ofRow.toFixed(6), unit: UNITS[group], sum: rule[0], words: rule[1] };
    });
    return { rows, total: `${quantity} ${quantity_unit} × ${unit_amount} = ${amount.toFixed(2)} EUR` };
  });
}
