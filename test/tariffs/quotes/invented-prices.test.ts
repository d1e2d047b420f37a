import { afterAll, beforeAll, expect, test } from 'vitest';
import { storePrices, writeServed } from '../day-ahead-means/mean-store.ts';
import { BEFORE_GAUSS, CURIE, type QuoteService, quotePath, startQuoteService } from './quote-service.ts';

/*
 * A mean is kept by its day, with the kind of the prices that it was made of: each kind has a day of its own here.
 */

let service: QuoteService;

beforeAll(async () => {
  service = await startQuoteService();
});
afterAll(() => service?.api.close());

const ASKED = { zip_code: '10115', usage: { consumption: 2500 } };
const HOUSEHOLD = { zip_code: '10115', household: { usage: 2500 } };

async function pricesAre(kind: string): Promise<void> {
  await writeServed(service.api, 'TRUNCATE price_kind', `INSERT INTO price_kind (kind) VALUES ('${kind}')`);
}

/** The header `Link` of a quote and of savings on a day, and of the quote of a feed-in plan. */
async function linksOn(day: string) {
  const client = await service.at(`${day}T09:00:00Z`);
  const { dynamisch, einspeisung } = service.plans;
  const links: (string | null)[] = [];
  for (const [path, body] of [
    [`/plans/${dynamisch}/quote`, ASKED],
    [`/plans/${dynamisch}/savings`, HOUSEHOLD],
    [`/plans/${einspeisung}/quote`, ASKED],
  ] as const) {
    const answer = await client.post(path, body);
    expect(answer.status, answer.text).toBe(200);
    links.push(answer.headers.get('link'));
  }
  return links;
}

const linkWith = (title: string) =>
  `<${service.api.deps.config.docsBase}/data-sources>; rel="license"; title="${title}"`;

test('the published mean is of the market: nothing is said', async () => {
  await pricesAre('synthetic');
  expect(await linksOn('2026-11-19')).toEqual([null, null, null]);
});

test('quotes and savings made of invented prices say so, in the words of the prices themselves', async () => {
  await storePrices(service.api, { first: '2025-11-20', end: '2026-11-23', source: 'synthetic' });
  const link = linkWith('synthetic: invented numbers, no market prices');
  /* What is paid for feeding in does not follow from the mean. */
  expect(await linksOn('2026-11-20')).toEqual([link, link, null]);
});

test.each(BEFORE_GAUSS)('in version %s too, and to HEAD', async (version) => {
  await service.at('2026-11-20T09:00:00Z');
  const parameters = { zip_code: '10115', usage: 2500 };
  const path = quotePath(service.plans.dynamisch, parameters);
  const link = linkWith('synthetic: invented numbers, no market prices');
  for (const method of ['GET', 'HEAD']) {
    const answer = await service.client(version).request(method, path);
    expect([answer.status, answer.headers.get('link')]).toEqual([200, link]);
  }
  if (version !== CURIE) return;
  const feedIn = await service.client(version).get(quotePath(service.plans.einspeisung, parameters));
  expect([feedIn.status, feedIn.headers.get('link')]).toEqual([200, null]);
});

test('a refusal is made of no price', async () => {
  const client = await service.at('2026-11-20T09:00:00Z');
  const answer = await client.post(`/plans/${service.plans.dynamisch}/quote`, {
    ...ASKED,
    zip_code: '99999',
  });
  expect([answer.status, answer.headers.get('link')]).toEqual([400, null]);
});

test('prices of a feed on this machine are named as such', async () => {
  await pricesAre('local');
  const link = linkWith('local: prices of a feed on this machine, no market prices');
  expect(await linksOn('2026-11-21')).toEqual([link, link, null]);
});

test('of market prices nothing is said', async () => {
  await pricesAre('market');
  expect(await linksOn('2026-11-22')).toEqual([null, null, null]);
});
