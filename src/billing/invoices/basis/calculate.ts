import type { Connection } from '../../../platform/database/db.ts';
import type { BilledContract, BilledPeriod, ReferenceOf } from '../calculate/contract.ts';
import type { PeriodEnergy } from '../calculate/energy.ts';
import type { GridLine } from '../calculate/module-1-cap.ts';
import { type Piece, piecesOf } from '../calculate/pieces.ts';
import { slotPlanOf } from '../calculate/slot-plan.ts';
import type { UsageDraft } from '../calculate/types.ts';
import { usageDraft } from '../calculate/usage-draft.ts';
import { energiesOf } from '../energy/energies.ts';
import { BillingRefused } from '../refusal.ts';
import { listEarlierGridLines } from './grid-line-queries.ts';
import { References } from './references.ts';

/** Days of a contract whose bill is calculated. */
export interface AskedUsage {
  readonly contract: BilledContract;
  readonly period: BilledPeriod;
  readonly isFinal: boolean;
  /** Paid in advance for these days, EUR with VAT. */
  readonly deducted: string;
  /** Grid fees on the bills before it, where they are others than those on the bills that stand. */
  readonly earlierGridLines?: readonly GridLine[];
}

export interface CalculatedUsage {
  readonly asked: AskedUsage;
  readonly pieces: readonly Piece[];
  readonly energy: PeriodEnergy;
  readonly draft: UsageDraft;
  readonly referenceOf: ReferenceOf;
}

export interface CalculationOptions {
  readonly estimateGaps: boolean;
  readonly nowMilliseconds: number;
}

/**
 * What the days of some contracts come to by what is known now, each contract once; or why that cannot be said. Reads only:
 * a bill and its later check are calculated alike. What is settled is frozen before it.
 */
export async function calculateUsage(
  connection: Connection,
  organization: string,
  asked: readonly AskedUsage[],
  options: CalculationOptions,
): Promise<Map<string, CalculatedUsage | BillingRefused>> {
  const references = new References();
  const answers = new Map<string, CalculatedUsage | BillingRefused>();
  const planned = [];
  for (const one of asked) {
    const { contract, period } = one;
    const referenceOf = await references.read(connection, contract, period);
    const pieces = refusable(() => piecesOf(contract, period, referenceOf));
    if (pieces instanceof BillingRefused) answers.set(contract.id, pieces);
    else
      planned.push({
        ...{ asked: one, contract, period, pieces },
        plan: slotPlanOf(contract, pieces),
        referenceOf,
      });
  }
  const energies = await energiesOf(connection, organization, planned, options);
  const stored = await listEarlierGridLines(
    connection,
    organization,
    planned.filter(({ asked: { earlierGridLines } }) => earlierGridLines === undefined),
  );
  for (const { asked: one, contract, pieces, plan, referenceOf } of planned) {
    const energy = energies.get(contract.id);
    if (energy === undefined) throw new Error(`Nobody said what ${contract.id} used`);
    if (energy instanceof BillingRefused) {
      answers.set(contract.id, energy);
      continue;
    }
    const earlierGridLines = one.earlierGridLines ?? stored.get(contract.id) ?? [];
    const documents = { ...one, earlierGridLines };
    const draft = refusable(() => usageDraft({ contract, pieces, plan, energy }, documents));
    const isRefused = draft instanceof BillingRefused;
    answers.set(contract.id, isRefused ? draft : { asked: one, pieces, energy, draft, referenceOf });
  }
  return answers;
}

export function refusable<Value>(calculate: () => Value): Value | BillingRefused {
  try {
    return calculate();
  } catch (error) {
    if (error instanceof BillingRefused) return error;
    throw error;
  }
}
