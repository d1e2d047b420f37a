import type { Connection } from '../../../platform/database/db.ts';
import { addDays } from '../../../platform/time/berlin-calendar.ts';
import type { BillingBasis } from '../calculate/draft.ts';
import { piecesOf } from '../calculate/pieces.ts';
import { slotPlanOf } from '../calculate/slot-plan.ts';
import { BillingRefused } from '../refusal.ts';
import { type EnergyOptions, energiesOf } from './energy/energies.ts';
import { listEarlierGridLines } from './queries.ts';
import { References } from './references.ts';

/**
 * The basis of each document by what is known now, or why there is no bill; each contract once. Reads only: a bill and its
 * later check have the same basis. Settled months are frozen before. Without `earlierGridLines` those of the bills that stand
 * are read.
 */
export async function basesOf(
  connection: Connection,
  organization: string,
  documents: readonly (Pick<BillingBasis, 'contract' | 'period' | 'deducted'> &
    Partial<Pick<BillingBasis, 'earlierGridLines'>>)[],
  options: EnergyOptions,
): Promise<Map<string, BillingBasis | BillingRefused>> {
  const references = new References();
  const bases = new Map<string, BillingBasis | BillingRefused>();
  const bills = [];
  for (const { contract, period, deducted, earlierGridLines } of documents) {
    const isBill = period.type === 'usage';
    const days = isBill ? period : { from: period.from, until: addDays(period.from, 1) };
    const referenceOf = await references.read(connection, contract, days);
    const pieces = refusable(() => piecesOf(contract, days, referenceOf));
    if (pieces instanceof BillingRefused) {
      bases.set(contract.id, pieces);
      continue;
    }
    const basis = { contract, period, pieces, deducted, nextInstalment: null };
    if (isBill) bills.push({ ...basis, earlierGridLines, plan: slotPlanOf(contract, pieces) });
    else bases.set(contract.id, { ...basis, usage: null, earlierGridLines: [] });
  }
  const energies = await energiesOf(connection, organization, bills, options);
  const gridLines = await listEarlierGridLines(
    connection,
    organization,
    bills.filter(({ earlierGridLines }) => earlierGridLines === undefined),
  );
  for (const { plan, ...bill } of bills) {
    const { id } = bill.contract;
    const energy = energies.get(id);
    if (energy === undefined) throw new Error(`Nobody said what ${id} used`);
    if (energy instanceof BillingRefused) bases.set(id, energy);
    else {
      const earlierGridLines = bill.earlierGridLines ?? gridLines.get(id) ?? [];
      bases.set(id, { ...bill, usage: { plan, energy }, earlierGridLines });
    }
  }
  return bases;
}

function refusable<Value>(read: () => Value): Value | BillingRefused {
  try {
    return read();
  } catch (error) {
    if (error instanceof BillingRefused) return error;
    throw error;
  }
}
