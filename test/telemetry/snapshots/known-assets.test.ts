import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/platform/database/db.ts';
import type { ChangedObject } from '../../../src/platform/process/change-watch.ts';
import { createSignal } from '../../../src/platform/process/signals.ts';
import { cutConnection } from '../../setup/cut-connection.ts';
import {
  createAsset,
  createHousehold,
  createOrganization,
  type TestHousehold,
} from '../../setup/factories.ts';
import { metric } from './held-rows.ts';
import { NOW, type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';
import { watchedMaps } from './watched-maps.ts';

/* How long the assets of a household are remembered, and what ends it. */

const MINUTE = 60_000;

let service: SnapshotApi;
let organization: string;
let home: SnapshotHousehold;
beforeAll(async () => {
  service = await startSnapshotApi({});
  organization = service.organization;
  home = await service.addHousehold();
});
afterAll(() => service?.close());

test('a gateway that sends once a minute costs one look-up in 15 minutes', async () => {
  const { watch, reads, pass, remembers } = watchedMaps(service.api.deps);
  await watch.look();
  for (let minute = 0; minute < 15; minute += 1) {
    await remembers(organization, home.household);
    pass(MINUTE);
    await watch.look();
  }
  expect(reads()).toBe(1);
  expect(await remembers(organization, home.household)).toBe(false);
});

test('where nobody looks at what changed, a map lives for 5 s', async () => {
  const { pass, remembers } = watchedMaps(service.api.deps);
  await remembers(organization, home.household);
  pass(4_999);
  expect(await remembers(organization, home.household)).toBe(true);
  pass(1);
  expect(await remembers(organization, home.household)).toBe(false);
});

test('F04 where looks fail, maps live for 5 s again; the first good one tells what changed meanwhile', async () => {
  const line = await cutConnection(service.api.database.appUrl);
  const database = openDatabase({
    url: line.url,
    applicationName: 'looks',
    connectionsMax: 1,
    onError: () => {},
  });
  const { watch, pass, remembers } = watchedMaps(service.api.deps, { database });
  const changing = await service.addHousehold();
  const both = async () => [
    await remembers(organization, home.household),
    await remembers(organization, changing.household),
  ];
  try {
    await watch.look();
    await both();
    pass(MINUTE);
    await watch.look();
    expect(await both()).toEqual([true, true]);
    await line.cut();
    pass(4_999);
    await expect(watch.look()).rejects.toThrow();
    expect(await both()).toEqual([true, true]);
    pass(1);
    expect(await both()).toEqual([false, false]);
    pass(MINUTE);
    await service.admin.query('UPDATE assets SET hybrid = hybrid WHERE household_id = $1', [
      changing.household,
    ]);
    await line.mend();
    await watch.look();
    expect(await both()).toEqual([true, false]);
  } finally {
    await database.close();
    await line.close();
  }
});

test('a look counts from its beginning: what changes while it is on its way is told by the next one', async () => {
  const { watch, pass, remembers } = watchedMaps(service.api.deps);
  await watch.look();
  await remembers(organization, home.household);
  pass(MINUTE);
  const looking = watch.look();
  pass(4_999);
  await looking;
  expect(await remembers(organization, home.household)).toBe(true);
  pass(1);
  expect(watch.isSure()).toBe(false);
});

test('a map that was being read while a change was told is not remembered', async () => {
  const messages = createSignal<ChangedObject>();
  const { maps, watch, remembers } = watchedMaps(service.api.deps, { messages });
  await watch.look();
  const reading = maps.find({ organization }, home.household);
  messages.emit({ organization, object: home.household });
  await reading;
  expect(await remembers(organization, home.household)).toBe(false);
  expect(await remembers(organization, home.household)).toBe(true);
});

test('two organizations with a household of one id never share a map, and a change is of one of them', async () => {
  const other = await createOrganization(service.api.deps);
  const own = await createHousehold(service.api.deps, other);
  await service.admin.query('INSERT INTO households (organization_id, id, customer_id) VALUES ($1, $2, $3)', [
    other,
    home.household,
    own.customer,
  ]);
  const namesake: TestHousehold = { ...own, household: home.household };
  const { id } = await createAsset(service.api.deps, other, namesake, { type: 'heat_pump' });
  const { watch, map, remembers } = watchedMaps(service.api.deps);
  await watch.look();
  const ids = async (of: string) => [...(await map(of, home.household)).byId.keys()];
  expect(await ids(other)).toEqual([id]);
  const all = Object.values(home.assets).map((asset) => asset.id);
  expect(await ids(organization)).toEqual(expect.arrayContaining(all));
  expect(await ids(other)).toEqual([id]);
  await service.admin.query('UPDATE assets SET max_power_kw = 2 WHERE id = $1', [id]);
  await watch.look();
  expect(await remembers(organization, home.household)).toBe(true);
  expect(await remembers(other, home.household)).toBe(false);
});

test('a household of forty assets that forty batches ask for at once has each of them once, and is read quickly', async () => {
  const large = await createHousehold(service.api.deps, organization);
  await addHeatPumps(large);
  const { maps } = watchedMaps(service.api.deps);
  const found = await Promise.all(
    Array.from({ length: 40 }, () => maps.findFresh({ organization }, large.household)),
  );
  const sizes = found.map((map) => (map === null || map === 'many' ? map : map.assets.length));
  expect(sizes).toEqual(Array(40).fill(40));
  const { rows } = await service.admin.query('SELECT id FROM assets WHERE household_id = $1', [
    large.household,
  ]);
  const parsed = () => metric(service, 'snapshot_batches_parsed_total');
  await home.send([{ asset: home.assets.household_net.id, timestamp: NOW, power_kw: 1 }]);
  const before = await parsed();
  const answers = await Promise.all(
    rows.map(({ id: asset }) =>
      service.client.post('/asset-snapshots', {
        household: large.household,
        snapshots: [{ asset, timestamp: NOW, power_kw: 1 }],
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
  expect(await parsed()).toBe(before);
});

async function addHeatPumps({ customer, household }: TestHousehold): Promise<void> {
  await service.admin.query(
    `INSERT INTO assets (organization_id, id, customer_id, household_id, type, max_power_kw)
     SELECT $1, 'ast_' || substr(md5($3 || n), 1, 24), $2, $3, 'heat_pump', 5 FROM generate_series(1, 40) n`,
    [organization, customer, household],
  );
}

test('a household of forty assets takes the room of four', async () => {
  const [large, small] = [
    await createHousehold(service.api.deps, organization),
    await service.addHousehold(),
  ];
  await addHeatPumps(large);
  const { remembers } = watchedMaps(service.api.deps, { entriesMax: 5 });
  const all = [large.household, home.household, small.household];
  for (const household of all.slice(0, 2)) await remembers(organization, household);
  expect(await remembers(organization, large.household)).toBe(true);
  expect(await remembers(organization, home.household)).toBe(true);
  await remembers(organization, small.household);
  expect(await remembers(organization, home.household)).toBe(true);
  expect(await remembers(organization, large.household)).toBe(false);
});
