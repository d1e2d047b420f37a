import type pg from 'pg';
import { newId } from '../../src/platform/ids.ts';

interface Place {
  organization: string;
  customer: string;
  household: string;
  address: string;
  plan: string;
}

/** A plan of the fixture, which every contract of the organization refers to. */
export async function insertPlanRow(
  admin: Pick<pg.ClientBase, 'query'>,
  organization: string,
): Promise<string> {
  const plan = newId('pln');
  await admin.query(
    `INSERT INTO plans (organization_id, id, slug, name, type) VALUES ($1, $2, 'fixture', 'Fixture', 'consumption')`,
    [organization, plan],
  );
  await admin.query('INSERT INTO plan_terms (organization_id, plan_id, base_fee_net) VALUES ($1, $2, 5)', [
    organization,
    plan,
  ]);
  await admin.query(
    `INSERT INTO plan_terms_history (organization_id, plan_id, old_terms, replaced_at) VALUES ($1, $2, '{}', now())`,
    [organization, plan],
  );
  await admin.query(
    `INSERT INTO events (organization_id, id, topic, timestamp, context)
     VALUES ($1, $2, 'subscription.created', now(), '{}')`,
    [organization, newId('evt')],
  );
  await admin.query(
    `WITH endpoint AS (
       INSERT INTO webhook_endpoints (organization_id, id, url, secret)
       VALUES ($1, $2, 'https://receiver.example/', '\\x00') RETURNING id
     ), delivery AS (
       INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, created_at, next_at)
       SELECT $1, events.id, endpoint.id, now(), now() FROM events, endpoint WHERE organization_id = $1
       RETURNING event_id, endpoint_id)
     INSERT INTO delivery_attempts (organization_id, event_id, endpoint_id, number, at, status, milliseconds)
     SELECT $1, event_id, endpoint_id, 1, now(), 500, 1 FROM delivery`,
    [organization, newId('whe')],
  );
  await admin.query(
    `INSERT INTO issuers (organization_id, name, street, house_number, zip, city, contact_name, email, phone, vat_id,
       supplier_code, iban, account_holder, creditor_id, bills_from)
     VALUES ($1, 'Fixture GmbH', 'Weg', '1', '20354', 'Hamburg', 'Service', 'service@example.org', '+49 40 1', 'DE123456788',
       '9900000000001', 'DE89370400440532013000', 'Fixture GmbH', 'DE98ZZZ09999999999', '2000-01-01')`,
    [organization],
  );
  await admin.query(
    `WITH run AS (INSERT INTO billing_runs (organization_id, id) VALUES ($1, $2) RETURNING organization_id, id)
     INSERT INTO billing_portions (organization_id, run_id, first_subscription, last_subscription)
     SELECT organization_id, id, 'sub_0', 'sub_1' FROM run`,
    [organization, newId('brun')],
  );
  await admin.query(
    `INSERT INTO job_runs (organization_id, job, key, due_at, next_at) VALUES ($1, 'fixture', 'one', now(), now())`,
    [organization],
  );
  return plan;
}

/** A contract with one row in each table that hangs on it. */
export async function insertContractRows(admin: Pick<pg.ClientBase, 'query'>, place: Place): Promise<void> {
  const common = [place.organization, place.customer];
  const ids = { meter: newId('mtr'), payment: newId('pm'), subscription: newId('sub') };
  await admin.query(
    `INSERT INTO meters (organization_id, customer_id, household_id, id, number, type)
     VALUES ($1, $2, $3, $4, '1EMH0012345678', 'analog')`,
    [...common, place.household, ids.meter],
  );
  await admin.query(
    `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, type)
     VALUES ($1, $2, $3, '2026-12-01', 'smart')`,
    [...common, ids.meter],
  );
  await admin.query(
    `INSERT INTO payment_methods (organization_id, customer_id, id, type, iban, account_holder)
     VALUES ($1, $2, $3, 'sepa_debit', 'DE89370400440532013000', 'A B')`,
    [...common, ids.payment],
  );
  await admin.query(
    `INSERT INTO subscriptions (organization_id, customer_id, id, plan_id, type, household_id,
       billing_address_id, meter_id, payment_method_id, status, estimated_usage, intended_start_on)
     VALUES ($1, $2, $3, $4, 'consumption', $5, $6, $7, $8, 'pending', 2500, '2026-12-01')`,
    [...common, ids.subscription, place.plan, place.household, place.address, ids.meter, ids.payment],
  );
  const contract = [...common, ids.subscription];
  await admin.query(
    `INSERT INTO meter_orders (organization_id, customer_id, subscription_id, id, product, provider, status, unblocked_status)
     VALUES ($1, $2, $3, $4, 'smart-meter-partner-b', 'partner-b', 'waiting', 'waiting')`,
    [...contract, newId('prdo')],
  );
  await admin.query(
    `INSERT INTO grid_fee_reductions (organization_id, customer_id, subscription_id, id, type, status)
     VALUES ($1, $2, $3, $4, 'enwg-14a-module-1', 'intended')`,
    [...contract, newId('gfr')],
  );
  await admin.query(
    `INSERT INTO meter_readings (organization_id, customer_id, subscription_id, id, meter_id, value, read_on, type)
     VALUES ($1, $2, $3, $4, $5, 10, '2026-12-01', 'customer_report')`,
    [...contract, newId('mr'), ids.meter],
  );
  await admin.query(
    `INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
     VALUES ($1, $2, $3, '2026-12-01T00:00:00Z', 0.1, 'metering_operator')`,
    contract,
  );
  await admin.query(
    `INSERT INTO usage_days (organization_id, customer_id, subscription_id, day, kwh, quarter_hours)
     VALUES ($1, $2, $3, '2026-12-01', 0.1, 1)`,
    contract,
  );
  await admin.query(
    `INSERT INTO settled_usage_months (organization_id, customer_id, subscription_id, month, days, settled_at)
     VALUES ($1, $2, $3, '2026-12-01', '{[2026-12-01,2027-01-01)}', now())`,
    contract,
  );
  await admin.query(
    `INSERT INTO replaced_usage
       (organization_id, customer_id, subscription_id, interval_start, kwh, source, kept_at, replaced_at)
     VALUES ($1, $2, $3, '2026-12-01T00:00:00Z', 0.2, 'own_measurement', now(), now())`,
    contract,
  );
  await admin.query(
    `WITH ledger AS (
       INSERT INTO invoice_ledgers (organization_id, last_number) VALUES ($1, 1)
       ON CONFLICT (organization_id) DO UPDATE SET last_number = invoice_ledgers.last_number + 1 RETURNING last_number
     ), invoice AS (
       INSERT INTO invoices
         (organization_id, customer_id, subscription_id, id, type, running_number, invoice_number, ledger_number, month, year,
          period_start, period_end, period_number, is_estimated, is_final, net, tax, deducted, total, taxes, due_on,
          created_at, issued_at, facts, retain_until)
       SELECT $1, $2, $3, $4, 'prepayment', 1, upper(substr($3, 5, 8)) || '-001', last_number, 12, 2026,
              '2026-11-30T23:00:00Z', '2026-12-31T23:00:00Z', 1, false, false, 100, 19, 0, 119, '[]', '2026-12-15',
              '2026-12-01T11:00:00Z', '2026-12-01T11:00:00Z', '{}', '2034-12-31' FROM ledger
       RETURNING organization_id, customer_id, id
     ), line AS (
       INSERT INTO invoice_lines
         (organization_id, customer_id, invoice_id, position, kind, period_from, period_until, net, vat_rate, figures)
       SELECT organization_id, customer_id, id, 1, 'prepayment', '2026-12-01', '2027-01-01', 100, 0.19, '[]' FROM invoice
     ), payment AS (
       INSERT INTO payments (organization_id, customer_id, id, invoice_id, direction, way, amount, status, booked_on,
                             created_at, updated_at)
       SELECT organization_id, customer_id, $5, id, 'in', 'entered', 1, 'settled', '2026-12-15', now(), now() FROM invoice
     ), step AS (
       INSERT INTO dunning_steps (organization_id, customer_id, invoice_id, level, amount, reminded_on, mail, created_at)
       SELECT organization_id, customer_id, id, 1, 119, '2026-12-22', 'handed_over', now() FROM invoice
     ), hold AS (
       INSERT INTO dunning_holds (organization_id, customer_id, invoice_id, cause, created_at)
       SELECT organization_id, customer_id, id, 'disputed', now() FROM invoice)
     INSERT INTO invoice_files (organization_id, customer_id, invoice_id, kind, content, sha256, made_at)
     SELECT organization_id, customer_id, id, 'pdf', 'x', sha256('x'), now() FROM invoice`,
    [...contract, newId('inv'), newId('pay')],
  );
  await admin.query(
    `WITH terms AS (
       INSERT INTO billing_terms (organization_id, customer_id, subscription_id, valid_from, mode, instalment, basis)
       VALUES ($1, $2, $3, '2026-12-01', 'advance', 119, 'forecast'))
     INSERT INTO billing_refusals
       (organization_id, customer_id, subscription_id, type, period_start, period_end, code, detail, first_at, last_at)
     VALUES ($1, $2, $3, 'usage', '2026-12-01', '2027-01-01', 'missing_usage', 'fixture', now(), now())`,
    contract,
  );
  for (const table of ['magic_links', 'portal_sessions']) {
    await admin.query(
      `INSERT INTO ${table} (organization_id, customer_id, hash, expires_at)
       VALUES ($1, $2, sha256($3::bytea), now() + INTERVAL '1 hour')`,
      [...common, ids.subscription],
    );
  }
}
