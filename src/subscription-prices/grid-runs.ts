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
export function gridRuns(
  grid: GridPrices,
  modules: readonly ModuleSpan[],
  { begins, ends, quarter }: GridDay,
): GridRun[] {
  const changing = modules.filter(
    ({ module, from, until }) => module !== 1 && from < ends && (until === null || begins < until),
  );
  if (changing.length === 0) return [{ from: begins, cents: grid.workingPrice.value }];
  const runs: GridRun[] = [];
  for (const { begins: from, minuteOfDay } of quarterHoursOf(begins, ends)) {
    const cents = centsAt(grid, changing, from, { quarter, minuteOfDay });
    if (runs.at(-1)?.cents !== cents) runs.push({ from, cents });
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
