import type { Decimal } from 'decimal.js';
import { Exact } from '../../../platform/money.ts';
import type { EnergySlot, PeriodEnergy, SlotPlan } from './energy.ts';
import type { Piece } from './pieces.ts';

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
