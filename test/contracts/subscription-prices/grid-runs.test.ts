import { describe, expect, test } from 'vitest';
import { createGridRuns } from '../../../src/contracts/subscription-prices/grid-runs.ts';
import { addDays, berlinMilliseconds } from '../../../src/platform/time/berlin-calendar.ts';
import type { GridPrices, ModuleSpan } from '../../../src/tariffs/reference-data/module-prices.ts';

const schedule = {
  ...{ low: '2.61', standard: '7.46', high: '13.94' },
  quarters: [1, 2, 4],
  lowWindows: [{ fromMinute: 22 * 60 + 15, untilMinute: 6 * 60 + 30 }],
  highWindows: [{ fromMinute: 17 * 60 + 15, untilMinute: 20 * 60 + 15 }],
};
const grid = { workingPrice: { value: '7.46' }, module2Price: { value: '2.98' }, schedule };
const always = (module: ModuleSpan['module']): ModuleSpan => ({ module, from: 0, until: null });

/* One for all tests: what it keeps of a day must never be another day's. */
const gridRuns = createGridRuns();

function runsOn(day: string, modules: readonly ModuleSpan[], figures: GridPrices = grid) {
  const [begins, ends] = [berlinMilliseconds(day), berlinMilliseconds(addDays(day, 1))];
  const quarter = Math.ceil(Number(day.slice(5, 7)) / 3);
  return gridRuns(figures, modules, { begins, ends, quarter }).map(
    ({ from, cents }) => `${from / 3_600_000} h: ${cents}`,
  );
}

const ordinary = ['0 h: 7.46'];

test('without a module and with module 1 there is one price through the day', () => {
  expect(runsOn('2026-05-17', [])).toEqual(ordinary);
  expect(runsOn('2026-05-17', [always(1)])).toEqual(ordinary);
});

test('module 2 has its price, module 3 that of the band, and standard in a quarter without bands', () => {
  expect(runsOn('2026-05-17', [always(2)])).toEqual(['0 h: 2.98']);
  const bands = ['0 h: 2.61', '6.5 h: 7.46', '17.25 h: 13.94', '20.25 h: 7.46', '22.25 h: 2.61'];
  expect(runsOn('2026-05-17', [always(1), always(3)])).toEqual(bands);
  expect(runsOn('2026-08-17', [always(1), always(3)])).toEqual(ordinary);
  expect(runsOn('2026-05-17', [always(3)], { ...grid, schedule: null })).toEqual(ordinary);
});

describe('bands follow the clock on the wall', () => {
  test('in spring a day of 23 hours', () => {
    expect(runsOn('2026-03-29', [always(3)])).toEqual([
      ...['0 h: 2.61', '5.5 h: 7.46', '16.25 h: 13.94', '19.25 h: 7.46', '21.25 h: 2.61'],
    ]);
  });

  test('in autumn a day of 25 hours, in which a window of the hour that comes twice comes twice', () => {
    expect(runsOn('2026-10-25', [always(3)])).toEqual([
      ...['0 h: 2.61', '7.5 h: 7.46', '18.25 h: 13.94', '21.25 h: 7.46', '23.25 h: 2.61'],
    ]);
    const window = { fromMinute: 2 * 60 + 15, untilMinute: 2 * 60 + 45 };
    const night = { ...grid, schedule: { ...schedule, lowWindows: [window], highWindows: [] } };
    expect(runsOn('2026-10-25', [always(3)], night)).toEqual([
      ...['0 h: 7.46', '2.25 h: 2.61', '2.75 h: 7.46', '3.25 h: 2.61', '3.75 h: 7.46'],
    ]);
    expect(runsOn('2026-03-29', [always(3)], night)).toEqual(ordinary);
  });
});

test('a reduction holds from its first instant until its end, also within a day', () => {
  const noon = berlinMilliseconds('2026-05-17', 12);
  expect(runsOn('2026-05-17', [{ module: 2, from: noon, until: null }])).toEqual([
    ...['0 h: 7.46', '12 h: 2.98'],
  ]);
  expect(runsOn('2026-05-17', [{ module: 2, from: 0, until: noon }])).toEqual(['0 h: 2.98', '12 h: 7.46']);
  expect(runsOn('2026-05-18', [{ module: 2, from: 0, until: noon }])).toEqual(ordinary);
});
