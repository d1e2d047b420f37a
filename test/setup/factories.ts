import { randomBytes } from 'node:crypto';
import { createHousehold as createHouseholdOf } from '../../src/identity/households/service.ts';
import { createClient as createClientOf } from '../../src/identity/oauth/clients/clients.ts';
import { createOrganization as createOrganizationOf } from '../../src/identity/organizations/service.ts';
import type { Tables } from '../../src/platform/database/tables.ts';
import type { Deps } from '../../src/platform/deps.ts';
import { newId } from '../../src/platform/ids.ts';
import type { StaffAct } from '../../src/platform/staff-act.ts';
import type { TestApi } from './api.ts';
import { storedRows } from './stored-rows.ts';

export {
  createLead,
  createMarketPartner,
  createPlan,
  createSubscription,
  type TestSubscription,
} from './record-factories.ts';

/** What a factory needs of a running service, or of anything else that is connected to a test database. */
export type FactoryDeps = Pick<Deps, 'database' | 'clock' | 'config'>;

export interface TestClient {
  client_id: string;
  /** Empty for a public client. */
  client_secret: string;
}

export interface TestHousehold {
  household: string;
  customer: string;
  address: string | null;
}

export type AssetType = Tables['assets']['type'];

function staffAct(deps: Pick<Deps, 'clock'>): StaffAct {
  return { staff: 'tests', reason: 'test', command: 'test', now: deps.clock.now().toISOString() };
}

const unique = () => randomBytes(6).toString('hex');

/** The id of a new organization in order. */
export async function createOrganization(
  deps: FactoryDeps,
  name = `Organization ${unique()}`,
): Promise<string> {
  const { id } = await createOrganizationOf(deps.database, { name }, staffAct(deps));
  return id;
}

/** A confidential client with full access to its organization, unless the input says otherwise. */
export async function createClient(
  deps: FactoryDeps,
  organization: string,
  input: Partial<Parameters<typeof createClientOf>[2]> = {},
): Promise<TestClient> {
  const created = await createClientOf(
    deps,
    organization,
    { display_name: `Client ${unique()}`, rate_per_second: 100_000, rate_burst: 100_000, ...input },
    staffAct(deps),
  );
  return { client_id: created.client.id, client_secret: created.client_secret ?? '' };
}

/** A household of a new customer, or of the given one. */
export async function createHousehold(
  deps: FactoryDeps,
  organization: string,
  input: Partial<Parameters<typeof createHouseholdOf>[2]> = {},
): Promise<TestHousehold> {
  return await createHouseholdOf(
    deps.database,
    organization,
    {
      customer: { type: 'person', first_name: 'Käthe', last_name: 'Voß', email: `k.${unique()}@example.org` },
      address: { street: 'Gänsemarkt', house_number: '12a', zip: '20354', city: 'Hamburg' },
      display_name: null,
      ...input,
    },
    staffAct(deps),
  );
}

const TYPE_DATA: Record<AssetType, Record<string, number | boolean>> = {
  inverter: { max_power_kw: 10, hybrid: true },
  solar: { peak_power_kw: 9.8 },
  battery: { capacity_kwh: 12, max_charge_power_kw: 6, max_discharge_power_kw: 5 },
  wallbox: { max_power_kw: 11, bidirectional: false },
  heat_pump: { max_power_kw: 3.5 },
  household_net: {},
  household_residual: {},
};

/**
 * Puts an asset straight into the database, without the rules of the interface: for tests of what comes after it. A
 * solar array gets an inverter of its own unless one is given.
 */
export async function createAsset(
  deps: FactoryDeps,
  organization: string,
  household: TestHousehold,
  input: { type: AssetType } & Partial<Record<string, unknown>>,
): Promise<{ id: string; key: number; type: AssetType; external_id: string | null }> {
  const parent =
    input.type === 'solar' && input.parent_inverter === undefined
      ? { parent_inverter: (await createAsset(deps, organization, household, { type: 'inverter' })).id }
      : {};
  const isDevice = !input.type.startsWith('household_');
  const row = await deps.database.inOrganization({ organization }, (connection) =>
    connection
      .insertInto('assets')
      .values({
        id: newId('ast'),
        organization_id: organization,
        household_id: household.household,
        customer_id: household.customer,
        external_id: isDevice ? `device-${unique()}` : null,
        created_at: deps.clock.now().toISOString(),
        updated_at: deps.clock.now().toISOString(),
        ...TYPE_DATA[input.type],
        ...parent,
        ...input,
      })
      .returning(['id', 'key', 'type', 'external_id'])
      .executeTakeFirstOrThrow(),
  );
  return row;
}

/** An access token by the client credentials grant, from the service itself. */
export async function tokenFor(api: Pick<TestApi, 'baseUrl'>, client: TestClient): Promise<string> {
  const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
  const response = await fetch(`${api.baseUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  const answer = (await response.json()) as { access_token?: string };
  if (answer.access_token === undefined) throw new Error(`No token: ${JSON.stringify(answer)}`);
  return answer.access_token;
}

/** An organization with a client and its token: where most tests begin. */
export async function createTenant(
  api: Pick<TestApi, 'baseUrl' | 'deps'>,
  input: Partial<Parameters<typeof createClientOf>[2]> = {},
): Promise<{ organization: string; client: TestClient; token: string }> {
  const organization = await createOrganization(api.deps);
  const client = await createClient(api.deps, organization, input);
  return { organization, client, token: await tokenFor(api, client) };
}

/** An event that a receiver answered with 500 in its last attempt, on an endpoint that fails since then. */
export async function createFailedDelivery(
  api: Pick<TestApi, 'database'>,
  organization: string,
  { attempts, description }: { attempts: number; description: string },
): Promise<{ endpoint: string; event: string }> {
  const [endpoint, event] = [newId('whe'), newId('evt')];
  await storedRows(
    api,
    `INSERT INTO webhook_endpoints (organization_id, id, url, description, secret, failing_since)
     VALUES ($1, $2, 'https://receiver.example/events', $3, '\\x00', now())`,
    [organization, endpoint, description],
  );
  await storedRows(
    api,
    `INSERT INTO events (organization_id, id, topic, timestamp, context)
     VALUES ($1, $2, 'subscription.created', now(), '{}')`,
    [organization, event],
  );
  await storedRows(
    api,
    `INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, state, attempts, attempts_in_all, next_at,
                                   last_attempt_at, last_status)
     VALUES ($1, $2, $3, 'failed', $4, $4, NULL, now(), 500)`,
    [organization, event, endpoint, attempts],
  );
  return { endpoint, event };
}
