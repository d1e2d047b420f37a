import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { basic, registeredClient } from '../identity/oauth/token-requests.ts';
import { createAsset, createHousehold, createTenant } from '../setup/factories.ts';
import { holdConnections } from './one-caller.ts';
import {
  memberPids,
  onNewConnection,
  SIZE,
  type StartedGroup,
  startGroup,
  untilMembers,
} from './process-group.ts';

/* What several processes of the API at one port count and know together: each limit holds once, not once a process. */

const VERSION = { 'x-api-version': '2026-09-08.gauss' };
const ADDRESS_MAX = 40;

async function metricOf(url: string, name: string): Promise<number> {
  const text = await (await onNewConnection(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

describe('while Redis is away', () => {
  let group: StartedGroup;
  beforeAll(async () => {
    group = await startGroup({ REDIS_URL: 'redis://127.0.0.1:1', TOKEN_FAILURES_MAX: '4' });
  });
  afterAll(() => group?.close());

  test('F16 a client has its rate limit once, not once in each process', async () => {
    const { token } = await createTenant(group.api, { rate_per_second: 1, rate_burst: 10 });
    const begun = performance.now();
    const headers = { ...VERSION, authorization: `Bearer ${token}` };
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => onNewConnection(`${group.url}/households?limit=1`, { headers })),
    );
    const refilled = Math.ceil((performance.now() - begun) / 1000);
    const passed = answers.filter(({ status }) => status === 200).length;
    expect(passed).toBeGreaterThanOrEqual(10);
    expect(passed).toBeLessThanOrEqual(10 + refilled);
    expect(await metricOf(group.url, 'voltstream_rate_limit_process_decisions_total')).toBeGreaterThanOrEqual(
      40,
    );
  });

  test('F16 wrong secrets close the door after as many as the limit says, whichever process heard them', async () => {
    const client = await registeredClient(group.api.deps);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const answer = await onNewConnection(`${group.url}/oauth/token`, {
        method: 'POST',
        headers: { authorization: basic({ ...client, secret: 'wrong' }) },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429]);
  });
});

describe('with Redis', () => {
  let group: StartedGroup;
  const released: (() => void)[] = [];
  beforeAll(async () => {
    group = await startGroup({
      CONNECTIONS_OF_ADDRESS_MAX: String(ADDRESS_MAX),
      DATABASE_CONNECTIONS_MAX: '9',
    });
  });
  afterEach(() => {
    for (const release of released.splice(0)) release();
  });
  afterAll(() => group?.close());

  async function hold(count: number) {
    const held = await holdConnections(new URL(group.url), count, 'GET /livez HTTP/1.1\r\n');
    released.push(held.release);
    return () => held.sockets.filter((socket) => !socket.destroyed).length;
  }

  test('an address has its connections once, not once in each process, and gets them back when it closes them', async () => {
    for (let round = 0; round < 2; round += 1) {
      const open = await hold(70);
      await expect.poll(open).toBeLessThanOrEqual(ADDRESS_MAX);
      await wait(200);
      /* Connections that this test itself keeps for its questions are of the same address. */
      expect(open()).toBeGreaterThanOrEqual(ADDRESS_MAX - 8);
      for (const release of released.splice(0)) release();
      await expect
        .poll(async () => (await onNewConnection(`${group.url}/livez`).catch(() => null))?.status)
        .toBe(200);
    }
    await expect
      .poll(() => metricOf(group.url, 'voltstream_connections_refused_total').catch(() => 0))
      .toBeGreaterThanOrEqual(60);
  });

  test('connections to the database are shared out: no more of all processes together than one would have', async () => {
    const { token } = await createTenant(group.api);
    const headers = { ...VERSION, authorization: `Bearer ${token}` };
    const ask = () => onNewConnection(`${group.url}/households`, { headers }).then((answer) => answer.text());
    await Promise.all(Array.from({ length: 36 }, ask).map((answer) => answer.catch(() => {})));
    const { rows } = await group.api.deps.database.pool.query<{ all: string }>(
      `SELECT count(*) AS all FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'voltstream-api'`,
    );
    const ofTest = group.api.deps.database.pool.totalCount;
    expect(Number(rows[0]?.all) - ofTest).toBeLessThanOrEqual(8);
    expect(Number(rows[0]?.all) - ofTest).toBeGreaterThan(2);
  });

  test('a changed rating of an asset holds for batches that another process takes', async () => {
    const { organization, token } = await createTenant(group.api);
    const home = await createHousehold(group.api.deps, organization);
    const asset = await createAsset(group.api.deps, organization, home, {
      type: 'wallbox',
      max_power_kw: 22,
    });
    const headers = { ...VERSION, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    let second = 0;
    const send = async () => {
      second += 1;
      const timestamp = new Date(Date.now() - 3_600_000 + second * 1_000).toISOString();
      const snapshots = [{ asset: asset.id, timestamp, power_kw: 20, connected: true }];
      const body = JSON.stringify({ household: home.household, snapshots });
      return (await onNewConnection(`${group.url}/asset-snapshots`, { method: 'POST', headers, body }))
        .status;
    };
    const sendToAll = async () => new Set([await send(), await send(), await send(), await send()]);
    expect(await sendToAll()).toEqual(new Set([200]));
    const body = JSON.stringify({ wallbox: { max_power_kw: 11 } });
    const path = `${group.url}/assets/${asset.id}`;
    expect((await onNewConnection(path, { method: 'PATCH', headers, body })).status).toBe(200);
    await expect.poll(sendToAll, { interval: 50 }).toEqual(new Set([400]));
  });

  test('/metrics is one page for all processes, whichever is asked; a count does not fall when one of them is killed', async () => {
    const { primary, url } = group;
    const answered = () => metricOf(url, 'voltstream_snapshot_groups_total');
    expect(await metricOf(url, 'voltstream_api_processes')).toBe(SIZE);
    expect(await metricOf(url, 'voltstream_redis_available')).toBe(1);
    const before = await answered();
    expect(before).toBeGreaterThanOrEqual(4);
    expect([await answered(), await answered()]).toEqual([before, before]);
    for (const pid of memberPids(primary)) {
      const count = memberPids(primary).length;
      process.kill(pid, 'SIGKILL');
      await untilMembers(primary, count + 1);
      expect(await answered()).toBe(before);
    }
    expect(await metricOf(url, 'voltstream_api_process_ends_total')).toBe(SIZE);
  });
});
