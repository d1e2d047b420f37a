import { listUnsettledMonths } from '../../../../contracts/usage/queries.ts';
import { partsWithin, settledMonths } from '../../../../contracts/usage/service.ts';
import { settleMonth } from '../../../../contracts/usage/settle.ts';
import type { Connection, Database } from '../../../../platform/database/db.ts';
import { berlinMidnight, type CalendarDay } from '../../../../platform/time/berlin-calendar.ts';
import type { BilledContract, BilledPeriod } from '../../calculate/contract.ts';

/** A contract with the days that are billed. */
export interface ContractPeriod {
  readonly contract: BilledContract;
  readonly period: BilledPeriod;
}

/** Months of the periods that are settled by now and not frozen for all of their days with a smart meter. */
export function unfrozenMonths(
  connection: Connection,
  organization: string,
  bills: readonly ContractPeriod[],
  nowMilliseconds: number,
): Promise<{ subscription: string; month: CalendarDay }[]> {
  const months = bills.flatMap(({ contract, period }) =>
    settledMonths(partsWithin(contract.meterParts, period.from, period.until), nowMilliseconds).map(
      (month) => ({ ...month, subscription: contract.id }),
    ),
  );
  return listUnsettledMonths(connection, organization, months);
}

/**
 * Freezes what was settled and what nobody has frozen yet, as a read of the usage does: before `energiesOf`, and each month
 * in a transaction of its own. Mostly the job has done it, and this is one statement.
 */
export async function freezeMonths(
  database: Database,
  organization: string,
  bills: readonly ContractPeriod[],
  { nowMilliseconds, mayGoOn }: { nowMilliseconds: number; mayGoOn(): void },
): Promise<void> {
  const unfrozen = await database.inOrganization({ organization }, (connection) =>
    unfrozenMonths(connection, organization, bills, nowMilliseconds),
  );
  const contracts = new Map(bills.map(({ contract }) => [contract.id, contract]));
  for (const { subscription, month } of unfrozen) {
    const contract = contracts.get(subscription);
    if (contract === undefined) continue;
    mayGoOn();
    await database.inOrganization({ organization }, (connection) =>
      settleMonth(connection, organization, suppliedContract(contract), month, {
        now: new Date(nowMilliseconds).toISOString(),
        mayGoOn,
      }),
    );
  }
}

function suppliedContract({ id, type, customer, household, meter, supply }: BilledContract) {
  return {
    ...{ id, type, customer_id: customer, household_id: household, meter_id: meter },
    start_at: berlinMidnight(supply.first),
    end_at: supply.end === null ? null : berlinMidnight(supply.end),
  };
}
