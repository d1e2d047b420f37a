import type { Quote } from '../../tariffs/quotes/schema.ts';
import type { Savings } from '../../tariffs/savings/schema.ts';
import { renderPage } from './pages.ts';
import { explainedQuote } from './quote-rows.ts';

/** Of the API description: requests, and what the service answers to them. */
export interface PricedExamples {
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
