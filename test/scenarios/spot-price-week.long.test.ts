import { expect, test } from 'vitest';
import type { FeedState } from '../../src/cli/demo/feed/switches.ts';
import { daysBetween } from '../../src/spot-prices/calendar.ts';
import { priceStatus } from '../../src/spot-prices/upkeep/status.ts';
import { formulaCents, PriceRun } from '../spot-prices/price-run.ts';
import { PriceOperation } from './price-operation.ts';

/*
 * A week in October, from Wednesday to Wednesday, with the Sunday of 25 hours in it. Each entry holds until the next one;
 * a feed that is not named is well.
 */
const WELL = { entsoe: {}, smard: {}, 'energy-charts': {}, awattar: {}, energyforecast: {} };
const COURSE: readonly { from: string; what: string; feeds: FeedState }[] = [
  { from: '2026-10-21T06:00:00Z', what: 'all is well', feeds: {} },
  {
    from: '2026-10-21T10:00:00Z',
    what: 'ENTSO-E is down, Energy-Charts too slow to be awake',
    feeds: { entsoe: { status: 503 }, 'energy-charts': { status: 500 } },
  },
  { from: '2026-10-21T18:00:00Z', what: 'all is well', feeds: {} },
  {
    from: '2026-10-22T08:00:00Z',
    what: 'results come five hours late',
    feeds: {
      entsoe: { delay_minutes: 300 },
      smard: { delay_minutes: 300 },
      'energy-charts': { delay_minutes: 300 },
      awattar: { delay_minutes: 300 },
    },
  },
  {
    from: '2026-10-23T08:00:00Z',
    what: 'ENTSO-E has the wrong auction only',
    feeds: { entsoe: { only_seq2: true } },
  },
  {
    from: '2026-10-24T08:00:00Z',
    what: 'the day before the clocks change: a document cut off, a page in place of data',
    feeds: { entsoe: { truncate_bytes: 9_000 }, smard: { html_200: true } },
  },
  {
    from: '2026-10-24T16:00:00Z',
    what: 'one feed is well again',
    feeds: { entsoe: { truncate_bytes: 9_000 } },
  },
  {
    from: '2026-10-25T08:00:00Z',
    what: 'nobody answers',
    feeds: { entsoe: { reset: true }, smard: { status: 503 }, 'energy-charts': { reset: true } },
  },
  {
    from: '2026-10-26T06:30:00Z',
    what: 'throttled, then well',
    feeds: { entsoe: { status: 429 }, 'energy-charts': { status: 429, retry_after: 120, times: 2 } },
  },
  {
    from: '2026-10-26T14:00:00Z',
    what: 'four equal quarters at first',
    feeds: { entsoe: { absent_days: ['2026-10-27'] }, smard: { quarters_flat: ['2026-10-27'] } },
  },
  { from: '2026-10-27T03:00:00Z', what: 'all is well', feeds: {} },
];

const run = new PriceRun({ at: '2026-10-21T06:00:00Z' });

function feedAt(milliseconds: number): void {
  const now = COURSE.findLast((entry) => Date.parse(entry.from) <= milliseconds);
  if (now === undefined || now.from === played) return;
  played = now.from;
  run.feed.set({ ...WELL, ...now.feeds });
}
let played = '';

test('seven days with outages, a late result, a wrong sequence, a cut document and a clock change end complete and correct', async () => {
  const operation = new PriceOperation(run);
  await operation.start();
  await operation.workUntil('2026-10-26T10:20:00Z', feedAt);
  /* The process itself is away over the hours of the auction. */
  run.clock.set('2026-10-26T20:00:00Z');
  feedAt(run.clock.nowMilliseconds());
  await operation.start();
  await operation.workUntil('2026-10-28T12:30:00Z', feedAt);

  const days = daysBetween('2026-10-21', '2026-10-29');
  const status = await priceStatus(run.deps.database, '2026-10-21', '2026-10-30');
  expect(status.days.map((day) => `${day.delivery_on} ${day.state} ${day.intervals}`)).toEqual(
    days.map((day) => `${day} complete ${day === '2026-10-25' ? 100 : 96}`),
  );
  for (const day of days)
    expect({ day, cents: await run.servedCents(day) }).toEqual({ day, cents: formulaCents(day) });
  expect(status.alarms).toEqual([]);
  expect(status.sources.filter((source) => source.paused_until !== null)).toEqual([]);

  await expectNothingDoubled();
  await expectWarnedOnlyWhenLate();
});

async function expectNothingDoubled(): Promise<void> {
  const again = await run.rows<{ source: string; day: string }>(
    `SELECT DISTINCT source, (interval_start AT TIME ZONE 'Europe/Berlin')::date::text AS day
       FROM price_revisions WHERE revision > 1`,
  );
  expect(again).toEqual([{ source: 'smard', day: '2026-10-27' }]);
  const runs = await run.rows<{ state: string; schedule: string }>(
    `SELECT state, schedule FROM job_runs WHERE state <> 'done'`,
  );
  expect(runs).toEqual([]);
  const versions = await run.rows(
    `SELECT FROM price_day_changes GROUP BY zone, delivery_on, version HAVING count(*) > 1`,
  );
  expect(versions).toEqual([]);
}

async function expectWarnedOnlyWhenLate(): Promise<void> {
  const alarms = await run.rows<{ day: string }>(
    `SELECT DISTINCT delivery_on::text AS day FROM price_alarms WHERE kind = 'late' ORDER BY 1`,
  );
  expect(alarms).toEqual([{ day: '2026-10-26' }]);
  const brackets = await run.rows<{ day: string }>(
    `SELECT delivery_on::text AS day FROM price_days
      WHERE delivery_on > '2026-10-21' AND last_incomplete_at > first_complete_at`,
  );
  expect(brackets).toEqual([]);
}
