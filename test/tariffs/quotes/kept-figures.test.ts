import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { keptFigures } from '../../../src/tariffs/quotes/kept-figures.ts';
import { gridFigures, referenceSet } from '../../../src/tariffs/reference-data/service.ts';
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
  const { grid, reference } = await figures.ofZip('10115', ON);
  later();
  const again = await figures.ofZip('10115', ON);
  expect([again.grid, again.reference]).toEqual([grid, reference]);
  expect(again.grid).toBe(grid);
});

test('a change of reference data that no import made is seen within seconds', async () => {
  const figures = keptFigures(service.api.deps.database, silent);
  const price = async () => (await figures.ofZip('10115', ON)).grid?.workingPrice.value;
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
  await figures.ofZip('10115', ON);
  later();
  expect((await figures.ofZip('10115', ON)).grid?.workingPrice.value).toBe('8.02');
});

test('a quote is of one import, also where another one comes between two looks', async () => {
  const { database } = service.api.deps;
  const figures = keptFigures(database, silent);
  later();
  /* The whole country is looked at first, for a contract; then all figures are replaced by an import. */
  await database.asService((connection) => referenceSet(connection, ON, null));
  await storedRows(
    service.api,
    `WITH fee AS (UPDATE grid_fees SET working_ct_net = 9.99 WHERE operator = 'stromnetz-berlin')
     UPDATE levies SET ct_net = 1.11 WHERE code = 'kwkg'`,
  );
  const { grid, reference } = await figures.ofZip('10178', ON);
  expect([grid?.workingPrice.value, reference.levy('kwkg').value]).toEqual(['9.99', '1.11']);
});
