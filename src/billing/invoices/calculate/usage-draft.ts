import { Exact } from '../../../platform/money.ts';
import { consumptionLines } from './consumption-lines.ts';
import type { BilledContract } from './contract.ts';
import { discountLines } from './discount.ts';
import type { PeriodEnergy, SlotPlan } from './energy.ts';
import { feedInLines } from './feed-in-lines.ts';
import { type GridLine, module1CapLines } from './module-1-cap.ts';
import { energyOfPieces } from './piece-energy.ts';
import type { Piece } from './pieces.ts';
import { sumsOf } from './sums.ts';
import type { UsageDraft } from './types.ts';

interface BilledUsage {
  readonly contract: BilledContract;
  /** Of `piecesOf`, and the plan of `slotPlanOf` that was made of them. */
  readonly pieces: readonly Piece[];
  readonly plan: SlotPlan;
  readonly energy: Pick<PeriodEnergy, 'bySlot'>;
}

interface OtherDocuments {
  /** Sum of the paid prepayments of the period, EUR with VAT. */
  readonly deducted: string;
  /** Lines of GRID_KINDS on the contract's bills of the same calendar years that come before this one. */
  readonly earlierGridLines: readonly GridLine[];
  /** No bill follows: the contract ends with the period. */
  readonly isFinal: boolean;
}

/** The bill of a period, or the credit of one of a feed-in contract. */
export function usageDraft(
  { contract, pieces, plan, energy }: BilledUsage,
  { deducted, earlierGridLines, isFinal }: OtherDocuments,
): UsageDraft {
  const linesOf = contract.type === 'feed_in' ? feedInLines : consumptionLines;
  const energies = energyOfPieces(pieces, plan, energy);
  const priced = pieces.map((piece, index) => {
    const ofPiece = energies[index];
    return ofPiece === undefined ? [] : linesOf(piece, ofPiece);
  });
  const supplied = priced.flat();
  const capped = [...supplied, ...module1CapLines(pieces, supplied, earlierGridLines, isFinal)];
  const lines = [...capped, ...discountLines(contract, pieces, capped)];
  const usage = energies.reduce((sum, { kwh }) => sum.plus(kwh), new Exact(0));
  return { lines, sums: sumsOf(lines, deducted), usageKwh: usage.toFixed() };
}
