import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Batch } from '../../../src/telemetry/snapshots/batch.ts';
import { createRecentlyStored } from '../../../src/telemetry/snapshots/recently-stored.ts';
import type { WrittenBatch } from '../../../src/telemetry/snapshots/waiting.ts';
import { createSnapshotWriter } from '../../../src/telemetry/snapshots/writer.ts';
import { addTrigger, engine, testOnlyOn } from '../../setup/engine.ts';
import { createTenant } from '../../setup/factories.ts';
import { batchesOf } from './direct-batches.ts';
import { metric, reconnect } from './held-rows.ts';
import {
  addHousehold,
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
  startSnapshotApi,
} from './snapshot-api.ts';

/* What batches cost that are stored already: in one group with new ones, and a moment after they were stored. */

let service: SnapshotApi;
let home: SnapshotHousehold;
beforeAll(async () => {
  service = await startSnapshotApi({});
  await service.admin.query('CREATE SEQUENCE copies');
  await service.admin.query('GRANT USAGE ON SEQUENCE copies TO PUBLIC');
  await addTrigger(service.admin, {
    name: 'count_copies',
    when: 'BEFORE INSERT ON asset_snapshots FOR EACH STATEMENT',
    body: `PERFORM nextval('copies'); RETURN NULL;`,
  });
});
beforeEach(async () => {
  home = await service.addHousehold();
});
afterAll(() => service?.close());

function rowOf(household: SnapshotHousehold, second: number, power_kw = 1) {
  return { asset: household.assets.household_net.id, timestamp: instant(second), power_kw };
}

function tenRows(from: number, power_kw = 1) {
  return Array.from({ length: 10 }, (_, index) => rowOf(home, from + index, power_kw));
}

/** Stored by somebody else: this process does not remember them. */
async function storeElsewhere(from: number, rows: number, household = home): Promise<void> {
  await service.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT $1, $2::timestamptz + make_interval(secs => n), 1 FROM generate_series(0, $3::integer - 1) n`,
    [household.assets.household_net.key, instant(from), rows],
  );
}

/** COPY statements of the service from now on, also those that were rolled back. */
async function countCopies(): Promise<() => Promise<number>> {
  const counted = async () => {
    const { rows } = await service.admin.query<{ count: number }>(
      'SELECT CASE WHEN is_called THEN last_value ELSE 0 END::integer AS count FROM copies',
    );
    return rows[0]?.count ?? 0;
  };
  const before = await counted();
  return async () => (await counted()) - before;
}

const REPEATS = 'snapshot_repeats_total';

/** None are shown before the first one. */
const fallbacks = async () => (await metric(service, 'snapshot_fallbacks_total')) || 0;

/** Questions for stored rows. */
function countLooks(): () => number {
  let looks = 0;
  const known = new WeakSet<object>();
  service.api.deps.database.pool.on('acquire', (client) => {
    if (known.has(client)) return;
    known.add(client);
    const query = client.query.bind(client) as (...input: unknown[]) => Promise<pg.QueryResult>;
    client.query = ((text: unknown, ...rest: unknown[]) => {
      if (typeof text === 'string' && text.includes('stored_snapshots(')) looks += 1;
      return query(text, ...rest);
    }) as typeof client.query;
  });
  return () => looks;
}

/** In one group of a writer of its own. */
async function writeTogether(batches: readonly (readonly unknown[])[]): Promise<WrittenBatch[]> {
  const { organization } = service;
  const batchOf = await batchesOf(service, organization, home);
  const { deps } = service.api;
  const writer = createSnapshotWriter(deps);
  const sender = deps.queue.account({ path: [organization, 'client'], weight: 1 });
  const signal = new AbortController().signal;
  return await Promise.all(batches.map((rows) => writer.write(sender, batchOf(rows), signal)));
}

const onOneServer = testOnlyOn(
  'timescaledb',
  'a trigger of a node counts statements of the coordinator otherwise',
);

describe('in one group', () => {
  onOneServer(
    'one repeated batch among 30 new ones costs one COPY and one look more, not one each',
    async () => {
      await storeElsewhere(1_000, 10);
      const copies = await countCopies();
      const looks = countLooks();
      const before = await fallbacks();
      const fresh = Array.from({ length: 30 }, (_, index) => tenRows(100 + index * 10));
      const written = await writeTogether([...fresh.slice(0, 17), tenRows(1_000), ...fresh.slice(17)]);
      const stored = (rows: number) => ({ stored: rows });
      expect(written).toEqual([...Array(17).fill(stored(10)), stored(0), ...Array(13).fill(stored(10))]);
      /* The refused one, and the rest. */
      expect([await copies(), looks()]).toEqual([2, 1]);
      expect((await fallbacks()) - before).toBe(1);
      expect(await home.count()).toBe(10 + 300);
    },
  );

  onOneServer(
    'nothing but repeated batches cost three COPYs and three looks, however many they are',
    async () => {
      await storeElsewhere(1_000, 400);
      const copies = await countCopies();
      const looks = countLooks();
      const written = await writeTogether(
        Array.from({ length: 40 }, (_, index) => tenRows(1_000 + index * 10)),
      );
      expect(written).toEqual(Array(40).fill({ stored: 0 }));
      expect(await copies()).toBe(3);
      expect(looks()).toBeLessThanOrEqual(3);
      expect(await home.count()).toBe(400);
    },
  );

  test('the batch that PostgreSQL names is found among weeks of the table, and no other is refused', async () => {
    const weeks = [0, 7, 14, 21].map((days) => -days * 86_400);
    for (const week of weeks) await storeElsewhere(week + 500, 1);
    const fresh = weeks.flatMap((week) => [week + 100, week + 900].map((second) => tenRows(second)));
    const [, , third = 0] = weeks;
    const before = await fallbacks();
    const written = await writeTogether([...fresh, [...tenRows(third), rowOf(home, third + 500, 3)]]);
    expect(written.slice(0, 8)).toEqual(Array(8).fill({ stored: 10 }));
    expect(written[8]).toMatchObject({
      contradictions: [{ place: 10, field: 'power_kw', sent: 3, stored: 1 }],
    });
    expect((await fallbacks()) - before).toBe(engine === 'citus' ? 9 : 1);
    expect(await home.count()).toBe(4 + 80);
  });

  onOneServer(
    'missing rows of repeated batches are written together, and their sums are asked for',
    async () => {
      await storeElsewhere(1_000, 80);
      const copies = await countCopies();
      const batches = Array.from({ length: 8 }, (_, index) => [
        ...tenRows(1_000 + index * 10),
        rowOf(home, 10_000 + index),
      ]);
      expect(await writeTogether(batches)).toEqual(Array(8).fill({ stored: 1 }));
      expect(await copies()).toBeLessThanOrEqual(3 + 3);
      const { rows } = await service.admin.query<{ start: string }>(
        'SELECT DISTINCT start FROM late_quarter_hours WHERE start >= $1',
        [instant(9_000)],
      );
      expect(rows).toHaveLength(1);
      expect(await home.count()).toBe(88);
    },
  );

  test('of batches that hold the same rows the first is stored, equal ones count as duplicates, another one is refused', async () => {
    const written = await writeTogether([tenRows(0), tenRows(0), tenRows(20), tenRows(5, 2), tenRows(5)]);
    expect(written.map((answer) => ('stored' in answer ? answer.stored : 'refused'))).toEqual([
      10,
      0,
      10,
      'refused',
      5,
    ]);
    expect(await home.count()).toBe(25);
  });
});

describe('a moment after they were stored', () => {
  const erase = (from: number) =>
    service.admin.query('DELETE FROM asset_snapshots WHERE asset_id = $1 AND timestamp >= $2', [
      home.assets.household_net.key,
      instant(from),
    ]);

  onOneServer('the same bytes are answered as duplicates without a look', async () => {
    const { body: sent } = await home.send(tenRows(0));
    const [copies, looks, repeats] = [await countCopies(), countLooks(), await metric(service, REPEATS)];
    expect((await home.send(tenRows(0))).body).toEqual({ ...sent, stored: 0, duplicates: 10 });
    expect([await copies(), looks()]).toEqual([0, 0]);
    expect((await metric(service, REPEATS)) - (repeats || 0)).toBe(1);
  });

  onOneServer(
    'others with their first row are compared without a COPY, those of several organizations in one look',
    async () => {
      const other = await createTenant(service.api);
      const client = service.api.client(other.token);
      const otherHome = await addHousehold({ ...service, client }, other.organization);
      const sendBoth = (rows: number) =>
        Promise.all([
          home.send(tenRows(0).slice(0, rows)),
          otherHome.send([rowOf(otherHome, 0), rowOf(otherHome, 1)].slice(0, rows)),
        ]);
      for (const { body } of await sendBoth(10)) expect(body).toMatchObject({ duplicates: 0 });
      const copies = await countCopies();
      const looks = countLooks();
      /* Both take a connection once, whatever their requests wait for. */
      await expect
        .poll(async () => {
          await reconnect(service);
          const before = looks();
          for (const { body } of await sendBoth(1)) expect(body).toMatchObject({ stored: 0, total: 1 });
          return looks() - before;
        })
        .toBe(1);
      expect(await copies()).toBe(0);
    },
  );

  test('a batch of which rows were erased since is stored again behind a new connection, wholly or in part', async () => {
    await home.send(tenRows(0));
    await erase(4);
    await reconnect(service);
    expect((await home.send(tenRows(0))).body).toMatchObject({ stored: 6, duplicates: 4 });
    await erase(0);
    await reconnect(service);
    expect((await home.send(tenRows(0))).body).toMatchObject({ stored: 10, duplicates: 0 });
    expect(await home.count()).toBe(10);
  });

  test('another value in the middle refuses the batch as ever', async () => {
    await home.send(tenRows(0));
    const changed = tenRows(0).map((row, index) => (index === 5 ? { ...row, power_kw: 2 } : row));
    const answer = await home.send(changed);
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ field: 'snapshots.5.power_kw' }]]);
  });

  test('bytes are known for a minute, until the database is in doubt, among thousands of others and of a thousand organizations', async () => {
    let now = 5_000;
    const remembered = createRecentlyStored(() => now);
    const batchOf = await batchesOf(service, service.organization, home);
    const batches = Array.from({ length: 5_000 }, (_, second) => batchOf([rowOf(home, second)]));
    const count = (organization: string) =>
      Object.fromEntries(
        Map.groupBy(batches, (batch) => remembered.find(organization, batch))
          .entries()
          .map(([answer, those]) => [answer, those.length]),
      );
    for (const batch of batches) remembered.add('org_a', batch);
    expect(count('org_a').stored).toBeGreaterThan(4_900);
    expect(count('org_b')).toEqual({ nothing: 5_000 });
    const others = batches.slice(0, 1_000).map((batch, index) => [`org_${index}`, batch] as const);
    for (const [organization, batch] of others) remembered.add(organization, batch);
    expect(new Set(others.map((other) => remembered.find(...other)))).toEqual(new Set(['stored']));
    now += 59_000;
    expect(count('org_a').stored).toBeGreaterThan(4_900);
    now += 1_000;
    expect(count('org_a')).toMatchObject({ perhaps: expect.any(Number) });
    expect(count('org_a').stored).toBeUndefined();
    const [again] = batches as [Batch];
    remembered.add('org_a', again);
    expect(remembered.find('org_a', again)).toBe('stored');
    expect(remembered.find('org_a', batchOf([rowOf(home, 0, 2)]))).toBe('perhaps');
    expect(remembered.find('org_a', batchOf(tenRows(0)))).toBe('perhaps');
    remembered.doubt();
    expect(remembered.find('org_a', again)).toBe('perhaps');
    now += 1_000;
    expect(remembered.find('org_a', again)).toBe('perhaps');
    remembered.add('org_a', again);
    expect(remembered.find('org_a', again)).toBe('stored');
  });
});
