import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  acceptReduction,
  endReduction,
  rejectReduction,
} from '../../../src/contracts/grid-fee-reductions/move.ts';
import { whileHeld } from '../../setup/held-row.ts';
import { isLongTier } from '../../setup/tier.ts';
import { refusal } from '../../telemetry/assets/devices.ts';
import { LifecycleWorker } from '../subscriptions/lifecycle-worker.ts';
import { moduleType, Reductions } from './reductions.ts';

const ROUNDS = isLongTier ? 8 : 1;

let reductions: Reductions;
beforeAll(async () => {
  reductions = await Reductions.start('2026-11-23T08:30:00.000Z');
});
afterAll(() => reductions?.close());

/** What comes of the same requests at once, over and over; the contract is held until one of them waits. */
async function together(modules: readonly (1 | 2 | 3)[], there: readonly (1 | 2 | 3)[] = []) {
  const outcomes: string[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const contract = await reductions.active();
    for (const module of there) await reductions.stored(contract, moduleType(module), 'ordered');
    const answers = await whileHeld(
      reductions.api.database,
      ['subscriptions', contract.id],
      () => Promise.all(modules.map((module) => reductions.order(contract, moduleType(module)))),
      () => {},
    );
    outcomes.push(answers.map((answer) => refusal(answer).join(' ')).sort());
    const kept = (await reductions.rowsOf(contract)).map(({ type }) => type);
    expect(new Set(kept).size).toBe(kept.length);
  }
  return outcomes;
}

const each = (outcome: string[]) => Array.from({ length: ROUNDS }, () => outcome);

test('of the same module at once exactly one is ordered', async () => {
  const duplicate = '409 duplicate_grid_reduction type';
  expect(await together([1, 1])).toEqual(each(['200', duplicate]));
  if (isLongTier) {
    expect(await together([2, 2, 2, 2])).toEqual(each(['200', duplicate, duplicate, duplicate]));
  }
  expect(await together([3, 3], [1])).toEqual(each(['200', duplicate]));
});

test('of modules 1 and 2 at once exactly one is ordered', async () => {
  expect(await together([1, 2])).toEqual(each(['200', '400 unsupported_product type']));
});

test('modules 2 and 3 at once are never both ordered', async () => {
  expect(await together([2, 3], [1])).toEqual(each(['200', '400 unsupported_product type']));
  for (const outcome of await together([2, 3])) {
    expect(outcome).toContain('200');
    expect(outcome[1]).toMatch(/^400 missing_module_1 type( unsupported_product type)?$/);
  }
});

test('module 3 beside module 1 at once: 3 is ordered where 1 came first, else it lacks it', async () => {
  for (const outcome of await together([1, 3])) {
    expect(['200', '400 missing_module_1 type']).toContain(outcome[1]);
    expect(outcome[0]).toBe('200');
  }
});

test('an answer of the grid operator counts once: of several moves at once the same one is made', async () => {
  const { api, organization } = reductions;
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await reductions.stored(await reductions.active(), moduleType(1), 'ordered');
    const act = reductions.act('grid-fee-reductions');
    const accept = () => acceptReduction(api.deps, organization, id, { valid_from: '2026-11-01' }, act);
    const reject = () => rejectReduction(api.deps, organization, id, act);
    const settled = await whileHeld(
      api.database,
      ['grid_fee_reductions', id],
      () => Promise.allSettled([accept(), reject(), accept(), reject()]),
      () => {},
    );
    const made = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value.status] : []));
    expect(new Set(made).size).toBe(1);
    expect((await reductions.row(id)).status).toBe(made[0]);
  }
});

test('a contract that ends while its reduction is moved: both come through, and the reduction is ended', async () => {
  const { api, organization } = reductions;
  const worker = new LifecycleWorker(reductions.contracts);
  const end_at = '2026-11-22T23:00:00.000Z';
  for (let round = 0; round < ROUNDS; round += 1) {
    const contract = await reductions.active({
      terminated_at: '2026-11-01T00:00:00Z',
      termination_reason: 'ORDINARY',
      end_at,
    });
    const ordered = await reductions.stored(contract, moduleType(1), 'ordered');
    const inForce = await reductions.stored(contract, moduleType(3), 'activated', {
      valid_from: '2026-01-01T00:00:00Z',
    });
    const act = reductions.act('grid-fee-reductions');
    const outcomes = await Promise.allSettled([
      worker.run('2026-11-23T08:30:00.000Z'),
      acceptReduction(api.deps, organization, ordered, { valid_from: '2026-11-01' }, act),
      endReduction(api.deps, organization, inForce, { valid_until: '2026-11-10' }, act),
    ]);
    expect(outcomes[0]?.status).toBe('fulfilled');
    await worker.run('2026-11-23T08:30:00.000Z');
    expect(await reductions.row(ordered)).toMatchObject({ status: 'ended', valid_until: end_at });
    expect(await reductions.row(inForce)).toMatchObject({ status: 'ended' });
  }
});
