import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { pullChunk, pullDay } from '../../../src/spot-prices/pull/pull.ts';
import { listAttributions } from '../../../src/spot-prices/queries.ts';
import { deleteOldPayloads } from '../../../src/spot-prices/store/fetch-records.ts';
import { fakeClock } from '../../setup/clock.ts';
import { feedConfig, takeFeed } from '../../setup/feed.ts';
import { attempts, dayOf, openAlarms, openTestPrices, served, stored } from '../price-parts.ts';

const clock = fakeClock('2026-11-20T12:30:00Z');
const feed = await takeFeed({ now: () => clock.nowMilliseconds() });
const deliveryOn = '2026-11-21';
const prices = await openTestPrices(clock, feedConfig(feed));
afterAll(() => prices.close());

beforeEach(async () => {
  clock.set('2026-11-20T12:30:00Z');
  feed.set({ entsoe: {}, smard: {}, 'energy-charts': {}, awattar: {} });
  await prices.empty();
});

const recheck = (source: 'entsoe' | 'smard') =>
  pullChunk(prices.parts, { source, days: [deliveryOn], recheck: true, retries: 'none' });

const revisionsOf = (start: string) =>
  prices.rows<{ source: string; revision: number; amount: string }>(
    'SELECT source, revision, amount FROM price_revisions WHERE interval_start = $1 ORDER BY source, revision',
    [start],
  );

describe('what is stored', () => {
  test('the same document under another number and time of making: one hash, no revision, a fetch record only', async () => {
    feed.set({ entsoe: { fresh_mrid: true }, smard: { fresh_mrid: true } });
    for (const source of ['entsoe', 'smard'] as const) {
      await pullChunk(prices.parts, { source, days: [deliveryOn] });
      const before = await stored(prices);
      clock.advance(60_000);
      await recheck(source);
      expect(await stored(prices)).toEqual(before);
      const hashes = await prices.rows<{ payload_hash: Buffer; source_stamp: string }>(
        'SELECT payload_hash, source_stamp FROM price_fetches WHERE source = $1 AND interval_count > 0',
        [source],
      );
      expect(hashes).toHaveLength(2);
      expect(hashes[0]?.payload_hash).toEqual(hashes[1]?.payload_hash);
      expect(hashes[0]?.source_stamp).not.toBe(hashes[1]?.source_stamp);
    }
    expect(await prices.rows('SELECT FROM price_payloads')).toHaveLength(2);
  });

  test('one price changed in the re-check: one revision, the old row kept, version +1, a row for dependants', async () => {
    await pullDay(prices.parts, { deliveryOn });
    const interval = '2026-11-21T08:15Z';
    feed.set({ entsoe: { revision: { interval, value: 101.5 } } });
    clock.set('2026-11-22T08:20:00Z');
    const [report] = await recheck('entsoe');
    expect(report).toMatchObject({ outcome: 'complete', changed: true });
    const values = await revisionsOf(interval);
    expect(values).toMatchObject([{ revision: 1 }, { revision: 2, amount: '101.5' }]);
    expect(values[0]?.amount).not.toBe('101.5');
    expect(await dayOf(prices, deliveryOn)).toEqual({
      served_source: 'entsoe',
      state: 'complete',
      version: 2,
    });
    expect(await prices.rows('SELECT version FROM price_day_changes ORDER BY version')).toEqual([
      { version: 1 },
      { version: 2 },
    ]);
    const [row] = await prices.rows('SELECT amount, revision FROM spot_prices WHERE interval_start = $1', [
      interval,
    ]);
    expect(row).toEqual({ amount: '101.5', revision: 2 });
    feed.set({ entsoe: {} });
    await recheck('entsoe');
    expect((await revisionsOf(interval)).map((value) => value.revision)).toEqual([1, 2, 3]);
  });

  test('a revision by another source than the served one changes nothing served', async () => {
    await pullDay(prices.parts, { deliveryOn });
    await pullChunk(prices.parts, { source: 'smard', days: [deliveryOn] });
    const before = await served(prices, deliveryOn);
    feed.set({ smard: { revision: { interval: '2026-11-21T08:15Z', value: 1 } } });
    const [report] = await recheck('smard');
    expect(report).toMatchObject({ changed: false, servedSource: 'entsoe' });
    expect(await served(prices, deliveryOn)).toEqual(before);
    expect(await dayOf(prices, deliveryOn)).toMatchObject({ version: 1 });
  });

  test('a later answer that is shorter, has nulls or fails deletes nothing', async () => {
    await pullChunk(prices.parts, { source: 'smard', days: [deliveryOn] });
    const before = await stored(prices);
    const values = await served(prices, deliveryOn);
    for (const switches of [
      { drop: ['2026-11-21T08:15Z', '2026-11-21T22:45Z'] },
      { absent_days: [deliveryOn] },
      { truncate_bytes: 3000 },
      { status: 503 as const },
      { empty: true },
    ]) {
      feed.set({ smard: switches });
      await recheck('smard');
      expect(await stored(prices)).toEqual(before);
    }
    feed.set({ entsoe: { drop: ['2026-11-21T08:15Z'], curve: 'A01' } });
    await pullChunk(prices.parts, { source: 'entsoe', days: [deliveryOn] });
    expect(await served(prices, deliveryOn)).toEqual(values);
    expect(await dayOf(prices, deliveryOn)).toMatchObject({
      served_source: 'smard',
      state: 'complete',
      version: 1,
    });
  });

  test('flat quarters first, real ones a day later: revisions of the changed intervals only', async () => {
    feed.set({ smard: { quarters_flat: true } });
    await pullDay(prices.parts, { deliveryOn, sources: ['smard'] });
    const flat = await served(prices, deliveryOn);
    feed.set({ smard: {} });
    clock.set('2026-11-22T08:20:00Z');
    await recheck('smard');
    const real = await served(prices, deliveryOn);
    const changed = real.filter((value, index) => value !== flat[index]).length;
    expect(changed).toBeGreaterThan(40);
    const [count] = await prices.rows<{ revised: number }>(
      'SELECT count(*)::int AS revised FROM price_revisions WHERE revision = 2',
    );
    expect(count).toEqual({ revised: changed });
    expect(real[0]).toBe(94.26);
  });

  test('a transaction that fails behind the revisions leaves nothing visible, and the version as it was', async () => {
    await pullDay(prices.parts, { deliveryOn: '2026-11-20' });
    const before = await stored(prices);
    const asSuperuser = (text: string) =>
      withDatabaseClient(prices.database.adminUrl, (client) => client.query(text));
    await asSuperuser(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'on purpose'; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON price_day_changes FOR EACH ROW EXECUTE FUNCTION fail()`);
    feed.set({ entsoe: { revision: { interval: '2026-11-20T08:15Z', value: 1 } } });
    await expect(pullDay(prices.parts, { deliveryOn })).rejects.toThrow('on purpose');
    await expect(pullDay(prices.parts, { deliveryOn: '2026-11-20', recheck: true })).rejects.toThrow(
      'on purpose',
    );
    expect(await stored(prices)).toEqual(before);
    await asSuperuser('DROP TRIGGER fail ON price_day_changes');
    expect(await pullDay(prices.parts, { deliveryOn })).toMatchObject({ outcome: 'complete' });
  });

  test('values outside -500 to 4000 EUR/MWh are stored with a warning, not as an alarm', async () => {
    feed.set({
      entsoe: {
        revision: [
          { interval: '2026-11-21T08:15Z', value: 4100 },
          { interval: '2026-11-21T09:15Z', value: -500 },
        ],
      },
    });
    await pullDay(prices.parts, { deliveryOn });
    expect(await served(prices, deliveryOn)).toEqual(expect.arrayContaining([4100, -500]));
    const warnings = prices.logged.filter((line) => line.includes('plausible'));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0] ?? '')).toMatchObject({ level: 'warn', eur_mwh: '4100', count: 1 });
    expect(await openAlarms(prices)).toEqual([]);
  });

  test('bodies older than 90 days go, but not those behind a revision, an alarm or a refusal', async () => {
    const pullAlone = (source: 'entsoe' | 'smard' | 'energy-charts', days = [deliveryOn]) =>
      pullChunk(prices.parts, { source, days, retries: 'none', recheck: true });
    await pullAlone('energy-charts', ['2026-11-19']);
    await pullAlone('smard');
    await pullAlone('energy-charts');
    feed.set({ smard: { revision: { interval: '2026-11-21T08:15Z', value: 101.5 } } });
    await pullAlone('smard');
    feed.set({ 'energy-charts': { unit: 'EUR/kWh' } });
    await pullAlone('energy-charts', ['2026-11-20']);
    const bodies = () =>
      prices.rows<{ kept: string }>(
        `SELECT f.source || ' ' || f.outcome AS kept FROM price_payloads JOIN price_fetches f USING (payload_hash) ORDER BY f.id`,
      );
    const [old, ...rest] = (await bodies()).map((row) => row.kept);
    expect([old, ...rest]).toEqual([
      'energy-charts published',
      ...['smard published', 'energy-charts published', 'smard published', 'energy-charts rejected'],
    ]);
    const remove = (before: string) =>
      prices.parts.database.asService((connection) => deleteOldPayloads(connection, before, 100));
    expect(await remove('2026-11-20T12:29:59Z')).toEqual({ removed: 0, kept: 0 });
    expect(await remove('2027-02-20T00:00:00Z')).toEqual({ removed: 1, kept: 4 });
    expect(await remove('2027-02-20T00:00:00Z')).toEqual({ removed: 0, kept: 0 });
    expect((await bodies()).map((row) => row.kept)).toEqual(rest);
  });

  test('an attempt keeps its licence, its size, its times and its address without the token', async () => {
    await pullDay(prices.parts, { deliveryOn });
    await recheck('smard');
    const [row] = await prices.rows<Record<string, unknown>>(
      'SELECT * FROM price_fetches ORDER BY id LIMIT 1',
    );
    expect(row).toMatchObject({
      source: 'entsoe',
      zone: 'DE-LU',
      http_status: 200,
      outcome: 'published',
      licence_text: 'ENTSO-E Transparency Platform',
      interval_count: 96,
      requested_at: clock.now(),
    });
    expect(row?.url).toContain('securityToken=***');
    expect(row?.url).not.toContain('demo');
    expect(await attempts(prices)).toHaveLength(2);
    expect(await prices.parts.database.asService(listAttributions)).toEqual([
      { source: 'entsoe', licence_text: 'ENTSO-E Transparency Platform' },
      { source: 'smard', licence_text: 'Bundesnetzagentur | SMARD.de, CC BY 4.0' },
    ]);
  });
});
