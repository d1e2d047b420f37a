import { describe, expect, test } from 'vitest';
import { assertTimetable, dueTicks, TICKS_MAX, type Timetable } from '../../../src/platform/jobs/ticks.ts';

const at = (text: string) => Date.parse(text);
const texts = (instants: number[]) => instants.map((instant) => new Date(instant).toISOString());

function timetable(cron: string, catchUp: Timetable['catchUp'] = 'all', ageSecondsMax: number | null = null) {
  return { cron, timeZone: 'Europe/Berlin', catchUp, ageSecondsMax };
}

const QUARTER_HOURS = '0 */15 * * * *';
/* Three hours down: twelve quarter hours fell due, the newest 100 seconds ago. */
const DOWN_SINCE = at('2026-11-05T06:00:00Z');
const UP_AGAIN = at('2026-11-05T09:01:40Z');

describe('three hours down over twelve ticks', () => {
  test('all: each missed tick runs, oldest first', () => {
    const { due, decidedUntil } = dueTicks(timetable(QUARTER_HOURS), DOWN_SINCE, UP_AGAIN);
    expect(due).toHaveLength(12);
    expect(texts(due)[0]).toBe('2026-11-05T06:15:00.000Z');
    expect(texts(due)[11]).toBe('2026-11-05T09:00:00.000Z');
    expect(decidedUntil).toBe(at('2026-11-05T09:00:00Z'));
  });

  test('last: only the newest missed tick runs', () => {
    const { due, decidedUntil } = dueTicks(timetable(QUARTER_HOURS, 'last'), DOWN_SINCE, UP_AGAIN);
    expect(texts(due)).toEqual(['2026-11-05T09:00:00.000Z']);
    expect(decidedUntil).toBe(at('2026-11-05T09:00:00Z'));
  });

  test('skip: no missed tick runs, and none of them comes back later', () => {
    const first = dueTicks(timetable(QUARTER_HOURS, 'skip'), DOWN_SINCE, UP_AGAIN);
    expect(first.due).toEqual([]);
    const next = dueTicks(timetable(QUARTER_HOURS, 'skip'), first.decidedUntil, at('2026-11-05T09:15:20Z'));
    expect(texts(next.due)).toEqual(['2026-11-05T09:15:00.000Z']);
  });

  test('all with an age limit: older ticks are left out', () => {
    const { due } = dueTicks(timetable(QUARTER_HOURS, 'all', 3_600), DOWN_SINCE, UP_AGAIN);
    expect(texts(due)).toEqual([
      '2026-11-05T08:15:00.000Z',
      '2026-11-05T08:30:00.000Z',
      '2026-11-05T08:45:00.000Z',
      '2026-11-05T09:00:00.000Z',
    ]);
  });

  test('last with an age limit: a tick that is too old does not run', () => {
    const { due, decidedUntil } = dueTicks(
      timetable('0 0 4 * * *', 'last', 3_600),
      DOWN_SINCE - 86_400_000,
      UP_AGAIN,
    );
    expect(due).toEqual([]);
    expect(decidedUntil).toBe(at('2026-11-05T03:00:00Z'));
  });
});

describe('the two days on which the clocks change', () => {
  const spring = [at('2027-03-27T12:00:00Z'), at('2027-03-28T12:00:00Z')] as const;
  const autumn = [at('2027-10-30T12:00:00Z'), at('2027-10-31T12:00:00Z')] as const;

  test.each([
    ['0 30 2 * * *', spring, ['2027-03-28T01:30:00.000Z']],
    ['0 30 2 * * *', autumn, ['2027-10-31T00:30:00.000Z']],
    ['0 0 3 * * *', spring, ['2027-03-28T01:00:00.000Z']],
    ['0 0 3 * * *', autumn, ['2027-10-31T02:00:00.000Z']],
    ['0 0 0 * * *', spring, ['2027-03-27T23:00:00.000Z']],
    ['0 0 0 * * *', autumn, ['2027-10-30T22:00:00.000Z']],
  ])('%s runs exactly once', (cron, [from, until], expected) => {
    expect(texts(dueTicks(timetable(cron), from, until).due)).toEqual(expected);
    expect(texts(dueTicks(timetable(cron, 'last'), from, until).due)).toEqual(expected);
  });

  test.each([
    ['spring', '2027-03-27T23:00:00Z', '2027-03-28T22:00:00Z', 92],
    ['autumn', '2027-10-30T22:00:00Z', '2027-10-31T23:00:00Z', 100],
  ])('every quarter hour of a Berlin day in %s', (_name, from, until, count) => {
    const { due } = dueTicks(timetable(QUARTER_HOURS), at(from) - 1, at(until) - 1);
    expect(due).toHaveLength(count);
    expect(new Set(due).size).toBe(count);
  });

  test('rounds of any rhythm find each tick once, also within the hour that comes twice', () => {
    const found: number[] = [];
    let after = at('2027-10-30T23:50:00Z');
    for (let now = after; now <= at('2027-10-31T03:00:00Z'); now += 7 * 60_000 + 13_000) {
      const { due, decidedUntil } = dueTicks(timetable(QUARTER_HOURS), after, now);
      found.push(...due);
      after = decidedUntil;
    }
    const steps = found.slice(1).map((tick, index) => tick - (found[index] ?? 0));
    expect(new Set(steps)).toEqual(new Set([15 * 60_000]));
  });
});

test('a clock that was set back by ten minutes repeats no tick', () => {
  const { decidedUntil } = dueTicks(timetable(QUARTER_HOURS), DOWN_SINCE, UP_AGAIN);
  expect(dueTicks(timetable(QUARTER_HOURS), decidedUntil, UP_AGAIN - 600_000)).toEqual({
    due: [],
    decidedUntil,
  });
  expect(dueTicks(timetable(QUARTER_HOURS), decidedUntil, UP_AGAIN + 60_000).due).toEqual([]);
});

test('a tick that falls due this very millisecond is found, and not again', () => {
  const tick = at('2026-11-05T09:15:00Z');
  const first = dueTicks(timetable(QUARTER_HOURS, 'last'), tick - 1, tick);
  expect(first.due).toEqual([tick]);
  expect(dueTicks(timetable(QUARTER_HOURS, 'last'), first.decidedUntil, tick).due).toEqual([]);
});

test('a long absence is worked off in portions', () => {
  const from = at('2026-01-01T00:00:00Z');
  const until = at('2026-02-01T00:00:00Z');
  let after = from;
  let total = 0;
  for (let round = 0; round < 3; round += 1) {
    const { due, decidedUntil } = dueTicks(timetable(QUARTER_HOURS), after, until);
    expect(due.length).toBeLessThanOrEqual(TICKS_MAX);
    total += due.length;
    after = decidedUntil;
  }
  expect(total).toBe(31 * 96);
});

test('a pattern that cannot be read stops the start', () => {
  expect(() => assertTimetable(timetable('0 61 * * * *'))).toThrow();
  expect(() => assertTimetable(timetable('0 4 * * *'))).toThrow(/six fields/);
  expect(() => assertTimetable({ cron: QUARTER_HOURS, timeZone: 'Europe/Nowhere' })).toThrow();
});
