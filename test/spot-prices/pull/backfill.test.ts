import { beforeEach, expect, test } from 'vitest';
import { addDays, daysBetween } from '../../../src/spot-prices/calendar.ts';
import { type BackfillReport, backfill } from '../../../src/spot-prices/pull/backfill.ts';
import {
  type BackfillProgress,
  type BackfillTask,
  planBackfill,
} from '../../../src/spot-prices/pull/backfill-plan.ts';
import { storeBody } from '../../../src/spot-prices/pull/import.ts';
import { pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { formulaCents, PriceRun } from '../price-run.ts';

const run = new PriceRun({ at: '2026-11-20T10:00:00Z' });
const HOUR = 3_600_000;

beforeEach(async () => {
  await run.empty();
  run.clock.set('2026-11-20T10:00:00Z');
});

const fill = (first: string, last: string, more: Partial<BackfillTask> = {}) =>
  backfill(run.deps, { from: first, to: addDays(last, 1), ...more });

/** Everything about values, without numbers of rows and times. */
const content = () =>
  run.rows(
    `SELECT 'served' AS what, zone, interval_start::text, minutes, amount::text, source, revision FROM spot_prices
     UNION ALL
     SELECT 'value', zone, interval_start::text, minutes, amount::text, source, revision FROM price_revisions
     UNION ALL
     SELECT state, zone, delivery_on::text, version, '', served_source, 0 FROM price_days
     ORDER BY 1, 2, 3, 6, 7`,
  );

test('a backfill that runs twice writes nothing the second time, and asks nobody', async () => {
  const first = await fill('2025-09-29', '2025-10-02');
  expect(first).toMatchObject({ days: 4, completeBefore: 0, missing: [], changed: 4, unreachable: false });
  expect(first.sources).toMatchObject([{ source: 'entsoe', requests: 1, failures: 0, days: 4 }]);
  const before = [await content(), run.requests()];
  expect(await fill('2025-09-29', '2025-10-02')).toMatchObject({
    completeBefore: 4,
    changed: 0,
    sources: [],
  });
  expect([await content(), run.requests()]).toEqual(before);
  for (const day of ['2025-09-30', '2025-10-01'])
    expect(await run.servedCents(day)).toEqual(formulaCents(day));
});

test('stopped in the middle and repeated it ends as one run does', async () => {
  /* Days with hourly prices, one of 23 hours among them: a quarter of the values. */
  const span = ['2025-03-17', '2025-04-06'] as const;
  await fill(...span, { source: 'smard' });
  const inOneGo = await content();
  await run.empty();

  const stopping = new AbortController();
  let requests = 0;
  const stopped = await fill(...span, {
    source: 'smard',
    signal: stopping.signal,
    onProgress: () => {
      requests += 1;
      if (requests === 2) stopping.abort();
    },
  });
  expect(stopped).toMatchObject({ stopped: true, unreachable: false });
  const left = stopped.missing.length;
  expect(left).toBeGreaterThan(5);
  expect(left).toBeLessThan(15);
  const again = await fill(...span, { source: 'smard' });
  expect(again).toMatchObject({ stopped: false, missing: [], changed: left });
  expect(await content()).toEqual(inOneGo);
});

test('each feed gets the requests that it bears, as far apart as it bears them', async () => {
  /* Requests do not depend on how many of their days the feed has: of nearly all it has none. */
  const absent = { absent_days: daysBetween('2025-06-03', '2025-08-29') };
  run.feed.set({ smard: absent, 'energy-charts': absent });
  await fill('2025-06-01', '2025-08-30', { source: 'energy-charts' });
  expect(run.feed.requests()['energy-charts']).toBe(2);
  expect(run.waits).toEqual([5_000]);
  run.waits.length = 0;
  await fill('2025-06-02', '2025-06-23', { source: 'smard' });
  expect(run.waits).toEqual([1_000, 1_000, 1_000]);
});

test('with --source the feed is stored beside, and the served one stays', async () => {
  await fill('2026-10-24', '2026-10-26');
  const before = await content();
  const report = await fill('2026-10-24', '2026-10-26', { source: 'smard' });
  expect(report).toMatchObject({ changed: 0, sources: [{ source: 'smard', days: 3 }] });
  const served = (rows: unknown[]) => rows.filter((row) => (row as { what: string }).what === 'served');
  expect(served(await content())).toEqual(served(before));
  const [{ count = 0 } = {}] = await run.rows<{ count: number }>(
    `SELECT count(*)::int FROM price_revisions WHERE source = 'smard'`,
  );
  expect(count).toBe(2 * 96 + 100);
});

test('--recheck asks for complete days again: a correction becomes a revision', async () => {
  await fill('2026-11-01', '2026-11-07');
  const interval = '2026-11-03T11:00Z';
  run.feed.set({ entsoe: { revision: { interval, value: 41.5 } } });
  expect(await fill('2026-11-01', '2026-11-07')).toMatchObject({ changed: 0 });
  expect(await fill('2026-11-01', '2026-11-07', { recheck: true })).toMatchObject({
    changed: 1,
    missing: [],
  });
  expect(
    await run.rows(`SELECT amount::text FROM spot_prices WHERE interval_start = $1`, [interval]),
  ).toEqual([{ amount: '41.5' }]);
  const [{ count = 0 } = {}] = await run.rows<{ count: number }>(
    'SELECT count(*)::int FROM price_revisions WHERE revision > 1',
  );
  expect(count).toBe(1);
});

test('a file that completes a day while a backfill is under way keeps it', async () => {
  const [source, day, interval] = ['energy-charts', '2026-11-04', '2026-11-04T11:00Z'] as const;
  run.feed.set({ [source]: { revision: { interval, value: -41.5 } } });
  const answer = await fetch(`${run.feed.url}/energy-charts/price?bzn=DE-LU&start=${day}&end=${day}`);
  const body = Buffer.from(await answer.arrayBuffer());
  run.feed.set({ [source]: { status: 503, times: 1 } });
  const wait = async () => {
    await storeBody(run.deps, { source, body, name: 'day.json', days: null });
  };
  const task = { from: '2026-11-03', to: '2026-11-06', source };
  expect(await backfill({ ...run.deps, wait }, task)).toMatchObject({ missing: [], changed: 2 });
  const [noon, before] = await run.rows<{ amount: string; revision: number }>(
    `SELECT amount::text, revision FROM spot_prices WHERE interval_start IN ($1, '2026-11-03T11:00Z')
      ORDER BY interval_start DESC`,
    [interval],
  );
  expect([noon, before?.revision]).toEqual([{ amount: '-41.5', revision: 1 }, 1]);
});

test('what one feed does not have comes from the next one, and what none has is listed', async () => {
  run.feed.set({
    entsoe: { absent_days: ['2026-11-03', '2026-11-05'] },
    smard: { absent_days: ['2026-11-05'] },
    'energy-charts': { absent_days: ['2026-11-05'] },
  });
  const report = await fill('2026-11-01', '2026-11-07');
  expect(report.missing).toEqual(['2026-11-05']);
  expect(report.unreachable).toBe(false);
  const sources = await run.rows<{ source: string }>(
    `SELECT served_source AS source FROM price_days WHERE delivery_on = '2026-11-03'`,
  );
  expect(sources).toEqual([{ source: 'smard' }]);
  expect(await run.servedCents('2026-11-03')).toEqual(formulaCents('2026-11-03'));
});

test('a throttled feed is asked again when its pause is over', async () => {
  run.feed.set({ 'energy-charts': { status: 429, retry_after: 120, times: 1 } });
  const seen: BackfillProgress[] = [];
  const report = await fill('2026-11-01', '2026-11-07', {
    source: 'energy-charts',
    onProgress: (progress) => seen.push(progress),
  });
  expect(seen.map((progress) => progress.outcome)).toEqual(['throttled', 'paused', 'published']);
  expect(report).toMatchObject({ missing: [], sources: [{ requests: 2, failures: 1, days: 7 }] });
  expect(run.waits.some((wait) => wait > 100_000 && wait <= 121_000)).toBe(true);
});

test('no feed can be reached: said, and nothing is asked for twice', async () => {
  run.feed.set({ entsoe: { status: 401 }, smard: { status: 403 }, 'energy-charts': { status: 403 } });
  const report = await fill('2026-11-01', '2026-11-07');
  expect(report).toMatchObject({ unreachable: true, missing: daysBetween('2026-11-01', '2026-11-07') });
  const requests = run.requests();
  run.clock.advance(HOUR);
  expect(await fill('2026-11-01', '2026-11-07')).toMatchObject({ unreachable: true });
  expect(run.requests()).toBe(requests);
});

test('a day that another pull holds is missing, and no sign that no feed can be reached', async () => {
  const day = '2026-11-03';
  run.feed.set({ entsoe: { status: 503, times: 1 } });
  let report: BackfillReport | undefined;
  const wait = async () => {
    report = await fill(day, day);
  };
  await pullDay({ ...run.deps, wait }, { deliveryOn: day });
  expect(report).toMatchObject({ missing: [day], unreachable: false });
  expect(await fill(day, day)).toMatchObject({ missing: [] });
});

test('a feed that fails for a while is tried again, up to five minutes apart', async () => {
  run.feed.set({ entsoe: { status: 503, times: 4 } });
  expect(await fill('2026-11-01', '2026-11-07')).toMatchObject({ missing: [] });
  expect(run.waits).toHaveLength(4);
  expect(Math.max(...run.waits)).toBeLessThanOrEqual(360_000);
});

test('a plan says which feed would be asked for what, and asks nobody', async () => {
  await fill('2026-11-01', '2026-11-03');
  const before = run.requests();
  const plan = await planBackfill(run.deps, { from: '2026-09-01', to: '2026-11-06' });
  expect(plan.days).toBe(66);
  expect(plan.open).toHaveLength(63);
  expect(plan.chunks.map(({ source, days }) => `${source} ${days[0]} ${days.at(-1)}`)).toEqual([
    'entsoe 2026-09-01 2026-10-15',
    'entsoe 2026-10-16 2026-10-31',
    'entsoe 2026-11-04 2026-11-05',
  ]);
  expect(run.requests()).toBe(before);
});
