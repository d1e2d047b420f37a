import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient } from '../../setup/client.ts';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';
import {
  addHousehold,
  type BatchAnswer,
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
} from './snapshot-api.ts';

let service: SnapshotApi;
/** Two households of A, one of B, and a token for the customer of A's first one. */
let a1: SnapshotHousehold;
let a2: SnapshotHousehold;
let b1: SnapshotHousehold;
let strangers: ApiClient;
let customer: ApiClient;

beforeAll(async () => {
  service = await startSnapshotApi();
  a1 = await service.addHousehold();
  a2 = await service.addHousehold();
  const b = await createTenant(service.api);
  strangers = service.api.client(b.token);
  b1 = await addHousehold(service, b.organization);
  const app = await createClient(service.api.deps, service.organization, { customer_id: a1.customer });
  customer = service.api.client(await tokenFor(service.api, app));
  for (const [home, by] of [
    [a1, service.client],
    [a2, service.client],
    [b1, strangers],
  ] as const) {
    await home.send([{ asset: home.assets.inverter.id, timestamp: '2026-12-01T11:00:00Z', power_kw: 1 }], by);
  }
});
afterAll(() => service?.close());

interface List {
  items: { household: string; asset: string }[];
  next_page: string | null;
}

/** The answer without what differs from request to request. */
function comparable(answer: { status: number; body: object }): unknown {
  return { status: answer.status, body: { ...answer.body, requestId: '' } };
}

const householdsIn = async (client: ApiClient, query: string) => {
  const { body, status } = await client.get<List>(`/asset-snapshots?${query}`);
  expect(status).toBe(200);
  return body.items.map((item) => item.household);
};

describe('another organization', () => {
  const row = (asset: string) => ({ asset, timestamp: instant(0), power_kw: 1 });

  test("I01 I04 a batch for B's household is answered to A as one for no household, and nothing is written", async () => {
    const before = await b1.count();
    const foreign = await b1.send([row(b1.assets.inverter.id)], service.client);
    const missing = await service.client.post<BatchAnswer>('/asset-snapshots', {
      household: `dom_${'0'.repeat(24)}`,
      snapshots: [row(b1.assets.inverter.id)],
    });
    expect(foreign.status).toBe(404);
    expect(comparable(foreign)).toEqual(comparable(missing));
    expect(await b1.count()).toBe(before);
  });

  test("I04 B's assets in a batch for A's household are answered as missing ones, by id and by external id", async () => {
    const named = (name: object) => a1.send([{ ...name, timestamp: instant(0), power_kw: 1 }]);
    const missing = await named({ asset: `ast_${'0'.repeat(24)}` });
    expect(comparable(await named({ asset: b1.assets.inverter.id }))).toEqual(comparable(missing));
    expect(comparable(await named({ external_id: b1.assets.inverter.external_id }))).toEqual(
      comparable(await named({ external_id: 'nobody' })),
    );
    expect(await b1.count()).toBe(1);
  });

  test("I04 a household's map that is remembered for A serves A only", async () => {
    expect((await a1.send([row(a1.assets.inverter.id)])).status).toBe(200);
    expect((await a1.send([row(a1.assets.inverter.id)], strangers)).status).toBe(404);
  });

  test("I01 I03 the list shows A's own, whatever the filter names", async () => {
    const mixed = `filter[household][in]=${a1.household},${b1.household}`;
    expect(await householdsIn(service.client, mixed)).toEqual([a1.household]);
    expect(await householdsIn(strangers, mixed)).toEqual([b1.household]);
    expect(await householdsIn(service.client, `filter[household][eq]=${b1.household}`)).toEqual([]);
    expect(await householdsIn(service.client, `filter[asset][eq]=${b1.assets.inverter.id}`)).toEqual([]);
    expect(
      await householdsIn(
        service.client,
        `filter[household][eq]=${a1.household}&filter[asset][eq]=${b1.assets.inverter.id}`,
      ),
    ).toEqual([]);
  });

  test("I05 a cursor of B's list is worthless to A", async () => {
    const filter = `filter[household][in]=${a1.household},${a2.household},${b1.household}&limit=1`;
    await b1.send(
      [{ asset: b1.assets.battery.id, timestamp: '2026-12-01T10:59:00Z', power_kw: 1 }],
      strangers,
    );
    const { body } = await strangers.get<List>(`/asset-snapshots?${filter}`);
    expect(body.next_page).not.toBeNull();
    const cursor = encodeURIComponent(body.next_page ?? '');
    expect((await service.client.get(`/asset-snapshots?${filter}&cursor=${cursor}`)).status).toBe(400);
    expect((await strangers.get(`/asset-snapshots?${filter}&cursor=${cursor}`)).status).toBe(200);
  });
});

describe('a token of one customer', () => {
  test('I09 reads the own household only, also when a filter names another', async () => {
    const all = `filter[household][in]=${a1.household},${a2.household},${b1.household}`;
    expect(await householdsIn(customer, all)).toEqual([a1.household]);
    expect(await householdsIn(customer, `filter[household][eq]=${a2.household}`)).toEqual([]);
    expect(await householdsIn(customer, `filter[asset][eq]=${a2.assets.inverter.id}`)).toEqual([]);
  });

  test('I09 sends nothing, not even for the own household', async () => {
    const before = await a1.count();
    const rows = [{ asset: a1.assets.inverter.id, timestamp: instant(100), power_kw: 1 }];
    expect((await a1.send(rows, customer)).status).toBe(403);
    expect(await a1.count()).toBe(before);
  });
});
