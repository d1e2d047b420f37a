import { listReductionsOfEach } from '../../../contracts/grid-fee-reductions/queries.ts';
import { meterPartsOf } from '../../../contracts/meters/parts.ts';
import { listStatesOfMeters } from '../../../contracts/meters/queries.ts';
import { moduleSpansOf } from '../../../contracts/subscription-prices/module-spans.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { listTermsOfPlans } from '../../../tariffs/plans/queries.ts';
import type { BilledContract } from '../calculate/contract.ts';
import { supplyDaysOf } from '../plan/periods.ts';
import {
  type ContractOnDay,
  type ContractRow,
  listContractRows,
  listPlantsOfHouseholds,
  listYearlyKwh,
} from './queries.ts';

/** The statements and their answers stay small: each contract brings some dozens of rows. */
export const CONTRACTS_MAX = 500;

const FIRST_DAY = '0001-01-01';

/**
 * All that the bills of some contracts depend on, each once, with six statements for all of them together. A contract whose
 * supply was never confirmed is left out.
 */
export async function contractsOf(
  connection: Connection,
  organization: string,
  documents: readonly ContractOnDay[],
): Promise<ReadonlyMap<string, BilledContract>> {
  if (documents.length > CONTRACTS_MAX) throw new RangeError(`At most ${CONTRACTS_MAX} contracts at once`);
  if (documents.length === 0) return new Map();
  const ids = documents.map(({ id }) => id);
  const rows = await listContractRows(connection, organization, ids);
  const terms = await listTermsOfPlans(connection, organization, distinct(rows, 'plan_id'));
  const reductions = await listReductionsOfEach(connection, organization, ids);
  const meters = await listStatesOfMeters(connection, organization, distinct(rows, 'meter_id'));
  const plants = await listPlantsOfHouseholds(connection, organization, distinct(rows, 'household_id'));
  const yearly = await listYearlyKwh(connection, organization, documents);
  const states = Map.groupBy(meters, ({ meter_id }) => meter_id);
  const contracts = rows.flatMap((row) => {
    if (row.start_at === null) return [];
    const ofMeter = states.get(row.meter_id) ?? [];
    const contract: BilledContract = {
      organization,
      id: row.id,
      number: row.number,
      customer: row.customer_id,
      customerType: row.customer_type,
      household: row.household_id,
      meter: row.meter_id,
      type: row.type,
      supply: supplyDaysOf(row.start_at, row.end_at),
      estimatedUsage: row.estimated_usage,
      terms: terms.get(row.plan_id) ?? [],
      planName: row.plan_name,
      zip: row.zip,
      modules: moduleSpansOf(reductions.get(row.id) ?? []),
      meterParts: meterPartsOf(ofMeter),
      meteringOperators: ofMeter.map((state) => ({
        from: state.valid_from ?? FIRST_DAY,
        operator: state.metering_operator,
      })),
      plant: row.type === 'feed_in' ? plantOf(row) : null,
      plants: plants.get(row.household_id) ?? [],
      yearlyKwh: yearly.get(row.id) ?? [],
    };
    return [[row.id, contract] as const];
  });
  return new Map(contracts);
}

const plantOf = ({ is_tax_exempt, plant_commissioned_on, plant_size_kw }: ContractRow) => ({
  is_tax_exempt,
  plant_commissioned_on,
  plant_size_kw,
});

function distinct<Column extends 'plan_id' | 'meter_id' | 'household_id'>(
  rows: readonly ContractRow[],
  column: Column,
): string[] {
  return [...new Set(rows.map((row) => row[column]))];
}
