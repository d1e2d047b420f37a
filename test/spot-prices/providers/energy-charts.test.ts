import { describe, expect, test } from 'vitest';
import { type DeliveryDay, gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import { readEnergyCharts } from '../../../src/spot-prices/providers/energy-charts.wire.ts';
import { amountsOf, bytes, daysOf, onlyDay, pointsOf } from './documents.ts';

const DAY = '2026-11-21';
const NEXT = '2026-11-22';

interface BodyParts {
  starts?: readonly (number | string | null)[];
  prices?: readonly (string | null)[];
  unit?: string;
  deprecated?: string;
}

const secondsOf = (...days: readonly DeliveryDay[]) =>
  days.flatMap((day) => startsOf(gridOf(day)).map((start) => start / 1_000));

function bodyOf(days: readonly DeliveryDay[], parts: BodyParts = {}): string {
  const starts = parts.starts ?? secondsOf(...days);
  const prices = parts.prices ?? days.flatMap(amountsOf);
  return `{"license_info":"CC BY 4.0 from someone","unix_seconds":[${starts.map(String).join(',')}],"price":[${prices
    .map((price) => price ?? 'null')
    .join(',')}],"unit":${parts.unit ?? '"EUR / MWh"'},"deprecated":${parts.deprecated ?? 'false'}}`;
}

function read(text: string, days: readonly DeliveryDay[] | null = null) {
  return readEnergyCharts(bytes(text), { zone: 'DE-LU', days });
}

test('float noise goes, other digits stay', () => {
  const prices = [
    '0.5700000000000001',
    '12.345',
    '94.2600000000001',
    '-0.0',
    '5e-1',
    '1E3',
    '49.99999999999999',
    '0.0000000011',
  ];
  const [day] = daysOf(read(bodyOf([DAY], { prices, starts: secondsOf(DAY).slice(0, prices.length) })));
  expect(day?.points.map(({ eurMwh }) => eurMwh)).toEqual([
    '0.57',
    '12.345',
    '94.26',
    '0',
    '0.5',
    '1000',
    '50',
    '0.0000000011',
  ]);
});

describe('whole bodies', () => {
  test('days of both clock changes and of both widths', () => {
    for (const day of [DAY, '2026-03-29', '2026-10-25', '2025-03-30', '2024-10-27', '2025-09-30']) {
      expect(onlyDay(read(bodyOf([day]), [day])).points).toEqual(pointsOf(day));
    }
    const days = daysOf(read(bodyOf(['2025-09-30', '2025-10-01'])));
    expect(days.map(({ minutes, points }) => [minutes, points.length])).toEqual([
      [60, 24],
      [15, 96],
    ]);
  });

  test('the licence comes along word for word', () => {
    expect(read(bodyOf([DAY]))).toMatchObject({ status: 'read', licence: 'CC BY 4.0 from someone' });
  });

  test('a range whose second day is unpublished', () => {
    const days = daysOf(read(bodyOf([DAY]), [DAY, NEXT]));
    expect(days.map(({ points }) => points.length)).toEqual([96, 0]);
    const nulls = [...amountsOf(DAY), ...amountsOf(NEXT).map(() => null)];
    const withNulls = daysOf(read(bodyOf([DAY, NEXT], { prices: nulls })));
    expect(withNulls.map(({ points, refused }) => [points.length, refused.length])).toEqual([
      [96, 0],
      [0, 0],
    ]);
    expect(read(bodyOf([])).status).toBe('not_published');
  });

  test('a day of which one half comes in hours yields nothing', () => {
    const isKept = (_: unknown, index: number) => index < 48 || index % 4 === 0;
    const starts = [...secondsOf(DAY).filter(isKept), ...secondsOf(NEXT)];
    const prices = [...amountsOf(DAY).filter(isKept), ...amountsOf(NEXT)];
    const days = daysOf(read(bodyOf([], { starts, prices })));
    expect(days.map(({ points, refused }) => [points.length, refused.length])).toEqual([
      [0, 1],
      [96, 0],
    ]);
  });

  test('the order of rows and keys means nothing', () => {
    const text = bodyOf([DAY], {
      starts: secondsOf(DAY).toReversed(),
      prices: amountsOf(DAY).toReversed(),
    });
    const unit = '"unit":"EUR / MWh",';
    const moved = text.replace(unit, '').replace('{', `{"more":[{}],${unit}`);
    expect(onlyDay(read(moved)).points).toEqual(pointsOf(DAY));
  });
});

describe('rejected', () => {
  const hourly = secondsOf(DAY).filter((_, index) => index % 4 === 0);

  test.each([
    ['arrays of unequal length', bodyOf([DAY], { prices: amountsOf(DAY).slice(1) }), 'price 95'],
    ['a decimal comma', bodyOf([DAY], { prices: amountsOf(DAY).with(3, '1,5') }), 'price 97'],
    ['deprecated', bodyOf([DAY], { deprecated: 'true' }), 'deprecated is true'],
    ['deprecated as text', bodyOf([DAY], { deprecated: '"false"' }), 'deprecated is "false"'],
    ['another unit', bodyOf([DAY], { unit: '"EUR/kWh"' }), 'unit is "EUR/kWh"'],
    ['no unit', bodyOf([DAY], { unit: 'null' }), 'unit is null'],
    [
      'hourly steps after the switch',
      bodyOf([DAY], { starts: hourly, prices: hourly.map(() => '1') }),
      'steps of 60 minutes',
    ],
    ['a start twice', bodyOf([DAY], { starts: secondsOf(DAY).with(3, 1_795_215_600) }), 'occurs twice'],
    [
      'a start off the grid',
      bodyOf([DAY], { starts: secondsOf(DAY).with(3, 1_795_218_301) }),
      'off the grid',
    ],
    [
      'milliseconds',
      bodyOf([DAY], { starts: secondsOf(DAY).map((second) => second * 1_000) }),
      'not an instant',
    ],
    ['a start of null', bodyOf([DAY], { starts: secondsOf(DAY).map(() => null) }), 'not an instant'],
    ['a fraction', bodyOf([DAY], { starts: [...secondsOf(DAY).slice(1), '1795215600.5'] }), '1795215600.5'],
    ['a quoted price', bodyOf([DAY], { prices: amountsOf(DAY).with(3, '"1.00"') }), 'price[3] is "1.00"'],
    [
      'quarters before the switch',
      bodyOf([], { starts: [1_759_183_200, 1_759_184_100], prices: ['1', '1'] }),
      'off the grid',
    ],
    ['no prices', '{"unit":"EUR / MWh","deprecated":false,"unix_seconds":[]}', 'price is absent'],
    ['an error object', '{"detail":"no data"}', 'unit is absent'],
  ])('%s', (_, text, reason) => {
    expect(read(text)).toMatchObject({ status: 'rejected', reason: expect.stringContaining(reason) });
  });

  test('NaN is rejected, a cut body failed', () => {
    expect(read(bodyOf([DAY], { prices: amountsOf(DAY).with(3, 'NaN') })).status).toBe('rejected');
    expect(read(bodyOf([DAY]).slice(0, 900)).status).toBe('failed');
  });
});
