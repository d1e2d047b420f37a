import type { Decimal } from 'decimal.js';
import { Exact } from '../../../platform/money.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { Piece } from './pieces.ts';
import type { Band } from './types.ts';

/* Energy as a bill has to know it and asks for it: it is summed in the database, by slots. */

/** Energy that is priced alike: of one piece of the period and one price of the grid. */
export interface EnergySlot {
  /** Index of the piece. */
  readonly piece: number;
  readonly band: Band;
  /** ct/kWh net; `0` for what is fed in. */
  readonly gridCents: string;
}

/** Which quarter hours belong to which slot. Contracts with the same key have the same plan and are summed together. */
export interface SlotPlan {
  readonly key: string;
  readonly slots: readonly EnergySlot[];
  /** Ascending and without a gap; milliseconds since 1970, `until` exclusive; `slot` is an index. */
  readonly runs: readonly { readonly from: number; readonly until: number; readonly slot: number }[];
}

/** Slots without energy may be left out. */
export interface SlotEnergy {
  readonly slot: number;
  readonly kwh: string;
  /** Sum of kWh × EUR/MWh / 1000, net and not rounded. */
  readonly eur: string;
  /** Part of `kwh`, in quarter hours whose price was below zero. */
  readonly kwhAtNegativePrice: string;
}

type ReadingOrigin = 'customer_report' | 'grid_reading' | 'grid_estimation' | 'interpolated' | 'remote';

export interface ReadingAt {
  /** What is told as of the beginning of this day. */
  readonly on: CalendarDay;
  /** kWh; null: the quarter hours of this meter are read, and no total. */
  readonly value: string | null;
  readonly obtained: ReadingOrigin;
}

/** One meter with one register, on its days of the period; null: nothing was ever read that a value follows from. */
export interface PeriodReading {
  readonly meterNumber: string;
  readonly register: number;
  readonly start: ReadingAt | null;
  readonly end: ReadingAt | null;
  readonly kwh: string | null;
}

/** Where energy is known from; `estimate`: nobody read it. */
export type EnergyOrigin = 'metering_operator' | 'own_measurement' | 'readings' | 'estimate';

/**
 * What stands for values that nobody read: the expected usage on days next to which nothing was read, a reading that an
 * operator estimated, or the expected usage in quarter hours that are missing.
 */
export type Estimate = 'expected_usage' | 'estimated_reading' | 'filled_quarter_hours';

export interface PeriodEnergy {
  readonly bySlot: readonly SlotEnergy[];
  readonly kwh: string;
  readonly isEstimated: boolean;
  /** Those that are in it, ascending. */
  readonly estimates: readonly Estimate[];
  /** `mixed`: known from more than one; what is estimated beside it says `isEstimated`. */
  readonly origin: EnergyOrigin | 'mixed';
  readonly byOrigin: readonly { readonly origin: EnergyOrigin; readonly kwh: string }[];
  readonly readings: readonly PeriodReading[];
}

/** The energy of one piece. */
export interface PieceEnergy {
  readonly kwh: Decimal;
  /** Sum of kWh × spot price, EUR net, not rounded. */
  readonly spotEur: Decimal;
  readonly kwhAtNegativePrice: Decimal;
  readonly slots: readonly { readonly slot: EnergySlot; readonly kwh: Decimal }[];
}

/** In the order of the pieces; a slot without energy counts as 0. */
export function energyOfPieces(
  pieces: readonly Piece[],
  plan: SlotPlan,
  { bySlot }: Pick<PeriodEnergy, 'bySlot'>,
): PieceEnergy[] {
  if (bySlot.some(({ slot }) => plan.slots[slot] === undefined))
    throw new Error(`Energy of a slot that the plan ${plan.key} does not have`);
  const measured = new Map(bySlot.map((energy) => [energy.slot, energy]));
  const all = plan.slots.map((slot, index) => {
    const { kwh = '0', eur = '0', kwhAtNegativePrice = '0' } = measured.get(index) ?? {};
    return { slot, kwh: new Exact(kwh), eur: new Exact(eur), negative: new Exact(kwhAtNegativePrice) };
  });
  return pieces.map((_, piece) => {
    const slots = all.filter(({ slot }) => slot.piece === piece);
    const sum = (of: 'kwh' | 'eur' | 'negative') =>
      slots.reduce((total, slot) => total.plus(slot[of]), new Exact(0));
    return { kwh: sum('kwh'), spotEur: sum('eur'), kwhAtNegativePrice: sum('negative'), slots };
  });
}
