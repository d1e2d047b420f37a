import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { berlinMidnight, berlinMilliseconds } from '../../../src/platform/time/berlin-calendar.ts';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import { sampled } from '../../setup/tier.ts';
import { refusal } from '../../telemetry/assets/devices.ts';
import { changedPoints, days, Forecasts, points, QUARTER_HOUR } from './forecasts.ts';

/** A Saturday, 11:05 in Berlin. */
const NOW = '2026-11-21T10:05:00.000Z';
const MONDAY = '2026-11-23';

let forecasts: Forecasts;
beforeAll(async () => {
  forecasts = await Forecasts.start(NOW);
});
afterAll(() => forecasts?.close());

const active = () => forecasts.contracts.active();

/** A valid day, but for these points. */
const changed = (change: (index: number) => object | null) => changedPoints(days(MONDAY), change);

describe('points that are no whole days to come', () => {
  const begins = berlinMilliseconds(MONDAY);
  const day = 96 * QUARTER_HOUR;

  const WRONG: [string, object[], string[]][] = [
    ['a gap', changed((index) => (index === 30 ? null : {})), ['custom data.30.start']],
    [
      'two gaps',
      changed((index) => (index === 30 || index === 50 ? null : {})),
      ['custom data.30.start', 'custom data.49.start'],
    ],
    ['a point twice', [...days(MONDAY).slice(0, 10), ...days(MONDAY).slice(9)], ['custom data.10.start']],
    ['descending', days(MONDAY).slice(0, 2).reverse(), ['custom data.0.start', 'custom data.1.start']],
    [
      'overlapping',
      changed((index) => (index === 3 ? { start: new Date(begins + 40 * 60_000).toISOString() } : {})),
      ['custom data.3.start', 'custom data.4.start'],
    ],
    [
      'a microsecond off',
      changed((index) => (index === 95 ? { start: '2026-11-23T22:45:00.000001Z' } : {})),
      ['custom data.95.start'],
    ],
    ['from a quarter past midnight', points(begins + QUARTER_HOUR, begins + day), ['custom data.0.start']],
    [
      'from midnight in UTC',
      points(begins + 4 * QUARTER_HOUR, begins + day + 4 * QUARTER_HOUR),
      ['custom data.0.start', 'custom data'],
    ],
    [
      'a microsecond behind midnight',
      changed((index) => (index === 0 ? { start: '2026-11-22T23:00:00.000001Z' } : {})),
      ['custom data.0.start', 'custom data.1.start'],
    ],
    ['the last quarter hour missing', points(begins, begins + day - QUARTER_HOUR), ['custom data']],
    ['one quarter hour too many', points(begins, begins + day + QUARTER_HOUR), ['custom data']],
    ['one point', points(begins, begins + QUARTER_HOUR), ['custom data']],
    ['32 days, the last one not complete', days(MONDAY, 32).slice(0, 2_980), ['too_big data', 'custom data']],
    ['today', days('2026-11-21'), ['too_small data.0.start']],
    ['long ago, and a part', days('2000-01-01').slice(0, 9), ['too_small data.0.start', 'custom data']],
    [
      'in the year 1',
      [{ start: '0001-01-01T00:00:00+14:00', value: 1 }],
      ['custom data.0.start', 'too_small data.0.start'],
    ],
    [
      'in the year 9999',
      [{ start: '9999-12-31T23:59:59Z', value: 1 }],
      ['custom data.0.start', 'too_big data.0.start'],
    ],
    ['in eleven years', days('2037-12-01'), ['too_big data.0.start']],
  ];
  test.each(sampled(WRONG, 2))('%s', async (_what, data, told) => {
    const contract = await active();
    expect(refusal(await forecasts.send(contract, data))).toEqual([400, ...told]);
    expect(await forecasts.stored(contract)).toEqual([]);
  });

  test.each([
    ['2026-11-22T22:45:00.000Z', [200]],
    ['2026-11-22T22:45:00.001Z', [400, 'too_small data.0.start']],
    ['2026-11-22T23:00:00.000Z', [400, 'too_small data.0.start']],
  ])('the first interval begins at least 15 minutes later: at %s', async (instant, expected) => {
    const contract = await active();
    forecasts.contracts.clock.set(instant);
    expect(refusal(await forecasts.send(contract, days(MONDAY)))).toEqual(expected);
    forecasts.contracts.clock.set(NOW);
  });
});

describe('contracts', () => {
  const over = { status: 'ended' as const, end_at: berlinMidnight('2026-11-01') };

  test.each([
    ['of feed-in', { type: 'feed_in' as const }, ['custom subscription']],
    ['that has ended', over, ['ended_subscription subscription']],
    [
      'that was refused',
      { ...over, start_at: null, confirmed_at: null },
      ['ended_subscription subscription'],
    ],
    [
      'whose start is not confirmed',
      { status: 'pending' as const, start_at: null, confirmed_at: null },
      ['subscription_not_started subscription'],
    ],
    [
      'of feed-in that has ended',
      { ...over, type: 'feed_in' as const },
      ['custom subscription', 'ended_subscription subscription'],
    ],
  ])('a contract %s has none, in any version, and points are judged with it', async (_what, input, told) => {
    const contract = await forecasts.contracts.active(input);
    expect(refusal(await forecasts.send(contract, days(MONDAY)))).toEqual([400, ...told]);
    const both = await forecasts.send(contract, days(MONDAY).slice(1));
    expect(refusal(both)).toEqual([400, ...told, 'custom data.0.start']);
    const old = await forecasts.send(contract, days(MONDAY), { version: '2025-12-01.chucky' });
    expect([old.status, old.body.message]).not.toContain('upgrade');
    expect(old.status).toBe(400);
    expect(await forecasts.stored(contract)).toEqual([]);
  });

  test('a pending contract with a confirmed start has them', async () => {
    const contract = await forecasts.contracts.active({
      status: 'pending',
      start_at: berlinMidnight('2027-01-01'),
      confirmed_at: NOW,
    });
    expect((await forecasts.send(contract, days('2027-01-01'))).status).toBe(200);
  });

  test('what is unknown, and what another organization has, is not found', async () => {
    const other = forecasts.api.client((await createTenant(forecasts.api)).token, {
      version: '2026-05-27.curie',
    });
    const contract = await active();
    for (const subscription of [contract.id, 'sub_000000000000000000000000', 'x']) {
      const body = {
        scope: 'subscription',
        subscription,
        resolution: '15min',
        unit: 'KW',
        data: days(MONDAY),
      };
      expect((await other.post('/load-forecasts', body)).body).toMatchObject({
        message: 'Resource not found',
      });
    }
    expect((await forecasts.send({ id: 'x' }, days(MONDAY))).status).toBe(404);
    expect(await forecasts.stored(contract)).toEqual([]);
  });

  test('a token of a customer and a read-only key send none', async () => {
    const { api, contracts } = forecasts;
    const contract = await active();
    for (const input of [{ customer_id: contract.place.customer }, { read_only: true }]) {
      const credentials = await createClient(api.deps, contracts.organization, input);
      const client = api.client(await tokenFor(api, credentials), { version: '2026-05-27.curie' });
      const body = {
        scope: 'subscription',
        subscription: contract.id,
        resolution: '15min',
        unit: 'KW',
        data: days(MONDAY),
      };
      expect((await client.post('/load-forecasts', body)).status).toBe(403);
    }
    expect(await forecasts.stored(contract)).toEqual([]);
  });
});
