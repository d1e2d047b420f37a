import { describe, expect, test } from 'vitest';
import { addDays, type DeliveryDay, gridOf, startsOf, startText } from '../../../src/spot-prices/calendar.ts';
import {
  readEnergyForecast,
  readMarketRows,
} from '../../../src/spot-prices/providers/energyforecast.wire.ts';
import { amountsOf, bytes, daysOf, onlyDay, pointsOf } from './documents.ts';

const DAY = '2026-11-20';
const BEFORE = addDays(DAY, -1);

interface Row {
  start: string;
  end: string;
  origin: string | null;
  /** EUR/MWh with two decimals. */
  amount: string;
}

const shift = (amount: string, places: number) => {
  const [whole = '0', cents = ''] = amount.split('.');
  const digits = `${whole.padStart(places + 1, '0')}${cents}`;
  return `${Number(digits.slice(0, -places - 2))}.${digits.slice(-places - 2)}`;
};

function rowsOf(day: DeliveryDay, origin: string, minutes: 15 | 60 = 15): Row[] {
  const amounts = amountsOf(day);
  return startsOf(gridOf(day, minutes)).map((start, index) => ({
    start: startText(start),
    end: startText(start + minutes * 60_000),
    origin,
    amount: amounts[index * (minutes / 15)] ?? '',
  }));
}

const originOf = ({ origin }: Row) => (origin === null ? '' : `,"price_origin":${origin}`);
const quotedRow = (row: Row) => ({ ...row, origin: row.origin === null ? null : JSON.stringify(row.origin) });

function v2(rows: readonly Row[], generated = '"2026-11-19T03:10:00Z"'): string {
  const data = rows.map(quotedRow).map((row) => {
    const price = shift(row.amount, 1);
    return `{"start":"${row.start}","end":"${row.end}","price_ct_kwh":${price},"total_ct_kwh":${price}${originOf(row)}}`;
  });
  return `{"generated_at":${generated},"valid_until":"2026-11-19T15:10:00Z","data":[${data.join(',')}]}`;
}

function v1(rows: readonly Row[]): string {
  const list = rows
    .map(quotedRow)
    .map(
      (row) => `{"start":"${row.start}","end":"${row.end}","price":${shift(row.amount, 3)}${originOf(row)}}`,
    );
  return `[${list.join(',')}]`;
}

const forHomeAssistant = (list: string) => `{"forecast":{"state":0,"data":${list}}}`;

function read(text: string, days: readonly DeliveryDay[] | null = null) {
  return readEnergyForecast(bytes(text), { zone: 'DE-LU', days });
}

describe('rows', () => {
  const market = rowsOf(BEFORE, 'market').slice(-52);
  const both = [...market, ...rowsOf(DAY, 'forecast')];

  test('market rows are dropped, forecast rows kept', () => {
    const answer = read(v2(both));
    expect(onlyDay(answer)).toMatchObject({ deliveryOn: DAY, minutes: 15, points: pointsOf(DAY) });
    expect(answer).toMatchObject({ sourceStamp: '2026-11-19T03:10:00Z' });
    const rows = readMarketRows(bytes(v2(both)));
    expect(rows).toMatchObject({ status: 'read', statesTotal: true });
    expect(rows.status === 'read' && rows.rows.map(({ start, eurMwh }) => ({ start, eurMwh }))).toEqual(
      pointsOf(BEFORE).slice(-52),
    );
  });

  test('both versions and the form for Home Assistant mean the same', () => {
    for (const text of [v2(both), v1(both), forHomeAssistant(v1(both))]) {
      expect(onlyDay(read(text, [DAY])).points).toEqual(pointsOf(DAY));
    }
    const rows = rowsOf(DAY, 'forecast')
      .slice(0, 1)
      .map((row) => ({ ...row, amount: '94.67' }));
    expect(v1(rows)).toContain('"price":0.09467');
    expect(v2(rows)).toContain('"price_ct_kwh":9.467');
    for (const text of [v1(rows), v2(rows)]) expect(onlyDay(read(text)).points[0]?.eurMwh).toBe('94.67');
  });

  test('hourly rows of the first version stay hourly', () => {
    const text = v1([...rowsOf(BEFORE, 'market', 60), ...rowsOf(DAY, 'forecast', 60)]);
    const day = onlyDay(read(text));
    expect(day).toMatchObject({ deliveryOn: DAY, minutes: 60, refused: [] });
    expect(day.points.map(({ start }) => start)).toEqual(startsOf(gridOf(DAY, 60)));
    const market60 = readMarketRows(bytes(text));
    expect(market60).toMatchObject({ status: 'read', statesTotal: false });
    expect(market60.status === 'read' && market60.rows[0]?.minutes).toBe(60);
  });

  test('times may have fractions of a second and any offset', () => {
    const local = rowsOf(DAY, 'forecast').map((row, index) => ({
      ...row,
      start: index === 0 ? '2026-11-20T00:00:00.0000000+01:00' : row.start.replace('Z', '.000Z'),
      end: row.end.replace('Z', '+00:00'),
    }));
    expect(onlyDay(read(v2(local))).points).toEqual(pointsOf(DAY));
  });

  test('only market rows, and no rows', () => {
    expect(daysOf(read(v2(market)))).toEqual([]);
    expect(onlyDay(read(v2(market), [DAY]))).toMatchObject({ points: [], refused: [] });
    expect(read(v2([])).status).toBe('not_published');
    expect(read('[]').status).toBe('not_published');
  });
});

describe('refused answers', () => {
  const rows = rowsOf(DAY, 'forecast');
  const rowsWith = (change: Partial<Row>) =>
    rows.map((row, index) => (index === 7 ? { ...row, ...change } : row));

  test.each([
    ['an absent origin', v2(rowsWith({ origin: null })), 'data[7].price_origin is absent'],
    ['an unknown origin', v2(rowsWith({ origin: 'mixed' })), 'data[7].price_origin is "mixed"'],
    ['an absent origin in version 1', v1(rowsWith({ origin: null })), '[7].price_origin is absent'],
    ['a naive time', v2(rowsWith({ start: '2026-11-20T00:45:00' })), 'not an instant with its offset'],
    ['a naive end', v1(rowsWith({ end: '2026-11-20T01:00:00' })), 'not an instant with its offset'],
    ['a naive time of issue', v2(rows, '"2026-11-19T03:10:00"'), 'generated_at is'],
    ['half a second', v2(rowsWith({ start: '2026-11-20T00:45:00.5Z' })), 'inside a second'],
    ['a day that is none', v2(rowsWith({ start: '2026-11-31T00:45:00Z' })), 'not an instant'],
    ['an hour in version 2', v2(rowsOf(DAY, 'forecast', 60)), 'data[0] is 60 minutes wide, not 15'],
    ['two widths', v1([...rows, ...rowsOf(BEFORE, 'market', 60)]), 'widths of 15 and of 60'],
    ['half an hour', v1(rowsWith({ end: '2026-11-20T01:15:00Z' })), '[7] is 30 minutes wide, not 15 or 60'],
    ['a row twice', v2([...rows, ...rows.slice(3, 4)]), 'occurs twice'],
    ['a surcharge', v2(rows).replace('"total_ct_kwh":', '"total_ct_kwh":1'), 'surcharges are included'],
    ['no total', v2(rows).replaceAll(/"total_ct_kwh":[\d.]+,/g, ''), 'total_ct_kwh is absent'],
    ['a quoted price', v1(rows).replace(/"price":([\d.]+)/, '"price":"$1"'), '[0].price is "'],
    ['a price of null', v1(rows).replace(/"price":([\d.]+)/, '"price":null'), '[0].price is null'],
    ['another shape', '{"prices":[]}', 'data is absent'],
    ['a text', '"sorry"', 'The body is "sorry"'],
  ])('%s', (_, text, reason) => {
    expect(read(text)).toMatchObject({ status: 'rejected', reason: expect.stringContaining(reason) });
    expect(readMarketRows(bytes(text)).status).toBe('rejected');
  });

  test('a row between the quarter hours', () => {
    const moved = rowsWith({ start: '2026-11-20T00:50:00Z', end: '2026-11-20T01:05:00Z' });
    expect(read(v2(moved))).toMatchObject({ status: 'rejected' });
  });

  test('cut anywhere there is never a value', () => {
    const body = bytes(v2(rows.slice(0, 3)));
    for (let length = 0; length < body.length; length += 1) {
      expect(readEnergyForecast(body.subarray(0, length), { zone: 'DE-LU', days: null }).status).toBe(
        'failed',
      );
    }
  });
});
