import { describe, expect, test } from 'vitest';
import type { BilledContract } from '../../../../src/billing/invoices/calculate/contract.ts';
import { piecesOf } from '../../../../src/billing/invoices/calculate/pieces.ts';
import { slotPlanOf } from '../../../../src/billing/invoices/calculate/slot-plan.ts';
import { berlinMilliseconds } from '../../../../src/platform/time/berlin-calendar.ts';
import { plainGrid } from '../../../tariffs/quotes/plain-figures.ts';
import { contractOf, listsFrom, moduleFrom, termsOf } from './billed.ts';

const SCHEDULE = { low: '0.95', standard: '9.53', high: '15.65', shareOfYear: '0.4986' };
const GRID = plainGrid({ schedule: SCHEDULE });
const WITH_MODULE_3 = { modules: [moduleFrom(1, '2025-01-01'), moduleFrom(3, '2025-01-01')] };
const HOUR = 3_600_000;

function planOf(given: Partial<BilledContract>, period: { from: string; until: string }) {
  const contract = contractOf(given);
  return slotPlanOf(contract, piecesOf(contract, period, listsFrom({ grid: GRID })));
}

const day = (from: string, until: string) => ({ from, until });

describe('the slots of a bill', () => {
  test('are one for each piece, and run without a gap', () => {
    const plan = planOf({}, day('2026-01-20', '2026-03-10'));
    expect(plan.slots).toEqual([0, 1, 2].map((piece) => ({ piece, band: null, gridCents: '9.53' })));
    const edges = ['2026-01-20', '2026-02-01', '2026-03-01', '2026-03-10'].map((day) =>
      berlinMilliseconds(day),
    );
    expect(plan.runs).toEqual([0, 1, 2].map((slot) => ({ from: edges[slot], until: edges[slot + 1], slot })));
  });

  test('are the bands of module 3, by the clock, in the quarters that have them', () => {
    const plan = planOf(WITH_MODULE_3, day('2026-01-10', '2026-01-12'));
    expect(plan.slots.map(({ band, gridCents }) => `${band} ${gridCents}`)).toEqual([
      ...['low 0.95', 'standard 9.53', 'high 15.65'],
    ]);
    const hours = plan.runs.map(({ from, until, slot }) => `${slot} ${(until - from) / HOUR}`);
    expect(hours).toEqual(['0 6', '1 11', '2 3', '1 4', '0 6', '1 11', '2 3', '1 4']);
    const summer = planOf(WITH_MODULE_3, day('2026-07-10', '2026-07-12'));
    expect(summer.slots.map(({ band }) => band)).toEqual(['standard']);
  });

  test.each([
    ['2026-03-29', '2026-03-30', 5],
    ['2026-10-25', '2026-10-26', 7],
  ])('follow the clock on %s, when it changes', (from, until, hours) => {
    const [low] = planOf(WITH_MODULE_3, day(from, until)).runs;
    expect(((low?.until ?? 0) - (low?.from ?? 0)) / HOUR).toBe(hours);
  });

  test('have the price of module 2 from its first instant on, within a day too', () => {
    const at = berlinMilliseconds('2026-01-10') + 13 * HOUR;
    const plan = planOf({ modules: [{ module: 2, from: at, until: null }] }, day('2026-01-10', '2026-01-11'));
    expect(plan.slots.map(({ band }) => band)).toEqual([null, 'module_2']);
    expect(plan.runs[1]?.from).toBe(at);
  });

  test('are one for each piece of what is fed in', () => {
    const terms = [termsOf({ feed_in_kind: 'fixed', feed_in_ct_net: '6' })];
    const plan = planOf({ type: 'feed_in', terms, zip: null }, day('2026-01-20', '2026-02-10'));
    expect(plan.slots.map(({ piece, gridCents }) => `${piece} ${gridCents}`)).toEqual(['0 0', '1 0']);
  });
});

describe('the key of a plan', () => {
  const period = day('2026-01-01', '2026-02-01');

  test('is the same for contracts whose quarter hours are summed alike', () => {
    const open = planOf(WITH_MODULE_3, period);
    const ended = planOf(
      {
        id: 'sub_other',
        modules: WITH_MODULE_3.modules.map((span) => ({ ...span, until: berlinMilliseconds('2026-05-01') })),
      },
      period,
    );
    expect(ended.key).toBe(open.key);
  });

  test('is another one for other days, other prices, and for what is fed in', () => {
    const terms = [termsOf({ feed_in_kind: 'fixed', feed_in_ct_net: '6' })];
    const keys = [
      planOf({}, period),
      planOf(WITH_MODULE_3, period),
      planOf({ modules: [moduleFrom(2, '2025-01-01')] }, period),
      planOf({}, day('2026-01-01', '2026-01-31')),
      planOf({ type: 'feed_in', terms }, period),
    ].map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
