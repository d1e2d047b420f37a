import { createHash } from 'node:crypto';
import { access, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExportName } from '../../../src/config/export-names.ts';
import { writeDataSet } from '../../../src/governance/exports/data-set.ts';
import { unfinishedFolder } from '../../../src/governance/exports/folder-lock.ts';
import { manifestPath, readManifest } from '../../../src/governance/exports/manifest.ts';
import { setRestriction } from '../../../src/identity/customers/restrict.ts';
import { type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { fakeClock } from '../../setup/clock.ts';
import { act, type ExportWorld, exportWorld } from './fixture.ts';

/* Sums go later than the snapshots that they are made of, and days later than their quarter hours. */
let world: ExportWorld;
/** As the worker signs in. */
let service: Database;
beforeAll(async () => {
  world = await exportWorld();
  service = openDatabase({
    ...{ url: world.database.appUrl, applicationName: 'test', connectionsMax: 1 },
    onError: () => {},
  });
  for (const { organization, customers, households } of [world.a, world.b])
    await world.admin.query(
      `INSERT INTO assets (organization_id, customer_id, household_id, id, type)
       SELECT $1, customer, household, 'ast_net' || lpad(place::text, 21, '0'), 'household_net'
         FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS home (customer, household, place)`,
      [organization, customers, households],
    );
});
afterAll(async () => {
  await service?.close();
  await world?.close();
});

const clock = fakeClock('2026-10-26T12:00:00Z');

/** Writes one month into a folder of its name. */
async function write(what: ExportName, month: string, { organization } = world.a, reading = world.owner) {
  const folder = join(world.folder, what);
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const { written, unchanged, kept, rows } = await writeDataSet(
    { reading, database: service, clock },
    {
      ...{ folder, what, organization, signedIn: 'owner' },
      ...{ from: `${month}-01`, to: `${month}-29` },
    },
    act,
  );
  return { written, unchanged, kept, rows };
}
const isWritten = (month: string, rows: number) => ({ written: [month], unchanged: [], kept: [], rows });
const isKept = (month: string) => ({ written: [], unchanged: [], kept: [month], rows: 0 });

test('days of an erased person leave the data set while their year is kept, though their quarter hours went', async () => {
  const { admin } = world;
  const [erased, other] = world.a.keys;
  await admin.query(
    `INSERT INTO asset_days (asset_id, day, quarter_hours, samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, day, 96, 96, 86400, 1.5, 0 FROM unnest($1::bigint[]) AS key, unnest('{2022-05-10,2023-05-10}'::date[]) AS day`,
    [[erased, other]],
  );
  await admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     VALUES ($1, '2023-05-10T10:00Z', 1, 0, 900, 1, 0)`,
    [erased],
  );
  for (const month of ['2022-05', '2023-05']) {
    for (const what of ['energy_days', 'household_energy_days'] as const)
      expect([what, (await write(what, month)).written]).toEqual([what, [month]]);
  }
  await admin.query("SELECT drop_old_quarter_hour_chunks('2023-10-01', 100)");
  await admin.query('DELETE FROM asset_days WHERE asset_id = $1', [erased]);
  expect(await write('energy_days', '2023-05')).toEqual(isWritten('2023-05', 1));
  /* What retention removed stays. */
  await admin.query("SELECT delete_old_days('2023-01-01', 100)");
  expect(await write('energy_days', '2022-05')).toEqual(isKept('2022-05'));
  const { rows } = await admin.query('SELECT days_kept_since AS since FROM analytics.energy_progress');
  expect(rows[0].since.toISOString()).toBe('2022-12-31T23:00:00.000Z');
});

test('sessions whose snapshots went stay as they were: the first state of charge is that of a snapshot', async () => {
  const { admin, a } = world;
  const { rows } = await admin.query(
    `INSERT INTO assets (organization_id, customer_id, household_id, id, type, external_id, max_power_kw, bidirectional)
     VALUES ($1, $2, $3, 'ast_wallbox00000000000000000', 'wallbox', 'box', 11, true) RETURNING key`,
    [a.organization, a.customers[0], a.households[0]],
  );
  await admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh,
                                      vehicle_state_of_charge_last)
     VALUES ($1, '2026-01-10T20:00Z', 1, 1, 900, 2, 0, 0.4)`,
    [rows[0].key],
  );
  await admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw, connected, vehicle_state_of_charge)
     VALUES ($1, '2026-01-10T20:01Z', 8, true, 0.2)`,
    [rows[0].key],
  );
  expect(await write('charging_sessions', '2026-01')).toEqual(isWritten('2026-01', 1));
  await admin.query("SELECT drop_old_snapshot_chunks('2026-02-01', 100)");
  expect(await write('charging_sessions', '2026-01')).toEqual(isKept('2026-01'));
});

/** As an erasure leaves them: it ends the household's own assets, too. */
async function endAssets(customer: string): Promise<void> {
  await world.admin.query(
    "UPDATE assets SET decommissioned_at = '1970-01-01T00:00:00Z' WHERE customer_id = $1",
    [customer],
  );
}

test('a device that its client says to have ended in 1970 takes nothing from a month that stays', async () => {
  const { admin, a } = world;
  const [, other] = a.keys;
  await admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT $1, at, 1 FROM unnest('{2026-02-01,2026-02-26}'::timestamptz[]) AS at`,
    [other],
  );
  expect(await write('snapshots', '2026-02')).toEqual(isWritten('2026-02', 2));
  await admin.query("SELECT drop_old_snapshot_chunks('2026-02-14', 100)");
  await admin.query("UPDATE assets SET decommissioned_at = '1970-01-01T00:00:00Z' WHERE key = $1", [other]);
  expect(await write('snapshots', '2026-02')).toEqual(isKept('2026-02'));
});

test('what an erased person has in a month that stays leaves it, and the rest stays', async () => {
  const { admin, a } = world;
  const [erased, other] = a.keys;
  await admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT key, at, 1 FROM unnest($1::bigint[]) AS key, unnest('{2026-03-01,2026-03-28}'::timestamptz[]) AS at`,
    [[erased, other]],
  );
  expect(await write('snapshots', '2026-03')).toEqual(isWritten('2026-03', 4));
  await admin.query("SELECT drop_old_snapshot_chunks('2026-03-14', 100)");
  expect(await write('snapshots', '2026-03')).toEqual(isKept('2026-03'));
  await endAssets(a.customers[0]);
  await admin.query('SELECT erase_asset_snapshots($1)', [erased]);
  expect(await write('snapshots', '2026-03')).toEqual(isWritten('2026-03', 2));
  const [file] =
    (await readManifest(manifestPath(join(world.folder, 'snapshots'), 'snapshots')))?.files ?? [];
  const text = await readFile(join(world.folder, 'snapshots', file?.path ?? ''));
  expect([file?.rows, file?.sha256]).toEqual([2, createHash('sha256').update(text).digest('hex')]);
  expect([text.includes(a.assets[0]), text.includes(a.assets[1])]).toEqual([false, true]);
  expect(await write('snapshots', '2026-03')).toEqual(isKept('2026-03'));
});

async function storeSnapshots(keys: readonly unknown[], ...instants: string[]): Promise<void> {
  await world.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT key, at, 1 FROM unnest($1::bigint[]) AS key, unnest($2::timestamptz[]) AS at`,
    [keys, instants],
  );
}

const restrict = (customer: string, isRestricted: boolean) =>
  setRestriction(world.owner, { organization: world.b.organization, customer }, isRestricted, act);

async function rowsInFile(month: string): Promise<number | undefined> {
  const manifest = await readManifest(manifestPath(join(world.folder, 'snapshots'), 'snapshots'));
  return manifest?.files.find((file) => file.month === month && file.path.includes(world.b.organization))
    ?.rows;
}

test('what a restricted person has in a month that is over stays, also where retention comes before the end of the restriction', async () => {
  const { admin, b } = world;
  const restricted = b.customers[1];
  await storeSnapshots(b.keys, '2026-04-01', '2026-04-28');
  await storeSnapshots(b.keys, '2026-05-01', '2026-05-28');
  expect(await write('snapshots', '2026-04', b)).toEqual(isWritten('2026-04', 4));
  expect(await write('snapshots', '2026-05', b)).toEqual(isWritten('2026-05', 4));
  await restrict(restricted, true);
  expect(await write('snapshots', '2026-04', b)).toEqual(isKept('2026-04'));
  await admin.query("SELECT drop_old_snapshot_chunks('2026-04-14', 100)");
  await restrict(restricted, false);
  expect(await write('snapshots', '2026-04', b)).toEqual(isKept('2026-04'));
  expect(await rowsInFile('2026-04')).toBe(4);

  /* What comes late for others is in the file after the restriction. */
  await restrict(restricted, true);
  await storeSnapshots(b.keys.slice(0, 1), '2026-05-20');
  expect(await write('snapshots', '2026-05', b)).toEqual(isKept('2026-05'));
  await restrict(restricted, false);
  expect(await write('snapshots', '2026-05', b)).toEqual(isWritten('2026-05', 5));
});

test('the running month goes on without a restricted person, and a month that has none of his rows is written again', async () => {
  const { b } = world;
  const [key, keyOfRestricted] = b.keys;
  const restricted = b.customers[1];
  await storeSnapshots([key], '2026-06-01');
  await storeSnapshots(b.keys, '2026-10-20');
  expect(await write('snapshots', '2026-06', b)).toEqual(isWritten('2026-06', 1));
  expect(await write('snapshots', '2026-10', b)).toEqual(isWritten('2026-10', 2));
  await restrict(restricted, true);
  await storeSnapshots([key], '2026-06-20', '2026-10-21');
  await storeSnapshots([keyOfRestricted], '2026-06-20', '2026-10-21');
  expect(await write('snapshots', '2026-06', b)).toEqual(isWritten('2026-06', 2));
  expect(await write('snapshots', '2026-10', b)).toEqual(isWritten('2026-10', 2));
  await restrict(restricted, false);
  expect(await write('snapshots', '2026-06', b)).toEqual(isWritten('2026-06', 3));
  expect(await write('snapshots', '2026-10', b)).toEqual(isWritten('2026-10', 4));
});

test('a restriction that begins while a month that is over is being written takes nothing from it', async () => {
  const { b, owner } = world;
  await storeSnapshots(b.keys, '2026-08-01', '2026-08-28');
  expect(await write('snapshots', '2026-08', b)).toEqual(isWritten('2026-08', 4));
  await storeSnapshots(b.keys.slice(0, 1), '2026-08-20');
  const unfinished = join(unfinishedFolder(join(world.folder, 'snapshots')), '2026-08.parquet');
  let isFirstPortionRead = false;
  const reading: Database = {
    ...owner,
    async inOrganization(tenant, work) {
      const state = await readFile(`${unfinished}.state`, 'utf8').catch(() => '{"rows":0}');
      if (!isFirstPortionRead && JSON.parse(state).rows > 0) {
        isFirstPortionRead = true;
        await restrict(b.customers[1], true);
      }
      return await owner.inOrganization(tenant, work);
    },
  };
  expect(await write('snapshots', '2026-08', b, reading)).toEqual(isKept('2026-08'));
  expect(isFirstPortionRead).toBe(true);
  expect(await rowsInFile('2026-08')).toBe(4);
  await expect(access(unfinished)).rejects.toThrow('ENOENT');
  await restrict(b.customers[1], false);
  expect(await write('snapshots', '2026-08', b)).toEqual(isWritten('2026-08', 5));
});

test('an erased person leaves a month that stays for a restricted one', async () => {
  const { admin, b } = world;
  await storeSnapshots(b.keys, '2026-07-01', '2026-07-28');
  expect(await write('snapshots', '2026-07', b)).toEqual(isWritten('2026-07', 4));
  await restrict(b.customers[1], true);
  await endAssets(b.customers[0]);
  await admin.query('SELECT erase_asset_snapshots($1)', [b.keys[0]]);
  expect(await write('snapshots', '2026-07', b)).toEqual(isWritten('2026-07', 2));
  expect(await write('snapshots', '2026-07', b)).toEqual(isKept('2026-07'));
  await restrict(b.customers[1], false);
  expect(await write('snapshots', '2026-07', b)).toEqual(isWritten('2026-07', 2));
});
