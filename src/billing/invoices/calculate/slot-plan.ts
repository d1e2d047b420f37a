import { createHash } from 'node:crypto';
import { berlinDays, berlinMilliseconds, quarterHoursOf } from '../../../platform/time/berlin-calendar.ts';
import type { GridFigures } from '../../../tariffs/reference-data/figures.ts';
import {
  type GridPrice,
  gridPriceAt,
  type ModuleSpan,
} from '../../../tariffs/reference-data/module-prices.ts';
import type { BilledContract } from './contract.ts';
import type { EnergySlot, SlotPlan } from './energy.ts';
import type { Piece } from './pieces.ts';

/** From an instant on, in milliseconds since 1970, until the next one begins. */
interface PriceRun extends GridPrice {
  readonly from: number;
}

/** The slots of a bill's energy: one for each piece and price of the grid. */
export function slotPlanOf(contract: BilledContract, pieces: readonly Piece[]): SlotPlan {
  const slots: EnergySlot[] = [];
  const runs: { from: number; until: number; slot: number }[] = [];
  for (const [piece, { from, until, grid }] of pieces.entries()) {
    const [begins, ends] = [berlinMilliseconds(from), berlinMilliseconds(until)];
    const ofPiece = grid === null ? [FED_IN(begins)] : priceRuns(grid, contract.modules, { from, until });
    const known = new Map<string, number>();
    for (const [index, { from: start, band, cents }] of ofPiece.entries()) {
      const name = `${band} ${cents}`;
      const slot = known.get(name) ?? slots.push({ piece, band, gridCents: cents }) - 1;
      known.set(name, slot);
      runs.push({ from: start, until: ofPiece[index + 1]?.from ?? ends, slot });
    }
  }
  const text = JSON.stringify([slots, runs]);
  return { key: `${contract.type} ${createHash('sha256').update(text).digest('base64url')}`, slots, runs };
}

/** The grid costs nothing for what is fed in. */
const FED_IN = (from: number): PriceRun => ({ from, band: null, cents: '0' });

/** Contracts of one place with the same modules have the same runs: for a month with module 3 they are 3,000 questions. */
const keptRuns = new WeakMap<GridFigures, Map<string, readonly PriceRun[]>>();

function priceRuns(
  grid: GridFigures,
  modules: readonly ModuleSpan[],
  days: { from: string; until: string },
): readonly PriceRun[] {
  const [begins, ends] = [berlinMilliseconds(days.from), berlinMilliseconds(days.until)];
  const changing = modules.flatMap(({ module, from, until }) => {
    const cut = {
      module,
      from: Math.max(from, begins),
      until: until === null || until > ends ? ends : until,
    };
    return module !== 1 && cut.from < cut.until ? [cut] : [];
  });
  if (changing.length === 0) return [{ from: begins, band: null, cents: grid.workingPrice.value }];
  const kept = keptRuns.get(grid) ?? new Map<string, readonly PriceRun[]>();
  keptRuns.set(grid, kept);
  const key = JSON.stringify([begins, ends, changing]);
  const runs = kept.get(key) ?? runsThrough(grid, changing, days);
  kept.set(key, runs);
  return runs;
}

function runsThrough(
  grid: GridFigures,
  modules: readonly ModuleSpan[],
  { from, until }: { from: string; until: string },
): PriceRun[] {
  const runs: PriceRun[] = [];
  const days = berlinDays(from, until);
  const quarter = QUARTERS.findIndex((months) => months.includes(from.slice(5, 7))) + 1;
  for (const [index, { begins }] of days.entries()) {
    const ends = days[index + 1]?.begins ?? berlinMilliseconds(until);
    for (const { begins: instant, minuteOfDay } of quarterHoursOf(begins, ends)) {
      const price = gridPriceAt(grid, modules, instant, { quarter, minuteOfDay });
      const last = runs.at(-1);
      if (last?.band !== price.band || last.cents !== price.cents) runs.push({ from: instant, ...price });
    }
  }
  return runs;
}

/** Months of the quarters of a year. A piece lies within one month. */
const QUARTERS = [
  ['01', '02', '03'],
  ['04', '05', '06'],
  ['07', '08', '09'],
  ['10', '11', '12'],
];
