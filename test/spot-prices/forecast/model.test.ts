import { describe, expect, test } from 'vitest';
import { addDays, daysBetween, gridOf, startsOf } from '../../../src/spot-prices/calendar.ts';
import { contentHashOf } from '../../../src/spot-prices/forecast/capture.ts';
import { classMean, classMedian } from '../../../src/spot-prices/forecast/class-mean.ts';
import { dayNumberOf } from '../../../src/spot-prices/forecast/day-numbers.ts';
import { asTwentyFourHours, quarterDeviations } from '../../../src/spot-prices/forecast/history.ts';
import { forecastDays, type ModelHistory, quarterProfile } from '../../../src/spot-prices/forecast/model.ts';
import { formulaPrices } from './stored-history.ts';

const computedDays = new Map<string, { hours: Float64Array; quarters?: Float64Array }>();

/** What the store would hold of a day, computed once. */
function dayOf(day: string) {
  const kept = computedDays.get(day);
  if (kept) return kept;
  const prices = formulaPrices(day);
  const perHour = 60 / gridOf(day).minutes;
  const means = Array.from({ length: prices.length / perHour }, (_, hour) => {
    const parts = prices.slice(hour * perHour, (hour + 1) * perHour);
    return parts.reduce((sum, price) => sum + price, 0) / perHour;
  });
  const made = {
    hours: asTwentyFourHours(means),
    ...(perHour === 4 && { quarters: quarterDeviations(prices) }),
  };
  computedDays.set(day, made);
  return made;
}

/** What the store would hold of these days. */
function historyOf(from: string, to: string, without: readonly string[] = []): ModelHistory {
  const hours = new Map<number, Float64Array>();
  const quarters = new Map<number, Float64Array>();
  for (const day of daysBetween(from, to)) {
    if (without.includes(day)) continue;
    const made = dayOf(day);
    hours.set(dayNumberOf(day), made.hours);
    if (made.quarters) quarters.set(dayNumberOf(day), made.quarters);
  }
  return { hours, quarters };
}

const forecast = async (history: ModelHistory, days: string[], knownUntil: string) =>
  forecastDays(history, days, knownUntil);

describe('hours of a day', () => {
  test('23 hours: hour 02 is the mean of its neighbours; 25 hours: both are averaged', () => {
    const spring = asTwentyFourHours([10, 20, 40, ...Array.from({ length: 20 }, () => 1)]);
    expect([...spring.slice(0, 5)]).toEqual([10, 20, 30, 40, 1]);
    const autumn = asTwentyFourHours([10, 20, 30, 50, 60, ...Array.from({ length: 20 }, () => 1)]);
    expect([...autumn.slice(0, 5)]).toEqual([10, 20, 40, 60, 1]);
    expect(spring).toHaveLength(24);
    expect(autumn).toHaveLength(24);
  });

  test('deviations of quarters add up to nothing in every hour; the missing hour has none', () => {
    const spring = quarterDeviations(formulaPrices('2026-03-29'));
    expect([...spring.slice(8, 12)]).toEqual([NaN, NaN, NaN, NaN]);
    for (let hour = 0; hour < 24; hour += 1) {
      if (hour === 2) continue;
      const sum = spring.slice(hour * 4, hour * 4 + 4).reduce((total, value) => total + value, 0);
      expect(sum).toBeCloseTo(0, 9);
    }
    const autumn = formulaPrices('2026-10-25');
    const first = autumn.slice(8, 12);
    const second = autumn.slice(12, 16);
    const deviation = (four: number[]) => (four[1] ?? 0) - four.reduce((sum, price) => sum + price, 0) / 4;
    expect(quarterDeviations(autumn)[9]).toBeCloseTo((deviation(first) + deviation(second)) / 2, 9);
  });
});

describe('class mean', () => {
  const flat = (price: number) => new Float64Array(24).fill(price);
  /* 2026-11-16 is a Monday. */
  const monday = dayNumberOf('2026-11-16');

  test('is the mean of the last four known days of the class, the weekend left out', () => {
    const history = new Map([3, 4, 5, 6, 7].map((ago) => [monday - ago, flat(ago)]));
    history.set(monday - 1, flat(1000)).set(monday - 2, flat(2000));
    expect(classMean(history, monday, monday - 1)).toEqual(flat((3 + 4 + 5 + 6) / 4));
    expect(classMean(history, monday, monday - 4)).toEqual(flat((4 + 5 + 6 + 7) / 4));
  });

  test('looks back 60 days and no further', () => {
    const known = (last: number) =>
      new Map([3, 4, 5].map((ago) => [monday - ago, flat(1)] as const)).set(monday - last, flat(1));
    /* Both are workdays. */
    expect(classMean(known(60), monday, monday - 1)).not.toBeNull();
    expect(classMean(known(61), monday, monday - 1)).toBeNull();
  });
});

test('quarters deviate as in the last eight days of the class, and not at all where none is known', () => {
  const monday = dayNumberOf('2026-11-16');
  const deviations = (first: number) => new Float64Array(96).map((_, slot) => (slot === 5 ? first : 0));
  /* Days 3 to 7 and 10 to 12 before the Monday are workdays: 8; the ninth and a Sunday do not count. */
  const history = new Map([3, 4, 5, 6, 7, 10, 11, 12].map((ago) => [monday - ago, deviations(8)]));
  history.set(monday - 13, deviations(800)).set(monday - 1, deviations(800));
  history.set(monday - 3, deviations(0));
  expect(quarterProfile(history, monday, monday - 1)[5]).toBe(7);
  expect(quarterProfile(new Map(), monday, monday - 1)).toEqual(new Float64Array(96));
});

test('ten days of history: a workday by its class mean, no Saturday at all', async () => {
  /* 2026-11-11 to 2026-11-20, Wednesday to Friday: eight workdays, one Saturday. */
  const history = historyOf('2026-11-11', '2026-11-20');
  const [saturday, sunday, monday] = ['2026-11-21', '2026-11-22', '2026-11-23'];
  const days = await forecast(history, [saturday, sunday, monday], '2026-11-20');
  expect(days.map((day) => [day.deliveryOn, day.source, day.daysAhead])).toEqual([
    [monday, 'model:class-mean@1', 3],
  ]);
  const last = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'].map((day) =>
    history.hours.get(dayNumberOf(day)),
  );
  const hour = last.reduce((sum, prices) => sum + (prices?.[12] ?? 0), 0) / 4;
  const noon = days[0]?.points.slice(48, 52).map((point) => Number(point.eurMwh)) ?? [];
  expect(noon.reduce((sum, price) => sum + price, 0) / 4).toBeCloseTo(hour, 1);
});

const NEWEST = '2026-11-20';
const long = historyOf('2025-04-01', NEWEST);

test('the next day by the ridge, up to a week by ridge and class median, then by the class mean', async () => {
  const days = await forecast(long, daysBetween('2026-11-19', '2026-11-29'), NEWEST);
  expect(days.map((day) => [day.deliveryOn.slice(8), day.source])).toEqual([
    ['21', 'model:ridge@1'],
    ...['22', '23', '24', '25', '26', '27'].map((day) => [day, 'model:ridge-class@2']),
    ...['28', '29'].map((day) => [day, 'model:class-mean@1']),
  ]);
  expect(days[0]?.training).toEqual({ from: '2025-05-10', to: '2026-10-31', days: 540 });
  for (const day of days) {
    const grid = gridOf(day.deliveryOn);
    expect(day.points.map((point) => point.start)).toEqual(startsOf(grid));
    for (const { eurMwh } of day.points) expect(eurMwh).toMatch(/^-?\d+(\.\d{1,2})?$/);
  }
});

test('a forecast lies near what came', async () => {
  const days = await forecast(long, ['2026-11-21'], NEWEST);
  const actual = formulaPrices('2026-11-21');
  const errors =
    days[0]?.points.map((point, index) => Math.abs(Number(point.eurMwh) - (actual[index] ?? 0))) ?? [];
  /* Days of the formula lie up to 15 EUR/MWh above or below their month by chance. */
  expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(20);
});

test('behind the next day the ridge is blended with the class median: an odd day of its class moves nothing', async () => {
  const [day, odd] = ['2026-11-22', '2026-11-15'];
  const hours = new Map(long.hours);
  const usual = hours.get(dayNumberOf(odd)) ?? new Float64Array(24);
  hours.set(
    dayNumberOf(odd),
    usual.map((price) => price + 800),
  );
  const median = (history: ModelHistory) => classMedian(history.hours, dayNumberOf(day), dayNumberOf(NEWEST));
  const shifted = { ...long, hours };
  const [before, after] = [await forecast(long, [day], NEWEST), await forecast(shifted, [day], NEWEST)];
  const moved = after[0]?.points.map((point, index) =>
    Math.abs(Number(point.eurMwh) - Number(before[0]?.points[index]?.eurMwh)),
  );
  const medianMoved = median(shifted)?.map((price, hour) =>
    Math.abs(price - (median(long)?.[hour] ?? Number.NaN)),
  );
  /* The class mean of four days would move by 200, and with it the blend by 100. */
  expect(Math.max(...(medianMoved ?? [Number.NaN]))).toBeLessThan(30);
  expect(Math.max(...(moved ?? [Number.NaN]))).toBeLessThan(90);
});

test('fewer than 570 known days, or a hole in what a day looks at, leave the class mean', async () => {
  const sourceOf = async (history: ModelHistory, day = '2026-11-21') =>
    (await forecast(history, [day], NEWEST))[0]?.source;
  expect(await sourceOf(historyOf(addDays(NEWEST, -569), NEWEST))).toBe('model:ridge@1');
  expect(await sourceOf(historyOf(addDays(NEWEST, -568), NEWEST))).toBe('model:class-mean@1');
  for (const lag of [2, 7, 14]) {
    const hole = historyOf('2025-04-01', NEWEST, [addDays('2026-11-21', -lag)]);
    expect(await sourceOf(hole)).toBe('model:class-mean@1');
  }
  /* Without the newest day the one before it is the newest: two days ahead, not a hole. */
  const shorter = historyOf('2025-04-01', NEWEST, [NEWEST]);
  expect(await sourceOf(shorter)).toBe('model:ridge-class@2');
});

test('clock-change days have 92 and 100 values: hour 02 is left out, or used twice', async () => {
  const spring = await forecast(historyOf('2025-10-01', '2026-03-28'), ['2026-03-29'], '2026-03-28');
  expect(spring[0]?.points).toHaveLength(92);
  expect(spring[0]?.points.map((point) => point.start)).toEqual(startsOf(gridOf('2026-03-29')));
  const [autumn] = await forecast(historyOf('2026-04-01', '2026-10-24'), ['2026-10-25'], '2026-10-24');
  expect(autumn?.points).toHaveLength(100);
  const values = autumn?.points.map((point) => point.eurMwh) ?? [];
  expect(values.slice(8, 12)).toEqual(values.slice(12, 16));
});

test('a day of whole hours has whole hours', async () => {
  const [day] = await forecast(historyOf('2025-08-01', '2025-09-29'), ['2025-09-30'], '2025-09-29');
  expect(day).toMatchObject({ minutes: 60, source: 'model:class-mean@1' });
  expect(day?.points).toHaveLength(24);
});

test('the same history gives the same bytes, and later prices change nothing', async () => {
  const days = ['2026-11-21', '2026-11-22'];
  const bytes = async (history: ModelHistory) =>
    contentHashOf('model', await forecast(history, days, NEWEST));
  const first = await bytes(long);
  expect(await bytes(historyOf('2025-04-01', '2026-11-22'))).toBe(first);
  expect(await bytes(historyOf('2025-04-01', '2026-11-19'))).not.toBe(first);
});

test('prices are rounded half up to two decimals, and never a minus zero', async () => {
  const flat = (price: number) => {
    const hours = new Map(
      daysBetween('2026-11-10', '2026-11-20').map((day) => [
        dayNumberOf(day),
        new Float64Array(24).fill(price),
      ]),
    );
    return forecast({ hours, quarters: new Map() }, ['2026-11-23'], '2026-11-20');
  };
  const priceOf = async (price: number) => (await flat(price))[0]?.points[0]?.eurMwh;
  expect(await priceOf(12.345)).toBe('12.35');
  expect(await priceOf(12.3449)).toBe('12.34');
  expect(await priceOf(-0.001)).toBe('0');
  expect(await priceOf(50)).toBe('50');
  expect(await priceOf(-83.5)).toBe('-83.5');
});

test('the event loop turns between fits', async () => {
  let turns = 0;
  let counting = true;
  const count = () => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  await forecast(long, daysBetween('2026-11-21', '2026-11-27'), NEWEST);
  counting = false;
  expect(turns).toBeGreaterThanOrEqual(7);
});

test('the class median takes the days of the last eight weeks, and one odd day moves nothing', () => {
  const day = dayNumberOf('2026-11-21');
  const newest = day - 2;
  const history = new Map<number, Float64Array>();
  for (let known = newest - 100; known <= newest; known += 1) {
    const isInside = known > newest - 56;
    history.set(known, new Float64Array(24).fill(isInside ? 50 : 500));
  }
  history.set(dayNumberOf('2026-11-14'), new Float64Array(24).fill(900));
  expect(classMedian(history, day, newest)).toEqual(new Float64Array(24).fill(50));
  expect(classMean(history, day, newest)?.[0]).toBeGreaterThan(200);
  for (const known of history.keys()) if (known <= dayNumberOf('2026-10-25')) history.delete(known);
  expect(classMedian(history, day, newest)).toBeNull();
});

test('of the class median eight weeks count, not seven and not nine', () => {
  const day = dayNumberOf('2026-08-22');
  /* None of the Saturdays before it is a holiday. */
  const history = new Map<number, Float64Array>();
  for (let weeks = 1; weeks <= 12; weeks += 1) {
    const price = weeks > 8 ? 500 : weeks % 2 === 0 ? 40 : 60;
    history.set(day - 7 * weeks, new Float64Array(24).fill(price));
  }
  expect(classMedian(history, day, day - 2)).toEqual(new Float64Array(24).fill(50));
});
