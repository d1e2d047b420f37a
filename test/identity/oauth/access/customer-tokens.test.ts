import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NEWEST_VERSION } from '../../../../src/config/versions.ts';
import { updateGrantRevoked } from '../../../../src/identity/oauth/access/grant-queries.ts';
import { atOnce, counted } from '../../../platform/counted-requests.ts';
import { startApi } from '../../../setup/api.ts';
import type { ApiClient } from '../../../setup/client.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { createHousehold, tokenFor } from '../../../setup/factories.ts';
import { addDevice, devices } from '../../../telemetry/assets/devices.ts';
import { callStatus, refreshed, registeredClient } from '../token-requests.ts';
import { clientWithCustomer, consented, exchange } from '../visitor.ts';

const MEASURED_AT = '2026-11-20T09:00:00Z';
const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: Awaited<ReturnType<typeof startApi>>;
let made: Awaited<ReturnType<typeof clientWithCustomer>>;
let other: { customer: string; household: string };
let organization: ApiClient;
let customer: ApiClient;
let tokens: { access_token: string; refresh_token: string };

beforeAll(async () => {
  api = await startApi({ clock });
  made = await clientWithCustomer(api);
  other = await createHousehold(api.deps, made.client.organization);
  const { id, secret } = made.client;
  organization = api.client(await tokenFor(api, { client_id: id, client_secret: secret }));
  for (const household of [made.household, other.household]) {
    const { id: asset } = await addDevice(organization, household, devices.inverter);
    const snapshots = [{ asset, timestamp: MEASURED_AT, power_kw: 1 }];
    expect((await organization.post('/asset-snapshots', { household, snapshots })).status).toBe(200);
  }
  const code = (await consented(api, made.client, made.email)).get('code') ?? '';
  tokens = (await exchange(api, made.client, code)).body as unknown as typeof tokens;
  customer = api.client(tokens.access_token);
});
afterAll(() => api.close());

async function tokenOf({ client, email }: Pick<typeof made, 'client' | 'email'>): Promise<string> {
  const code = (await consented(api, client, email)).get('code') ?? '';
  return String((await exchange(api, client, code)).body.access_token);
}

type Items = { items: Record<string, unknown>[] };

describe("a token from a customer's consent", () => {
  test("S12 I09 lists show the customer's own records, also when a filter names somebody else", async () => {
    const households = async (query: string) =>
      (await customer.get<Items>(`/households${query}`)).body.items.map(({ id }) => id);
    expect(await households('')).toEqual([made.household]);
    expect(await households(`?filter[customer][eq]=${made.customer}`)).toEqual([made.household]);
    expect(await households(`?filter[customer][eq]=${other.customer}`)).toEqual([]);

    const assets = (await customer.get<Items>('/assets')).body.items;
    expect(assets.length).toBeGreaterThan(0);
    expect(new Set(assets.map(({ household }) => household))).toEqual(new Set([made.household]));
    const foreign = await customer.get<Items>(`/assets?filter[household][eq]=${other.household}`);
    expect(foreign.body.items).toEqual([]);

    const snapshots = async (ids: string) =>
      (await customer.get<Items>(`/asset-snapshots?filter[household][in]=${ids}`)).body.items;
    const seen = await snapshots(`${made.household},${other.household}`);
    expect(seen.map(({ household }) => household)).toEqual([made.household]);
    expect(await snapshots(other.household)).toEqual([]);
  });

  test('I09 a foreign id is what a missing one is', async () => {
    const { body } = await organization.get<Items>(`/assets?filter[household][eq]=${other.household}`);
    const asset = String(body.items[0]?.id);
    for (const path of [`/households/${other.household}`, `/assets/${asset}`]) {
      const foreign = await customer.get(path);
      const missing = await customer.get(path.replace(/_\w+$/, '_000000000000000000000000'));
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    }
    expect((await customer.get(`/households/${made.household}`)).status).toBe(200);
  });

  test('I09 it writes nothing that belongs to the organization', async () => {
    const message = 'This token acts for one customer and cannot be used here';
    for (const [path, body] of [
      ['/assets', { household: made.household, ...devices.wallbox }],
      ['/asset-snapshots', { household: made.household, snapshots: [] }],
    ] as const) {
      const answer = await customer.post(path, body);
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ code: 'FORBIDDEN', message });
    }
  });

  test('the guide names the calls that it may make, and every other one of the newest version is 403', async () => {
    const text = async (path: string) => await (await fetch(api.baseUrl + path)).text();
    const [, list = ''] = /It may make these calls(.*?)<\/p>/s.exec(await text('/docs/customers')) ?? [];
    const named = [...list.matchAll(/<code>([A-Z]+ \/[^<]*)<\/code>/g)].map(([, call]) => call);
    const { paths } = JSON.parse(await text(`/openapi.${NEWEST_VERSION}.json`)) as {
      paths: Record<string, Record<string, { security?: unknown }>>;
    };
    const allowed: string[] = [];
    for (const [path, operations] of Object.entries(paths)) {
      if (path.startsWith('/oauth/')) continue;
      for (const method of Object.keys(operations).filter((key) =>
        /^(get|post|put|patch|delete)$/.test(key),
      )) {
        const answer = await fetch(api.baseUrl + path.replaceAll(/\{\w+\}/g, 'x_000000000000000000000000'), {
          method: method.toUpperCase(),
          headers: {
            authorization: `Bearer ${tokens.access_token}`,
            'x-api-version': NEWEST_VERSION,
            'content-type': 'application/json',
          },
          ...(method !== 'get' && { body: '{}' }),
        });
        const { message } = (await answer.json()) as { message?: string };
        if (!message?.startsWith('This token acts for one customer'))
          allowed.push(`${method.toUpperCase()} ${path}`);
      }
    }
    expect(named.length).toBeGreaterThan(10);
    expect(named.toSorted()).toEqual(allowed.toSorted());
  });

  test('has a bucket of its own, with half of what its client may do at once: the client keeps the other half', async () => {
    const limited = await clientWithCustomer(api, { rate_per_second: 1, rate_burst: 40 });
    const access_token = await tokenOf(limited);
    const { id: client_id, secret: client_secret } = limited.client;
    const own = await tokenFor(api, { client_id, client_secret });
    const answers = await atOnce(40, () => counted(api.baseUrl, access_token));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(5);
    for (const { headers } of answers) expect(headers.get('ratelimit-limit') ?? '20').toBe('20');
    const ofClient = await atOnce(20, () => counted(api.baseUrl, own));
    expect(new Set(ofClient.map(({ status }) => status))).toEqual(new Set([200]));
    expect(ofClient[0]?.headers.get('ratelimit-limit') ?? '40').toBe('40');
  });

  test('all customers of a client together may do as much as the client', async () => {
    const limited = await clientWithCustomer(api, { rate_per_second: 1, rate_burst: 10 });
    const { organization: id } = limited.client;
    const found = await Promise.all([1, 2].map(() => clientWithCustomer(api, {}, id)));
    const bearers = [await tokenOf(limited)];
    for (const { email } of found) bearers.push(await tokenOf({ client: limited.client, email }));
    const answers = await atOnce(15, (index) => counted(api.baseUrl, bearers[index % 3] ?? ''));
    const served = answers.filter(({ status }) => status === 200).length;
    expect(served).toBeGreaterThanOrEqual(10);
    expect(served).toBeLessThan(14);
  });

  test('a client of one customer has all of its rate', async () => {
    const { id: client_id, secret: client_secret } = await registeredClient(
      api.deps,
      { customer_id: made.customer, rate_per_second: 1, rate_burst: 30 },
      made.client.organization,
    );
    const own = await tokenFor(api, { client_id, client_secret });
    const answers = await atOnce(30, () => counted(api.baseUrl, own));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { headers } of answers) expect(headers.get('ratelimit-limit') ?? '30').toBe('30');
  });

  test('R10 a consent that is withdrawn ends its tokens', async () => {
    const { organization: id } = made.client;
    const [, payload = ''] = tokens.access_token.split('.');
    const { grant } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { grant: string };
    await api.deps.database.inOrganization({ organization: id }, (connection) =>
      updateGrantRevoked(connection, id, grant, { at: clock.now().toISOString(), reason: 'test' }),
    );
    expect((await refreshed(api.baseUrl, made.client, tokens.refresh_token)).status).toBe(401);
    clock.advance(5_000);
    await api.deps.changes.look();
    expect(await callStatus(api.baseUrl, tokens.access_token)).toBe(401);
  });
});
