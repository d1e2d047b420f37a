import type { TestApi } from '../setup/api.ts';
import { createAsset, createHousehold, createLead, createSubscription } from '../setup/factories.ts';
import { createInvoice } from '../setup/invoice-factories.ts';
import { storedRows } from '../setup/stored-rows.ts';

/** What only this person has: none of it may be found where the person was erased. */
export interface Canaries {
  first_name: string;
  last_name: string;
  email: string;
  street: string;
  iban: string;
  meter_number: string;
}

export interface CanaryPerson {
  customer: string;
  subscription: string;
  invoice: string;
  canaries: Canaries;
}

/** A customer whose words stand in every place that holds something of a person. */
export async function addPerson(
  api: TestApi,
  organization: string,
  word: string,
  iban: string,
): Promise<CanaryPerson> {
  const canaries = {
    first_name: `Vorname${word}`,
    last_name: `Nachname${word}`,
    email: `Mail.${word}@example.org`,
    street: `${word}gasse`,
    iban,
    meter_number: `1${word.toUpperCase()}00012345`,
  };
  const { first_name, last_name, email, street, meter_number } = canaries;
  const all = Object.values(canaries).join(' ');
  const place = await createHousehold(api.deps, organization, {
    customer: { type: 'person', first_name, last_name, email },
    address: { street, house_number: '7', zip: '20354', city: 'Hamburg' },
    display_name: last_name,
  });
  const { customer } = place;
  const contract = await createSubscription(api.deps, organization, place, {
    status: 'ended',
    meter_number,
    metadata: JSON.stringify({ note: all }),
  });
  const subscription = contract.id;
  await createLead(api.deps, organization, { details: JSON.stringify({ customer: { email }, note: all }) });
  const asset = await createAsset(api.deps, organization, place, {
    ...{ type: 'heat_pump', external_id: `pump of ${last_name}`, display_name: all },
  });
  const of = { customer_id: customer, subscription_id: subscription };
  const { id: invoice } = await createInvoice(api.deps, organization, {
    ...of,
    ...{ status: 'paid', is_final: true, facts: JSON.stringify({ all }), document: `%PDF ${all}` },
  });
  const contractRow = [organization, customer, subscription];
  const statements: [string, unknown[]][] = [
    [
      'UPDATE payment_methods SET iban = $2, account_holder = $3 WHERE customer_id = $1',
      [customer, iban, `${first_name} ${last_name}`],
    ],
    ['UPDATE addresses SET street = $2 WHERE customer_id = $1', [customer, street]],
    [
      `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, number, register)
       VALUES ($1, $2, $3, '2026-10-01', $4, 2)`,
      [organization, customer, contract.meter, `${meter_number}B`],
    ],
    [
      `INSERT INTO meter_readings (organization_id, customer_id, subscription_id, meter_id, id, value, read_on, type, message)
       VALUES ($1, $2, $3, $4, 'mr_' || substr(md5($3), 1, 24), 10, '2026-11-01', 'customer_report', $5)`,
      [...contractRow, contract.meter, all],
    ],
    [
      `INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
       SELECT $1, $2, $3, at, 0.123456789012, 'metering_operator'
         FROM generate_series('2026-11-01T00:00:00Z'::timestamptz, '2026-11-30T23:45:00Z', '15 minutes') AS at`,
      contractRow,
    ],
    [
      `INSERT INTO load_forecasts (organization_id, customer_id, subscription_id, delivery_on, purchase, starts_at, ends_at,
                                   power_kw)
       VALUES ($1, $2, $3, '2026-11-02', 'intraday', '2026-11-01T23:00Z', '2026-11-02T23:00Z',
               array_fill(1::float8, ARRAY[96]))`,
      contractRow,
    ],
    [
      `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
       SELECT $1, at, 1 FROM generate_series('2026-11-01T00:00:00Z'::timestamptz, '2026-11-02T00:00:00Z', '1 minute') AS at`,
      [asset.key],
    ],
    [
      `INSERT INTO portal_sessions (organization_id, customer_id, hash, expires_at)
       VALUES ($1, $2, sha256(convert_to($2, 'utf8')), now() + INTERVAL '1 hour')`,
      [organization, customer],
    ],
    [
      `INSERT INTO authorization_requests (organization_id, id, client_id, redirect_uri, flow, email, sign_up, expires_at)
       SELECT $1, 'atx_' || substr(md5($2), 1, 24), id, 'https://app.example', 'signup', upper($3), $4, now()
         FROM auth_clients WHERE organization_id = $1 LIMIT 1`,
      [organization, customer, email, JSON.stringify({ first_name, last_name })],
    ],
    [
      `INSERT INTO grants (organization_id, id, client_id, customer_id, kind, scopes)
       SELECT $1, 'grt_' || substr(md5($2), 1, 24), id, $2, 'authorization_code', '{read:*}'
         FROM auth_clients WHERE organization_id = $1 LIMIT 1`,
      [organization, customer],
    ],
    [
      `INSERT INTO idempotency_keys (organization_id, client_id, route, key, body_hash, status, response)
       SELECT $1, id, 'POST /subscriptions', $2, sha256('x'), 200, json_build_object('customer', $2::text, 'note', $3::text)
         FROM auth_clients WHERE organization_id = $1 LIMIT 1`,
      [organization, customer, all],
    ],
  ];
  for (const [text, values] of statements) await storedRows(api, text, values);
  return { customer, subscription, invoice, canaries };
}
