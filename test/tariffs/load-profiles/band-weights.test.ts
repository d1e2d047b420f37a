import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { bandWeights } from '../../../src/tariffs/load-profiles/band-weights.ts';
import { h25 } from './h25.ts';

let profile: number[][][];
beforeAll(async () => {
  profile = await h25();
});

/** `23:00-05:00 12:00-14:15`: whether a minute of the day lies in one of these windows. */
function isIn(windows: string, minute: number): boolean {
  return windows.split(' ').some((window) => {
    const [from = 0, until = 0] = window.split('-').map((text) => {
      const [hours = 0, minutes = 0] = text.split(':').map(Number);
      return hours * 60 + minutes;
    });
    return until > from ? minute >= from && minute < until : minute >= from || minute < until;
  });
}

function scheduleOf(quarters: readonly number[], low: string, high: string) {
  const bandAt = (minute: number) => {
    if (isIn(low, minute)) return 'low';
    return isIn(high, minute) ? 'high' : 'standard';
  };
  return { quarters, bandAt };
}

/* Windows and weights of 2026 as published by the operators: quarters, low, high, weights low / standard / high, share. */
test.each<[string, number[], string, string, string, string]>([
  ['westnetz', [1, 2, 3, 4], '00:00-07:00', '15:00-20:00', '0.1910 / 0.5402 / 0.2688', '1.0000'],
  ['bayernwerk-netz', [2, 3], '10:00-15:00', '17:00-22:00', '0.2265 / 0.4927 / 0.2808', '0.5014'],
  ['e-dis-netz', [1, 4], '23:30-05:00', '10:15-12:00 16:45-20:15', '0.1428 / 0.5641 / 0.2931', '0.4986'],
  [
    'schleswig-holstein-netz',
    [1, 4],
    '22:00-05:00',
    '09:00-14:00 17:00-21:00',
    '0.2081 / 0.3263 / 0.4656',
    '0.4986',
  ],
  ['hamburger-energienetze', [1, 4], '22:30-07:30', '08:00-21:00', '0.2637 / 0.0957 / 0.6406', '0.4986'],
  [
    'n-ergie-netz',
    [1, 2, 3, 4],
    '23:00-06:00 12:00-14:15',
    '18:00-21:00',
    '0.2978 / 0.5198 / 0.1824',
    '1.0000',
  ],
  ['swm-infrastruktur', [1, 4], '00:45-06:45', '08:30-20:45', '0.1549 / 0.2381 / 0.6070', '0.4986'],
  [
    'ten-thueringer-energienetze',
    [1, 4],
    '22:00-06:00',
    '08:00-09:00 10:30-12:00 17:30-19:00',
    '0.2351 / 0.5638 / 0.2011',
    '0.4986',
  ],
  ['netze-odr', [2, 3], '11:00-17:00', '22:00-05:00', '0.2716 / 0.5064 / 0.2220', '0.5014'],
  ['mainnetz', [1, 4], '02:15-05:45', '17:45-19:45', '0.0849 / 0.7861 / 0.1290', '0.4986'],
  ['mitnetz-strom', [1, 4], '19:00-03:00', '08:00-12:00 17:00-19:00', '0.3366 / 0.3736 / 0.2898', '0.4986'],
  [
    'netzgesellschaft-duesseldorf',
    [1, 4],
    '04:30-05:00',
    '18:00-20:00',
    '0.0123 / 0.8581 / 0.1296',
    '0.4986',
  ],
  ['eam-netz', [1, 2, 3, 4], '23:00-06:00 11:00-15:00', '17:00-22:00', '0.3766 / 0.3329 / 0.2905', '1.0000'],
  ['allgaeunetz', [1, 4], '02:00-04:00', '17:30-19:30', '0.0469 / 0.8256 / 0.1275', '0.4986'],
  ['LeineNetz', [3, 4], '23:30-06:15', '17:15-19:15', '0.1807 / 0.6996 / 0.1197', '0.5041'],
  [
    'FairNetz (Reutlingen)',
    [1, 2, 3, 4],
    '00:00-04:00 10:00-14:00',
    '04:00-10:00 17:00-22:00',
    '0.2857 / 0.2188 / 0.4955',
    '1.0000',
  ],
])('the schedule of %s has its published weights', (_operator, quarters, low, high, weights, share) => {
  const found = bandWeights(profile, '2026', scheduleOf(quarters, low, high));
  expect(found.shareOfYear).toBe(share);
  const { low: ofLow, standard, high: ofHigh } = found.weights;
  /* They were rounded by others: one step of the last decimal is none. */
  for (const [index, published] of weights.split(' / ').entries()) {
    const difference = Number([ofLow, standard, ofHigh][index]) - Number(published);
    expect(Math.abs(difference)).toBeLessThan(0.000_11);
  }
});

test('every schedule of 2026 in the reference data has the weights of its windows', async () => {
  const text = await readFile(new URL('../../../reference/grid_fee_schedules.csv', import.meta.url), 'utf8');
  const [header = '', ...lines] = text.trim().split('\n');
  const names = header.split(',');
  const rows = lines.map((line) => new Map(line.split(',').map((value, index) => [names[index], value])));
  const of2026 = rows.filter((row) => row.get('valid_from') === '2026-01-01');
  expect(of2026.length).toBeGreaterThan(30);
  const wrong: string[] = [];
  for (const row of of2026) {
    const windowsOf = (name: string) => (row.get(name) ?? '').replaceAll(';', ' ');
    const quarters = (row.get('quarters') ?? '').split(';').map(Number);
    const schedule = scheduleOf(quarters, windowsOf('low_windows'), windowsOf('high_windows'));
    const { weights, shareOfYear } = bandWeights(profile, '2026', schedule);
    const found = [weights.low, weights.standard, weights.high, shareOfYear];
    const stored = ['weight_low', 'weight_standard', 'weight_high', 'share_of_year'].map((name) =>
      row.get(name),
    );
    const differs = found.some((value, index) => Math.abs(Number(value) - Number(stored[index])) > 0.000_11);
    if (differs) wrong.push(`${row.get('operator')}: ${stored.join(' ')}, recomputed ${found.join(' ')}`);
  }
  expect(wrong).toEqual([]);
});

test('weights have four decimals and are exactly 1 together', () => {
  /* Bands in turn lose different parts in the rounding. */
  for (let width = 15; width < 24 * 60; width += 45) {
    const bandAt = (minute: number) => (minute < width ? 'low' : minute < width * 1.5 ? 'high' : 'standard');
    const { weights } = bandWeights(profile, '2026', { quarters: [1, 4], bandAt });
    const texts = Object.values(weights);
    for (const text of texts) expect(text).toMatch(/^[01]\.\d{4}$/);
    expect(texts.reduce((sum, text) => sum + Math.round(Number(text) * 10_000), 0)).toBe(10_000);
  }
});

/** With the same energy in every quarter hour of every day. */
const flat = Array.from({ length: 12 }, () =>
  Array.from({ length: 3 }, () => Array.from({ length: 96 }, () => 1)),
);

test('the step that is missing to 1 goes to the band that lost most', () => {
  /* A third each would be 0.3333 three times; of equal losses the first gets it. */
  const bandAt = (minute: number) => (minute < 480 ? 'low' : minute < 960 ? 'standard' : 'high');
  const ofDay = Array.from({ length: 96 }, (_, index) => (index >= 8 && index < 12 ? 0 : index < 32 ? 8 : 7));
  const even = Array.from({ length: 12 }, () => [ofDay, ofDay, ofDay]);
  expect(bandWeights(even, '2026', { quarters: [1, 2, 3, 4], bandAt }).weights).toEqual({
    low: '0.3334',
    standard: '0.3333',
    high: '0.3333',
  });
  /* 2 : 2 : 3 are 0.28571…, 0.28571… and 0.42857…: the two equal ones lost more. */
  const seven = (minute: number) => (minute < 540 ? 'low' : minute < 960 ? 'standard' : 'high');
  const weighted = Array.from({ length: 96 }, (_, i) =>
    i >= 8 && i < 12 ? 0 : i < 36 ? 14 : i < 64 ? 16 : 21,
  );
  const year = Array.from({ length: 12 }, () => [weighted, weighted, weighted]);
  expect(bandWeights(year, '2026', { quarters: [1], bandAt: seven }).weights).toEqual({
    low: '0.2857',
    standard: '0.2857',
    high: '0.4286',
  });
});

test('the hour between 2:00 and 3:00 is missing on a day in March and there twice on one in October', () => {
  const night = scheduleOf([1], '02:00-03:00', '17:00-19:00');
  const lowOf = (quarters: number[]) => Number(bandWeights(flat, '2026', { ...night, quarters }).weights.low);
  /* Without clock changes each of the 24 hours would have 0.0417, rounded. */
  expect([lowOf([1]), lowOf([2]), lowOf([4])]).toEqual([0.0413, 0.0417, 0.0421]);
});

test('a leap year has a day more in its first quarter', () => {
  const schedule = scheduleOf([1, 4], '00:00-06:00', '17:00-20:00');
  expect(bandWeights(profile, '2026', schedule).shareOfYear).toBe('0.4986');
  expect(bandWeights(profile, '2028', schedule).shareOfYear).toBe('0.5000');
});

test('a schedule that is never active is refused', () => {
  expect(() => bandWeights(profile, '2026', scheduleOf([], '00:00-06:00', '17:00-20:00'))).toThrow(
    RangeError,
  );
});
