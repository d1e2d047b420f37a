import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  acceptReduction,
  endReduction,
  rejectReduction,
} from '../../../src/contracts/grid-fee-reductions/move.ts';
import { amounts, type PricedContract, runs, takePriced } from './priced.ts';

/* From the order to the end of a reduction: what each move does to the prices of its contract. */

const priced = await takePriced('2026-11-20T12:00:00+01:00');
const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'] as const;
const [, SECOND, THIRD] = DAYS;
const ORDINARY = '96 × 8.8774';
const REDUCED = '96 × 3.5462';

beforeAll(async () => {
  for (const day of DAYS) await priced.store(day, '93.28');
});
afterAll(() => priced.close());

const sellsModule2 = [{ margin_ct_net: '1.8', sells_module_2: true }];

async function gridOf(contract: PricedContract): Promise<string[]> {
  const grids: string[] = [];
  for (const day of DAYS) grids.push(...runs(amounts(await priced.prices(contract, day), 'grid')));
  return grids;
}

const act = () => ({
  staff: 'ada',
  reason: 'ticket 17',
  command: 'grid-fee-reductions',
  now: priced.clock.now().toISOString(),
});

async function ordered(contract: PricedContract): Promise<string> {
  const client = await priced.client();
  const body = { subscription: contract.id, type: 'enwg-14a-module-2' };
  const answer = await client.post<{ id: string }>('/grid-fee-reductions', body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.id;
}

test('an order changes no price, an acceptance those from its day on, an end those from its day on', async () => {
  const contract = await priced.contract({ terms: sellsModule2 });
  const unchanged = [ORDINARY, ORDINARY, ORDINARY, ORDINARY];
  expect(await gridOf(contract)).toEqual(unchanged);
  const id = await ordered(contract);
  expect(await gridOf(contract)).toEqual(unchanged);
  const { deps } = priced.api;
  await acceptReduction(deps, priced.organization, id, { valid_from: SECOND }, act());
  expect(await gridOf(contract)).toEqual([ORDINARY, REDUCED, REDUCED, REDUCED]);
  await endReduction(deps, priced.organization, id, { valid_until: THIRD }, act());
  expect(await gridOf(contract)).toEqual([ORDINARY, REDUCED, ORDINARY, ORDINARY]);
});

test('a refusal changes no price, and one that ends on its first day never held', async () => {
  const contract = await priced.contract({ terms: sellsModule2 });
  const unchanged = [ORDINARY, ORDINARY, ORDINARY, ORDINARY];
  const { deps } = priced.api;
  await rejectReduction(deps, priced.organization, await ordered(contract), act());
  expect(await gridOf(contract)).toEqual(unchanged);
  const id = await ordered(contract);
  await acceptReduction(deps, priced.organization, id, { valid_from: SECOND }, act());
  await endReduction(deps, priced.organization, id, { valid_until: SECOND }, act());
  expect(await gridOf(contract)).toEqual(unchanged);
});

test('the next order of the same module begins where the one before ended', async () => {
  const contract = await priced.contract({ terms: sellsModule2 });
  const { deps } = priced.api;
  const first = await ordered(contract);
  await acceptReduction(deps, priced.organization, first, { valid_from: SECOND }, act());
  await endReduction(deps, priced.organization, first, { valid_until: THIRD }, act());
  const second = await ordered(contract);
  expect(await gridOf(contract)).toEqual([ORDINARY, REDUCED, ORDINARY, ORDINARY]);
  await acceptReduction(deps, priced.organization, second, { valid_from: THIRD }, act());
  expect(await gridOf(contract)).toEqual([ORDINARY, REDUCED, REDUCED, REDUCED]);
});
