import { sql } from 'kysely';
import { DELIVERY_ADDRESS_ID, type Plant } from '../../../contracts/subscriptions/queries.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { berlinMidnight, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { HouseholdPlant } from '../calculate/contract.ts';

export interface ContractRow extends Plant {
  id: string;
  number: string | null;
  customer_id: string;
  customer_type: 'person' | 'company';
  household_id: string;
  meter_id: string;
  type: 'consumption' | 'feed_in';
  start_at: string | null;
  end_at: string | null;
  estimated_usage: string;
  plan_id: string;
  plan_name: string;
  /** Imported contracts may have no delivery address of their own: then that of the household. */
  zip: string | null;
}

/** Contracts by id, with what stands in one row elsewhere. */
export async function listContractRows(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<ContractRow[]> {
  const { rows } = await sql<ContractRow>`
    SELECT contract.id, contract.number, contract.customer_id, customer.type AS customer_type, contract.household_id,
           contract.meter_id, contract.type, contract.start_at, contract.end_at, contract.estimated_usage,
           contract.plan_id, plan.name AS plan_name, place.zip, contract.is_tax_exempt, contract.plant_commissioned_on,
           contract.plant_size_kw
      FROM subscriptions AS contract
      JOIN customers AS customer ON (customer.organization_id, customer.id) = (contract.organization_id, contract.customer_id)
      JOIN plans AS plan ON (plan.organization_id, plan.id) = (contract.organization_id, contract.plan_id)
      JOIN households AS household
        ON (household.organization_id, household.id) = (contract.organization_id, contract.household_id)
      LEFT JOIN addresses AS place
        ON place.organization_id = contract.organization_id AND place.id = ${DELIVERY_ADDRESS_ID}
     WHERE contract.organization_id = ${organization} AND contract.id = ANY (${[...ids]}::text[])
     ORDER BY contract.id`.execute(connection);
  return rows;
}

/** The plants that feed in from some households. */
export async function listPlantsOfHouseholds(
  connection: Connection,
  organization: string,
  households: readonly string[],
): Promise<ReadonlyMap<string, HouseholdPlant[]>> {
  const { rows } = await sql<HouseholdPlant & { household_id: string }>`
    SELECT household_id, plant_commissioned_on AS "commissionedOn", plant_size_kw AS kw
      FROM subscriptions
     WHERE organization_id = ${organization} AND household_id = ANY (${[...households]}::text[])
       AND type = 'feed_in' AND plant_size_kw IS NOT NULL
     ORDER BY id`.execute(connection);
  return Map.groupBy(rows, ({ household_id }) => household_id);
}

const YEARS_MAX = 3;

/**
 * kWh of the last complete years before a day, as they were billed, newest first: calendar years of monthly bills, and years
 * that a bill closed. A later correction of a year changes its figure, and what follows from it only from then on.
 */
export async function listYearlyKwh(
  connection: Connection,
  organization: string,
  asked: readonly { readonly id: string; readonly from: CalendarDay }[],
): Promise<ReadonlyMap<string, string[]>> {
  const { rows } = await sql<{ id: string; kwh: string[] }>`
    SELECT asked.id, array_agg(complete.kwh::text ORDER BY complete.year DESC) AS kwh
      FROM unnest(${asked.map(({ id }) => id)}::text[],
                  ${asked.map(({ from }) => berlinMidnight(from))}::timestamptz[]) AS asked (id, before)
     CROSS JOIN LATERAL (
             SELECT year, sum(usage_kwh) AS kwh
               FROM invoices
              WHERE organization_id = ${organization} AND subscription_id = asked.id
                AND type = 'usage' AND status <> 'voided' AND period_end <= asked.before
                AND period_start >= asked.before - INTERVAL '5 years'
              GROUP BY year
             HAVING sum((period_end AT TIME ZONE 'Europe/Berlin')::date
                        - (period_start AT TIME ZONE 'Europe/Berlin')::date) BETWEEN 365 AND 366
              ORDER BY year DESC LIMIT ${YEARS_MAX}) AS complete
     GROUP BY asked.id`.execute(connection);
  return new Map(rows.map(({ id, kwh }) => [id, kwh]));
}
