import { afterAll, beforeEach, expect, test } from 'vitest';
import { lookForPublication } from '../../../src/spot-prices/pull/publication.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { openAlarms, openTestPrices } from '../price-parts.ts';
import { PriceRun } from '../price-run.ts';
import { specialServer } from './special-server.ts';

const NOW = '2026-11-20T12:30:00Z';
const deliveryOn = '2026-11-21';
const clock = fakeClock(NOW);
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const portal = await specialServer();
const SWITCHED_ON = { PRICES_NORDPOOL: 'true', PRICES_NORDPOOL_URL: portal.url };
const prices = await openTestPrices(clock, { ...feedConfig(feed), ...SWITCHED_ON });
const run = new PriceRun({ at: NOW, more: SWITCHED_ON });
afterAll(async () => {
  await prices.close();
  await portal.close();
});

beforeEach(async () => {
  clock.set(NOW);
  portal.requests.length = 0;
  await prices.empty();
});

const entry = { deliveryStart: '2026-11-20T23:00:00Z', entryPerArea: { GER: 94.26 } };
const published = {
  deliveryDateCET: deliveryOn,
  version: 2,
  updatedAt: '2026-11-20T11:57:03.1234567Z',
  market: 'DayAhead',
  currency: 'EUR',
  areaStates: [
    { state: 'Preliminary', areas: ['FR', 'NL'] },
    { state: 'Final', areas: ['AT', 'GER'] },
  ],
  multiAreaEntries: [entry],
};

function answerWith(changes: Readonly<Record<string, unknown>>, status = 200): void {
  portal.answer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(status === 204 ? undefined : JSON.stringify({ ...published, ...changes }));
  });
}

const look = (parts = prices.parts) => lookForPublication(parts, deliveryOn);
const records = () =>
  prices.rows(
    'SELECT outcome, detail, source_stamp, interval_count, licence_text, payload_hash FROM price_fetches ORDER BY id',
  );

test('off where nobody has switched it on, and nothing to ask about in the zone with Austria', async () => {
  expect(await look(prices.with({ PRICES_NORDPOOL: 'false' }))).toBeNull();
  expect(await lookForPublication(prices.parts, '2018-09-30')).toBeNull();
  expect(portal.requests).toEqual([]);
});

test('state, version and time of the publication are kept, and nothing else of the body', async () => {
  answerWith({});
  expect(await look()).toBe('Final, version 2');
  expect(portal.requests.map(({ url }) => url)).toEqual([
    '/api/DayAheadPrices?date=2026-11-21&market=DayAhead&deliveryArea=GER&currency=EUR',
  ]);
  expect(await records()).toEqual([
    {
      outcome: 'published',
      detail: 'Final, version 2',
      source_stamp: '2026-11-20T11:57:03.1234567Z',
      interval_count: 0,
      licence_text: 'undocumented use',
      payload_hash: null,
    },
  ]);
  for (const table of ['price_payloads', 'price_revisions', 'price_days', 'spot_prices'])
    expect(await prices.rows(`SELECT FROM ${table}`)).toEqual([]);
  expect(await look()).toBeNull();
  expect(portal.requests).toHaveLength(1);
});

test('nothing yet, and preliminary results, are asked for again', async () => {
  answerWith({}, 204);
  expect(await look()).toBe('Status 204');
  answerWith({ version: 1, areaStates: [{ state: 'Preliminary', areas: ['GER'] }] });
  expect(await look()).toBe('Preliminary, version 1');
  answerWith({});
  expect(await look()).toBe('Final, version 2');
  expect(await records()).toMatchObject([
    { outcome: 'not_published' },
    { outcome: 'not_published', detail: 'Preliminary, version 1' },
    { outcome: 'published' },
  ]);
});

test.each([
  ['another currency', { currency: 'SEK' }, 'currency is "SEK", not "EUR"'],
  ['another day', { deliveryDateCET: '2026-11-20' }, 'deliveryDateCET is "2026-11-20", not "2026-11-21"'],
  ['no version', { version: null }, 'version is null, not a whole number'],
  ['a time without an offset', { updatedAt: '2026-11-20T11:57:03' }, 'updatedAt is "2026-11-20T11:57:03"'],
  ['no state of the zone', { areaStates: [{ state: 'Final', areas: ['FR'] }] }, 'The state of GER is absent'],
  ['a state nobody knows', { areaStates: [{ state: 'Done', areas: ['GER'] }] }, 'The state of GER is "Done"'],
])('%s is refused with an alarm and without its body; a good answer ends it', async (_, changes, reason) => {
  answerWith(changes);
  expect(await look()).toContain(reason);
  expect(await records()).toMatchObject([{ outcome: 'rejected', payload_hash: null }]);
  expect(await openAlarms(prices)).toMatchObject([{ kind: 'rejected', source: 'nordpool' }]);
  answerWith({});
  await look();
  expect(await openAlarms(prices)).toEqual([]);
});

test('a failure has no second try, and a portal that refuses is left alone', async () => {
  portal.answer((_request, response) => response.writeHead(503).end());
  expect(await look()).toBe('Status 503');
  expect(prices.waits).toEqual([]);
  portal.answer((_request, response) => response.writeHead(429, { 'retry-after': '120' }).end());
  await look();
  clock.advance(119_000);
  expect(await look()).toBeNull();
  clock.advance(1_000);
  answerWith({});
  expect(await look()).toBe('Final, version 2');
});

test('the pull of tomorrow asks, its prices come from elsewhere, and a day that is complete asks nobody', async () => {
  answerWith({});
  const pull = () => run.runJob('pull-spot-prices', NOW, { day: '+1' });
  expect(await pull()).toMatchObject({
    outcome: 'complete',
    served_source: 'entsoe',
    publication: 'Final, version 2',
  });
  expect(portal.requests).toHaveLength(1);
  expect(await pull()).not.toHaveProperty('publication');
  portal.answer((_request, response) => response.destroy());
  await run.empty();
  expect(await pull()).toMatchObject({ outcome: 'complete', publication: expect.any(String) });
  expect(portal.requests).toHaveLength(2);
});
