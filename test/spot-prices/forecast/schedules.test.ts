import { expect, test } from 'vitest';
import { dueTicks } from '../../../src/platform/jobs/ticks.ts';
import { addDays, deliveryDayAt, freezeInstant } from '../../../src/spot-prices/calendar.ts';
import { scheduleLines } from '../../../workers/schedules.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/* Each installation has fixed seconds of its own behind the minute. */
const OFFSET_MAX = 40_000;

const lines = scheduleLines('postgres://user:secret@127.0.0.1/schedules');
const linesOf = (job: string) => lines.filter((line) => line.job.name === job);

function ticksOf(job: string, from: string, days: number): number[] {
  const begin = Date.parse(from);
  return linesOf(job)
    .flatMap(
      (line) => dueTicks({ ...line, catchUp: 'all', ageSecondsMax: null }, begin, begin + days * DAY).due,
    )
    .sort((a, b) => a - b);
}

const minutes = (ticks: readonly number[]) => ticks.map((tick) => new Date(tick).toISOString().slice(11, 16));

test('forecasts are asked for, made and frozen at their times in Berlin', () => {
  const winter = '2026-11-18T23:00:00Z';
  expect(minutes(ticksOf('pull-price-forecast', winter, 1))).toEqual(['04:40', '10:30', '16:40']);
  expect(minutes(ticksOf('run-price-model', winter, 1))).toEqual(['04:45', '10:40', '17:00']);
  expect(minutes(ticksOf('freeze-price-forecast', winter, 1))).toEqual(['11:00']);
});

test('the freeze runs at gate closure, around the changes of the clock too', () => {
  for (const from of ['2026-03-26T23:00:00Z', '2026-10-22T22:00:00Z']) {
    const ticks = ticksOf('freeze-price-forecast', from, 5);
    expect(ticks).toHaveLength(5);
    for (const tick of ticks) {
      const lateness = tick - freezeInstant(addDays(deliveryDayAt(tick), 1));
      expect(lateness).toBeGreaterThanOrEqual(0);
      expect(lateness).toBeLessThanOrEqual(OFFSET_MAX);
    }
  }
});

test('a missed question to the provider is never asked within four hours of the next', () => {
  const ticks = ticksOf('pull-price-forecast', '2026-10-20T22:00:00Z', 10);
  const late = (linesOf('pull-price-forecast')[0]?.ageSecondsMax ?? Number.POSITIVE_INFINITY) * 1000;
  for (const [index, tick] of ticks.slice(1).entries()) {
    expect(tick - (ticks[index] ?? 0) - late).toBeGreaterThanOrEqual(4 * HOUR);
  }
});

test('every missed freeze is made up for', () => {
  expect(linesOf('freeze-price-forecast')).toMatchObject([{ catchUp: 'all' }]);
  const [line] = linesOf('freeze-price-forecast');
  if (line === undefined) throw new Error('no line');
  const begin = Date.parse('2026-11-01T12:00:00Z');
  const { due } = dueTicks({ ...line, ageSecondsMax: line.ageSecondsMax ?? null }, begin, begin + 12 * DAY);
  expect(due).toHaveLength(12);
});
