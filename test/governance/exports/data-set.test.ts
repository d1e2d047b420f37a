import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXPORT_NAMES } from '../../../src/config/export-names.ts';
import { type DataSetTask, writeDataSet } from '../../../src/governance/exports/data-set.ts';
import { exportKind } from '../../../src/governance/exports/kinds.ts';
import { describeColumns, type Manifest, manifestPath } from '../../../src/governance/exports/manifest.ts';
import { writeDataSets } from '../../../src/governance/exports/write-nightly.ts';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import { fakeClock } from '../../setup/clock.ts';
import { Accounts } from '../analysts/account.ts';
import { act, type ExportWorld, exportWorld, insertSnapshots } from './fixture.ts';

let world: ExportWorld;
let duckDb: DuckDBInstance;
let accounts: Accounts;
const clock = fakeClock('2026-10-26T12:00:00Z');

beforeAll(async () => {
  world = await exportWorld();
  accounts = new Accounts(world.database);
  /* A day of each month is enough; that of October has 25 hours. */
  await insertSnapshots(world, '2026-09-30', '2026-09-30');
  await insertSnapshots(world, '2026-10-25', '2026-10-25');
  duckDb = await DuckDBInstance.create(':memory:', { threads: '1' });
});
afterAll(async () => {
  duckDb?.closeSync();
  await accounts?.close();
  await world?.close();
});

async function query(text: string): Promise<Record<string, unknown>[]> {
  const connection = await duckDb.connect();
  try {
    return (await connection.runAndReadAll(text)).getRowObjectsJson() as Record<string, unknown>[];
  } finally {
    connection.closeSync();
  }
}

async function newFolder(name: string): Promise<string> {
  const folder = join(world.folder, name);
  await mkdir(folder, { mode: 0o750 });
  return folder;
}

const write = (folder: string, task: Partial<DataSetTask> = {}) =>
  writeDataSet(
    { reading: world.owner, database: world.owner, clock },
    {
      ...{ folder, what: 'snapshots', organization: world.a.organization, signedIn: 'owner' },
      ...{ from: '2026-09-15', to: '2026-10-27', ...task },
    },
    act,
  );

let begun: Promise<string> | undefined;

/** With both months of the first organization, written once for all tests and copied for each. */
async function writtenFolder(name: string): Promise<string> {
  begun ??= newFolder('begun').then(async (folder) => {
    await write(folder);
    return folder;
  });
  const folder = await newFolder(name);
  await cp(await begun, folder, { recursive: true });
  return folder;
}

const manifestOf = (folder: string, what = 'snapshots') =>
  JSON.parse(readFileSync(manifestPath(folder, what), 'utf8')) as Manifest;

const fileOf = (folder: string, month: string, organization = world.a.organization) =>
  join(folder, 'snapshots', `organization=${organization}`, `month=${month}`, 'part-0.parquet');

/** By month of Berlin and asset, out of the tables and not of the views. */
const stored = (organizations: readonly string[]) =>
  world.rows<Record<string, unknown>>(
    `SELECT a.organization_id AS organization, to_char(s.timestamp AT TIME ZONE 'Europe/Berlin', 'YYYY-MM') AS month,
            a.id AS asset, count(*)::int AS rows, sum(s.power_kw) AS power,
            count(s.state_of_charge)::int AS charges, count(*) FILTER (WHERE s.connected)::int AS connected
       FROM asset_snapshots AS s JOIN assets AS a ON a.key = s.asset_id
      WHERE a.organization_id = ANY ($1) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    [organizations],
  );

const inFiles = (folder: string) =>
  query(
    `SELECT organization, month, asset, count(*)::INT AS rows, sum(power_kw) AS power,
            count(state_of_charge)::INT AS charges, (count(*) FILTER (WHERE connected))::INT AS connected
       FROM read_parquet('${folder}/snapshots/**/*.parquet', hive_partitioning = true)
      GROUP BY ALL ORDER BY organization, month, asset`,
  );

const rounded = (rows: Record<string, unknown>[]) =>
  rows.map((row) => ({ ...row, power: Number(row.power).toFixed(6) }));

test('a data set of two organizations holds each row of the tables, in the folder of its organization and month', async () => {
  const folder = await newFolder('whole');
  const first = await write(folder, { partBytes: 50_000 });
  expect(first).toMatchObject({ written: ['2026-09', '2026-10'], unchanged: [], kept: [], isComplete: true });
  await write(folder, { organization: world.b.organization });
  expect(rounded(await inFiles(folder))).toEqual(
    rounded(await stored([world.a.organization, world.b.organization])),
  );
  expect((await readdir(folder)).sort()).toEqual(['snapshots', 'snapshots.manifest.json']);
});

test('the manifest says what the files are: columns with units, spans, rows, bytes, SHA-256, when and by whom', async () => {
  const folder = await writtenFolder('manifest');
  const { files, columns, replacing, data_set } = manifestOf(folder);
  expect({ data_set, replacing }).toEqual({ data_set: 'snapshots', replacing: null });
  expect(columns.find(({ name }) => name === 'power_kw')).toMatchObject({ type: 'DOUBLE', unit: 'kW' });
  expect(columns.every(({ description }) => description !== '')).toBe(true);
  for (const file of files) {
    const bytes = readFileSync(join(folder, file.path));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256);
    expect(bytes.length).toBe(file.bytes);
    expect(await query(`SELECT count(*)::INT AS rows FROM '${join(folder, file.path)}'`)).toEqual([
      { rows: file.rows },
    ]);
  }
  expect(files.map(({ month, start, end, is_complete }) => [month, start, end, is_complete])).toEqual([
    ['2026-09', '2026-08-31T22:00:00.000Z', '2026-09-30T22:00:00.000Z', true],
    ['2026-10', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z', false],
  ]);
  expect(files[0]).toMatchObject({
    organization: world.a.organization,
    written_at: '2026-10-26T12:00:00.000Z',
    written_by: { staff: 'ada', command: 'export', reason: 'forecast of the load' },
  });
});

test.each(EXPORT_NAMES)('each column of %s that is a number has a unit in the manifest', (what) => {
  const numbers = describeColumns(exportKind(what).columns, new Map()).filter(
    ({ name, type }) =>
      /DOUBLE|DECIMAL/.test(type) ||
      (type === 'INTEGER' &&
        !['ledger_number', 'position', 'weekday', 'level', 'last_status', 'register', 'quarter'].includes(
          name,
        )),
  );
  expect(numbers.filter(({ unit }) => unit === null)).toEqual([]);
});

test('a month whose rows are the same stays as it is; late rows, changed and removed ones have it written again', async () => {
  const folder = await writtenFolder('again');
  const inode = async (month: string) => (await stat(fileOf(folder, month))).ino;
  const [september, october] = [await inode('2026-09'), await inode('2026-10')];
  expect(await write(folder)).toMatchObject({ written: [], unchanged: ['2026-09', '2026-10'], rows: 0 });
  expect([await inode('2026-09'), await inode('2026-10')]).toEqual([september, october]);
  const changes = [
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) SELECT key, '2026-09-30T12:00:30Z', 5 FROM assets WHERE id = $1`,
    `UPDATE asset_snapshots SET power_kw = 6 FROM assets WHERE id = $1 AND key = asset_id AND timestamp = '2026-09-30T12:00:30Z'`,
    `DELETE FROM asset_snapshots USING assets WHERE id = $1 AND key = asset_id AND timestamp = '2026-09-30T12:00:30Z'`,
  ];
  for (const change of changes) {
    await world.admin.query(change, ['ast_000000000000000000000001']);
    expect(await write(folder)).toMatchObject({ written: ['2026-09'], unchanged: ['2026-10'] });
    expect(rounded(await inFiles(folder))).toEqual(rounded(await stored([world.a.organization])));
  }
});

test('a data set of days has each day in its month, of Berlin, and is written again where a day changed', async () => {
  const folder = await newFolder('days');
  await world.admin.query(
    `INSERT INTO asset_days (asset_id, day, quarter_hours, samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, day, 96, 96, 86400, 1.5, 0 FROM assets, unnest(ARRAY['2026-09-30', '2026-10-01', '2026-10-25']::date[]) AS day`,
  );
  const days = { what: 'energy_days' } as const;
  expect(await write(folder, days)).toMatchObject({ written: ['2026-09', '2026-10'], rows: 75 });
  expect(await write(folder, days)).toMatchObject({ written: [], unchanged: ['2026-09', '2026-10'] });
  await world.admin.query("UPDATE asset_days SET consumed_kwh = 2.5 WHERE day = '2026-10-01'");
  expect(await write(folder, days)).toMatchObject({ written: ['2026-10'], unchanged: ['2026-09'] });
  const read = `read_parquet('${folder}/energy_days/**/*.parquet', hive_partitioning = true)`;
  expect(
    await query(
      `SELECT month, delivery_day::VARCHAR AS day, sum(consumed_kwh) AS kwh FROM ${read} GROUP BY ALL ORDER BY ALL`,
    ),
  ).toEqual([
    { month: '2026-09', day: '2026-09-30', kwh: 37.5 },
    { month: '2026-10', day: '2026-10-01', kwh: 62.5 },
    { month: '2026-10', day: '2026-10-25', kwh: 37.5 },
  ]);
  const calendar = { what: 'calendar', organization: null } as const;
  expect(await write(folder, calendar)).toMatchObject({ written: ['2026-09', '2026-10'], rows: 30 + 27 });
  expect(
    await query(
      `SELECT delivery_day::VARCHAR AS day, holiday_states AS states FROM read_parquet('${folder}/calendar/**/*.parquet')
        WHERE holiday IS NOT NULL ORDER BY 1`,
    ),
  ).toEqual([
    { day: '2026-09-20', states: 'TH' },
    { day: '2026-10-03', states: 'BB BE BW BY HB HE HH MV NI NW RP SH SL SN ST TH' },
  ]);
  const spans = manifestOf(folder, 'energy_days').files.map(({ first, last }) => [first, last]);
  expect(spans).toEqual([
    ['2026-09-29T22:00:00.000Z', '2026-09-29T22:00:00.000Z'],
    ['2026-09-30T22:00:00.000Z', '2026-10-24T22:00:00.000Z'],
  ]);
});

test('a data set of charging sessions says what its columns mean, and follows a vehicle that stays', async () => {
  const folder = await newFolder('charging');
  await world.admin.query(
    `WITH box AS (
       INSERT INTO assets (organization_id, customer_id, household_id, id, type, external_id, max_power_kw, bidirectional)
       VALUES ($1, $2, $3, 'ast_wallbox00000000000000000', 'wallbox', 'box', 11, true) RETURNING key)
     INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, at, 1, 1, 900, 0.25, 0
       FROM box, generate_series('2026-09-30T20:00Z'::timestamptz, '2026-10-02T20:00Z', interval '15 minutes') AS at`,
    [world.a.organization, world.a.customers[0], world.a.households[0]],
  );
  const sessions = { what: 'charging_sessions' } as const;
  expect(await write(folder, sessions)).toMatchObject({ written: ['2026-09', '2026-10'], rows: 1 });
  expect(await write(folder, sessions)).toMatchObject({ unchanged: ['2026-09', '2026-10'] });
  const { columns } = manifestOf(folder, 'charging_sessions');
  expect(columns.filter(({ description }) => description === '')).toEqual([]);
  await world.admin.query(
    `INSERT INTO asset_quarter_hours (asset_id, start, samples, connected_samples, covered_seconds, consumed_kwh, fed_kwh)
     SELECT key, '2026-10-02T20:15Z', 1, 1, 900, 0.25, 0 FROM assets WHERE type = 'wallbox' AND organization_id = $1`,
    [world.a.organization],
  );
  expect(await write(folder, sessions)).toMatchObject({ written: ['2026-09'], unchanged: ['2026-10'] });
  const read = `read_parquet('${folder}/charging_sessions/**/*.parquet', hive_partitioning = true)`;
  expect(
    await query(
      `SELECT month, external_id, charged_kwh, epoch(ended_at - start)::INT AS seconds FROM ${read}`,
    ),
  ).toEqual([{ month: '2026-09', external_id: 'box', charged_kwh: 48.5, seconds: 194 * 900 }]);
  await world.admin.query(
    `DELETE FROM asset_quarter_hours WHERE asset_id = (SELECT key FROM assets WHERE type = 'wallbox');
     DELETE FROM assets WHERE type = 'wallbox'`,
  );
});

test('a month that ran when it was written is written once more when it is over, and then no more', async () => {
  const folder = await newFolder('over');
  await write(folder, { from: '2026-10-01' });
  const november = fakeClock('2026-11-02T12:00:00Z');
  const later = () =>
    writeDataSet(
      { reading: world.owner, database: world.owner, clock: november },
      {
        ...{ folder, what: 'snapshots', organization: world.a.organization, signedIn: 'owner' },
        ...{ from: '2026-10-01', to: '2026-11-01' },
      },
      act,
    );
  expect(await later()).toMatchObject({ written: ['2026-10'] });
  expect(manifestOf(folder).files[0]?.is_complete).toBe(true);
  expect(await later()).toMatchObject({ written: [], unchanged: ['2026-10'] });
});

/** As retention does it: whole weeks of UTC go, which begin on Thursdays. */
const removeBefore = (instant: string) =>
  world.admin.query('SELECT drop_old_snapshot_chunks($1, 100)', [instant]);

test('an erasure of whoever sent first reaches the data set: only what retention removed is kept', async () => {
  const folder = await newFolder('erased');
  const { organization, customers, households } = world.a;
  const { rows } = await world.admin.query(
    `INSERT INTO assets (organization_id, customer_id, household_id, id, type, max_power_kw)
     VALUES ($1, $2, $3, 'ast_first0000000000000000000', 'heat_pump', 3) RETURNING key`,
    [organization, customers[0], households[0]],
  );
  await world.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT $1, t::timestamptz, 1 FROM unnest('{2026-07-01T08:00Z,2026-07-01T09:00Z}'::text[]) AS t
     UNION ALL SELECT key, '2026-07-20T08:00Z', 2 FROM assets WHERE id = 'ast_000000000000000000000002'`,
    [rows[0].key],
  );
  const july = { from: '2026-07-01', to: '2026-08-01' };
  expect(await write(folder, july)).toMatchObject({ written: ['2026-07'], rows: 3 });
  await world.admin.query('SELECT erase_asset_snapshots($1)', [rows[0].key]);
  await world.admin.query('DELETE FROM assets WHERE key = $1', [rows[0].key]);
  expect(await write(folder, july)).toMatchObject({ written: ['2026-07'], rows: 1 });
  await world.admin.query(`DELETE FROM asset_snapshots WHERE timestamp < '2026-08-01T00:00Z'`);
});

test('what retention removes from the database stays in the data set, also hours of the first day of its month', async () => {
  const folder = await newFolder('kept');
  await insertSnapshots(world, '2026-01-01', '2026-01-02');
  const january = { from: '2026-01-01', to: '2026-02-01' };
  await write(folder, january);
  /* New Year 2026 is a Thursday: its first hour in Berlin lies in the week of the year before. */
  await removeBefore('2026-01-01T00:00:00Z');
  const { rows } = await world.admin.query('SELECT min(timestamp) AS first FROM asset_snapshots');
  expect(rows[0].first.toISOString()).toBe('2026-01-01T00:00:00.000Z');
  expect(await write(folder, january)).toMatchObject({ written: [], kept: ['2026-01'] });
  await removeBefore('2026-02-01T00:00:00Z');
  expect(await write(folder, january)).toMatchObject({ written: [], kept: ['2026-01'] });
  expect(manifestOf(folder).files[0]?.rows).toBe(25 * 2 * 96);
  /* Who wants it otherwise removes the file. */
  await rm(fileOf(folder, '2026-01'));
  expect(await write(folder, january)).toMatchObject({ written: ['2026-01'], rows: 0 });
});

test('a run that is stopped leaves the former file, and one that died behind the new file finds it in its manifest', async () => {
  const folder = await writtenFolder('stopped');
  const before = readFileSync(fileOf(folder, '2026-09'));
  const late = ['ast_000000000000000000000002', '2026-09-30T12:00:31Z'];
  await world.admin.query(
    'INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) SELECT key, $2, 5 FROM assets WHERE id = $1',
    late,
  );
  const stopping = new AbortController();
  const onMonth = () => stopping.abort();
  expect(await write(folder, { signal: stopping.signal, onMonth })).toMatchObject({
    isComplete: false,
    written: [],
  });
  expect(readFileSync(fileOf(folder, '2026-09')).equals(before)).toBe(true);
  const former = manifestOf(folder);
  await write(folder);
  const after = manifestOf(folder);
  const replacing = after.files.find(({ month }) => month === '2026-09');
  /* As it stands between the two: behind the renaming, and before it. */
  await writeFile(manifestPath(folder, 'snapshots'), JSON.stringify({ ...former, replacing }));
  expect(await write(folder)).toMatchObject({ written: [], unchanged: ['2026-09', '2026-10'] });
  expect(manifestOf(folder)).toEqual(after);
  await writeFile(fileOf(folder, '2026-09'), before);
  await writeFile(manifestPath(folder, 'snapshots'), JSON.stringify({ ...former, replacing }));
  expect(await write(folder)).toMatchObject({ written: ['2026-09'], unchanged: ['2026-10'] });
  expect(rounded(await inFiles(folder))).toEqual(rounded(await stored([world.a.organization])));
});

test('one run at a time writes into a folder; a lock whose holder has died holds nobody up', async () => {
  const folder = await newFolder('locked');
  const lock = join(folder, '.unfinished', 'lock');
  await mkdir(join(folder, '.unfinished'));
  await writeFile(lock, JSON.stringify({ pid: process.pid, host: hostname() }));
  await expect(write(folder)).rejects.toThrow(
    `Process ${process.pid} of ${hostname()} writes into ${folder}`,
  );
  await writeFile(lock, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }));
  await write(folder, { from: '2026-09-30', to: '2026-10-01' });
  expect(await readdir(folder)).not.toContain('.unfinished');
});

test('files and folders can be read by whom the folder lets in, and by nobody else', async () => {
  const folder = await newFolder('modes');
  await write(folder, { from: '2026-09-30', to: '2026-10-01' });
  const mode = async (path: string) => (await stat(path)).mode & 0o777;
  expect(await mode(fileOf(folder, '2026-09'))).toBe(0o640);
  expect(await mode(join(folder, 'snapshots'))).toBe(0o750);
  expect(await mode(manifestPath(folder, 'snapshots'))).toBe(0o640);
});

test('the nightly job reads by accounts of analysts, each its own organization, and writes nothing where no folder is named', async () => {
  const folder = await newFolder('nightly');
  const [a, b] = [await accounts.make(world.a.organization), await accounts.make(world.b.organization)];
  const config = {
    DATA_SETS_FOLDER: folder,
    DATA_SETS_ACCOUNTS: [a.address, b.address],
    DATA_SETS_WHAT: ['snapshots', 'prices'] as const,
    DATA_SETS_MONTHS: 2,
  };
  const never = new AbortController().signal;
  const run = { signal: never, closing: never, log: pino({ level: 'silent' }) };
  const nightly = (given: object = {}) =>
    writeDataSets(
      {
        config: { ...config, DATA_SETS_WHAT: [...config.DATA_SETS_WHAT], ...given },
        database: world.owner,
        clock,
      },
      run,
    );
  expect(await nightly()).toMatchObject({ written: 6, unchanged: 0 });
  expect(await nightly()).toMatchObject({ written: 0, unchanged: 6 });
  expect(rounded(await inFiles(folder))).toEqual(
    rounded(await stored([world.a.organization, world.b.organization])),
  );
  expect(manifestOf(folder, 'prices').files.map(({ path }) => path)).toEqual([
    'prices/month=2026-09/part-0.parquet',
    'prices/month=2026-10/part-0.parquet',
  ]);
  const [line] = await world.rows(`SELECT act, staff, reason FROM audit_log ORDER BY id DESC LIMIT 1`);
  expect(line).toEqual({ act: 'snapshots.export', staff: 'worker', reason: 'nightly data set' });
  const wrong = a.address.replace(/:[^:@]+@/, ':wrong@');
  await expect(nightly({ DATA_SETS_ACCOUNTS: [wrong, b.address] })).rejects.toThrow('For 1 accounts');
  const second = await newFolder('nightly-shut-out');
  const standing = { ...act, now: clock.now().toISOString() };
  await setStanding(world.owner, world.a.organization, 'suspended', standing);
  const written = { written: 4, unchanged: 0, shut_out: 1 };
  expect(await nightly({ DATA_SETS_FOLDER: second })).toMatchObject(written);
  expect(manifestOf(second, 'prices').files).toHaveLength(2);
  await setStanding(world.owner, world.a.organization, 'in_order', standing);
  expect(await nightly({ DATA_SETS_FOLDER: second })).toMatchObject({ written: 2, shut_out: 0 });
  expect(await nightly({ DATA_SETS_FOLDER: undefined })).toEqual({ configured: false });
});
