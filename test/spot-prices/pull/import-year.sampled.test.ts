import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { pricesOf } from '../../../src/cli/demo/feed/formula.ts';
import {
  addDays,
  type DeliveryDay,
  daysBetween,
  gridOf,
  startsOf,
} from '../../../src/spot-prices/calendar.ts';
import { storeBody } from '../../../src/spot-prices/pull/import.ts';
import { releaseDay } from '../../../src/spot-prices/store/operator-choice.ts';
import { fakeClock } from '../../setup/clock.ts';
import { isLongTier } from '../../setup/tier.ts';
import { openTestPrices } from '../price-parts.ts';

/* A file of many days is written month by month, and nothing of what is stored shows it. */

const clock = fakeClock('2026-11-20T15:00:00Z');
const prices = await openTestPrices(clock, {});
afterAll(() => prices.close());
beforeEach(() => prices.empty());

/** One day of a file: its prices times `factor`; without those of the intervals from `holes` on. */
interface FileDay {
  readonly day: DeliveryDay;
  readonly factor: number;
  readonly holes: number;
}

const whole = (day: DeliveryDay): FileDay => ({ day, factor: 1, holes: 100 });

function entriesOf({ day, factor, holes }: FileDay): [number, number][] {
  const cents = pricesOf(day);
  return startsOf(gridOf(day))
    .slice(0, holes)
    .map((start, index) => [start, Math.round((cents[index] ?? 0) * factor) / 100]);
}

type Source = 'energy-charts' | 'smard';

function bodyOf(source: Source, days: readonly FileDay[]): Uint8Array {
  const entries = days.flatMap(entriesOf);
  const body =
    source === 'smard'
      ? { series: entries }
      : {
          unix_seconds: entries.map(([start]) => start / 1_000),
          price: entries.map(([, amount]) => amount),
          unit: 'EUR / MWh',
          deprecated: false,
        };
  return new TextEncoder().encode(JSON.stringify(body));
}

function importWhole(source: Source, days: readonly FileDay[]) {
  return storeBody(prices.parts, { source, body: bodyOf(source, days), name: 'prices.json', days: null });
}

async function importByDay(source: Source, days: readonly FileDay[]) {
  const reports = [];
  for (const fileDay of days) {
    const body = bodyOf(source, [fileDay]);
    reports.push(
      ...(await storeBody(prices.parts, { source, body, name: 'prices.json', days: [fileDay.day] })),
    );
  }
  return reports;
}

/** Every row about prices; only the numbers of records, and what they say of the file, differ. */
async function rows(): Promise<unknown> {
  const read = async (table: string, order: string, without: string[] = []) =>
    await prices.rows(`SELECT to_jsonb(t) - $1::text[] AS row FROM ${table} AS t ORDER BY ${order}`, [
      without,
    ]);
  return {
    revisions: await read('price_revisions', 'source, interval_start, revision', ['fetch_id']),
    served: await read('spot_prices', 'interval_start'),
    sourceDays: await read('price_source_days', 'source, delivery_on'),
    days: await read('price_days', 'delivery_on'),
    changes: await read('price_day_changes', 'delivery_on, version', ['id']),
    alarms: await read('price_alarms', 'delivery_on, kind, source, raised_at', ['id', 'fetch_id']),
  };
}

const DAYS = isLongTier ? 26 : 14;
/* With 23 hours, with 25, and with the first quarter hours: a file of SMARD has one width only. All of them end in the next month. */
const spring = addDays('2026-04-07', -DAYS);
const autumn = addDays('2026-11-03', -DAYS);
const quarterHours = addDays('2025-10-14', -DAYS);

const step = fc.record({
  source: fc.constantFrom<Source>('energy-charts', 'smard'),
  odd: fc.dictionary(
    fc.integer({ min: 0, max: DAYS - 1 }).map(String),
    fc.record({
      factor: fc.constantFrom(1, 1.25, 0, 0.01, 20),
      holes: fc.constantFrom(100, 100, 50, 2, 0),
    }),
    { minKeys: 3, maxKeys: DAYS / 2 },
  ),
});

test('a file stored as a whole leaves the rows that it leaves stored day by day', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(spring, autumn, quarterHours),
      fc.array(step, { minLength: 2, maxLength: isLongTier ? 3 : 2 }),
      async (first, steps) => {
        const outcomes: unknown[] = [];
        for (const importDays of [importByDay, importWhole]) {
          await prices.empty();
          clock.set('2026-11-20T15:00:00Z');
          const reports: unknown[] = [];
          for (const { source: drawn, odd } of steps) {
            const source = first === quarterHours ? 'energy-charts' : drawn;
            clock.advance(3_600_000);
            const days = daysBetween(first, addDays(first, DAYS - 1))
              .map((day, index) => ({ ...whole(day), ...odd[index] }))
              .filter(({ holes }) => holes > 0);
            reports.push(await importDays(source, days));
          }
          const [suspect] = await prices.rows<{ day: string }>(
            "SELECT min(delivery_on)::text AS day FROM price_source_days WHERE state = 'suspect'",
          );
          if (suspect?.day) {
            const now = clock.now().toISOString();
            const act = { staff: 'anna', reason: 'looked at', command: 'prices release', now };
            await releaseDay(prices.parts, suspect.day, act);
            await importDays('energy-charts', daysBetween(first, addDays(first, DAYS - 6)).map(whole));
          }
          outcomes.push({ reports, rows: await rows() });
        }
        expect(outcomes[1]).toEqual(outcomes[0]);
      },
    ),
    { numRuns: isLongTier ? 4 : 1, endOnFailure: true },
  );
});

const [MONTHS, MONTHS_IN_WORDS] = isLongTier ? [12, 'a year'] : [3, 'a quarter'];

test(`the statements for ${MONTHS_IN_WORDS} grow with its months, not with its days`, async () => {
  /* The days of 2025 have hourly prices: a quarter of the values for as many statements. */
  const all = isLongTier ? daysBetween('2026-01-01', '2026-12-31') : daysBetween('2025-01-01', '2025-03-31');
  const days = all.map(whole);
  const queries = vi.spyOn(pg.Client.prototype, 'query');
  try {
    const reports = await importWhole('energy-charts', days);
    expect(reports.filter(({ outcome }) => outcome === 'complete')).toHaveLength(days.length);
    expect(queries.mock.calls.length).toBeLessThan(MONTHS * 20);
    queries.mockClear();
    await importWhole('energy-charts', days);
    expect(queries.mock.calls.length).toBeLessThan(MONTHS * 20);
  } finally {
    queries.mockRestore();
  }
  const [count] = await prices.rows('SELECT count(*)::int AS served FROM spot_prices');
  expect(count).toEqual({ served: days.reduce((sum, { day }) => sum + gridOf(day).count, 0) });
});

test('a month that fails is named with its cause and leaves those before it stored', async () => {
  const days = daysBetween('2025-01-28', '2025-04-03');
  await prices.rows(`
    CREATE FUNCTION refuse_day() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the disk is tired'; END $$;
    CREATE TRIGGER refuse_day BEFORE INSERT ON price_days FOR EACH ROW
      WHEN (new.delivery_on = '2025-03-15') EXECUTE FUNCTION refuse_day()`);
  const error = await importWhole('smard', days.map(whole)).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    message: 'Prices of 2025-03 and later were not stored, those before are: the disk is tired',
    cause: expect.objectContaining({ message: 'the disk is tired' }),
  });
  const complete = "SELECT delivery_on::text AS day FROM price_days WHERE state = 'complete' ORDER BY 1";
  const before = days.filter((day) => day < '2025-03-01').map((day) => ({ day }));
  expect(await prices.rows(complete)).toEqual(before);
  const [kept] = await prices.rows<{ last: Date }>('SELECT max(interval_start) AS last FROM price_revisions');
  expect(kept?.last.toISOString()).toBe('2025-02-28T22:00:00.000Z');

  await prices.rows('DROP TRIGGER refuse_day ON price_days; DROP FUNCTION refuse_day()');
  await importWhole('smard', days.map(whole));
  expect(await prices.rows(complete)).toEqual(days.map((day) => ({ day })));
});
