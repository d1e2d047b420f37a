import { beforeEach, describe, expect, test } from 'vitest';
import { berlinMilliseconds } from '../../../src/platform/time/berlin-calendar.ts';
import { addDays, daysBetween } from '../../../src/spot-prices/calendar.ts';
import { backfill } from '../../../src/spot-prices/pull/backfill.ts';
import { storeBody } from '../../../src/spot-prices/pull/import.ts';
import { pullChunk, pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { recheck } from '../../../src/spot-prices/pull/recheck.ts';
import { preferSource, resolveAlarm } from '../../../src/spot-prices/store/operator-choice.ts';
import { endAlarmsOfUnasked } from '../../../src/spot-prices/upkeep/service.ts';
import { runCommand } from '../../cli/command-line.ts';
import { formulaCents, PriceRun } from '../price-run.ts';

const run = new PriceRun({ at: '2026-11-20T10:00:00Z', sources: 'smard' });

beforeEach(() => run.empty());

const open = () =>
  run.rows<{ id: number; kind: string; source: string }>(
    'SELECT id::int, kind, source FROM price_alarms WHERE resolved_at IS NULL ORDER BY id',
  );

async function jobAt(at: string, name: string, payload: unknown) {
  run.clock.set(at);
  return await run.runJob(name, at, payload);
}

const compareAt = (at: string) => jobAt(at, 'cross-check-spot-prices', { day: '+1' });
const recheckAt = (at: string) => jobAt(at, 'recheck-spot-prices', { from: '-7', to: '-1' });

test('a rejected answer with hourly means: its alarm ends with the next good answer, about whatever day', async () => {
  run.clock.set('2026-11-20T15:00:00Z');
  await pullDay(run.deps, { deliveryOn: '2026-11-21' });
  run.feed.set({ awattar: { unit: 'Eur/kWh' } });
  await compareAt('2026-11-20T15:20:00Z');
  expect(await open()).toMatchObject([{ kind: 'rejected', source: 'awattar' }]);
  run.feed.set({ awattar: {} });
  run.clock.set('2026-11-21T15:00:00Z');
  await pullDay(run.deps, { deliveryOn: '2026-11-22' });
  await compareAt('2026-11-21T15:20:00Z');
  expect(await open()).toEqual([]);
});

test('a rejected re-check of the oldest day: its alarm ends with the next one, which asks for other days', async () => {
  run.clock.set('2026-11-20T06:00:00Z');
  await pullChunk(run.deps, { source: 'smard', days: daysBetween('2026-11-13', '2026-11-20') });
  await run.rows(
    `INSERT INTO price_alarms (zone, kind, source, delivery_on, detail, raised_at, last_seen_at)
     VALUES ('DE-LU', 'rejected', 'smard', '2026-11-13', 'refused', '2026-11-20T08:20:00Z', '2026-11-20T08:20:00Z')`,
  );
  await recheckAt('2026-11-21T08:20:00Z');
  expect(await open()).toEqual([]);
});

test('an alarm that the same run has raised is not ended by its other answers', async () => {
  run.clock.set('2026-11-20T06:00:00Z');
  await pullDay(run.deps, { deliveryOn: '2026-11-20' });
  await run.rows(
    `INSERT INTO price_alarms (zone, kind, source, delivery_on, detail, raised_at, last_seen_at)
     VALUES ('DE-LU', 'rejected', 'smard', '2026-11-13', 'refused', '2026-11-20T05:59:00Z', '2026-11-20T05:59:00Z')`,
  );
  await pullDay(run.deps, { deliveryOn: '2026-11-19' });
  expect(await open()).toHaveLength(1);
});

test('a disagreement with hourly means ends when the served source has corrected itself', async () => {
  run.feed.set({ smard: { revision: { interval: '2026-11-20T11:00Z', value: 41.5 } } });
  run.clock.set('2026-11-20T06:00:00Z');
  await pullDay(run.deps, { deliveryOn: '2026-11-20' });
  await jobAt('2026-11-20T06:10:00Z', 'pull-spot-prices', { day: '0' });
  expect(await open()).toMatchObject([{ kind: 'disagreement', source: 'smard/awattar' }]);
  run.feed.set({ smard: {} });
  expect(await recheckAt('2026-11-21T08:20:00Z')).toMatchObject({
    changed: expect.arrayContaining(['2026-11-20']),
    compared: expect.arrayContaining(['2026-11-20']),
  });
  expect(await open()).toEqual([]);
});

describe('a disagreement with hourly means about a day that is long over', () => {
  const day = '2026-11-10';
  const wrong = { revision: { interval: '2026-11-10T11:00Z', value: 41.5 } };
  const disputed = [{ kind: 'disagreement', source: 'smard/awattar' }];
  beforeEach(async () => {
    run.feed.set({ smard: wrong });
    run.clock.set('2026-11-10T06:00:00Z');
    await pullDay(run.deps, { deliveryOn: day });
    await jobAt('2026-11-10T06:10:00Z', 'pull-spot-prices', { day: '0' });
    expect(await open()).toMatchObject(disputed);
    run.clock.set('2026-11-20T10:00:00Z');
    run.feed.set({ smard: {} });
  });

  const span = { from: day, to: addDays(day, 1), recheck: true };
  const corrections: [string, () => Promise<unknown>][] = [
    ['a backfill', () => backfill(run.deps, span)],
    ['a backfill of one source', () => backfill(run.deps, { ...span, source: 'smard' })],
    ['a pull by hand', () => runCommand(run.environment(), 'prices', 'pull', '--date', day, '--recheck')],
    ['an imported file', importCorrected],
  ];
  test.each(corrections)('ends when %s corrects it', async (_name, correct) => {
    await correct();
    expect(await open()).toEqual([]);
  });

  test('stands while its value does, and is asked about once for each change', async () => {
    const calls = run.feed.requests().awattar;
    run.feed.set({ smard: wrong });
    await backfill(run.deps, span);
    run.feed.set({ smard: { revision: { ...wrong.revision, value: 42.5 } } });
    await backfill(run.deps, span);
    expect(await open()).toMatchObject(disputed);
    expect(run.feed.requests().awattar).toBe(calls + 1);
  });

  test('ends when the gap sweep brings the rest of the day', async () => {
    await run.rows("UPDATE price_days SET state = 'partial' WHERE delivery_on = $1", [day]);
    await run.rows("DELETE FROM spot_prices WHERE interval_start = '2026-11-10T12:00Z'");
    await run.runJob('fill-price-gaps', '2026-11-20T03:30:00Z', {});
    expect(await open()).toEqual([]);
  });

  async function importCorrected() {
    const start = berlinMilliseconds(day);
    const series = formulaCents(day).map((cents, index) => [start + index * 900_000, cents / 100]);
    const body = Buffer.from(JSON.stringify({ series }));
    await storeBody(run.deps, { source: 'smard', body, name: 'week.json', days: [day] });
  }
});

describe('a revision of a served day that is held back', () => {
  const day = '2026-11-20';
  const times = (factor: number) => ({
    revision: formulaCents(day).map((cents, index) => ({
      interval: `${new Date(berlinMilliseconds(day) + index * 900_000).toISOString().slice(0, 16)}Z`,
      value: Math.round(cents * factor) / 100,
    })),
  });

  test('is no disagreement about what is served; one that came after an operator declined it is compared again', async () => {
    run.clock.set('2026-11-20T06:00:00Z');
    await pullChunk(run.deps, { source: 'smard', days: daysBetween('2026-11-13', day) });
    await jobAt('2026-11-20T06:10:00Z', 'pull-spot-prices', { day: '0' });
    run.feed.set({ smard: times(10) });
    expect(await recheckAt('2026-11-21T08:20:00Z')).toMatchObject({
      compared: expect.arrayContaining([day]),
    });
    expect(await open()).toMatchObject([{ kind: 'suspect', source: 'smard' }]);
    expect(await run.servedCents(day)).toEqual(formulaCents(day));

    const act = {
      staff: 'anna',
      reason: 'another unit',
      command: 'prices prefer',
      now: '2026-11-21T09:00:00Z',
    };
    await preferSource(run.deps, { deliveryOn: day, source: 'smard' }, act);
    run.feed.set({ awattar: times(10) });
    const { compared } = await recheckAt('2026-11-22T08:20:00Z');
    expect(compared).not.toContain(day);
    expect(await open()).toEqual([]);

    run.feed.set({ smard: times(20), awattar: times(20) });
    expect(await recheckAt('2026-11-23T08:20:00Z')).toMatchObject({
      compared: expect.arrayContaining([day]),
    });
    expect(await run.servedCents(day)).toEqual(formulaCents(day).map((cents) => 20 * cents));
    expect(await open()).toEqual([]);
  });
});

test('what stands against a source ends when it is taken out of the configuration', async () => {
  run.feed.set({ smard: { status: 401 } });
  run.clock.set('2026-11-20T13:00:00Z');
  await pullDay(run.deps, { deliveryOn: '2026-11-21' });
  expect(await open()).toMatchObject([{ kind: 'denied', source: 'smard' }]);
  expect(await endAlarmsOfUnasked(run.deps)).toBe(0);
  const config = { ...run.deps.config, PRICES_SOURCES: ['energy-charts' as const] };
  expect(await endAlarmsOfUnasked({ ...run.deps, config })).toBe(1);
  expect(await open()).toEqual([]);
});

test('what stands against stored prices stays when their source is not configured', async () => {
  run.feed.set({ smard: { revision: { interval: '2026-11-20T11:00Z', value: 41.5 } } });
  run.clock.set('2026-11-20T06:00:00Z');
  await pullDay(run.deps, { deliveryOn: '2026-11-20' });
  await jobAt('2026-11-20T06:10:00Z', 'pull-spot-prices', { day: '0' });
  run.feed.set({ smard: { zeros: true } });
  await pullDay(run.deps, { deliveryOn: '2026-11-19' });
  const standing = [
    { kind: 'disagreement', source: 'smard/awattar' },
    { kind: 'suspect', source: 'smard' },
  ];
  expect(await open()).toMatchObject(standing);
  const config = { ...run.deps.config, PRICES_SOURCES: ['energy-charts' as const] };
  expect(await endAlarmsOfUnasked({ ...run.deps, config })).toBe(0);
  expect(await open()).toMatchObject(standing);
});

test('an operator ends an alarm with a reason, which is kept; a second time there is none', async () => {
  run.feed.set({ smard: { status: 401 } });
  run.clock.set('2026-11-20T13:00:00Z');
  await pullDay(run.deps, { deliveryOn: '2026-11-21' });
  const [alarm] = await open();
  const act = {
    staff: 'anna',
    reason: 'asked the operator',
    command: 'prices resolve',
    now: '2026-11-20T13:01:00Z',
  };
  expect(await resolveAlarm(run.deps, alarm?.id ?? 0, act)).toMatchObject({
    kind: 'denied',
    source: 'smard',
  });
  expect(await open()).toEqual([]);
  expect(await run.rows(`SELECT staff, reason FROM audit_log WHERE act = 'spot_prices.resolve'`)).toEqual([
    { staff: 'anna', reason: 'asked the operator' },
  ]);
  await expect(resolveAlarm(run.deps, alarm?.id ?? 0, act)).rejects.toThrow(/^No alarm \d+ stands/);
});

test('a day that becomes complete on its own delivery day is compared at once, at whatever hour', async () => {
  const result = await jobAt('2026-11-20T09:10:00Z', 'pull-spot-prices', { day: '0' });
  expect(result).toMatchObject({ outcome: 'complete', compared: { means: { compared: 24, differing: 0 } } });
});

test('a comparison that failed at 16:20 is made up for the same day, and a good one is made once', async () => {
  run.clock.set('2026-11-20T15:00:00Z');
  await pullDay(run.deps, { deliveryOn: '2026-11-21' });
  run.feed.set({ awattar: { status: 503 } });
  await compareAt('2026-11-20T15:20:00Z');
  run.feed.set({ awattar: {} });
  const calls = run.feed.requests().awattar;
  const pullAt = (at: string) => jobAt(at, 'pull-spot-prices', { day: '+1' });
  expect(await pullAt('2026-11-20T15:30:00Z')).toMatchObject({
    outcome: 'already_complete',
    compared: { means: { outcome: 'published', compared: 24 } },
  });
  expect(await pullAt('2026-11-20T16:00:00Z')).not.toHaveProperty('compared');
  expect(run.feed.requests().awattar).toBe(calls + 1);
});

test('the re-check with every feed down makes two retries for each, within four minutes', async () => {
  run.feed.set({ entsoe: { status: 503 }, smard: { status: 503 }, 'energy-charts': { status: 503 } });
  const config = { ...run.deps.config, PRICES_SOURCES: ['entsoe', 'smard', 'energy-charts'] as const };
  run.clock.set('2026-11-20T08:20:00Z');
  await recheck(
    { ...run.deps, config: { ...config, PRICES_SOURCES: [...config.PRICES_SOURCES] } },
    { days: daysBetween('2026-11-13', '2026-11-19') },
  );
  expect(run.waits).toHaveLength(6);
  expect(run.waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(4 * 60_000);
});

test('an old day asked for in vain does not move the start of the gap sweep', async () => {
  run.clock.set('2026-11-20T03:00:00Z');
  await pullDay(run.deps, { deliveryOn: '2026-11-18' });
  run.feed.set({ smard: { absent_days: ['2025-12-25'] } });
  await pullDay(run.deps, { deliveryOn: '2025-12-25' });
  run.feed.set({ smard: {} });
  const result = await jobAt('2026-11-20T03:30:00Z', 'fill-price-gaps', {});
  expect(result).toMatchObject({ filled: ['2026-11-19', '2026-11-20'] });
});
