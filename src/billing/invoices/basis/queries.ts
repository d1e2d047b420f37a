import { sql } from 'kysely';
import { DELIVERY_ADDRESS_ID, type Plant } from '../../../contracts/subscriptions/queries.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { berlinMidnight, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { BilledPeriod, HouseholdPlant } from '../calculate/contract.ts';
import { GRID_KINDS, type GridLine } from '../calculate/module-1-cap.ts';

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

/** A contract, and the first day that a document of it is about. */
export interface ContractOnDay {
  readonly id: string;
  readonly from: CalendarDay;
}

/**
 * kWh of the last complete years before a day, as they were billed, newest first: calendar years of monthly bills, and years
 * that a bill closed, whatever was billed of the same calendar year before it. A later correction of a year changes its figure,
 * and what follows from it only from then on.
 */
export async function listYearlyKwh(
  connection: Connection,
  organization: string,
  documents: readonly ContractOnDay[],
): Promise<ReadonlyMap<string, string[]>> {
  const { rows } = await sql<{ id: string; kwh: string[] }>`
    SELECT document.id, array_agg(complete.kwh::text ORDER BY complete.year DESC) AS kwh
      FROM unnest(${documents.map(({ id }) => id)}::text[],
                  ${documents.map(({ from }) => berlinMidnight(from))}::timestamptz[]) AS document (id, before)
     CROSS JOIN LATERAL (
             SELECT year, sum(usage_kwh) AS kwh
               FROM invoices
              WHERE organization_id = ${organization} AND subscription_id = document.id
                AND type = 'usage' AND status <> 'voided' AND period_end <= document.before
                AND period_start >= document.before - INTERVAL '5 years'
              GROUP BY year, period_end - period_start > INTERVAL '364 days'
             HAVING sum((period_end AT TIME ZONE 'Europe/Berlin')::date
                        - (period_start AT TIME ZONE 'Europe/Berlin')::date) BETWEEN 365 AND 366
              ORDER BY year DESC LIMIT ${YEARS_MAX}) AS complete
     GROUP BY document.id`.execute(connection);
  return new Map(rows.map(({ id, kwh }) => [id, kwh]));
}

/** The grid fees on the bills before a period, of the calendar years into which it reaches, by contract. */
export async function listEarlierGridLines(
  connection: Connection,
  organization: string,
  bills: readonly { readonly contract: { readonly id: string }; readonly period: BilledPeriod }[],
): Promise<ReadonlyMap<string, GridLine[]>> {
  const { rows } = await sql<GridLine & { id: string }>`
    SELECT period.id, line.kind, line.period_from AS "from", line.period_until AS until, line.net
      FROM unnest(${bills.map(({ contract }) => contract.id)}::text[],
                  ${bills.map(({ period }) => berlinMidnight(`${period.from.slice(0, 4)}-01-01`))}::timestamptz[],
                  ${bills.map(({ period }) => berlinMidnight(period.from))}::timestamptz[]) AS period (id, first, own)
      JOIN invoices AS bill
        ON bill.organization_id = ${organization} AND bill.subscription_id = period.id
       AND bill.type = 'usage' AND bill.status <> 'voided'
       AND bill.period_start < period.own AND bill.period_end > period.first
      JOIN invoice_lines AS line
        ON line.organization_id = ${organization} AND line.invoice_id = bill.id
       AND line.kind = ANY (${[...GRID_KINDS]}::text[])
     ORDER BY period.id, line.period_from`.execute(connection);
  return Map.groupBy(rows, ({ id }) => id);
}

/** The grid fees on some bills, by bill. */
export async function listGridLinesOfBills(
  connection: Connection,
  organization: string,
  bills: readonly string[],
): Promise<ReadonlyMap<string, GridLine[]>> {
  const { rows } = await sql<GridLine & { invoice_id: string }>`
    SELECT invoice_id, kind, period_from AS "from", period_until AS until, net
      FROM invoice_lines
     WHERE organization_id = ${organization} AND invoice_id = ANY (${[...bills]}::text[])
       AND kind = ANY (${[...GRID_KINDS]}::text[])
     ORDER BY invoice_id, position`.execute(connection);
  return Map.groupBy(rows, ({ invoice_id }) => invoice_id);
}
