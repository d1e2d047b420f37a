import pg from 'pg';
import { expect } from 'vitest';
import { listHeldPower } from '../../src/telemetry/snapshots/queries.ts';
import { createTenant } from '../setup/factories.ts';
import { sumAllQuarterHours } from '../setup/quarter-hours.ts';
import {
  addHousehold,
  instant,
  type SnapshotApi,
  type SnapshotHousehold,
} from '../telemetry/snapshots/snapshot-api.ts';
import { bothEngines, uneven } from './both-engines.ts';

const { onBoth, onCitus } = bothEngines('rows');

const rowOf = (home: SnapshotHousehold, second: number, power_kw = second) => ({
  asset: home.assets.household_net.id,
  timestamp: instant(second),
  power_kw,
});

onCitus('a batch is stored once: duplicates count, missing rows are added', async ({ citus }) => {
  const home = await citus.addHousehold();
  const solar = (second: number) => ({ ...rowOf(home, second, -1), asset: home.assets.solar.id });
  const both = [rowOf(home, 1), solar(1)];
  expect((await home.send(both)).body).toMatchObject({ total: 2, stored: 2, duplicates: 0 });
  expect((await home.send(both)).body).toMatchObject({ total: 2, stored: 0, duplicates: 2 });
  const more = [...both, rowOf(home, 2), solar(3)];
  expect((await home.send(more)).body).toMatchObject({ total: 4, stored: 2, duplicates: 2 });
  expect(await home.count()).toBe(4);
});

onCitus('other values for a stored row refuse the whole batch', async ({ citus }) => {
  const home = await citus.addHousehold();
  await home.send([rowOf(home, 2)]);
  const refused = await home.send([rowOf(home, 9), rowOf(home, 2, 7)]);
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'snapshots.1.power_kw' }] } });
  expect(await home.count()).toBe(1);
});

onCitus('rows of a race for the same instants are stored once', async ({ citus }) => {
  const home = await citus.addHousehold();
  await home.send([rowOf(home, 0)]);
  const rows = Array.from({ length: 300 }, (_, second) => rowOf(home, second));
  const answers = await Promise.all(Array.from({ length: 6 }, () => home.send(rows)));
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
  const stored = answers.reduce((sum, { body }) => sum + body.stored, 0);
  expect([stored, await home.count()]).toEqual([299, 300]);
});

interface NewestPage {
  items: { timestamp: string }[];
  next_page: string | null;
}

onCitus('the newest snapshots come in pages, newest first, of the own organization', async ({ citus }) => {
  const homes = await Promise.all(Array.from({ length: 5 }, () => citus.addHousehold()));
  for (const [index, home] of homes.entries()) {
    await home.send([rowOf(home, 2 * index), rowOf(home, 100 + index)]);
    await home.send([{ ...rowOf(home, 50 + index), asset: home.assets.heat_pump.id, power_kw: 2 }]);
  }
  const path = `/asset-snapshots?limit=3&filter[household][in]=${homes.map(({ household }) => household).join(',')}`;
  const seen: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const { body }: { body: NewestPage } = await citus.client.get<NewestPage>(
      next === '' ? path : `${path}&cursor=${encodeURIComponent(next)}`,
    );
    seen.push(...body.items.map(({ timestamp }) => timestamp));
    next = body.next_page;
  }
  const sent = [...homes.keys()].flatMap((index) => [instant(100 + index), instant(50 + index)]);
  expect(seen).toEqual(sent.sort().reverse());
  const stranger = citus.api.client((await createTenant(citus.api)).token);
  expect((await stranger.get(path)).body).toMatchObject({ items: [] });
});

onBoth('the power held at a connection is that of TimescaleDB', async ({ citus, timescale }) => {
  const span = { from: Date.parse('2026-12-01T03:00Z'), until: Date.parse('2026-12-01T09:00Z') };
  const held = async (service: SnapshotApi) => {
    const { home } = await uneven(service);
    const { organization } = service;
    return await service.api.deps.database.inOrganization({ organization }, (connection) =>
      listHeldPower(connection, organization, home.household, span),
    );
  };
  const found = await held(citus);
  expect(found.length).toBeGreaterThan(15);
  expect(found).toEqual(await held(timescale));
});

/* One engine keeps rows that nothing covers, the other does not: no view shows them. */
const SUMS = `
  SELECT start, samples, connected_samples, first_at, last_at, first_power_kw, last_power_kw, power_kw_min, power_kw_max,
         round(covered_seconds::numeric, 6) AS seconds, round(consumed_kwh::numeric, 9) AS consumed,
         round(fed_kwh::numeric, 9) AS fed, state_of_charge_first, state_of_charge_last, vehicle_state_of_charge_last
    FROM asset_quarter_hours WHERE asset_id = $1 AND covered_seconds > 0 ORDER BY start`;

onBoth('sums by quarter hour, also of late rows, are those of TimescaleDB', async ({ citus, timescale }) => {
  const sums = async (service: SnapshotApi) => {
    const { home, key } = await uneven(service);
    await sumAllQuarterHours(service.api.database, service.clock);
    const { rows: first } = await service.admin.query(SUMS, [key]);
    const late = ['03:01:00', '04:14:59', '06:40:00'].map((time, index) => ({
      asset: home.assets.household_net.id,
      timestamp: `2026-12-01T${time}.5Z`,
      power_kw: index - 1,
    }));
    expect((await home.send(late)).body).toMatchObject({ stored: 3 });
    await sumAllQuarterHours(service.api.database, service.clock);
    const { rows: second } = await service.admin.query(SUMS, [key]);
    expect(second).not.toEqual(first);
    return [first, second];
  };
  const found = await sums(citus);
  expect(found[0]?.length).toBeGreaterThan(15);
  expect(found).toEqual(await sums(timescale));
});

onCitus('the rows of another organization are found by no function', async ({ citus, database }) => {
  const { organization } = await createTenant(citus.api);
  const home = await addHousehold(citus, organization);
  const { key } = home.assets.household_net;
  await citus.admin.query(
    'INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, $2, 4711)',
    [key, instant(1)],
  );
  const app = new pg.Client({ connectionString: database.appUrl });
  await app.connect();
  const ask = async (by: string) => {
    await app.query(`BEGIN; SELECT set_config('app.organization', '${by}', true)`);
    const { rows } = await app.query('SELECT * FROM stored_snapshots($1, $2, $3, $4, $5)', [
      ...[[key], [1], [instant(1)]],
      ...[instant(0), instant(2)],
    ]);
    const held = await app.query("SELECT FROM held_power($1, $2, $3, 'infinity')", [
      key,
      instant(0),
      instant(2),
    ]);
    const newest = await app.query('SELECT FROM newest_snapshots(NULL, NULL, $1, NULL, NULL, 9)', [
      instant(0),
    ]);
    await app.query('ROLLBACK');
    return [rows[0]?.power_kw !== null, held.rowCount, newest.rowCount];
  };
  try {
    expect(await ask(organization)).toEqual([true, 1, 1]);
    const stranger = (await createTenant(citus.api)).organization;
    expect(await ask(stranger)).toEqual([false, 0, 0]);
    /* Runs of one asset, asked for by its organization, by a stranger, and by its organization at another instant. */
    const { rows } = await app.query('SELECT * FROM stored_snapshots($1, $2, $3, $4, $5, $6, $7)', [
      ...[
        [key, key, key],
        [1, 2, 4],
        [instant(1), instant(1), instant(0), instant(2)],
      ],
      ...[instant(0), instant(2)],
      ...[
        [organization, stranger, organization],
        [1, 2, 3],
      ],
    ]);
    expect(rows.map(({ power_kw }) => power_kw !== null)).toEqual([true, false, false]);
  } finally {
    await app.end();
  }
});
