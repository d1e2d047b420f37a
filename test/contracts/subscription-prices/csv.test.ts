import { afterAll, beforeAll, expect, test } from 'vitest';
import { csvLine } from '../../../src/platform/csv/csv.ts';
import { plainDecimal } from '../../../src/platform/interface/answer-text.ts';
import { type PricedContract, takePriced } from './priced.ts';

const priced = await takePriced('2026-11-20T12:00:00+01:00');
const DAY = '2026-11-18';
let contract: PricedContract;

beforeAll(async () => {
  contract = await priced.contract();
  await priced.store(DAY, '93.28');
});
afterAll(() => priced.close());

const CSV = { accept: 'text/csv' };
const text = (value: number | null | undefined) => (value == null ? '' : plainDecimal(value));

test('prices of a contract come as a table with Accept: text/csv, with the amounts of the JSON', async () => {
  /* The next day has no price yet: amount and electricity are empty there. */
  const { body } = await priced.prices(contract, DAY, '2026-11-19');
  const rows = (body.items ?? []).map(({ timestamp, amount, components }) =>
    [timestamp, text(amount), ...components.map((part) => text(part.amount))].join(','),
  );
  const answer = await priced.prices(contract, DAY, '2026-11-19', CSV);
  expect(answer.text).toBe(
    ['timestamp,amount_ct_kwh,electricity_ct_kwh,grid_ct_kwh,levies_ct_kwh', ...rows].map(csvLine).join(''),
  );
  expect(rows).toHaveLength(192);
  expect(rows.filter((row) => row.includes('Z,,,'))).toHaveLength(96);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(answer.headers.get('content-disposition')).toBe(
    `attachment; filename="prices-${contract.id}-${DAY}-2026-11-19.csv"`,
  );
});

test('prices of a contract outside its supply are a heading without rows', async () => {
  const answer = await priced.prices(contract, '2023-11-01', '2023-11-01', CSV);
  expect(answer.text).toBe(csvLine('timestamp,amount_ct_kwh,electricity_ct_kwh,grid_ct_kwh,levies_ct_kwh'));
});

test('versions of before answer JSON, whatever Accept says', async () => {
  const client = await priced.client('2026-05-27.curie');
  const path = `/subscriptions/${contract.id}/prices?start=${DAY}&end=${DAY}`;
  const [plain, older] = [await client.get(path), await client.get(path, { headers: CSV })];
  expect(older.headers.get('content-type')).toContain('application/json');
  expect(older.text).toBe(plain.text);
});
