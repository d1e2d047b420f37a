import type pg from 'pg';
import { newId } from '../../src/platform/ids.ts';
import { insertContractRows, insertPlanRow } from './contract-rows.ts';

export interface Tenant {
  organization: string;
  customers: [string, string];
  households: [string, string];
  assets: [string, string];
  /** assets.key of the two. */
  keys: [number, number];
  client: string;
}

/**
 * Two customers of an organization, with one row each in the tables that routes of customers and contracts build on and in
 * those that no route fills, put in as the superuser. Rows of other nouns come from `make` of test/routes/<noun>.ts.
 */
export async function insertTenant(admin: Pick<pg.ClientBase, 'query'>): Promise<Tenant> {
  const organization = newId('org');
  const client = newId('oac');
  const user = newId('usr');
  await admin.query("INSERT INTO organizations (id, name) VALUES ($1, 'fixture')", [organization]);
  await admin.query(
    `INSERT INTO auth_clients (organization_id, id, display_name, scopes, grants, version)
     VALUES ($1, $2, 'fixture', '{read:*}', '{client_credentials}', '2026-05-27.curie')`,
    [organization, client],
  );
  await admin.query(
    "INSERT INTO organization_brands (organization_id, name, version) VALUES ($1, 'fixture', repeat('0', 16))",
    [organization],
  );
  await admin.query('INSERT INTO console_users (organization_id, id, email) VALUES ($1, $2, $3)', [
    organization,
    user,
    `${user}@example.org`,
  ]);
  await admin.query(
    `INSERT INTO console_sessions (organization_id, user_id, hash, expires_at)
     VALUES ($1, $2, sha256($3::bytea), now() + INTERVAL '1 hour')`,
    [organization, user, user],
  );
  await admin.query(
    `INSERT INTO console_forms (organization_id, id, user_id, created_at) VALUES ($1, gen_random_uuid(), $2, now())`,
    [organization, user],
  );
  await admin.query(
    `INSERT INTO request_log (organization_id, created_at, request_id, client_id, route, version, status, milliseconds)
     VALUES ($1, now(), 'fixture', $2, 'GET /assets', '2026-09-08.gauss', 200, 1)`,
    [organization, client],
  );
  await admin.query(
    `INSERT INTO request_days (organization_id, day, requests, refused, rows_stored)
     VALUES ($1, current_date, 1, 0, 0)`,
    [organization],
  );
  await admin.query(
    `INSERT INTO request_minutes (organization_id, minute, requests, rows_stored)
     VALUES ($1, date_trunc('minute', now()), 1, 0)`,
    [organization],
  );
  const plan = await insertPlanRow(admin, organization);
  const ofCustomer = async (email: string) => {
    const ids = {
      customer: newId('cus'),
      household: newId('dom'),
      address: newId('adr'),
      asset: newId('ast'),
      grant: newId('grt'),
    };
    const common = [organization, ids.customer];
    await admin.query(
      `INSERT INTO customers (organization_id, id, type, first_name, last_name, email)
       VALUES ($1, $2, 'person', 'A', 'B', $3)`,
      [...common, email],
    );
    await admin.query(
      `INSERT INTO addresses (organization_id, customer_id, id, street, house_number, zip, city)
       VALUES ($1, $2, $3, 'Weg', '1', '20354', 'Hamburg')`,
      [...common, ids.address],
    );
    await admin.query(
      'INSERT INTO households (organization_id, customer_id, id, address_id) VALUES ($1, $2, $3, $4)',
      [...common, ids.household, ids.address],
    );
    const { rows } = await admin.query<{ key: string }>(
      `INSERT INTO assets (organization_id, customer_id, household_id, id, type, external_id, max_power_kw)
       VALUES ($1, $2, $3, $4, 'heat_pump', $5, 3) RETURNING key`,
      [...common, ids.household, ids.asset, email],
    );
    const key = Number(rows[0]?.key);
    await admin.query('INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, now(), 1)', [
      key,
    ]);
    await admin.query(
      `INSERT INTO grants (organization_id, customer_id, id, client_id, kind, scopes)
       VALUES ($1, $2, $3, $4, 'authorization_code', '{read:*}')`,
      [...common, ids.grant, client],
    );
    await admin.query(
      `INSERT INTO refresh_tokens (organization_id, grant_id, hash, expires_at)
       VALUES ($1, $2, sha256($3::bytea), now() + INTERVAL '1 day')`,
      [organization, ids.grant, ids.grant],
    );
    await admin.query(
      `INSERT INTO authorization_codes (hash, request_id, organization_id, client_id, customer_id, redirect_uri, expires_at)
       VALUES (sha256($1::bytea), $1, $2, $3, $4, 'https://app.example/', now() + INTERVAL '1 day')`,
      [ids.grant, organization, client, ids.customer],
    );
    await insertContractRows(admin, { organization, plan, ...ids });
    return { ...ids, key };
  };
  await admin.query(
    `INSERT INTO wrong_one_time_codes (organization_id, address_hash, lengthens, created_at)
     VALUES ($1, sha256('x'), false, now())`,
    [organization],
  );
  await admin.query(
    `WITH request AS (
       INSERT INTO authorization_requests (organization_id, id, client_id, redirect_uri, flow, expires_at)
       VALUES ($1, $2, $3, 'https://app.example/', 'consent', now() + INTERVAL '1 day') RETURNING id)
     INSERT INTO one_time_codes (organization_id, request_id, address_hash, code_hash, expires_at)
     SELECT $1, id, sha256('a'), sha256('c'), now() + INTERVAL '1 day' FROM request`,
    [organization, newId('atx'), client],
  );
  await admin.query("INSERT INTO analysts (organization_id, name) VALUES ($1, 'analyst_' || substr($1, 5))", [
    organization,
  ]);
  await admin.query(
    "INSERT INTO client_secrets (organization_id, client_id, secret_hash) VALUES ($1, $2, sha256('s'))",
    [organization, client],
  );
  await admin.query(
    `INSERT INTO revoked_tokens (organization_id, jti, client_id, expires_at)
     VALUES ($1, 'fixture', $2, now() + INTERVAL '1 hour')`,
    [organization, client],
  );
  await admin.query(
    `INSERT INTO idempotency_keys (organization_id, client_id, route, key, body_hash, status, response)
     VALUES ($1, $2, 'POST /assets', 'k', sha256('b'), 200, '{}')`,
    [organization, client],
  );
  await admin.query(
    "INSERT INTO audit_log (organization_id, act, result) VALUES ($1, 'asset.create', 'done')",
    [organization],
  );
  await admin.query(
    `INSERT INTO payment_files (organization_id, id, kind, provider, format, message_id, execute_on, payments, sum, content,
       sha256, created_at)
     VALUES ($1, $2, 'debits', 'bank_files', 'pain.008.001.08', 'VS', '2026-12-15', 1, 1, 'x', sha256('x'), now())`,
    [organization, newId('pfl')],
  );
  await admin.query(
    `INSERT INTO bank_entries (organization_id, id, identity, provider, booked_on, amount, imported_at)
     VALUES ($1, $2, 'one', 'bank_files', '2026-12-15', 1, now())`,
    [organization, newId('bke')],
  );
  const [first, second] = [await ofCustomer('one@example.org'), await ofCustomer('two@example.org')];
  return {
    organization,
    client,
    customers: [first.customer, second.customer],
    households: [first.household, second.household],
    assets: [first.asset, second.asset],
    keys: [first.key, second.key],
  };
}
