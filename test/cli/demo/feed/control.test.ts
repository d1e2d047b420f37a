import { beforeEach, expect, test } from 'vitest';
import { startFeed } from '../../../../src/cli/demo/feed/server.ts';
import { sourceVariables } from '../../../../src/config/prices.ts';
import { feedConfig, takeFeed } from '../../../setup/feed.ts';
import { ask, entsoePath } from './ask.ts';

/* The feed's own address, its counts, and that nothing but requests and switches decide about its bytes. */

const feed = await takeFeed({ now: '2026-11-20T14:00+01:00' });
beforeEach(() => feed.set({ now: '2026-11-20T14:00+01:00', entsoe: {}, smard: {} }));

const put = async (body: unknown) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${feed.url}/_feed`, { method: 'PUT', body: text });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const PATHS = [
  entsoePath('202611192300', '202611212300', null),
  '/smard/app/chart_data/4169/DE-LU/index_quarterhour.json',
  '/smard/app/chart_data/4169/DE-LU/4169_DE-LU_quarterhour_1794783600000.json',
  '/energy-charts/price?bzn=DE-LU&start=2026-11-20&end=2026-11-21',
  '/awattar/v1/marketdata?start=1795215600000&end=1795302000000',
  '/energyforecast/api/v2/forecast?token=demo&market_zone=DE-LU&vat=0&fixed_cost_cent=0',
  '/energyforecast/api/v1/predictions/next_48_hours?token=demo&vat=0&fixed_cost_cent=0',
];

test('switches are set and shown; a source that is not named keeps its own', async () => {
  const set = await put({ now: '2026-11-20T10:00:00+01:00', smard: { status: 503 } });
  expect(set).toMatchObject({
    status: 200,
    body: {
      synthetic: true,
      now: '2026-11-20T09:00:00.000Z',
      clock: 'set',
      smard: { status: 503 },
      entsoe: {},
    },
  });
  await put({ entsoe: { delay_minutes: 30 } });
  const shown = JSON.parse((await ask(feed, '/_feed')).text);
  expect(shown).toMatchObject({ smard: { status: 503 }, entsoe: { delay_minutes: 30 } });
  expect((await put({ now: null })).body.clock).toBe('this machine');
});

test('what is no switch is refused with a sentence, and nothing changes', async () => {
  for (const body of [
    { smard: { statuss: 503 } },
    { smard: { curve: 'A01' } },
    { entsoe: { status: 418 } },
    { entsoe: { drop: ['yesterday'] } },
    { entsoe: { seq1_days: ['2026-02-29'] } },
    { now: '2026-11-20T10:00:00' },
    { tibber: {} },
    [],
    '{',
  ]) {
    const { status, body: answer } = await put(body);
    expect([status, (answer.errors as string[]).length > 0]).toEqual([400, true]);
  }
  expect(JSON.parse((await ask(feed, '/_feed')).text)).toMatchObject({ smard: {}, entsoe: {} });
  expect(() => feed.set({ smard: { curve: 'A01' } })).toThrow('smard.curve: means nothing to smard');
});

test('requests are counted for each source, its failures included', async () => {
  const own = await startFeed({ now: '2026-11-20T14:00+01:00', switches: { smard: { status: 503 } } });
  try {
    for (const path of PATHS) await ask(own, path);
    await ask(own, '/energy-charts/unknown');
    const counts = { entsoe: 1, smard: 2, 'energy-charts': 2, awattar: 1, energyforecast: 2 };
    expect(own.requests()).toEqual(counts);
    expect(JSON.parse((await ask(own, '/_feed')).text).requests).toEqual(counts);
    expect(own.addresses()).toEqual([...PATHS, '/energy-charts/unknown']);
  } finally {
    await own.close();
  }
});

test('another feed gives the same bytes for the same requests, in any order, also after switches', async () => {
  const other = await startFeed({ now: '2026-11-20T13:00:00Z' });
  try {
    const before = [];
    for (const path of PATHS) before.push((await ask(feed, path)).text);
    feed.set({ entsoe: { curve: 'A01', drop: ['2026-11-20T10:00Z'] }, smard: { zeros: true } });
    for (const path of PATHS) await ask(feed, path);
    feed.set({ entsoe: {}, smard: {} });
    for (const [index, path] of [...PATHS.entries()].reverse()) {
      expect((await ask(other, path)).text).toBe(before[index]);
      expect((await ask(feed, path)).text).toBe(before[index]);
    }
  } finally {
    await other.close();
  }
});

test('every answer says that its data are synthetic', async () => {
  for (const path of PATHS) expect((await ask(feed, path)).headers['x-data']).toMatch(/^Synthetic data/);
});

test('a clock can be handed in', async () => {
  let now = Date.parse('2026-11-20T11:57:59Z');
  feed.set({ now: () => now });
  const hasPrices = async () =>
    (await ask(feed, entsoePath('202611202300', '202611212300'))).text.includes('<TimeSeries>');
  expect(await hasPrices()).toBe(false);
  now += 1000;
  expect(await hasPrices()).toBe(true);
});

test('unknown paths are 404, other methods 405', async () => {
  expect((await ask(feed, '/')).status).toBe(404);
  expect((await ask(feed, '/tibber/v1')).status).toBe(404);
  expect((await fetch(`${feed.url}/entsoe/api`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${feed.url}/_feed`, { method: 'DELETE' })).status).toBe(405);
});

test('the variables for the service name this machine only', () => {
  const addresses = Object.entries(feedConfig(feed)).filter(([name]) => name.endsWith('_URL'));
  const named = sourceVariables.filter(({ kind }) => kind === 'address').map(({ name }) => name);
  expect(addresses.map(([name]) => name)).toEqual(named.filter((name) => name !== 'PRICES_SYNTHETIC_URL'));
  for (const [, address] of addresses) expect(new URL(address).hostname).toBe('127.0.0.1');
});
