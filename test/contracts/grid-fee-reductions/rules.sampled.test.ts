import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REDUCTION_TYPES, type ReductionStatus } from '../../../src/contracts/grid-fee-reductions/schema.ts';
import { berlinMidnight } from '../../../src/platform/time/berlin-calendar.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { sampled } from '../../setup/tier.ts';
import { refusal } from '../../telemetry/assets/devices.ts';
import { moduleType, Reductions } from './reductions.ts';

const NOW = '2026-11-23T08:30:00.000Z';

let reductions: Reductions;
beforeAll(async () => {
  reductions = await Reductions.start(NOW);
});
afterAll(() => reductions?.close());

describe('rules', () => {
  const none: readonly [1 | 2 | 3, ReductionStatus][] = [];

  test.each([
    {
      title: 'the plan does not sell the module',
      sells: { sells_module_1: false, sells_module_3: false },
      module: 1,
    },
    { title: 'the plan does not sell the module', sells: { sells_module_2: false }, module: 2 },
    /* What else module 3 needs does not matter then. */
    { title: 'the plan does not sell the module', sells: { sells_module_3: false }, module: 3 },
  ] as const)('module $module: $title', async ({ sells, module }) => {
    const contract = await reductions.active({ sells, meter_type: 'analog' });
    expect(refusal(await reductions.order(contract, moduleType(module)))).toEqual([
      400,
      'unsupported_product type',
    ]);
  });

  test('terms of the day count: what the plan sold until yesterday it sells no more', async () => {
    const terms = [
      { sells_module_1: true, valid_to: '2026-11-23' },
      { sells_module_1: false, valid_from: '2026-11-23' },
    ];
    const plan = await reductions.contracts.plan({ terms });
    const contract = await reductions.active({ plan_id: plan.id });
    expect(refusal(await reductions.order(contract, moduleType(1)))).toEqual([
      400,
      'unsupported_product type',
    ]);
  });

  test.each(REDUCTION_TYPES)('feed-in has no %s, in any version', async (type) => {
    const versions = ['2026-01-29.edison', '2026-05-27.curie', '2026-09-08.gauss'];
    for (const version of sampled(versions, 3, REDUCTION_TYPES.indexOf(type))) {
      const plan = await reductions.contracts.plan({ type: 'feed_in' });
      const contract = await reductions.active({ type: 'feed_in', plan_id: plan.id });
      const answer = await reductions.order(contract, type, version);
      expect([answer.status, answer.body.message]).toEqual([400, 'The plan does not offer this product']);
    }
  });

  test.each([
    { what: 'has ended', module: 1, open: none, told: ['ended_subscription subscription'] },
    /* Without module 1, which nobody asks for any more. */
    { what: 'has ended', module: 3, open: none, told: ['ended_subscription subscription'] },
  ] as const)('module $module of a subscription that $what', async ({ module, told }) => {
    const contract = await reductions.active({ status: 'ended', end_at: berlinMidnight('2026-11-01') });
    expect(refusal(await reductions.order(contract, moduleType(module)))).toEqual([400, ...told]);
  });

  test('everything that is wrong is told together, in the order of the body', async () => {
    const contract = await reductions.active({
      status: 'ended',
      end_at: berlinMidnight('2026-11-01'),
      meter_type: 'analog',
    });
    expect(refusal(await reductions.order(contract, moduleType(3)))).toEqual([
      400,
      'ended_subscription subscription',
      'missing_smart_meter subscription',
    ]);
    const open = await reductions.active({ meter_type: 'analog' });
    expect(refusal(await reductions.order(open, moduleType(3)))).toEqual([
      400,
      'missing_smart_meter subscription',
      'missing_module_1 type',
    ]);
    const feedIn = await reductions.contracts.plan({ type: 'feed_in' });
    const fed = await reductions.active({
      type: 'feed_in',
      plan_id: feedIn.id,
      status: 'ended',
      end_at: berlinMidnight('2026-11-01'),
    });
    expect(refusal(await reductions.order(fed, moduleType(3)))).toEqual([
      400,
      'ended_subscription subscription',
      'unsupported_product type',
    ]);
  });

  /** The module that is asked for, what is there, and what is said about it. */
  const beside: [1 | 2 | 3, (readonly [1 | 2 | 3, ReductionStatus])[], string | null][] = [
    [3, [], 'missing_module_1 type'],
  ];
  /* By `npm test` each of these with one of the statuses. */
  for (const [turn, status] of (['intended', 'ordered', 'activated'] as const).entries()) {
    const rows: typeof beside = [];
    rows.push([1, [[1, status]], 'duplicate_grid_reduction type']);
    rows.push([2, [[2, status]], 'duplicate_grid_reduction type']);
    rows.push([
      3,
      [
        [1, status],
        [3, status],
      ],
      'duplicate_grid_reduction type',
    ]);
    rows.push([1, [[2, status]], 'unsupported_product type']);
    rows.push([2, [[1, status]], 'unsupported_product type']);
    rows.push([2, [[3, status]], 'unsupported_product type']);
    rows.push([3, [[1, status]], null]);
    rows.push([1, [[3, status]], null]);
    beside.push(...sampled(rows, 3, turn));
  }
  for (const [turn, status] of (['rejected', 'ended'] as const).entries()) {
    const rows: typeof beside = [];
    for (const module of [1, 2] as const) {
      for (const other of [1, 2, 3] as const) rows.push([module, [[other, status]], null]);
    }
    rows.push([3, [[1, status]], 'missing_module_1 type']);
    rows.push([
      3,
      [
        [1, 'activated'],
        [3, status],
        [2, status],
      ],
      null,
    ]);
    beside.push(...sampled(rows, 2, turn));
  }

  test.each(beside)('module %i beside %j: %s', async (module, there, told) => {
    const contract = await reductions.active();
    for (const [other, status] of there) await reductions.stored(contract, moduleType(other), status);
    const answer = await reductions.order(contract, moduleType(module));
    if (told === null) expect([answer.status, answer.body.status]).toEqual([200, 'ordered']);
    else expect(refusal(answer)).toEqual([told.startsWith('duplicate') ? 409 : 400, told]);
    const more = told === null ? 1 : 0;
    expect(await reductions.rowsOf(contract)).toHaveLength(there.length + more);
  });

  test('module 3 beside an open module 2 lacks module 1, too; a duplicate is told only where nothing else is wrong', async () => {
    const contract = await reductions.active();
    await reductions.stored(contract, moduleType(2), 'ordered');
    expect(refusal(await reductions.order(contract, moduleType(3)))).toEqual([
      400,
      'missing_module_1 type',
      'unsupported_product type',
    ]);
    await reductions.stored(contract, moduleType(3), 'ordered');
    expect(refusal(await reductions.order(contract, moduleType(3)))).toEqual([
      400,
      'missing_module_1 type',
      'unsupported_product type',
    ]);
  });

  test('what another contract has does not matter', async () => {
    const [own, other] = [await reductions.active(), await reductions.active()];
    await reductions.stored(other, moduleType(1), 'activated');
    expect((await reductions.order(own, moduleType(1))).status).toBe(200);
    expect(refusal(await reductions.order(await reductions.active(), moduleType(3)))).toEqual([
      400,
      'missing_module_1 type',
    ]);
  });

  test.each([
    ['smart for good', { meter_type: 'smart' }, 200],
    ['analog for good', { meter_type: 'analog' }, 400],
  ] as const)('module 3 and a meter that is %s', async (_what, input, status) => {
    const contract = await reductions.active(input);
    await reductions.stored(contract, moduleType(1), 'activated');
    expect((await reductions.order(contract, moduleType(3))).status).toBe(status);
  });

  test('module 3 and a meter that is smart from a day on: that day counts, in Berlin', async () => {
    const contract = await reductions.active({ meter_type: 'analog' });
    await reductions.stored(contract, moduleType(1), 'activated');
    await storedRows(
      reductions.api,
      `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, type)
       VALUES ($1, $2, $3, '2026-11-24', 'smart')`,
      [reductions.organization, contract.place.customer, contract.meter],
    );
    await reductions.contracts.at('2026-11-23T22:59:59.999Z');
    expect(refusal(await reductions.order(contract, moduleType(3)))).toEqual([
      400,
      'missing_smart_meter subscription',
    ]);
    await reductions.contracts.at('2026-11-23T23:00:00.000Z');
    expect((await reductions.order(contract, moduleType(3))).status).toBe(200);
    await reductions.contracts.at(NOW);
  });

  test.each([
    ['not confirmed', {}],
    ['confirmed', { start_at: berlinMidnight('2027-01-01'), confirmed_at: NOW }],
  ])(
    'module 3 and a sign-up that said smart, %s: from its first day the meter is smart',
    async (_how, dates) => {
      const analog = { ...dates, intended_start_on: '2027-01-01', meter_type: 'analog' as const };
      const contract = await reductions.pending(analog);
      await reductions.stored(contract, moduleType(1), 'intended');
      expect(refusal(await reductions.order(contract, moduleType(3)))).toEqual([
        400,
        'missing_smart_meter subscription',
      ]);
      await storedRows(reductions.api, `UPDATE subscriptions SET meter_type = 'smart' WHERE id = $1`, [
        contract.id,
      ]);
      expect((await reductions.order(contract, moduleType(3))).body.status).toBe('intended');
    },
  );
});
