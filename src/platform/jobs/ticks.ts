import { CronExpressionParser } from 'cron-parser';
import { IANAZone } from 'luxon';
import type { CatchUp } from './jobs.ts';

/** More than this are never listed at once; the rest comes in the next round. */
export const TICKS_MAX = 1_000;

/** A tick up to this old is on time: two rounds of the reconciler. */
const ON_TIME_MILLISECONDS = 60_000;

/** When a schedule falls due; instants are milliseconds since 1970. */
export interface Timetable {
  cron: string;
  timeZone: string;
  catchUp: CatchUp;
  ageSecondsMax: number | null;
}

export interface DueTicks {
  /** To be run, oldest first. */
  due: number[];
  /** Everything up to here has been decided. */
  decidedUntil: number;
}

/** Throws where the text is no cron pattern or the zone is unknown. */
export function assertTimetable(timetable: Pick<Timetable, 'cron' | 'timeZone'>): void {
  if (timetable.cron.trim().split(/\s+/).length !== 6) {
    throw new RangeError(`Not a pattern of six fields: ${timetable.cron}`);
  }
  if (!IANAZone.isValidZone(timetable.timeZone))
    throw new RangeError(`Not a time zone: ${timetable.timeZone}`);
  CronExpressionParser.parse(timetable.cron, { tz: timetable.timeZone });
}

/** The ticks in (after, until] that are to be run. A clock that was set back finds none until it is past `after` again. */
export function dueTicks(timetable: Timetable, after: number, until: number): DueTicks {
  if (until <= after) return { due: [], decidedUntil: after };
  if (timetable.catchUp === 'all') return everyTick(timetable, after, until);
  const last = lastTick(timetable, after, until);
  if (last === null) return { due: [], decidedUntil: after };
  const missed = until - last > ON_TIME_MILLISECONDS;
  const isDue = !missed || (timetable.catchUp === 'last' && !isTooOld(timetable, last, until));
  return { due: isDue ? [last] : [], decidedUntil: last };
}

/** The first instant after another one at which a schedule falls due. */
export function nextTick(timetable: Pick<Timetable, 'cron' | 'timeZone'>, after: number): number {
  return parse(timetable, after).next().getTime();
}

function everyTick(timetable: Timetable, after: number, until: number): DueTicks {
  const due: number[] = [];
  const { ageSecondsMax } = timetable;
  const from = ageSecondsMax === null ? after : Math.max(after, until - ageSecondsMax * 1000 - 1);
  let decidedUntil = after;
  const ticks = parse(timetable, from);
  while (due.length < TICKS_MAX) {
    const tick = ticks.next().getTime();
    if (tick > until) break;
    decidedUntil = tick;
    due.push(tick);
  }
  return { due, decidedUntil };
}

/** How far back the newest tick is looked for, step by step: frequent schedules are found at once, rare ones too. */
const LOOK_BACK_MILLISECONDS = [60_000, 3_600_000, 86_400_000, 40 * 86_400_000];

/**
 * The newest tick in (after, until], found by going forward. The library's own way back gives other instants than its way
 * forward on the days on which the clocks change (measured: 02:30 is not found in spring and is the second one in
 * autumn).
 */
function lastTick(timetable: Timetable, after: number, until: number): number | null {
  for (const milliseconds of [...LOOK_BACK_MILLISECONDS, until - after]) {
    const from = Math.max(after, until - milliseconds);
    let found: number | null = null;
    const ticks = parse(timetable, from);
    for (let tick = ticks.next().getTime(); tick <= until; tick = ticks.next().getTime()) found = tick;
    if (found !== null) return found;
    if (from === after) return null;
  }
  return null;
}

function isTooOld(timetable: Timetable, tick: number, until: number): boolean {
  return timetable.ageSecondsMax !== null && until - tick > timetable.ageSecondsMax * 1000;
}

function parse(timetable: Pick<Timetable, 'cron' | 'timeZone'>, from: number) {
  return CronExpressionParser.parse(timetable.cron, { tz: timetable.timeZone, currentDate: new Date(from) });
}
