import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { settlesAt } from '../../src/contracts/usage/settlement.ts';
import type { Database } from '../../src/platform/database/db.ts';
import {
  addMonths,
  berlinDayAt,
  berlinMidnight,
  type CalendarDay,
  firstOfMonth,
} from '../../src/platform/time/berlin-calendar.ts';
import { importFirstReferenceData } from '../../src/tariffs/reference-data/files/import.ts';

export interface BilledMonth {
  readonly first: CalendarDay;
  readonly end: CalendarDay;
}

/** The newest month whose usage is final. */
export function lastSettledMonth(): BilledMonth {
  const now = Date.now();
  const last = addMonths(firstOfMonth(berlinDayAt(now)), -1);
  const first = now >= settlesAt(last) ? last : addMonths(last, -1);
  return { first, end: addMonths(first, 1) };
}

const REFERENCE = fileURLToPath(new URL('../../reference', import.meta.url));

/** Bills of a month need this beside contracts: reference data, prices, an issuer and a plan. */
export async function seedGround(
  database: Database,
  admin: pg.ClientBase,
  organization: string,
  { first, end }: BilledMonth,
): Promise<void> {
  const act = { staff: 'load', reason: 'load run', command: 'load', now: new Date().toISOString() };
  await importFirstReferenceData(database, REFERENCE, act);
  await admin.query('BEGIN');
  /* Without the revisions of a source behind the prices. */
  await admin.query('SET LOCAL session_replication_role = replica');
  await admin.query(
    `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
     SELECT 'DE-LU', start, 15, (start AT TIME ZONE 'Europe/Berlin')::date,
            80 + (extract(epoch FROM start)::bigint / 900 % 97), 'smard', 1
       FROM generate_series($1::timestamptz, $2::timestamptz - INTERVAL '15 minutes', '15 minutes') AS start
     ON CONFLICT DO NOTHING`,
    [berlinMidnight(first), berlinMidnight(end)],
  );
  await admin.query('COMMIT');
  /* Quarter hours are only read here. Their log would be twice as long as they are. */
  await admin.query('ALTER TABLE usage_quarter_hours SET UNLOGGED');
  await admin.query(
    `INSERT INTO issuers (organization_id, name, street, house_number, zip, city, contact_name, email, phone, vat_id,
       supplier_code, iban, account_holder, creditor_id, bills_from)
     VALUES ($1, 'Load GmbH', 'Lastgang', '1', '04103', 'Leipzig', 'Service', 'service@example.org', '+49 341 1', 'DE123456788',
       '9900000000001', 'DE89370400440532013000', 'Load GmbH', 'DE98ZZZ09999999999', '2000-01-01')`,
    [organization],
  );
  await admin.query(
    `WITH plan AS (
       INSERT INTO plans (organization_id, id, slug, name, type)
       VALUES ($1, $2, 'load', 'Load', 'consumption') RETURNING organization_id, id)
     INSERT INTO plan_terms (organization_id, plan_id, base_fee_net, margin_ct_net)
     SELECT organization_id, id, 5, 1.8 FROM plan`,
    [organization, planOf(organization)],
  );
}

/** Of the contract `n`: ascending, so that each index grows at its end. */
const id = (prefix: string, which = '0') => `'${prefix}_' || lpad(n::text || '${which}', 24, '0')`;
const planOf = (organization: string) => `pln_${organization.slice(4)}`;

/**
 * Contracts with smart meters, numbered from one on to another, and the quarter hours of their month from the metering
 * operator, as an administrator and over several connections: what the service checks while it stores them is not
 * measured here.
 */
export async function seedContracts(
  databases: readonly [pg.ClientBase, ...pg.ClientBase[]],
  organization: string,
  { first, end }: BilledMonth,
  numbers: { from: number; until: number },
): Promise<void> {
  const [admin] = databases;
  await storeContracts(admin, organization, { first, end }, numbers);
  /* The index comes behind the rows: row by row it takes twice as long. */
  await admin.query('ALTER TABLE usage_quarter_hours DROP CONSTRAINT usage_quarter_hours_pkey');
  const share = Math.ceil((numbers.until - numbers.from) / databases.length);
  await Promise.all(
    databases.map((database, index) => {
      const from = numbers.from + index * share;
      const until = Math.min(from + share, numbers.until);
      return seedQuarterHours(database, organization, { first, end }, { from, until });
    }),
  );
  await admin.query("SET maintenance_work_mem = '2GB'");
  await admin.query(
    'ALTER TABLE usage_quarter_hours ADD PRIMARY KEY (organization_id, subscription_id, interval_start)',
  );
  await admin.query('VACUUM (ANALYZE) subscriptions, usage_quarter_hours');
}

/** Contracts with smart meters from one day on, as an administrator. The month of that day is settled. */
export async function storeContracts(
  admin: pg.ClientBase,
  organization: string,
  { first, end }: BilledMonth,
  numbers: { from: number; until: number },
): Promise<void> {
  await admin.query('BEGIN');
  await admin.query('SET LOCAL session_replication_role = replica');
  const common = [organization, numbers.from, numbers.until];
  const of = 'FROM generate_series($2::integer, $3::integer - 1) AS n';
  await admin.query(
    `INSERT INTO customers (organization_id, id, type, first_name, last_name, email)
     SELECT $1, ${id('cus')}, 'person', 'Load', 'Contract ' || n, 'load-' || n || '@example.org' ${of}`,
    common,
  );
  for (const which of ['0', '1']) {
    await admin.query(
      `INSERT INTO addresses (organization_id, id, customer_id, street, house_number, zip, city)
       SELECT $1, ${id('adr', which)}, ${id('cus')}, 'Lastgang', n::text, '04103', 'Leipzig' ${of}`,
      common,
    );
  }
  await admin.query(
    `INSERT INTO households (organization_id, id, customer_id, address_id)
     SELECT $1, ${id('dom')}, ${id('cus')}, ${id('adr')} ${of}`,
    common,
  );
  await admin.query(
    `INSERT INTO meters (organization_id, id, customer_id, household_id, number, type, melo, malo)
     SELECT $1, ${id('mtr')}, ${id('cus')}, ${id('dom')}, '1EMH' || lpad(n::text, 10, '0'), 'smart', NULL, NULL ${of}`,
    common,
  );
  await admin.query(
    `INSERT INTO payment_methods (organization_id, customer_id, id, type, iban, account_holder)
     SELECT $1, ${id('cus')}, ${id('pm')}, 'sepa_debit', 'DE89370400440532013000', 'Load' ${of}`,
    common,
  );
  await admin.query(
    `INSERT INTO subscriptions (organization_id, customer_id, id, number, plan_id, type, household_id, address_id,
       billing_address_id, meter_id, payment_method_id, status, estimated_usage, intended_start_on, confirmed_at, start_at)
     SELECT $1, ${id('cus')}, ${id('sub')}, 'L' || lpad(n::text, 7, '0'), $4, 'consumption', ${id('dom')}, ${id('adr')},
            ${id('adr', '1')}, ${id('mtr')}, ${id('pm')}, 'active', 2500, $5::date,
            $6::timestamptz, $6::timestamptz ${of}`,
    [...common, planOf(organization), first, berlinMidnight(first)],
  );
  await admin.query(
    `INSERT INTO settled_usage_months (organization_id, customer_id, subscription_id, month, days, settled_at)
     SELECT $1, ${id('cus')}, ${id('sub')}, $4::date, datemultirange(daterange($4::date, $5::date)), now() ${of}`,
    [...common, first, end],
  );
  await admin.query('COMMIT');
}

/** Final energy of contracts from the metering operator. */
export async function seedQuarterHours(
  admin: pg.ClientBase,
  organization: string,
  { first, end }: BilledMonth,
  { from, until }: { from: number; until: number },
): Promise<void> {
  await admin.query('BEGIN');
  await admin.query('SET LOCAL session_replication_role = replica');
  await admin.query(
    `WITH contracts AS MATERIALIZED (
       SELECT ${id('cus')} AS customer, ${id('sub')} AS subscription, 0.05 + 0.0001 * (n % 1000) AS kwh
         FROM generate_series($2::integer, $3::integer - 1) AS n)
     INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
     SELECT $1, contracts.customer, contracts.subscription, start, contracts.kwh, 'metering_operator'
       FROM contracts
      CROSS JOIN generate_series($4::timestamptz, $5::timestamptz - INTERVAL '15 minutes', '15 minutes') AS start`,
    [organization, from, until, berlinMidnight(first), berlinMidnight(end)],
  );
  await admin.query('COMMIT');
}
