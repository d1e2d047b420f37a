import { describe, expect, test } from 'vitest';
import { pricesOf } from '../../../src/cli/demo/feed/formula.ts';
import { addDays, type DeliveryDay, dayStart, gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import { readSmard, readSmardIndex } from '../../../src/spot-prices/providers/smard.wire.ts';
import { bytes, daysOf, onlyDay, pointsOf } from './documents.ts';

type Row = readonly [start: number, amount: string | null];

const document = (rows: readonly Row[], created = '1795180000000') =>
  `{"meta_data":{"version":1,"created":${created}},"series":[${rows
    .map(([start, amount]) => `[${start},${amount}]`)
    .join(',')}]}`;

const weekFrom = (monday: DeliveryDay) => [0, 1, 2, 3, 4, 5, 6].map((days) => addDays(monday, days));

/** Quarter hours of a day; an hourly day's prices four times, as this feed has them. */
function quarters(day: DeliveryDay): Row[] {
  const prices = pricesOf(day);
  const four = gridOf(day).minutes === 60 ? 4 : 1;
  return startsOf(gridOf(day, 15)).map((start, index) => [
    start,
    String((prices[Math.floor(index / four)] ?? 0) / 100),
  ]);
}

function hours(day: DeliveryDay): Row[] {
  const prices = pricesOf(day);
  const step = gridOf(day).minutes === 60 ? 1 : 4;
  return startsOf(gridOf(day, 60)).map((start, index) => [start, String((prices[index * step] ?? 0) / 100)]);
}

function read(rows: readonly Row[], days: readonly DeliveryDay[] | null = null) {
  return readSmard(bytes(document(rows)), { zone: 'DE-LU', days });
}

describe('weeks', () => {
  test('nulls from Wednesday on are not published', () => {
    const week = weekFrom('2026-11-16');
    const rows = week.flatMap((day, index) =>
      index < 2 ? quarters(day) : quarters(day).map(([start]): Row => [start, null]),
    );
    const days = daysOf(read(rows));
    expect(days.map(({ points }) => points.length)).toEqual([96, 96, 0, 0, 0, 0, 0]);
    expect(days.flatMap(({ refused }) => refused)).toEqual([]);
    expect(days[1]?.points).toEqual(pointsOf('2026-11-17'));
    expect(onlyDay(read(rows, ['2026-11-18']))).toMatchObject({ points: [], refused: [] });
  });

  test.each([
    ['2026-03-23', 668, 167],
    ['2026-10-19', 676, 169],
  ])('the week of %s has %i quarters, the next name is %i hours later', (monday, count, step) => {
    const days = daysOf(read(weekFrom(monday).flatMap(quarters)));
    expect(days.reduce((sum, { points }) => sum + points.length, 0)).toBe(count);
    expect(days.at(-1)?.points).toEqual(pointsOf(addDays(monday, 6)));
    expect(dayStart(addDays(monday, 7)) - dayStart(monday)).toBe(step * 3_600_000);
  });

  test('in the week of the switch each file counts for its own days', () => {
    const week = weekFrom('2025-09-29');
    const fromHours = daysOf(read(week.flatMap(hours)));
    expect(fromHours.map(({ points }) => points.length)).toEqual([24, 24, 0, 0, 0, 0, 0]);
    expect(fromHours[1]?.points).toEqual(pointsOf('2025-09-30'));
    expect(fromHours[2]?.refused).toEqual(['series has rows of 60 minutes, the day has 15']);
    const fromQuarters = daysOf(read(week.flatMap(quarters)));
    expect(fromQuarters.map(({ points }) => points.length)).toEqual([0, 0, 96, 96, 96, 96, 96]);
    expect(fromQuarters[0]?.refused).toEqual(['series has rows of 15 minutes, the day has 60']);
  });

  test('hours of a later week yield nothing', () => {
    const days = daysOf(read(weekFrom('2026-11-16').flatMap(hours)));
    for (const { points, refused } of days) {
      expect(points).toEqual([]);
      expect(refused).toHaveLength(1);
    }
  });

  test.each([
    ['whole', 0],
    ['from noon on', 48],
  ])(
    'a day that comes in hours, %s, in a file of quarter hours yields nothing, and the others all',
    (_, from) => {
      const isHourly = (index: number) => index >= from && index % 4 > 0;
      for (const absent of [true, false]) {
        const mixed = quarters('2026-11-18').flatMap((row, index): Row[] => {
          if (!isHourly(index)) return [row];
          return absent ? [] : [[row[0], null]];
        });
        const days = daysOf(read([...quarters('2026-11-17'), ...mixed, ...quarters('2026-11-19')]));
        expect(days.map(({ points }) => points.length)).toEqual([96, 0, 96]);
        expect(days[1]?.refused).toEqual([expect.stringContaining('are hours, the day has quarter hours')]);
      }
    },
  );

  test('rows in another order, and absent rows', () => {
    const rows = quarters('2026-11-21');
    expect(onlyDay(read(rows.toReversed())).points).toEqual(pointsOf('2026-11-21'));
    expect(onlyDay(read(rows.toSpliced(10, 3))).points).toEqual(pointsOf('2026-11-21').toSpliced(10, 3));
  });

  test('an empty series is not published', () => {
    expect(read([]).status).toBe('not_published');
  });
});

describe('bodies', () => {
  const body = document(quarters('2026-11-21'));
  const request = { zone: 'DE-LU', days: null } as const;

  test.each([
    ['a challenge page', '<!DOCTYPE html>\n<html><body>Checking</body></html>'],
    ['markup', '<?xml version="1.0"?><a/>'],
    ['an empty body', ''],
    ['a truncated body', body.slice(0, -1)],
  ])('%s with status 200 is a failure', (_, text) => {
    expect(readSmard(bytes(text), request).status).toBe('failed');
  });

  test.each([
    ['a quoted price', body.replace(/,94\.26\]/, ',"94.26"]')],
    ['a decimal comma', body.replace(/,94\.26\]/, ',94,26]')],
    ['NaN', body.replace(/,94\.26\]/, ',NaN]')],
    ['a minus infinity', body.replace(/,94\.26\]/, ',-Infinity]')],
    ['a start twice', document([...quarters('2026-11-21'), ...quarters('2026-11-21').slice(0, 1)])],
    ['a quoted start', body.replace('[1795215600000,', '["1795215600000",')],
    ['seconds', body.replaceAll('00000,', '00,')],
    ['a start off the grid', body.replace('[1795215600000,', '[1795215600001,')],
    ['steps of half an hour', document(quarters('2026-11-21').filter((_, index) => index % 2 === 0))],
    ['a single row', document(quarters('2026-11-21').slice(0, 1))],
    ['an index', '{"timestamps":[1794178800000]}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a series of objects', '{"series":[{"start":1}]}'],
  ])('%s is rejected', (_, text) => {
    expect(text).not.toBe(body);
    expect(readSmard(bytes(text), request).status).toBe('rejected');
  });

  test('numbers with a needless decimal point or exponent, unknown keys, a byte order mark', () => {
    const text = body
      .replace('[1795215600000,94.26]', '[1.7952156e12,9426.0E-2]')
      .replace('{"meta', '\ufeff{"x":{"series":[]},"meta');
    expect(onlyDay(readSmard(bytes(text), request)).points).toEqual(pointsOf('2026-11-21'));
  });

  test('the time of building the file is no content', () => {
    const rows = quarters('2026-11-21');
    const [first, second, changed] = [
      document(rows),
      document(rows, '1795180000001'),
      document(rows.with(5, [rows[5]?.[0] ?? 0, '1.00'])),
    ].map((text) => readSmard(bytes(text), request));
    expect(first).toMatchObject({ sourceStamp: '1795180000000' });
    expect(second).toMatchObject({ sourceStamp: '1795180000001' });
    if (first?.status !== 'read') throw new Error(JSON.stringify(first));
    expect(second).toMatchObject({ contentHash: first.contentHash });
    expect(changed).not.toMatchObject({ contentHash: first.contentHash });
  });
});

describe('the index', () => {
  test('its starts ascend', () => {
    const answer = readSmardIndex(bytes('{"timestamps":[1794783600000,1794178800000]}'));
    expect(answer).toEqual({ status: 'read', starts: [1_794_178_800_000, 1_794_783_600_000] });
  });

  test.each(['', '<html>', '{"timestamps":[1'])('%j is a failure', (text) => {
    expect(readSmardIndex(bytes(text)).status).toBe('failed');
  });

  test.each(['{}', '[]', '{"timestamps":["1794783600000"]}', '{"timestamps":[1794783600]}'])(
    '%s is rejected',
    (text) => {
      expect(readSmardIndex(bytes(text)).status).toBe('rejected');
    },
  );
});
