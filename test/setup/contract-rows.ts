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
export async function insertPlanRow(admin: pg.ClientBase, organization: string): Promise<string> {
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
    `INSERT INTO job_runs (organization_id, job, key, due_at, next_at) VALUES ($1, 'fixture', 'one', now(), now())`,
    [organization],
  );
  return plan;
}

/** A contract with one row in each table that hangs on it. */
export async function insertContractRows(admin: pg.ClientBase, place: Place): Promise<void> {
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
  for (const table of ['magic_links', 'portal_sessions']) {
    await admin.query(
      `INSERT INTO ${table} (organization_id, customer_id, hash, expires_at)
       VALUES ($1, $2, sha256($3::bytea), now() + INTERVAL '1 hour')`,
      [...common, ids.subscription],
    );
  }
}
