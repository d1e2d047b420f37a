import type { Figure, GridFeeSchedule } from './figures.ts';
import { bandAt, type GridBand, type WallClockMoment } from './grid-bands.ts';

/** When a reduction of the grid fee (§14a EnWG) holds, in milliseconds since 1970; `until` is exclusive, null: open. */
export interface ModuleSpan {
  readonly module: 1 | 2 | 3;
  readonly from: number;
  readonly until: number | null;
}

type PriceOf = Pick<Figure, 'value'>;
type Bands = Pick<GridFeeSchedule, 'low' | 'standard' | 'high' | 'quarters' | 'lowWindows' | 'highWindows'>;

/** ct/kWh net. */
export interface GridPrices {
  readonly workingPrice: PriceOf;
  readonly module2Price: PriceOf;
  readonly schedule: Bands | null;
}

/** A working price of the grid and why it holds: a band of module 3, module 2, or null: it is the ordinary one. */
export interface GridPrice {
  readonly band: GridBand | 'module_2' | null;
  /** ct/kWh net. */
  readonly cents: string;
}

/**
 * The working price at an instant. Module 1 is a credit by the year and changes none; module 2 has the reduced one, module 3
 * the one of the band, and the two are never combined (BNetzA BK8-22/010-A). Where the operator publishes no schedule,
 * module 3 has the ordinary price.
 */
export function gridPriceAt(
  { workingPrice, module2Price, schedule }: GridPrices,
  modules: readonly ModuleSpan[],
  instant: number,
  onClock: WallClockMoment,
): GridPrice {
  const holds = (module: ModuleSpan['module']) =>
    modules.some(
      (span) =>
        span.module === module && span.from <= instant && (span.until === null || instant < span.until),
    );
  if (holds(2)) return { band: 'module_2', cents: module2Price.value };
  if (schedule === null || !holds(3)) return { band: null, cents: workingPrice.value };
  const band = bandAt(schedule, onClock);
  return { band, cents: schedule[band] };
}
