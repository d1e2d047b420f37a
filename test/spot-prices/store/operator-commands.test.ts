import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { pullChunk } from '../../../src/spot-prices/pull/pull.ts';
import { resolveAlarm } from '../../../src/spot-prices/store/operator-choice.ts';
import { runCommand } from '../../cli/command-line.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { attempts, dayOf, openAlarms, openTestPrices, served, stored } from '../price-parts.ts';

const clock = fakeClock('2026-11-20T15:20:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const deliveryOn = '2026-11-21';
const why = ['--reason', 'ticket 17', '--staff', 'ada'];
const prices = await openTestPrices(clock, feedConfig(feed));
afterAll(() => prices.close());
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voltstream-prices-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  feed.set({ entsoe: {}, smard: {}, 'energy-charts': {} });
  await prices.empty();
});

const run = (...args: string[]) => runCommand({ ...prices.environment }, 'prices', ...args);
const pull = (source: 'entsoe' | 'smard') => pullChunk(prices.parts, { source, days: [deliveryOn] });
const auditLines = () =>
  prices.rows("SELECT act, object_id, route, staff, reason FROM audit_log WHERE act LIKE 'spot_prices%'");

describe('prices prefer and release', () => {
  test('the operator decides between sources that differ: served, audited, the alarm is over until a new value comes', async () => {
    await pull('smard');
    feed.set({ entsoe: { revision: { interval: '2026-11-21T18:00Z', value: 2000 } } });
    await pull('entsoe');
    const result = await run('prefer', '--date', deliveryOn, '--source', 'entsoe', ...why, '--json');
    expect(JSON.parse(result.stdout)).toEqual({
      delivery_on: deliveryOn,
      served_source: 'entsoe',
      state: 'complete',
      version: 2,
      changed: true,
    });
    expect(await served(prices, deliveryOn)).toContain(2000);
    expect(await openAlarms(prices)).toEqual([]);
    expect(await auditLines()).toEqual([
      {
        act: 'spot_prices.prefer',
        object_id: '2026-11-21 entsoe',
        route: 'prices prefer',
        staff: 'ada',
        reason: 'ticket 17',
      },
    ]);
    await pull('smard');
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ served_source: 'entsoe', version: 2 });
    expect(await openAlarms(prices)).toEqual([]);
    feed.set({ smard: { revision: { interval: '2026-11-21T18:00Z', value: 17 } } });
    await pull('smard');
    expect(await openAlarms(prices)).toMatchObject([{ kind: 'disagreement' }]);
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ served_source: 'entsoe', version: 2 });
  });

  test('a source without values, or without a reason, changes nothing', async () => {
    await pull('smard');
    const before = await stored(prices);
    const unknown = await run('prefer', '--date', deliveryOn, '--source', 'entsoe', ...why);
    expect(unknown).toMatchObject({ exitCode: 1, stderr: 'There are no prices of entsoe for 2026-11-21\n' });
    expect((await run('prefer', '--date', deliveryOn, '--source', 'smard')).exitCode).toBe(2);
    expect((await run('prefer', '--date', '2026-02-29', '--source', 'smard', ...why)).exitCode).toBe(2);
    expect((await run('prefer', '--date', deliveryOn, '--source', 'awattar', ...why)).exitCode).toBe(2);
    expect((await run('release', '--date', deliveryOn, ...why)).stderr).toBe(
      'Nothing of 2026-11-21 is suspect\n',
    );
    expect(await stored(prices)).toEqual(before);
    expect(await auditLines()).toEqual([]);
  });

  test('a suspect day is served after its release', async () => {
    feed.set({ smard: { zeros: true } });
    await pull('smard');
    const early = await run('prefer', '--date', deliveryOn, '--source', 'smard', ...why);
    expect(early.stderr).toContain('release them first');
    const result = await run('release', '--date', deliveryOn, ...why, '--json');
    expect(JSON.parse(result.stdout)).toMatchObject({
      served_source: 'smard',
      state: 'complete',
      version: 1,
    });
    expect(await openAlarms(prices)).toEqual([]);
    expect(await auditLines()).toMatchObject([{ act: 'spot_prices.release', object_id: deliveryOn }]);
  });
});

test('prices resolve ends the alarm of this number once, with its reason, and no other', async () => {
  feed.set({ entsoe: { status: 401 }, smard: { status: 401 } });
  await pull('smard');
  await pull('entsoe');
  const [first, second] = await prices.rows<{ id: string; source: string }>(
    "SELECT id::text, source FROM price_alarms WHERE kind = 'denied' ORDER BY id",
  );
  const resolve = (...args: string[]) => run('resolve', '--alarm', ...args);
  expect((await resolve(first?.id ?? '')).exitCode).toBe(2);
  expect((await resolve('0', ...why)).exitCode).toBe(2);
  const result = await resolve(first?.id ?? '', ...why, '--json');
  expect(JSON.parse(result.stdout)).toMatchObject({
    alarm: Number(first?.id),
    kind: 'denied',
    source: 'smard',
  });
  expect(await openAlarms(prices)).toMatchObject([{ kind: 'denied', source: second?.source }]);
  expect(await auditLines()).toMatchObject([
    { act: 'spot_prices.resolve', route: 'prices resolve', staff: 'ada', reason: 'ticket 17' },
  ]);
  const again = await resolve(first?.id ?? '', ...why);
  expect(again).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^No alarm \d+ stands/) });
});

test('prices resolve leaves the alarm of a day that is held back, and names what serves the day', async () => {
  feed.set({ smard: { zeros: true } });
  await pull('smard');
  const [alarm] = await prices.rows<{ id: string }>(
    "SELECT id::text FROM price_alarms WHERE kind = 'suspect'",
  );
  const refused = await run('resolve', '--alarm', alarm?.id ?? '', ...why);
  expect(refused).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/2026-11-21 are held back.* prices release --date 2026-11-21 serves/),
  });
  const now = clock.now().toISOString();
  const act = { staff: 'ada', reason: 'ticket 17', command: 'prices resolve', now };
  await expect(resolveAlarm(prices.parts, Number(alarm?.id), act)).rejects.toThrow('are held back');
  expect(prices.logged.filter((line) => line.includes('price alarm resolved'))).toEqual([]);
  expect(await openAlarms(prices)).toMatchObject([{ kind: 'suspect' }]);
  expect(await auditLines()).toEqual([]);
  await run('release', '--date', deliveryOn, ...why);
  expect(await openAlarms(prices)).toEqual([]);
});

test('prices prefer of a source that has the whole day ends the alarm of another one, until that sends other values', async () => {
  feed.set({ smard: { zeros: true } });
  await pull('smard');
  feed.set({ smard: { zeros: true }, entsoe: { revision: { interval: '2026-11-21T18:00Z', value: 2000 } } });
  await pull('entsoe');
  expect(await openAlarms(prices)).toContainEqual(
    expect.objectContaining({ kind: 'suspect', source: 'smard' }),
  );
  await run('prefer', '--date', deliveryOn, '--source', 'entsoe', ...why);
  expect(await openAlarms(prices)).toEqual([]);
  await pull('smard');
  expect(await openAlarms(prices)).toEqual([]);
  expect(await dayOf(prices, deliveryOn)).toMatchObject({ served_source: 'entsoe', state: 'complete' });
  feed.set({ smard: { zeros: true, revision: { interval: '2026-11-21T18:00Z', value: 1 } } });
  await pull('smard');
  expect((await openAlarms(prices)).length).toBeGreaterThan(0);
});

describe('prices import', () => {
  async function bodyOf(path: string): Promise<string> {
    const name = join(folder, 'body.json');
    await writeFile(name, await (await fetch(`${feed.url}${path}`)).text());
    return name;
  }

  test('stores a body as a pull would, with a record that names the file', async () => {
    const file = await bodyOf('/energy-charts/price?bzn=DE-LU&start=2026-11-20&end=2026-11-21');
    const result = await run('import', file, '--source', 'energy-charts', '--json');
    expect(result.exitCode).toBe(0);
    const printed = JSON.parse(result.stdout) as { points: unknown[]; stored: unknown[] };
    const parsed = await run('parse', file, '--source', 'energy-charts', '--json');
    const { stored: kept, ...same } = printed;
    expect(same).toEqual(JSON.parse(parsed.stdout));
    expect(kept).toEqual(
      ['2026-11-20', deliveryOn].map((day) => ({
        delivery_on: day,
        outcome: 'published',
        intervals: 96,
        served_source: 'energy-charts',
        state: 'complete',
        changed: true,
      })),
    );
    const records = await prices.rows(
      'SELECT url, http_status, interval_count, delivery_from, delivery_to FROM price_fetches',
    );
    expect(records).toMatchObject([{ url: 'body.json', http_status: null, interval_count: 192 }]);
    expect(await auditLines()).toMatchObject([
      { act: 'spot_prices.import', object_id: 'energy-charts', reason: 'import of prices' },
    ]);
    const before = await stored(prices);
    await run('import', file, '--source', 'energy-charts', '--day', deliveryOn);
    expect(await stored(prices)).toEqual(before);
  });

  test('people see what became of each day, not each price, and that a day is held back', async () => {
    feed.set({ 'energy-charts': { zeros: true } });
    const file = await bodyOf('/energy-charts/price?bzn=DE-LU&start=2026-11-21&end=2026-11-21');
    const { stdout } = await run('import', file, '--source', 'energy-charts');
    expect(stdout).toMatch(/\npoints +96\ndelivery_on +outcome .*\n2026-11-21 +held back /);
    expect(stdout).toMatch(
      /\n2026-11-21 is held back: .* prices release --date 2026-11-21 --reason TEXT serves it\.\n$/,
    );
    expect(stdout.split('\n').length).toBeLessThan(12);
  });

  test('the addresses of the guide are those of bodies that import takes', async () => {
    const guide = await readFile(join(projectFolder, 'docs/operating.md'), 'utf8');
    const rows = [...guide.matchAll(/^\| `(.*)` \| <https:\/\/[^/]+(\S+)>/gm)];
    expect(rows.map(([, source]) => source)).toEqual(['smard', 'energy-charts', 'entsoe']);
    for (const [, source = '', path = ''] of rows) {
      const file = await bodyOf(`/${source}${path.replace('=TOKEN&', '=demo&')}`);
      const { stdout } = await run('parse', file, '--source', source, '--day', '2026-11-20', '--json');
      expect([source, JSON.parse(stdout)]).toMatchObject([source, { status: 'ok', reason: null }]);
    }
  });

  test('a refused body is stored as a refused attempt only, and says nothing about how the source does', async () => {
    feed.set({ 'energy-charts': { unit: 'EUR/kWh' } });
    const file = await bodyOf('/energy-charts/price?bzn=DE-LU&start=2026-11-21&end=2026-11-21');
    const result = await run('import', file, '--source', 'energy-charts', '--json');
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.stdout)).toMatchObject({ status: 'refused', points: [], stored: [] });
    expect(await attempts(prices)).toMatchObject([{ outcome: 'rejected' }]);
    expect(await prices.rows('SELECT FROM price_sources')).toEqual([]);
    expect(await openAlarms(prices)).toEqual([]);
  });

  test.each([
    ['smard', '/smard/app/chart_data/4169/DE-LU/4169_DE-LU_quarterhour_1794783600000.json', []],
    [
      'energyforecast',
      '/energyforecast/api/v2/forecast?token=demo&market_zone=DE-LU&vat=0&fixed_cost_cent=0',
      [{ capture: null, outcome: 'rejected', intervals: 0 }],
    ],
  ])('a body of %s over the limit is refused, and only the attempt is stored', async (source, path, rows) => {
    const file = await bodyOf(path);
    await appendFile(file, Buffer.alloc(2 * 1024 * 1024, ' '));
    const result = await run('import', file, '--source', source, '--json');
    expect(result.exitCode).toBe(1);
    expect(JSON.parse(result.stdout)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('more than 2097152'),
      stored: rows,
    });
    expect(await attempts(prices)).toMatchObject([{ source, outcome: 'rejected', interval_count: 0 }]);
    expect(await prices.rows('SELECT FROM price_forecast_captures')).toEqual([]);
    expect(await prices.rows('SELECT FROM price_payloads')).toEqual([]);
  });

  test('a forecast is stored as a capture, never as prices', async () => {
    const query = 'token=demo&market_zone=DE-LU&vat=0&fixed_cost_cent=0';
    const file = await bodyOf(`/energyforecast/api/v2/forecast?${query}`);
    const result = await run('import', file, '--source', 'energyforecast', '--json');
    expect(result.stderr).toBe('');
    const { stored: kept, points } = JSON.parse(result.stdout) as { stored: unknown[]; points: unknown[] };
    expect(kept).toMatchObject([
      { outcome: expect.stringMatching(/published|partial/), intervals: points.length },
    ]);
    expect(await prices.rows('SELECT FROM spot_prices')).toEqual([]);
    const withDay = await run('import', file, '--source', 'energyforecast', '--day', deliveryOn);
    expect(withDay.exitCode).toBe(2);
  });

  test('a forecast whose market rows are not our prices is refused, with the reason and exit 1', async () => {
    await run(
      'import',
      await bodyOf('/energy-charts/price?bzn=DE-LU&start=2026-11-19&end=2026-11-21'),
      '--source',
      'energy-charts',
    );
    feed.set({ energyforecast: { surcharge: 'price' } });
    const query = 'token=demo&market_zone=DE-LU&vat=0&fixed_cost_cent=0';
    const file = await bodyOf(`/energyforecast/api/v2/forecast?${query}`);
    const result = await run('import', file, '--source', 'energyforecast', '--json');
    expect(JSON.parse(result.stdout)).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(/\S/),
      stored: [{ capture: null, outcome: 'rejected' }],
    });
    expect(result.exitCode).toBe(1);
  });

  test('prices behind tomorrow are refused with their day, and none of their file is stored', async () => {
    const file = join(folder, 'wrong-year.json');
    const unix_seconds = ['2026-11-20', '2099-11-21'].map((day) => Date.parse(`${day}T11:00:00Z`) / 1_000);
    const body = { license_info: 'CC BY 4.0', unix_seconds, price: [40, 50], unit: 'EUR / MWh' };
    await writeFile(file, JSON.stringify({ ...body, deprecated: false }));
    for (const more of [[], ['--day', '2099-11-21']]) {
      const refused = await run('import', file, '--source', 'energy-charts', ...more);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toMatch(/the file has prices of 2099-11-21: prices exist until tomorrow, /);
    }
    expect(await attempts(prices)).toEqual([]);
    expect(await auditLines()).toEqual([]);
    expect((await run('import', file, '--source', 'energy-charts', '--day', '2026-11-20')).exitCode).toBe(0);
  });

  test('invented prices are refused where others are asked for: a database keeps its kind for good', async () => {
    const file = await bodyOf('/energy-charts/price?bzn=DE-LU&start=2026-11-20&end=2026-11-20');
    const refused = await run('import', file, '--source', 'synthetic');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('invented prices are stored only where PRICES_SOURCES is synthetic');
    expect(await attempts(prices)).toEqual([]);
  });

  test('a file that is not there, or a source that is none, is not understood', async () => {
    expect((await run('import', join(folder, 'no'), '--source', 'smard')).exitCode).toBe(2);
    expect((await run('import', join(folder, 'no'), '--source', 'awattar')).exitCode).toBe(2);
  });
});
