import { beforeEach, expect, test } from 'vitest';
import { feedDay, shiftDate } from '../../../../src/cli/demo/feed/days.ts';
import { takeFeed } from '../../../setup/feed.ts';
import { ask, entsoePath } from './ask.ts';

const feed = await takeFeed();
const SOURCES = ['entsoe', 'smard', 'energy-charts', 'awattar'] as const;
beforeEach(() => feed.set(Object.fromEntries(SOURCES.map((source) => [source, {}]))));

type Published = 'sequence 2' | (typeof SOURCES)[number];

/** Whether a source has a delivery day now. */
async function has(what: Published, day: string): Promise<boolean> {
  const { from, to } = feedDay(day);
  const utc = (milliseconds: number) =>
    new Date(milliseconds).toISOString().replace(/[-T:]/g, '').slice(0, 12);
  switch (what) {
    case 'sequence 2':
    case 'entsoe': {
      const { text } = await ask(feed, entsoePath(utc(from), utc(to), what === 'entsoe' ? 1 : 2));
      return text.includes('<TimeSeries>');
    }
    case 'smard': {
      const monday = shiftDate(day, 1 - (new Date(`${day}T12:00:00Z`).getUTCDay() || 7));
      const path = `/smard/app/chart_data/4169/DE-LU/4169_DE-LU_quarterhour_${feedDay(monday).from}.json`;
      const { status, text } = await ask(feed, path);
      return status === 200 && !text.includes(`[${from},null]`);
    }
    case 'energy-charts':
      return (await ask(feed, `/energy-charts/price?bzn=DE-LU&start=${day}&end=${day}`)).status === 200;
    case 'awattar':
      return (await ask(feed, `/awattar/v1/marketdata?start=${from}&end=${to}`)).text.includes('marketprice');
  }
}

/* Instants in UTC; both clock-change days, their predecessors, and the day that begins a week. */
test.for([
  ['sequence 2', '2026-11-21', '2026-11-20T09:30Z'],
  ['entsoe', '2026-11-21', '2026-11-20T11:58Z'],
  ['smard', '2026-11-21', '2026-11-20T12:20Z'],
  ['energy-charts', '2026-11-21', '2026-11-20T12:20Z'],
  ['awattar', '2026-11-21', '2026-11-20T12:40Z'],
  ['smard', '2026-11-23', '2026-11-22T12:20Z'],
  ['sequence 2', '2026-03-29', '2026-03-28T09:30Z'],
  ['entsoe', '2026-03-29', '2026-03-28T11:58Z'],
  ['smard', '2026-03-29', '2026-03-28T12:20Z'],
  ['entsoe', '2026-03-30', '2026-03-29T10:58Z'],
  ['smard', '2026-03-30', '2026-03-29T11:20Z'],
  ['energy-charts', '2026-10-25', '2026-10-24T11:20Z'],
  ['sequence 2', '2026-10-26', '2026-10-25T09:30Z'],
  ['entsoe', '2026-10-26', '2026-10-25T11:58Z'],
  ['awattar', '2026-10-26', '2026-10-25T12:40Z'],
] as const)('%s publishes %s at %s', async ([source, day, instant]) => {
  feed.set({ now: Date.parse(instant) - 1 });
  expect(await has(source, day)).toBe(false);
  feed.set({ now: instant });
  expect(await has(source, day)).toBe(true);
});

test('a delay moves the publication of its source only', async () => {
  feed.set({ now: '2026-11-20T14:00+01:00', smard: { delay_minutes: 60 } });
  expect([await has('smard', '2026-11-21'), await has('entsoe', '2026-11-21')]).toEqual([false, true]);
  feed.set({ now: '2026-11-20T14:20+01:00' });
  expect(await has('smard', '2026-11-21')).toBe(true);
});

test('a day that is absent for good appears nowhere, its neighbours do', async () => {
  feed.set({ now: '2026-11-20T14:00+01:00' });
  for (const source of SOURCES) {
    feed.set({ [source]: { absent_days: ['2026-07-01'] } });
    const found = await Promise.all(
      ['2026-06-30', '2026-07-01', '2026-07-02'].map((day) => has(source, day)),
    );
    expect([source, ...found]).toEqual([source, true, false, true]);
  }
});

test("without a clock of its own the feed lives by the machine's", async () => {
  feed.set({ now: null });
  const today = new Date().toISOString().slice(0, 10);
  expect([await has('entsoe', shiftDate(today, -3)), await has('entsoe', shiftDate(today, 3))]).toEqual([
    true,
    false,
  ]);
});
