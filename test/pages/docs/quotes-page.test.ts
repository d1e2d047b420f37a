import { Decimal } from 'decimal.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { explainedQuote } from '../../../src/pages/docs/quotes-page.ts';
import { quoteExample } from '../../../src/tariffs/quotes/examples.ts';
import {
  linesOf,
  type QuoteService,
  type ShownQuote,
  startQuoteService,
} from '../../tariffs/quotes/quote-service.ts';

let service: QuoteService;
let page: string;

/** The instant that the page names: 20 November 2026, with the plan of the demo that it describes. */
beforeAll(async () => {
  service = await startQuoteService();
  page = unescaped(await (await fetch(`${service.api.baseUrl}/docs/quotes`)).text());
});
afterAll(() => service?.api.close());

const unescaped = (html: string) =>
  html.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

/** What a line of the page sends, and where. */
async function requestOf(path: string): Promise<Record<string, unknown>> {
  const block = [...page.matchAll(/<pre>([\s\S]*?)<\/pre>/g)].find(([, text]) => text?.includes(`/${path}"`));
  const body = /-d '(\{.*\})'/.exec(block?.[1] ?? '')?.[1];
  const answer = await service
    .client()
    .post(`/plans/${service.plans.dynamisch}/${path}`, JSON.parse(body ?? '') as object);
  expect(answer.status).toBe(200);
  return answer.body as Record<string, unknown>;
}

test('every row of the page is one of the answer to its line, in order, and its sum comes to the amount', async () => {
  const quote = (await requestOf('quote')) as unknown as ShownQuote;
  const rows = explainedQuote(quoteExample).flatMap((group) => group.rows);
  const answered = quote.components.flatMap(({ subcomponents }) => subcomponents);
  expect(rows.map(({ name, amount }) => [name, Number(amount)])).toEqual(
    answered.map(({ name, amount }) => [name, amount]),
  );
  for (const { sum, amount, name } of rows) expect([name, resultOf(sum)]).toEqual([name, amount]);
  for (const { name, amount, sum } of rows)
    expect(page).toMatch(
      new RegExp(`<td>${RegExp.escape(name)}<br>${amount} EUR/\\w+</td><td>${RegExp.escape(sum)}<br>`),
    );
  for (const line of linesOf(quote).filter((text) => text.includes('×')))
    expect(page).toContain(
      line
        .slice(line.indexOf(' ') + 1)
        .replace(/ = ([\d.]+)$/, (_all, amount) => ` = ${Number(amount).toFixed(2)} EUR`),
    );
  expect(page).toContain(`<code>amount</code> is ${quote.amount.toFixed(2)} EUR`);
});

/** `1.19 × 33.36 / 12`, as a reader would work it out, to six decimals. */
function resultOf(sum: string): string {
  const [first = '', ...rest] = sum.split(' ');
  let value = new Decimal(first);
  for (let index = 0; index < rest.length; index += 2) {
    const operand = rest[index + 1] ?? '';
    value = rest[index] === '×' ? value.times(operand) : value.dividedBy(operand);
  }
  return value.toDecimalPlaces(6, Decimal.ROUND_HALF_UP).toFixed(6);
}

test('the savings of the page are the answer to its line', async () => {
  const { savings, cost, components } = (await requestOf('savings')) as {
    savings: number;
    cost: { before: number; after: number };
    components: { subcomponents: { name: string; savings: number }[] }[];
  };
  expect(page).toContain(`Before ${cost.before.toFixed(2)} EUR a year, after ${cost.after.toFixed(2)} EUR.`);
  const lines = components.flatMap(({ subcomponents }) => subcomponents);
  const shown = [
    ...page.slice(page.indexOf('id="savings"')).matchAll(/<tr><td>([^<]*)<\/td><td>(-?[\d.]+)<\/td>/g),
  ];
  expect(shown.map(([, name, amount]) => [name, Number(amount)])).toEqual(
    lines.map((line) => [line.name, line.savings]),
  );
  expect(page).toContain(`<th scope="row">Together</th><td>${savings.toFixed(2)}</td>`);
});
