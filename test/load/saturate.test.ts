import { afterAll, beforeAll, expect, test } from 'vitest';
import { border, drawn, holds, nextRate, type Step, saturationText } from '../../load/ingest/saturate.ts';
import { underStrain } from '../../load/measure/metrics.ts';
import { instant, type SnapshotApi, startSnapshotApi } from '../telemetry/snapshots/snapshot-api.ts';

let service: SnapshotApi;
beforeAll(async () => {
  service = await startSnapshotApi();
});
afterAll(() => service?.close());

const BOUND = 250;
const STRAIN = { loop_ms: 12.34, waiting: 3, group_ms: 5.67, group_rows: 400 };
/** A service that answers in 5 ms up to 1,000 batches a second, and falls behind above. */
const tried = (rate: number): Step =>
  rate <= 1_000
    ? { rate, achieved: rate, p50: 2, p99: 5, refused: 0, ...STRAIN }
    : { rate, achieved: 1_000, p50: 900, p99: 4_000, refused: 0, ...STRAIN };

test.each([100, 900, 5_000])(
  'from %i batches a second the search ends within 5 %% below the rate that the service holds',
  (first) => {
    const steps: Step[] = [];
    let rate: number | undefined = first;
    while (rate !== undefined) {
      expect(steps.length).toBeLessThan(16);
      steps.push(tried(rate));
      rate = nextRate(steps, BOUND);
    }
    const held = steps.filter((step) => holds(step, BOUND)).map((step) => step.rate);
    expect(Math.max(...held)).toBeGreaterThan(950);
  },
);

test('a rate holds where p99 is within the bound, nothing is refused and nothing waits', () => {
  const good = tried(500);
  expect(holds(good, BOUND)).toBe(true);
  expect(holds({ ...good, p99: 251 }, BOUND)).toBe(false);
  expect(holds({ ...good, refused: 1 }, BOUND)).toBe(false);
  expect(holds({ ...good, achieved: 480 }, BOUND)).toBe(false);
});

test('a rate above one that failed does not count as held, though it was', () => {
  const disturbed: Step = { ...tried(400), p99: 900 };
  expect(nextRate([tried(300), disturbed, tried(600)], BOUND)).toBe(348);
});

test('two runs that begin at different rates have the rates of the border in common', () => {
  const triedFrom = (first: number) => {
    const steps = [tried(first)];
    for (let rate = nextRate(steps, BOUND); rate !== undefined; rate = nextRate(steps, BOUND))
      steps.push(tried(rate));
    return steps.map(({ rate }) => rate);
  };
  const second = triedFrom(2_000);
  const common = triedFrom(316).filter((rate) => second.includes(rate));
  expect(common).toEqual(expect.arrayContaining([1_000, 1_050]));
});

test('a rate that held once while a lower one failed is told as that, and not as what the service holds', () => {
  const steps = [tried(300), { ...tried(400), p99: 900 }, tried(600)];
  expect(border(steps, BOUND)).toEqual({ held: 300, failed: 400, heldOnce: 600 });
  const options = { boundMilliseconds: BOUND, rows: 100 };
  expect(saturationText(border(steps, BOUND), options)).toEqual([
    expect.stringMatching(/up to 300 batches a second, 30000 rows; .* 600 batches a second held once/),
  ]);
  expect(saturationText({ held: 300, heldOnce: 300 }, options)).toEqual([
    'p99, from the intended send time, stays within 250 ms up to 300 batches a second, 30000 rows',
  ]);
});

test('rates are drawn from the lowest on, each with a bar that passes the bound where p99 does', () => {
  const unknown = { loop_ms: null, waiting: null, group_ms: null, group_rows: null };
  const steps = [tried(1_200), { ...tried(800), ...unknown }];
  const [, low = '', high = ''] = drawn(steps, BOUND).split('\n');
  expect(low).toMatch(/^800 +800 +2\.0 +5\.0 +0 +– +– +– +– +█+ +│$/);
  expect(high).toMatch(/^1200 +1000 +900\.0 +4000\.0 +0 +12\.3 +3 +5\.7 +400 +█{40}$/);
  expect(low.indexOf('│')).toBeLessThan(high.length);
});

test('a step says how late the event loop was, how many batches waited, and what a group took', async () => {
  const home = await service.addHousehold();
  const asset = home.assets.household_residual.id;
  const rows = [1, 2, 3].map((second) => ({ asset, timestamp: instant(second), power_kw: 1 }));
  const { result, strain } = await underStrain(service.api, () => home.send(rows));
  expect(result.status).toBe(200);
  expect(strain).toMatchObject({ loop_ms: expect.any(Number), waiting: 0, group_rows: 3 });
  expect(strain.group_ms).toBeGreaterThan(0);
});
