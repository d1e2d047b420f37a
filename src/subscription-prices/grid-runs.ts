import { quarterHoursOf } from '../platform/time/berlin-calendar.ts';
import type { Figure, GridFeeSchedule } from '../tariffs/figures.ts';
import { bandAt } from '../tariffs/grid-bands.ts';
import type { GridRun } from './day-prices.ts';

/** When a reduction of the grid fee (§14a EnWG) holds, in milliseconds since 1970; `until` is exclusive, null: open. */
export interface ModuleSpan {
  readonly module: 1 | 2 | 3;
  readonly from: number;
  readonly until: number | null;
}

/** One day of Berlin: its midnights in milliseconds since 1970, and its quarter of the year, 1 to 4. */
export interface GridDay {
  readonly begins: number;
  readonly ends: number;
  readonly quarter: number;
}

type PriceOf = Pick<Figure, 'value'>;
type Bands = Pick<GridFeeSchedule, 'low' | 'standard' | 'high' | 'quarters' | 'lowWindows' | 'highWindows'>;

/** ct/kWh net. */
export interface GridPrices {
  readonly workingPrice: PriceOf;
  readonly module2Price: PriceOf;
  readonly schedule: Bands | null;
}

/**
 * The working prices of the grid through a day. Module 1 is a credit by the year and changes no working price; module 2
 * has the reduced one, module 3 the one of the band, and the two are never combined (BNetzA BK8-22/010-A). Where the
 * operator publishes no schedule, module 3 has the ordinary price.
 */
export type GridRunsOfDay = (
  grid: GridPrices,
  modules: readonly ModuleSpan[],
  day: GridDay,
) => readonly GridRun[];

/**
 * Days of one quarter with the same prices have the same bands: they are found once. In a year with module 3 the 35,136
 * quarter hours took 20 ms of each answer, a 304 included.
 */
export function createGridRuns(): GridRunsOfDay {
  const known = new Map<string, readonly GridRun[]>();
  return (grid, modules, day) => {
    const { begins, ends, quarter } = day;
    const changing = modules.filter(
      ({ module, from, until }) => module !== 1 && from < ends && (until === null || begins < until),
    );
    if (changing.length === 0) return [{ from: 0, cents: grid.workingPrice.value }];
    const isWhole = changing.every(({ from, until }) => from <= begins && (until === null || ends <= until));
    if (!isWhole) return runsThrough(grid, changing, day);
    const { workingPrice, module2Price, schedule } = grid;
    const numbers = changing.map(({ module }) => module);
    const key = JSON.stringify([
      workingPrice.value,
      module2Price.value,
      schedule,
      numbers,
      quarter,
      ends - begins,
    ]);
    const runs = known.get(key) ?? runsThrough(grid, changing, day);
    known.set(key, runs);
    return runs;
  };
}

function runsThrough(
  grid: GridPrices,
  modules: readonly ModuleSpan[],
  { begins, ends, quarter }: GridDay,
): GridRun[] {
  const runs: GridRun[] = [];
  for (const { begins: instant, minuteOfDay } of quarterHoursOf(begins, ends)) {
    const cents = centsAt(grid, modules, instant, { quarter, minuteOfDay });
    if (runs.at(-1)?.cents !== cents) runs.push({ from: instant - begins, cents });
  }
  return runs;
}

function centsAt(
  { workingPrice, module2Price, schedule }: GridPrices,
  modules: readonly ModuleSpan[],
  instant: number,
  onClock: { quarter: number; minuteOfDay: number },
): string {
  const holds = (module: ModuleSpan['module']) =>
    modules.some(
      (span) =>
        span.module === module && span.from <= instant && (span.until === null || instant < span.until),
    );
  if (holds(2)) return module2Price.value;
  if (schedule !== null && holds(3)) return schedule[bandAt(schedule, onClock)];
  return workingPrice.value;
}
