import { expect, test } from 'vitest';
import { daysBetween } from '../../../src/spot-prices/calendar.ts';
import { REALIZED_SOURCES } from '../../../src/spot-prices/providers/index.ts';
import { chunksOf } from '../../../src/spot-prices/pull/chunks.ts';

const spans = (source: (typeof REALIZED_SOURCES)[number], from: string, to: string) =>
  chunksOf(source, daysBetween(from, to)).map((days) => `${days[0]} ${days.at(-1)} ${days.length}`);

test('ENTSO-E: 45 days, never across the change of the zone', () => {
  expect(spans('entsoe', '2018-09-01', '2018-11-30')).toEqual([
    '2018-09-01 2018-09-30 30',
    '2018-10-01 2018-11-14 45',
    '2018-11-15 2018-11-30 16',
  ]);
});

test('SMARD: a week from Monday to Sunday, the week of the switch in two pieces, nothing of the zone before', () => {
  expect(spans('smard', '2025-09-25', '2025-10-07')).toEqual([
    '2025-09-25 2025-09-28 4',
    '2025-09-29 2025-09-30 2',
    '2025-10-01 2025-10-05 5',
    '2025-10-06 2025-10-07 2',
  ]);
  expect(spans('smard', '2018-09-29', '2018-10-02')).toEqual(['2018-10-01 2018-10-02 2']);
});

test('Energy-Charts: 90 days', () => {
  expect(spans('energy-charts', '2026-01-01', '2026-06-30')).toEqual([
    '2026-01-01 2026-03-31 90',
    '2026-04-01 2026-06-29 90',
    '2026-06-30 2026-06-30 1',
  ]);
});

test.each(REALIZED_SOURCES)('%s: a day that is not asked for ends a piece', (source) => {
  const days = daysBetween('2026-11-09', '2026-11-15').filter((day) => day !== '2026-11-12');
  expect(chunksOf(source, days).map((chunk) => chunk.length)).toEqual([3, 3]);
});
