import type pg from 'pg';
import { berlinMilliseconds, type CalendarDay } from '../../src/platform/time/berlin-calendar.ts';
import { derivedId } from '../surroundings/seed.ts';

/**
 * Writes one contract with a smart meter and the quarter hours of the metering operator for all days from one to another,
 * as an administrator: final values, their sums of days, and no month that would have to be frozen first.
 */
export async function storeMeteredContract(
  database: pg.ClientBase,
  organization: string,
  { first, end }: { first: CalendarDay; end: CalendarDay },
): Promise<string> {
  const id = (prefix: string, which = '') => derivedId(prefix, organization, 'long periods', which);
  const begins = new Date(berlinMilliseconds(first)).toISOString();
  const given = {
    ...{ organization, begins, customer: id('cus'), address: id('adr'), billing: id('adr', 'billing') },
    ...{
      household: id('dom'),
      meter: id('mtr'),
      payment: id('pm'),
      plan: id('pln'),
      subscription: id('sub'),
    },
  };
  await database.query('BEGIN');
  await database.query(INSERT_CONTRACT, [JSON.stringify(given)]);
  const owner = [organization, id('cus'), id('sub')];
  const ends = new Date(berlinMilliseconds(end)).toISOString();
  await database.query(
    `INSERT INTO usage_quarter_hours
       (organization_id, customer_id, subscription_id, interval_start, kwh, kept_at, source)
     SELECT $1, $2, $3, start, 0.05 + 0.000001 * (extract(epoch FROM start)::bigint / 900 % 5000), now(),
            'metering_operator'
       FROM generate_series($4::timestamptz, $5::timestamptz - INTERVAL '15 minutes', '15 minutes') AS start`,
    [...owner, begins, ends],
  );
  await database.query(
    `INSERT INTO usage_days (organization_id, customer_id, subscription_id, day, kwh, quarter_hours)
     SELECT organization_id, customer_id, subscription_id, (interval_start AT TIME ZONE 'Europe/Berlin')::date, sum(kwh),
            count(*)
       FROM usage_quarter_hours
      WHERE organization_id = $1 AND customer_id = $2 AND subscription_id = $3
      GROUP BY 1, 2, 3, 4`,
    owner,
  );
  await database.query(
    `INSERT INTO settled_usage_months (organization_id, customer_id, subscription_id, month, days, settled_at)
     SELECT $1, $2, $3, month, datemultirange(daterange(month::date, (month + INTERVAL '1 month')::date)), now()
       FROM generate_series(date_trunc('month', $4::timestamp), $5::timestamp, '1 month') AS month`,
    [...owner, first, end],
  );
  await database.query('COMMIT');
  await database.query('VACUUM (ANALYZE) usage_quarter_hours, usage_days');
  return id('sub');
}

/* Foreign keys are checked at the end of the statement. */
const INSERT_CONTRACT = `
  WITH given AS (
    SELECT * FROM jsonb_to_record($1::jsonb) AS given (organization text, customer text, address text, billing text,
      household text, meter text, payment text, plan text, subscription text, begins timestamptz)
  ), new_plan AS (
    INSERT INTO plans (organization_id, id, slug, name, type)
    SELECT organization, plan, 'load', 'Load', 'consumption' FROM given
  ), new_customer AS (
    INSERT INTO customers (organization_id, id, type, first_name, last_name, email)
    SELECT organization, customer, 'person', 'Load', 'Long periods', 'load@example.org' FROM given
  ), new_addresses AS (
    INSERT INTO addresses (organization_id, id, customer_id, street, house_number, zip, city)
    SELECT organization, unnest(ARRAY[address, billing]), customer, 'Lastgang', '1', '10115', 'Berlin' FROM given
  ), new_household AS (
    INSERT INTO households (organization_id, id, customer_id, address_id)
    SELECT organization, household, customer, address FROM given
  ), new_meter AS (
    INSERT INTO meters (organization_id, id, customer_id, household_id, number, type)
    SELECT organization, meter, customer, household, '1EMH0000000001', 'smart' FROM given
  ), new_payment AS (
    INSERT INTO payment_methods (organization_id, id, customer_id, type, iban, account_holder)
    SELECT organization, payment, customer, 'sepa_debit', 'DE89370400440532013000', 'Load' FROM given
  )
  INSERT INTO subscriptions (organization_id, id, plan_id, type, customer_id, household_id, address_id,
    billing_address_id, meter_id, payment_method_id, status, estimated_usage, intended_start_on, confirmed_at, start_at)
  SELECT organization, subscription, plan, 'consumption', customer, household, address, billing, meter, payment, 'active',
         3500, begins, begins, begins FROM given`;
