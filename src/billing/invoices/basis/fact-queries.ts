import { sql } from 'kysely';
import { DELIVERY_ADDRESS_ID } from '../../../contracts/subscriptions/queries.ts';
import type { Connection } from '../../../platform/database/db.ts';
import { addMonths, berlinMidnight, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { BilledPeriod } from '../calculate/contract.ts';
import type { KnownMonth } from './comparison.ts';

/* Statements for the facts of many documents: each reads what belongs to all of them, by the contracts that are named. */

export interface PartyRow {
  id: string;
  customer_id: string;
  customer_type: 'person' | 'company';
  company_name: string | null;
  first_name: string;
  last_name: string;
  email: string;
  vat_id: string | null;
  billing: AddressRow;
  /** Imported contracts may have no delivery address of their own: then that of the household. */
  place: AddressRow | null;
  malo: string | null;
  melo: string | null;
  iban: string;
  account_holder: string;
  mandate_reference: string;
  mandate_signed_on: CalendarDay;
  is_tax_exempt: boolean;
}

export interface AddressRow {
  street: string;
  house_number: string;
  zip: string;
  city: string;
}

/** Who is written to, where is supplied, from which account is paid. */
export async function listParties(
  connection: Connection,
  organization: string,
  contracts: readonly string[],
): Promise<ReadonlyMap<string, PartyRow>> {
  const { rows } = await sql<PartyRow>`
    SELECT contract.id, contract.customer_id, customer.type AS customer_type, customer.company_name,
           customer.first_name, customer.last_name, customer.email, customer.vat_id, contract.is_tax_exempt,
           to_jsonb(billing) AS billing, to_jsonb(place) AS place, meter.malo, meter.melo, method.iban,
           method.account_holder, method.mandate_reference, method.mandate_signed_on
      FROM subscriptions AS contract
      JOIN customers AS customer
        ON (customer.organization_id, customer.id) = (contract.organization_id, contract.customer_id)
      JOIN households AS household
        ON (household.organization_id, household.id) = (contract.organization_id, contract.household_id)
      JOIN addresses AS billing
        ON (billing.organization_id, billing.id) = (contract.organization_id, contract.billing_address_id)
      LEFT JOIN addresses AS place
        ON place.organization_id = contract.organization_id AND place.id = ${DELIVERY_ADDRESS_ID}
      JOIN meters AS meter ON (meter.organization_id, meter.id) = (contract.organization_id, contract.meter_id)
      JOIN payment_methods AS method
        ON (method.organization_id, method.id) = (contract.organization_id, contract.payment_method_id)
     WHERE contract.organization_id = ${organization} AND contract.id = ANY (${[...contracts]}::text[])`.execute(
    connection,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

export interface ContractPeriod {
  readonly contract: string;
  readonly meter: string;
  readonly period: BilledPeriod;
}

export interface MeterRow {
  contract: string;
  number: string;
  type: 'smart' | 'analog';
  from: CalendarDay;
  metering_operator: string | null;
}

/** What the meters were within the periods, ascending by day. */
export async function listMetersOfPeriods(
  connection: Connection,
  organization: string,
  periods: readonly ContractPeriod[],
): Promise<readonly MeterRow[]> {
  const { rows } = await sql<MeterRow>`
    SELECT period.contract, state.number, state.type, greatest(state.valid_from, period.first) AS "from",
           state.metering_operator
      FROM unnest(${periods.map(({ contract }) => contract)}::text[], ${periods.map(({ meter }) => meter)}::text[],
                  ${periods.map(({ period }) => period.from)}::date[],
                  ${periods.map(({ period }) => period.until)}::date[]) AS period (contract, meter, first, until)
      JOIN meter_states AS state
        ON state.organization_id = ${organization} AND state.meter_id = period.meter
       AND state.valid_from < period.until AND state.valid_until > period.first
     WHERE state.organization_id = ${organization}
       AND state.meter_id = ANY (${periods.map(({ meter }) => meter)}::text[])
     ORDER BY period.contract, state.valid_from`.execute(connection);
  return rows;
}

export interface UsageOfMonth extends KnownMonth {
  contract: string;
  /** Of those of its days that lie in the period a year before. */
  previous_kwh: string | null;
  previous_days: number;
}

const MONTHS_READ = 24;
const MONTHS_OF_YEAR = 12;

/** kWh of the two years that end with each period, by month: quarter hours that were kept of supplied days. */
export async function listUsageByMonth(
  connection: Connection,
  organization: string,
  periods: readonly ContractPeriod[],
): Promise<readonly UsageOfMonth[]> {
  const { rows } = await sql<UsageOfMonth>`
    SELECT period.contract, to_char(used.day, 'YYYY-MM') AS month, sum(used.kwh)::text AS kwh, count(*)::int AS days,
           (sum(used.kwh) FILTER (WHERE used.day >= period.previous_from AND used.day < period.previous_until))::text
             AS previous_kwh,
           (count(*) FILTER (WHERE used.day >= period.previous_from AND used.day < period.previous_until))::int
             AS previous_days
      FROM unnest(${periods.map(({ contract }) => contract)}::text[],
                  ${periods.map(({ period }) => firstMonthRead(period))}::date[],
                  ${periods.map(({ period }) => period.until)}::date[],
                  ${periods.map(({ period }) => addMonths(period.from, -MONTHS_OF_YEAR))}::date[],
                  ${periods.map(({ period }) => addMonths(period.until, -MONTHS_OF_YEAR))}::date[])
             AS period (contract, since, until, previous_from, previous_until)
      JOIN usage_days AS used
        ON used.organization_id = ${organization} AND used.subscription_id = period.contract
       AND used.day >= period.since AND used.day < period.until
      JOIN subscriptions AS contract
        ON contract.organization_id = ${organization} AND contract.id = period.contract
       AND used.day >= (contract.start_at AT TIME ZONE 'Europe/Berlin')::date
     GROUP BY 1, 2`.execute(connection);
  return rows;
}

export interface BilledUsage {
  contract: string;
  from: CalendarDay;
  until: CalendarDay;
  kwh: string;
}

/** Usage of the same two years as earlier bills had it. */
export async function listBilledUsage(
  connection: Connection,
  organization: string,
  periods: readonly ContractPeriod[],
): Promise<readonly BilledUsage[]> {
  const { rows } = await sql<BilledUsage>`
    SELECT period.contract, (bill.period_start AT TIME ZONE 'Europe/Berlin')::date AS "from",
           (bill.period_end AT TIME ZONE 'Europe/Berlin')::date AS until, bill.usage_kwh::text AS kwh
      FROM unnest(${periods.map(({ contract }) => contract)}::text[],
                  ${periods.map(({ period }) => berlinMidnight(firstMonthRead(period)))}::timestamptz[],
                  ${periods.map(({ period }) => berlinMidnight(period.from))}::timestamptz[])
             AS period (contract, since, until)
      JOIN invoices AS bill
        ON bill.organization_id = ${organization} AND bill.subscription_id = period.contract
       AND bill.period_start >= period.since AND bill.period_end <= period.until
     WHERE bill.type = 'usage' AND bill.status <> 'voided'
     ORDER BY period.contract, bill.period_start`.execute(connection);
  return rows;
}

export interface DeductionRow {
  contract: string;
  invoice_number: string;
  from: CalendarDay;
  until: CalendarDay;
  paid_on: CalendarDay | null;
  gross: string;
  tax: string;
}

/** Prepayments of the periods that were paid, and what was paid of the others. */
export async function listDeductions(
  connection: Connection,
  organization: string,
  periods: readonly ContractPeriod[],
): Promise<readonly DeductionRow[]> {
  const { rows } = await sql<DeductionRow>`
    SELECT period.contract, paid.invoice_number, (paid.period_start AT TIME ZONE 'Europe/Berlin')::date AS "from",
           (paid.period_end AT TIME ZONE 'Europe/Berlin')::date AS until,
           coalesce((paid.paid_at AT TIME ZONE 'Europe/Berlin')::date, part.last_on) AS paid_on,
           part.gross::text AS gross, round(paid.tax * part.gross / paid.total, 2)::text AS tax
      FROM unnest(${periods.map(({ contract }) => contract)}::text[],
                  ${periods.map(({ period }) => berlinMidnight(period.from))}::timestamptz[],
                  ${periods.map(({ period }) => berlinMidnight(period.until))}::timestamptz[])
             AS period (contract, since, until)
      JOIN invoices AS paid
        ON paid.organization_id = ${organization} AND paid.subscription_id = period.contract
       AND paid.period_start >= period.since AND paid.period_start < period.until
     CROSS JOIN LATERAL (
             SELECT max(p.booked_on) AS last_on,
                    least(paid.total, coalesce(sum(CASE p.direction WHEN 'in' THEN p.amount ELSE -p.amount END), 0)) AS gross
               FROM payments AS p
              WHERE p.organization_id = paid.organization_id AND p.invoice_id = paid.id AND p.status = 'settled') AS part
     WHERE paid.type = 'prepayment' AND paid.status <> 'voided' AND part.gross > 0
     ORDER BY period.contract, paid.period_start`.execute(connection);
  return rows;
}

/** The first of the month from which two years reach to the last day of the period. */
function firstMonthRead({ until }: BilledPeriod): CalendarDay {
  return `${addMonths(until, -MONTHS_READ).slice(0, 7)}-01`;
}
