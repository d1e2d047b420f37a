import { beforeAll, expect, test } from 'vitest';
import { compareWeights, type WeightsOptions } from '../../../src/tariffs/reference-data/weights.ts';
import { referenceFolder, takeReferenceStore } from './reference-store.ts';

const store = await takeReferenceStore();

beforeAll(async () => {
  expect((await store.import(referenceFolder)).problems).toEqual([]);
});

test('stored weights agree with profile and windows to 0.0001, for every schedule', async () => {
  const compared = await store.asService((connection) => compareWeights(connection, {}));
  expect(compared).toHaveLength(3 * 37);
  expect(new Set(compared.map(({ year }) => year))).toEqual(new Set(['2026']));
  expect(compared.filter(({ difference }) => Math.abs(Number(difference)) > 0.0001)).toEqual([]);
  const sums = Map.groupBy(compared, ({ operator }) => operator);
  for (const [operator, bands] of sums) {
    const sum = bands.reduce((total, { recomputed }) => total + Number(recomputed), 0);
    expect(sum.toFixed(8), operator).toBe('1.00000000');
  }
});

test('weights of one operator, and of the calendar of another year', async () => {
  const compare = (options: WeightsOptions) =>
    store.asService((connection) => compareWeights(connection, options));
  const own = await compare({ operator: 'bayernwerk-netz' });
  expect(own.map(({ band, stored }) => [band, stored])).toEqual([
    ['low', '0.2265'],
    ['standard', '0.4927'],
    ['high', '0.2808'],
  ]);
  const later = await compare({ operator: 'bayernwerk-netz', on: '2027-05-01' });
  expect(later.map(({ year, valid_from }) => [year, valid_from])).toEqual(
    own.map(() => ['2027', '2026-01-01']),
  );
  expect(later.map(({ recomputed }) => recomputed)).not.toEqual(own.map(({ recomputed }) => recomputed));
  expect(await compare({ on: '2025-06-01' })).toEqual([]);
  expect(await compare({ operator: 'nobody' })).toEqual([]);
});
