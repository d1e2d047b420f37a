import { setImmediate } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import type { ChangedObject } from '../../../src/platform/process/change-watch.ts';
import { openRedis, redisPrefix } from '../../../src/platform/redis/redis.ts';
import { metric, quietRedis } from '../../platform/counted-requests.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createTenant } from '../../setup/factories.ts';
import {
  addHousehold,
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
} from './snapshot-api.ts';
import { watchedMaps } from './watched-maps.ts';

/* What one process of the service changes, and another one remembers. */

let service: SnapshotApi;
let other: TestApi;
let redis: Redis;
let channel: string;
beforeAll(async () => {
  service = await startSnapshotApi({});
  other = await startApi({ clock: service.clock, database: service.api.database });
  redis = openRedis({
    url: quietRedis(),
    use: 'work',
    connectionName: 'asset-messages-test',
    onStateChange: () => {},
  });
  channel = `${redisPrefix(service.api.database.appUrl)}:signal:changed`;
  /* Both listen, and the one that changes can tell. */
  while (Number((await redis.pubsub('NUMSUB', channel))[1]) < 2);
  while ((await service.api.deps.redis.ask((connection) => connection.ping())) === undefined)
    await setImmediate();
});
afterAll(async () => {
  redis?.disconnect();
  await other?.close();
  await service?.close();
});

/** Collects what the other process hears. */
function hearing(): { heard: ChangedObject[]; next(): Promise<ChangedObject>; end(): void } {
  const heard: ChangedObject[] = [];
  const end = other.deps.changed.subscribe((change) => heard.push(change));
  const next = () =>
    new Promise<ChangedObject>((resolve) => {
      const once = other.deps.changed.subscribe((change) => {
        once();
        resolve(change);
      });
    });
  return { heard, next, end };
}

const changes: [string, (home: SnapshotHousehold) => Promise<{ status: number }>][] = [
  [
    'adds',
    ({ household }) =>
      service.client.post('/assets', { household, type: 'inverter', inverter: { max_power_kw: 3 } }),
  ],
  [
    'gives another rating',
    ({ assets }) => service.client.patch(`/assets/${assets.inverter.id}`, { inverter: { max_power_kw: 5 } }),
  ],
  ['decommissions', ({ assets }) => service.client.post(`/assets/${assets.wallbox.id}/decommission`, {})],
];

test.each(changes)(
  'an asset that one process %s is known to the others at once, by a message',
  async (_what, change) => {
    const home = await service.addHousehold();
    /* Its clock stands, and it never looks: nothing but the message ends this map. */
    const { map, remembers } = watchedMaps(other.deps, { messages: other.deps.changed });
    const before = await map(service.organization, home.household);
    expect(await remembers(service.organization, home.household)).toBe(true);
    const { next, end } = hearing();
    const message = next();
    expect((await change(home)).status).toBeLessThan(300);
    expect(await message).toEqual({ organization: service.organization, object: home.household });
    expect(await remembers(service.organization, home.household)).toBe(false);
    expect((await map(service.organization, home.household)).assets).not.toEqual(before.assets);
    end();
  },
);

test('a process hears its own change once', async () => {
  const home = await service.addHousehold();
  const own: ChangedObject[] = [];
  const end = service.api.deps.changed.subscribe((change) => own.push(change));
  const { heard, end: endHearing } = hearing();
  await service.client.patch(`/assets/${home.assets.inverter.id}`, { display_name: 'Roof' });
  await service.client.patch(`/assets/${home.assets.inverter.id}`, { display_name: 'Garage' });
  /* Both may come in one piece. */
  await expect.poll(() => heard.length).toBe(2);
  for (const stop of [end, endHearing]) stop();
  expect(own).toHaveLength(2);
});

test('what strangers send on the channel is heard only where it names an organization and something of it', async () => {
  const sender = '0'.repeat(36);
  const valid = { organization: newId('org'), object: newId('dom') };
  const { heard, next, end } = hearing();
  const last = next();
  for (const text of [
    '',
    ' ',
    valid.object,
    `${sender}${valid.organization}`,
    `${sender}${valid.organization} '; DROP TABLE assets`,
    `${sender}${valid.organization} ${valid.object} ${valid.object}`,
    `${sender}${'x'.repeat(1_000_000)} ${valid.object}`,
    `${sender}{"organization":"${valid.organization}","object":"${valid.object}"}`,
    Buffer.from([0xff, 0x00, 0xfe]),
  ]) {
    await redis.publish(channel, text);
  }
  await redis.publish(channel, `${sender}${valid.organization} ${valid.object}`);
  expect(await last).toEqual(valid);
  end();
  expect(heard).toEqual([valid]);
});

test('F16 without Redis requests go on, and what another process changed is known some seconds later', async () => {
  const { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY, BASE_URL } = service.api.deps.config;
  const keys = { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY, BASE_URL };
  const start = () =>
    startApi({
      clock: service.clock,
      database: service.api.database,
      environment: { ...keys, REDIS_URL: 'redis://127.0.0.1:1' },
    });
  const [changing, taking] = await Promise.all([start(), start()]);
  try {
    const { organization, token } = await createTenant(service.api);
    const home = await addHousehold(service, organization);
    const gateway = taking.client(token);
    let second = 0;
    const send = async () => {
      second += 1;
      const row = { asset: home.assets.inverter.id, timestamp: instant(second), power_kw: 14 };
      return (await home.send([row], gateway)).status;
    };
    expect(await send()).toBe(200);
    await expect.poll(() => metric(taking, 'changes_watched')).toBe(1);
    expect(await send()).toBe(200);
    const change = { inverter: { max_power_kw: 5 } };
    const { status } = await changing.client(token).patch(`/assets/${home.assets.inverter.id}`, change);
    expect(status).toBe(200);
    await expect.poll(send, { interval: 100 }).toBe(400);
  } finally {
    await changing.close();
    await taking.close();
  }
});
