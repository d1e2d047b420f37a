import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storePrices, writeServed } from '../day-ahead-means/mean-store.ts';
import { fileText, rowsOf } from '../reference-data/reference-store.ts';
import { CURIE, importFolder, type QuoteService, quotePath, startQuoteService } from './quote-service.ts';

/* Levies and grid fees of the project end with 2026, those of feeding in do not. */

let service: QuoteService;

beforeAll(async () => {
  service = await startQuoteService();
});
afterAll(() => service?.api.close());

const ASKED = { zip_code: '10115', usage: { consumption: 2500 } };
const HOUSEHOLD = { zip_code: '10115', household: { usage: 2500 } };

async function linkOf(day: string, path: string, body: object): Promise<string | null> {
  const answer = await (await service.at(`${day}T09:00:00Z`)).post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.headers.get('link');
}
const quoteLink = (day: string) => linkOf(day, `/plans/${service.plans.dynamisch}/quote`, ASKED);

const carried = (...tables: string[]) => {
  const title = tables.map((table) => `${table} until 2027-01-01`).join(', ');
  return (
    `<${service.api.deps.config.docsBase}/quotes#carried-forward>; rel="describedby"; ` +
    `title="carried forward, newer rows are missing: ${title}"`
  );
};

test('on the last day of the year nothing is said', async () => {
  expect(await quoteLink('2026-12-31')).toBeNull();
});

test('a quote made of rows that ended names their tables, and only those that it was made of', async () => {
  expect(await quoteLink('2027-01-01')).toBe(carried('grid_fees', 'levies', 'market_values'));
  const savings = `/plans/${service.plans.dynamisch}/savings`;
  expect(await linkOf('2027-01-01', savings, HOUSEHOLD)).toBe(
    carried('benchmarks', 'grid_fees', 'levies', 'market_values'),
  );
  const module3 = { '14a_module_1': true, '14a_module_3': true };
  const request = { ...ASKED, zip_code: '45468', grid_fee_reductions: module3 };
  expect(await linkOf('2027-01-01', `/plans/${service.plans.dynamisch}/quote`, request)).toBe(
    carried('grid_fee_schedules', 'grid_fees', 'levies', 'market_values'),
  );
  expect(await linkOf('2027-01-01', `/plans/${service.plans.einspeisung}/quote`, ASKED)).toBeNull();
});

test('in a version before gauss too', async () => {
  const client = await service.at('2027-01-01T09:00:00Z');
  const path = quotePath(service.plans.dynamisch, { zip_code: '10115', usage: 2500 });
  const answer = await client.get(path, { headers: { 'x-api-version': CURIE } });
  expect([answer.status, answer.headers.get('link')]).toEqual([
    200,
    carried('grid_fees', 'levies', 'market_values'),
  ]);
});

test('beside invented prices both are said', async () => {
  await writeServed(service.api, 'TRUNCATE price_kind', `INSERT INTO price_kind (kind) VALUES ('synthetic')`);
  await storePrices(service.api, { first: '2026-01-02', end: '2027-01-02', source: 'synthetic' });
  const [invented, ended] = (await quoteLink('2027-01-02'))?.split(', <') ?? [];
  expect(invented).toMatch(/; rel="license"; title="synthetic: /);
  expect(`<${ended}`).toBe(carried('grid_fees', 'levies'));
});

test('rows of the new year end it, within seconds', async () => {
  expect(await quoteLink('2027-01-02')).toContain('levies until 2027-01-01');
  const folder = await mkdtemp(join(tmpdir(), 'voltstream-new-year-'));
  const { levies, grid_fees } = await rowsOf(2027);
  await writeFile(join(folder, 'levies.csv'), fileText('levies', levies));
  await writeFile(join(folder, 'grid_fees.csv'), fileText('grid_fees', grid_fees));
  await importFolder(service.api, folder);
  await rm(folder, { recursive: true });
  await expect.poll(() => quoteLink('2027-01-02')).not.toContain('rel="describedby"');
});
