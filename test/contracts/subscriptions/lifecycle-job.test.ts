import { afterAll, beforeAll, expect, test } from 'vitest';
import { advanceSubscriptions } from '../../../src/contracts/subscriptions/advance.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { Contracts } from './contracts.ts';
import { LifecycleWorker } from './lifecycle-worker.ts';

let contracts: Contracts;
let worker: LifecycleWorker;
beforeAll(async () => {
  contracts = await Contracts.start('2026-12-31T22:00:00Z', { alone: true });
  worker = new LifecycleWorker(contracts);
});
afterAll(() => contracts.close());

const confirmed = { start_at: '2026-12-31T23:00:00.000Z', confirmed_at: '2026-12-01T10:00:00Z' };
const ending = {
  end_at: '2027-01-31T23:00:00Z',
  terminated_at: '2026-12-20T10:00:00Z',
  termination_reason: 'ORDINARY' as const,
};

test('the worker moves a contract over its start and its end, minute by minute', async () => {
  await worker.register();
  const { id } = await contracts.contract({ ...confirmed, ...ending });
  const statusAt = async (instant: string) => {
    contracts.clock.set(instant);
    const runs = await worker.tick();
    return [(await contracts.row(id)).status, runs];
  };
  const nothing = ['done', { begun: 0, ended: 0 }];
  expect(await statusAt('2026-12-31T22:59:30Z')).toEqual(['pending', [nothing]]);
  expect(await statusAt('2026-12-31T23:00:20Z')).toEqual(['active', [['done', { begun: 1, ended: 0 }]]]);
  expect(await statusAt('2026-12-31T23:00:40Z')).toEqual(['active', []]);
  expect(await statusAt('2026-12-31T23:01:20Z')).toEqual(['active', [nothing]]);
  expect(await statusAt('2027-01-31T22:59:20Z')).toEqual(['active', [nothing]]);
  expect(await statusAt('2027-01-31T23:00:01Z')).toEqual(['ended', [['done', { begun: 0, ended: 1 }]]]);
  expect(await contracts.topics(id)).toEqual(['subscription.activated', 'subscription.ended']);
});

test('after days without a worker one run makes up for all of them', async () => {
  const { id } = await contracts.contract({ ...confirmed, ...ending });
  contracts.clock.set('2027-03-15T09:00:10Z');
  expect(await worker.tick()).toEqual([['done', { begun: 1, ended: 1 }]]);
  expect(await contracts.topics(id)).toEqual(['subscription.activated', 'subscription.ended']);
});

test('over both changes of the clock it begins at midnight in Berlin', async () => {
  for (const [start_at, before] of [
    ['2027-03-27T23:00:00Z', '2027-03-27T22:59:59Z'],
    ['2027-03-28T22:00:00Z', '2027-03-28T21:59:59Z'],
    ['2027-10-30T22:00:00Z', '2027-10-30T21:59:59Z'],
    ['2027-10-31T23:00:00Z', '2027-10-31T22:59:59Z'],
  ] as const) {
    const { id } = await contracts.contract({ ...confirmed, start_at });
    contracts.clock.set(before);
    await worker.tick();
    expect((await contracts.row(id)).status).toBe('pending');
    contracts.clock.set(start_at);
    await worker.tick();
    expect((await contracts.row(id)).status).toBe('active');
  }
});

test('several workers at once share the contracts: each moves once, and none is left', async () => {
  const household = await contracts.household();
  /* Feed-in: one household may have any number of these at once. */
  const first = await contracts.contract({ ...confirmed, household, type: 'feed_in' });
  await storedRows(
    contracts.api,
    `INSERT INTO subscriptions (organization_id, id, plan_id, type, customer_id, household_id, billing_address_id,
       meter_id, payment_method_id, status, estimated_usage, intended_start_on, confirmed_at, start_at, end_at)
     SELECT organization_id, 'sub_' || lpad(n::text, 24, '0'), plan_id, type, customer_id, household_id,
       billing_address_id, meter_id, payment_method_id, status, estimated_usage, intended_start_on, confirmed_at,
       start_at, CASE WHEN n % 3 = 0 THEN start_at + interval '1 month' END
       FROM subscriptions, generate_series(1, 450) AS n WHERE id = $1`,
    [first.id],
  );
  contracts.clock.set('2027-11-15T09:00:00Z');
  const results = await worker.runTogether(3);
  const more = await worker.run('2027-11-15T09:01:00Z');
  const sum = (name: string) => [...results, more].reduce((total, result) => total + Number(result[name]), 0);
  expect([sum('begun'), sum('ended')]).toEqual([451, 150]);
  const counts = await storedRows(
    contracts.api,
    `SELECT topic, count(*)::int AS told, count(DISTINCT context ->> 'subscription')::int AS contracts
       FROM events WHERE timestamp >= '2027-11-15' GROUP BY topic ORDER BY topic`,
  );
  expect(counts).toEqual([
    { topic: 'subscription.activated', told: 451, contracts: 451 },
    { topic: 'subscription.ended', told: 150, contracts: 150 },
  ]);
});

test('a contract that a request holds is left out, and moved by the next run', async () => {
  const { id } = await contracts.contract(confirmed);
  await withDatabaseClient(contracts.api.database.adminUrl, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT id FROM subscriptions WHERE id = $1 FOR UPDATE', [id]);
    expect(await worker.run('2027-11-16T09:00:00Z')).toEqual({ begun: 0, ended: 0 });
    await client.query('ROLLBACK');
  });
  expect(await worker.run('2027-11-16T09:01:00Z')).toEqual({ begun: 1, ended: 0 });
});

test('a run that is told to stop does', async () => {
  await contracts.contract(confirmed);
  const { deps } = contracts.api;
  await expect(advanceSubscriptions(deps, { signal: AbortSignal.abort(), log: deps.log })).rejects.toThrow();
});
