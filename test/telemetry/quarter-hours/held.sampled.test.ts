import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AssetValues, HOUR, QUARTER_HOUR, sumsOf } from '../../../src/telemetry/quarter-hours/held.ts';
import { heldEnergy } from '../../governance/analysts/held-energy.ts';
import { runs } from '../../setup/tier.ts';

const BEGUN = Date.parse('2026-10-25T00:00:00Z') * 1_000;
const SPAN = { begun: BEGUN, ended: BEGUN + 24 * HOUR };
const none = { at: new Float64Array(), values: new Float64Array() };

/** Power values at whole milliseconds behind the begin of the span. */
function powerOf(values: readonly (readonly [milliseconds: number, kw: number])[]): AssetValues {
  const sorted = values.toSorted(([a], [b]) => a - b);
  const at = Float64Array.from(sorted, ([milliseconds]) => BEGUN + milliseconds * 1_000);
  return {
    asset: 1,
    power: { at, values: Float64Array.from(sorted, ([, kw]) => kw) },
    ...{ charge: none, vehicleCharge: none, connectedAt: none.at },
  };
}

const anyValues = (stepMinutes: number) =>
  fc
    .array(
      fc.tuple(
        fc.integer({ min: 1, max: stepMinutes * 60_000 }),
        fc.double({ min: -20, max: 20, noNaN: true }),
      ),
      {
        minLength: 1,
        maxLength: 80,
      },
    )
    .map((steps) => {
      let at = 0;
      const values: [milliseconds: number, kw: number][] = [];
      for (const [step, kw] of steps) {
        at += step;
        if (at < 86_400_000) values.push([at, kw]);
      }
      return values;
    });

test('sums are those of the step rule, value by value, at any distance of the values', () => {
  for (const stepMinutes of [1, 10, 30, 90]) {
    for (const holdMinutes of [15, 20, 59, 60]) {
      fc.assert(
        fc.property(anyValues(stepMinutes), (values) => {
          const hold = holdMinutes * 60e6;
          const sums = sumsOf(powerOf(values), SPAN, hold) ?? [];
          const found = sums
            .filter(({ coveredSeconds }) => coveredSeconds > 0)
            .map(({ start, consumedKwh, fedKwh }) => [start * 1_000, consumedKwh, fedKwh] as const);
          const needed = heldEnergy(
            values.map(([milliseconds, power_kw]) => ({ at: BEGUN / 1_000 + milliseconds, power_kw })),
            hold / 1_000,
          );
          const inSpan = [...needed]
            .filter(([start]) => start * 1_000 < SPAN.ended)
            .sort(([a], [b]) => a - b);
          expect(found.map(([start]) => start)).toEqual(inSpan.map(([start]) => start));
          for (const [index, [, { consumed, fed }]] of inSpan.entries()) {
            expect(found[index]?.[1]).toBeCloseTo(consumed, 9);
            expect(found[index]?.[2]).toBeCloseTo(fed, 9);
          }
        }),
        { numRuns: runs(10) },
      );
    }
  }
});

test('a value holds for 15 minutes at least and an hour at most, whatever the usual distance is', () => {
  const single = powerOf([[5 * 60_000, 1]]);
  const heldFor = (usualDistance: number) =>
    sumsOf(single, SPAN, usualDistance)?.reduce((seconds, { coveredSeconds }) => seconds + coveredSeconds, 0);
  expect(heldFor(QUARTER_HOUR / 3)).toBe(900);
  expect(heldFor(2 * HOUR)).toBe(3_600);
});

test('the usual distance is asked for exactly where a value could hold for longer than 15 minutes', () => {
  const at = (...minutes: number[]) => powerOf(minutes.map((minute) => [minute * 60_000, 1] as const));
  const span = { begun: BEGUN, ended: BEGUN + QUARTER_HOUR };
  expect(sumsOf(at(1, 14), span, null)).toHaveLength(1);
  expect(sumsOf(at(-1, 13), span, null)).toHaveLength(1);
  expect(sumsOf(at(-3, 12), span, null)).toHaveLength(1);
  expect(sumsOf(at(-3, 13), span, null)).toBeNull();
  expect(sumsOf(at(-3), span, null)).toBeNull();
  expect(sumsOf(at(-60), span, null)).toEqual([]);
});

test('what was sent late reaches a quarter hour behind the next one only where no other value came between', () => {
  const at = (...minutes: number[]) => powerOf(minutes.map((minute) => [minute * 60_000, 1] as const));
  const reach = { begun: BEGUN, ownUntil: BEGUN + 2 * QUARTER_HOUR, ended: BEGUN + 5 * QUARTER_HOUR };
  const startsOf = (values: AssetValues) =>
    sumsOf(values, reach, HOUR)?.map(({ start }) => (start * 1e6 - BEGUN) / QUARTER_HOUR);
  expect(startsOf(at(5))).toEqual([0, 1, 2, 3, 4]);
  expect(startsOf(at(5, 16))).toEqual([0, 1, 3, 4]);
  expect(startsOf(at(5, 16, 31, 46))).toEqual([0, 1]);
});
