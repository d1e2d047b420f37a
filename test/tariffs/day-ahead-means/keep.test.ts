import { beforeEach, expect, test } from 'vitest';
import { pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { PriceRun } from '../../spot-prices/price-run.ts';

const NOW = '2026-11-20T12:30:20.000Z';
const run = new PriceRun({ at: NOW });

beforeEach(async () => {
  await run.empty();
  await run.emptySchedules();
  await run.rows('TRUNCATE day_ahead_means');
  run.clock.set(NOW);
});

const keep = () => run.runJob('keep-day-ahead-mean', NOW);
const requests = () =>
  run.rows("SELECT due_at, state FROM job_runs WHERE job = 'keep-day-ahead-mean' ORDER BY id");

/** ct/kWh over everything stored before today. */
async function meanOfStored(): Promise<string | undefined> {
  const [row] = await run.rows<{ mean: string }>(
    "SELECT round(avg(amount) / 10, 4)::text AS mean FROM spot_prices WHERE delivery_on < '2026-11-20'",
  );
  return row?.mean;
}

test('a day that changed in the past asks for the mean of today, once for all that change in a minute', async () => {
  await pullDay(run.deps, { deliveryOn: '2026-11-18' });
  await pullDay(run.deps, { deliveryOn: '2026-11-19' });
  expect(await requests()).toEqual([{ due_at: new Date('2026-11-20T12:31:00Z'), state: 'queued' }]);
});

test('prices of today and tomorrow, and an answer without a change, ask for nothing', async () => {
  await pullDay(run.deps, { deliveryOn: '2026-11-20' });
  await pullDay(run.deps, { deliveryOn: '2026-11-21' });
  expect(await requests()).toEqual([]);
  await pullDay(run.deps, { deliveryOn: '2026-11-19' });
  await run.emptySchedules();
  await pullDay(run.deps, { deliveryOn: '2026-11-19', recheck: true });
  expect(await requests()).toEqual([]);
});

test('the job keeps the mean of today, and a revised price reaches it', async () => {
  await pullDay(run.deps, { deliveryOn: '2026-11-18' });
  await pullDay(run.deps, { deliveryOn: '2026-11-19' });
  const first = await keep();
  expect(first).toMatchObject({ price_date: '2026-11-20', mean_ct_net: await meanOfStored() });
  expect(await keep()).toEqual(first);

  run.feed.set({ entsoe: { revision: { interval: '2026-11-18T11:00Z', value: 3999.5 } } });
  await pullDay(run.deps, { deliveryOn: '2026-11-18', recheck: true, sources: ['entsoe'] });
  const second = await keep();
  expect(second).toMatchObject({ mean_ct_net: await meanOfStored() });
  expect(second.mean_ct_net).not.toBe(first.mean_ct_net);
  expect(await run.rows('SELECT price_date::text, mean_ct_net FROM day_ahead_means')).toEqual([
    { price_date: '2026-11-20', mean_ct_net: second.mean_ct_net },
  ]);
});

test('it says of what it was made, and that too little of it is there', async () => {
  await pullDay(run.deps, { deliveryOn: '2026-11-19' });
  expect(await keep()).toMatchObject({
    coverage_percent: '0.27',
    is_used: false,
    price_kind: 'local',
    sources: ['entsoe'],
  });
  expect(run.lines).toContainEqual(
    expect.objectContaining({
      msg: 'too few prices of the last twelve months: the published mean counts',
      price_date: '2026-11-20',
    }),
  );
});
