import { beforeEach, expect, test } from 'vitest';
import { feedDay } from '../../../../src/cli/demo/feed/days.ts';
import { pricesOf } from '../../../../src/cli/demo/feed/formula.ts';
import { takeFeed } from '../../../setup/feed.ts';
import { ask, askJson } from './ask.ts';

const feed = await takeFeed();
beforeEach(() => feed.set({ now: '2026-11-20T14:00+01:00', smard: {} }));

type Resolution = 'hour' | 'quarterhour';
interface WeekFile {
  meta_data: { version: number; created: number };
  series: [start: number, price: number | null][];
}

const folder = '/smard/app/chart_data/4169/DE-LU';
const index = (resolution: Resolution) => `${folder}/index_${resolution}.json`;
const file = (resolution: Resolution, monday: string) =>
  `${folder}/4169_DE-LU_${resolution}_${feedDay(monday).from}.json`;
const starts = async () => (await askJson<{ timestamps: number[] }>(feed, index('quarterhour'))).timestamps;

function centsOf(day: string, rows: WeekFile['series']): (number | null)[] {
  const { from, to } = feedDay(day);
  return rows
    .filter(([start]) => start >= from && start < to)
    .map(([, price]) => (price === null ? null : Math.round(price * 100)));
}

test('the index names Berlin Mondays, 167 and 169 hours apart over the clock changes', async () => {
  const mondays = await starts();
  expect([mondays[0], mondays.at(-1)]).toEqual([feedDay('2018-10-01').from, 1794783600000]);
  expect(mondays.toSorted((a, b) => a - b)).toEqual(mondays);
  const hoursAfter = (monday: string) => {
    const { from } = feedDay(monday);
    return ((mondays[mondays.indexOf(from) + 1] ?? 0) - from) / 3_600_000;
  };
  expect(['2026-03-23', '2026-10-19', '2026-11-09'].map(hoursAfter)).toEqual([167, 169, 168]);
});

test('a new week appears on Sunday at noon; before, neither its name nor its file are there', async () => {
  const monday = feedDay('2026-11-23').from;
  feed.set({ now: '2026-11-22T11:59+01:00' });
  expect([
    (await starts()).includes(monday),
    (await ask(feed, file('quarterhour', '2026-11-23'))).status,
  ]).toEqual([false, 404]);
  feed.set({ now: '2026-11-22T12:00+01:00' });
  expect((await starts()).includes(monday)).toBe(true);
  const { series } = await askJson<WeekFile>(feed, file('quarterhour', '2026-11-23'));
  expect([series.length, series.every(([, price]) => price === null)]).toEqual([672, true]);
});

test('what is not yet published is null', async () => {
  const { series, meta_data } = await askJson<WeekFile>(feed, file('quarterhour', '2026-11-16'));
  expect(series).toHaveLength(672);
  expect(centsOf('2026-11-21', series)).toEqual([...pricesOf('2026-11-21')]);
  expect(centsOf('2026-11-22', series)).toEqual(Array(96).fill(null));
  expect(meta_data).toEqual({ version: 1, created: Date.parse('2026-11-20T12:20:00Z') });
});

test('amounts of quarter hours have two decimals', async () => {
  const { text } = await ask(feed, file('quarterhour', '2026-11-16'));
  expect(text).toMatch(
    /^\{"meta_data":\{"version":1,"created":\d+\},"series":\[\[1794783600000,\d+\.\d\d\],/,
  );
});

test('weeks of the clock changes have 668 and 676 quarter hours', async () => {
  const count = async (monday: string) =>
    (await askJson<WeekFile>(feed, file('quarterhour', monday))).series.length;
  expect([await count('2026-03-23'), await count('2026-10-19')]).toEqual([668, 676]);
});

test('in the week of the switch each day is right in one of both files', async () => {
  const hours = (await askJson<WeekFile>(feed, file('hour', '2025-09-29'))).series;
  const quarters = (await askJson<WeekFile>(feed, file('quarterhour', '2025-09-29'))).series;
  expect(hours).toHaveLength(168);
  expect(quarters).toHaveLength(672);
  expect(centsOf('2025-09-30', hours)).toEqual([...pricesOf('2025-09-30')]);
  expect(centsOf('2025-09-30', quarters)).toEqual(
    [...pricesOf('2025-09-30')].flatMap((price) => [price, price, price, price]),
  );
  expect(centsOf('2025-10-01', quarters)).toEqual([...pricesOf('2025-10-01')]);
  const ofFirstHour = [...pricesOf('2025-10-01').slice(0, 4)].reduce((sum, price) => sum + price, 0) / 4;
  expect(centsOf('2025-10-01', hours)[0]).toBe(Math.round(ofFirstHour));
});

test('without a name of its own a client gets a challenge page with 200', async () => {
  for (const headers of [{}, { 'user-agent': '' }] as Record<string, string>[]) {
    const { status, headers: sent, text } = await ask(feed, index('hour'), headers);
    expect([status, sent['content-type'], text.startsWith('<!DOCTYPE html>')]).toEqual([
      200,
      'text/html; charset=utf-8',
      true,
    ]);
  }
});

test('other filters, regions and weeks are 404', async () => {
  for (const path of [
    '/smard/app/chart_data/410/DE-LU/index_hour.json',
    '/smard/app/chart_data/4169/AT/index_hour.json',
    `${folder}/4169_DE-LU_hour_${feedDay('2026-11-17').from}.json`,
  ]) {
    expect((await ask(feed, path)).status).toBe(404);
  }
});

test('the file names another time of making where a switch says so, with the same prices', async () => {
  feed.set({ smard: { fresh_mrid: true } });
  const first = await askJson<WeekFile>(feed, file('hour', '2026-11-16'));
  const second = await askJson<WeekFile>(feed, file('hour', '2026-11-16'));
  expect(first.meta_data.created).not.toBe(second.meta_data.created);
  expect(first.series).toEqual(second.series);
});
