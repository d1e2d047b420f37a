import { expect, test } from 'vitest';
import { type DeliveryDay, gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import { readAwattar } from '../../../src/spot-prices/providers/awattar.wire.ts';
import { bytes, daysOf, onlyDay } from './documents.ts';

const DAY = '2026-11-21';
const HOUR = 3_600_000;

interface Row {
  start: number;
  end: number;
  price: string;
  unit: string;
}

const rowsOf = (day: DeliveryDay): Row[] =>
  startsOf(gridOf(day, 60)).map((start, index) => ({
    start,
    end: start + HOUR,
    price: `${90 + index}.3325`,
    unit: '"Eur/MWh"',
  }));

function bodyOf(rows: readonly Row[], url = '"/de/v1/marketdata"'): string {
  const data = rows.map(
    ({ start, end, price, unit }) =>
      `{"start_timestamp":${start},"end_timestamp":${end},"marketprice":${price},"unit":${unit}}`,
  );
  return `{"object":"list","data":[${data.join(',')}],"url":${url}}`;
}

function read(text: string, days: readonly DeliveryDay[] | null = [DAY]) {
  return readAwattar(bytes(text), { zone: 'DE-LU', days });
}

const changed = (change: Partial<Row>) =>
  bodyOf(rowsOf(DAY).map((row, at) => (at === 3 ? { ...row, ...change } : row)));

test('hours of a quarter-hourly day, clock changes included', () => {
  const day = onlyDay(read(bodyOf(rowsOf(DAY).toReversed())));
  expect(day).toMatchObject({ minutes: 60, refused: [] });
  expect(day.points.map(({ start }) => start)).toEqual(startsOf(gridOf(DAY, 60)));
  expect(day.points[0]?.eurMwh).toBe('90.3325');
  expect(onlyDay(read(bodyOf(rowsOf('2026-10-25')), null)).points).toHaveLength(25);
});

test('rows outside the day are dropped, an empty list is not published', () => {
  const [first] = daysOf(read(bodyOf([...rowsOf('2026-11-20'), ...rowsOf(DAY)])));
  expect(first?.points).toHaveLength(24);
  expect(read(bodyOf([])).status).toBe('not_published');
  expect(onlyDay(read(bodyOf(rowsOf('2026-11-20'))))).toMatchObject({ points: [], refused: [] });
});

test.each([
  ['unit', changed({ unit: '"EUR/MWh"' }), 'data[3].unit is "EUR/MWh"'],
  ['kilowatt-hours', changed({ unit: '"Eur/kWh"' }), 'data[3].unit is "Eur/kWh"'],
  ['width', changed({ end: (rowsOf(DAY)[3]?.start ?? 0) + HOUR / 4 }), 'data[3] is 15 minutes wide'],
  ['zone', bodyOf(rowsOf(DAY), '"/at/v1/marketdata"'), 'url is "/at/v1/marketdata"'],
  ['no zone', bodyOf(rowsOf(DAY), 'null'), 'url is null'],
  ['zone of an empty list', bodyOf([], '"/at/v1/marketdata"'), 'url is'],
  ['price', changed({ price: '"94.33"' }), 'data[3].marketprice is "94.33"'],
  ['null', changed({ price: 'null' }), 'data[3].marketprice is null'],
  ['a row twice', bodyOf([...rowsOf(DAY), ...rowsOf(DAY).slice(0, 1)]), 'occurs twice'],
  [
    'half past',
    bodyOf(rowsOf(DAY).map((row) => ({ ...row, start: row.start + 1_800_000, end: row.end + 1_800_000 }))),
    'not a full hour',
  ],
])('rejected for its %s', (_, text, reason) => {
  expect(read(text)).toMatchObject({ status: 'rejected', reason: expect.stringContaining(reason) });
});

test('a decimal comma is rejected, a cut body and HTML failed', () => {
  expect(read(changed({ price: '94,33' })).status).toBe('rejected');
  expect(read(bodyOf(rowsOf(DAY)).slice(0, -1)).status).toBe('failed');
  expect(read('<html></html>').status).toBe('failed');
});
