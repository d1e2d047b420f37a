import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { keptFigures } from '../../../src/tariffs/quotes/kept-figures.ts';
import { gridFigures } from '../../../src/tariffs/reference-data/service.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { silent } from '../reference-data/reference-store.ts';
import { type QuoteService, startQuoteService } from './quote-service.ts';

const ON = '2026-11-20';
/** So long figures are kept at most. */
const KEPT_MILLISECONDS = 5_000;

let service: QuoteService;
let passed = 0;

beforeAll(async () => {
  service = await startQuoteService();
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await service?.api.close();
});

/** Seconds pass on the clock of the process: whatever was kept is older than it may be. */
function later(): void {
  passed += KEPT_MILLISECONDS;
}

const changeWorkingPrice = (price: string) =>
  storedRows(service.api, `UPDATE grid_fees SET working_ct_net = $1 WHERE operator = 'stromnetz-berlin'`, [
    price,
  ]);

test('the grid of a zip is not read again while reference data stands as it is', async () => {
  const figures = keptFigures(service.api.deps.database, silent);
  const [grid, reference] = [await figures.grid('10115', ON), await figures.reference(ON)];
  later();
  expect(await figures.reference(ON)).not.toBe(reference);
  expect(await figures.grid('10115', ON)).toBe(grid);
});

test('a change of reference data that no import made is seen within seconds', async () => {
  const figures = keptFigures(service.api.deps.database, silent);
  const price = async () => (await figures.grid('10115', ON))?.workingPrice.value;
  expect(await price()).toBe('7.46');
  await changeWorkingPrice('7.47');
  later();
  expect(await price()).toBe('7.47');
});

test('every table of reference data counts its changes', async () => {
  const tables = await storedRows<{ name: string; counted: boolean }>(
    service.api,
    `SELECT c.relname AS name, EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'counted_change') AS counted
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'checked_on'
      ORDER BY 1`,
  );
  expect(tables.length).toBeGreaterThan(10);
  expect(tables.filter(({ counted }) => !counted)).toEqual([]);
});

test('a grid is never kept from rows that another answer read before the change', async () => {
  const { database } = service.api.deps;
  const figures = keptFigures(database, silent);
  const price = () =>
    database.asService(
      async (connection) => (await gridFigures(connection, '10115', ON, null))?.workingPrice.value,
    );
  await changeWorkingPrice('8.01');
  later();
  expect(await price()).toBe('8.01');
  /* A new span of seconds begins: the contracts of the zip are asked first, then a change, then a quote. */
  later();
  await price();
  await changeWorkingPrice('8.02');
  await figures.grid('10115', ON);
  later();
  expect((await figures.grid('10115', ON))?.workingPrice.value).toBe('8.02');
});
