import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeColumns } from '../../../src/governance/exports/manifest.ts';
import { sqlFolder } from '../../../src/platform/database/migration-files.ts';
import { inPieces } from '../../../src/platform/fair-queue.ts';
import { type AssetRow, createAssetMap } from '../../../src/telemetry/snapshots/asset-map.ts';
import { type Batch, scanBatch } from '../../../src/telemetry/snapshots/batch.ts';
import { contradictionEntries } from '../../../src/telemetry/snapshots/contradictions.ts';
import {
  type FieldOfTable,
  type FieldTable,
  fieldTable,
  MEASURED_FIELDS,
} from '../../../src/telemetry/snapshots/fields.ts';
import { newestSnapshots } from '../../../src/telemetry/snapshots/newest.ts';
import { listAssetsForSnapshots } from '../../../src/telemetry/snapshots/queries.ts';
import { readOpening } from '../../../src/telemetry/snapshots/scan.ts';
import { shapeEntriesOf, snapshotRowOf } from '../../../src/telemetry/snapshots/schema.ts';
import { timeLimits } from '../../../src/telemetry/snapshots/time-limits.ts';
import { createSnapshotWriter, type SnapshotWriter } from '../../../src/telemetry/snapshots/writer.ts';
import { fileOnlyOn } from '../../setup/engine.ts';
import { runs } from '../../setup/tier.ts';
import { assetMap, LIMITS } from './asset-maps.ts';
import { contentOf, expectSame, judged, readBatch, scanned } from './both-readers.ts';
import { randomRows } from './random-rows.ts';
import { instant, type SnapshotApi, type SnapshotHousehold, startSnapshotApi } from './snapshot-api.ts';

/* A field that nobody measures is put into the table, and everything that follows from the table has to know it. */

const degrees: FieldOfTable = {
  name: 'room_degrees',
  kind: 'number',
  unit: 'degrees',
  bounds: { min: -50, max: 100 },
  types: ['wallbox', 'household_net'],
  since: '2026-09-08.gauss',
  words: { sent: 'Warmth of the room in degrees.', shown: 'Warmth of the room in degrees' },
  column: 'double precision',
};

const locked: FieldOfTable = {
  name: 'is_locked',
  kind: 'boolean',
  unit: null,
  types: ['wallbox', 'household_net'],
  since: '2026-09-08.gauss',
  words: { sent: 'The cable is locked.', shown: 'Whether the cable is locked' },
  column: 'boolean',
};

/** The fifth field stands second, so that nothing can rest on the places of the others. */
function withField(field: FieldOfTable): FieldTable {
  const [first, ...rest] = MEASURED_FIELDS;
  return fieldTable([first, field, ...rest]);
}

const HOUSEHOLD = 'dom_1';
const bodyOf = (snapshots: readonly unknown[]) =>
  Buffer.from(JSON.stringify({ household: HOUSEHOLD, snapshots }));

const hasField = (row: unknown, { name }: FieldOfTable) =>
  typeof row === 'object' && row !== null && Object.hasOwn(row, name);

describe.each([
  ['a number', degrees, 21.5, 22.5],
  ['true or false', locked, true, false],
])('a fifth field that is %s', (_kind, field, value, other) => {
  const table = withField(field);
  const map = assetMap(1, table);
  const { jsonRow, likelyRow } = randomRows(table);
  const timestamp = '2026-05-01T00:00:00Z';
  const entriesOf = (rows: readonly unknown[]) =>
    readBatch(rows, map, LIMITS).entries.map((entry) => `${entry.code} ${entry.field}: ${entry.message}`);

  test('is read from bytes as from parsed rows, whatever the rows', () => {
    let taken = 0;
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 30, arbitrary: likelyRow }, jsonRow), { minLength: 1, maxLength: 6 }),
        (rows) => {
          if (expectSame(bodyOf(rows), map) && rows.some((row) => hasField(row, field))) taken += 1;
        },
      ),
      { numRuns: runs(500) },
    );
    expect(taken).toBeGreaterThan(runs(3));
  });

  test('is taken exactly if the schema and the rules find nothing wrong with the row', () => {
    const schema = snapshotRowOf(table);
    let taken = 0;
    fc.assert(
      fc.property(fc.oneof(jsonRow, likelyRow), (row) => {
        const bytes = bodyOf([row]);
        const fast = contentOf(scanned(bytes, map));
        expect(fast, bytes.toString()).toEqual(contentOf(judged(bytes, map)));
        const isAccepted = schema.safeParse(row).success;
        expect(shapeEntriesOf([row], table).flat().length === 0 || !isAccepted || fast === null).toBe(true);
        if (fast !== null) expect(isAccepted).toBe(true);
        if (fast !== null && hasField(row, field)) taken += 1;
      }),
      { numRuns: runs(500) },
    );
    expect(taken).toBeGreaterThan(runs(3));
  });

  test('has its own unit in exports, whatever its name ends with', () => {
    const named = { ...field, name: `${field.name}_now` };
    const columns = describeColumns(
      [{ name: named.name, type: 'number', of: 'v' }],
      new Map(),
      withField(named),
    );
    expect(columns.map(({ unit }) => unit)).toEqual([field.unit]);
  });

  test('is a value of its row alone: one that is not sent is not that of the batch before', () => {
    const sent = { asset: 'ast_wallbox', timestamp, [field.name]: value };
    const notSent = { asset: 'ast_wallbox', timestamp, connected: true };
    for (const read of [scanned, judged]) {
      const before = read(bodyOf([notSent]), map)?.encoded.buffer;
      read(bodyOf([sent]), map);
      expect(read(bodyOf([notSent]), map)?.encoded.buffer).toEqual(before);
      expect(read(bodyOf([sent]), map)?.encoded.buffer).not.toEqual(before);
    }
  });

  test('is enough for a row by itself, and refused of assets of other types', () => {
    const row = (asset: string) => ({ asset, timestamp, [field.name]: value });
    expect(entriesOf([row('ast_wallbox'), row('ast_household_net')])).toEqual([]);
    expect(scanned(bodyOf([row('ast_solar')]), map)).toBeNull();
    expect(entriesOf([row('ast_solar')])).toEqual([
      `unrecognized_keys snapshots.0.${field.name}: ${field.name} belongs to type wallbox or household_net, and the asset is of type solar`,
      'custom snapshots.0: No field of an asset of type solar',
    ]);
  });

  test('differs between two rows of one instant', () => {
    const row = (values: object) => ({ asset: 'ast_wallbox', timestamp, power_kw: 1, ...values });
    expect(entriesOf([row({ [field.name]: value }), row({ [field.name]: other }), row({})])).toEqual([
      `custom snapshots.1.${field.name}: ${other} differs from ${value} sent for the same asset and timestamp`,
      `custom snapshots.2.${field.name}: none differs from ${value} sent for the same asset and timestamp`,
    ]);
  });
});

test('a fifth field that is a number is taken up to its bounds, and not beyond', () => {
  const map = assetMap(1, withField(degrees));
  const row = (room_degrees: unknown) => ({
    asset: 'ast_wallbox',
    timestamp: '2026-05-01T00:00:00Z',
    room_degrees,
  });
  for (const room_degrees of [-50, 100]) expect(scanned(bodyOf([row(room_degrees)]), map)).not.toBeNull();
  for (const [room_degrees, code] of [
    [-50.0001, 'too_small'],
    [100.0001, 'too_big'],
    ['21', 'invalid_type'],
  ]) {
    expect(scanned(bodyOf([row(room_degrees)]), map)).toBeNull();
    const { entries } = readBatch([row(room_degrees)], map, LIMITS);
    expect(entries.map((entry) => `${entry.code} ${entry.field}`)).toEqual([
      `${code} snapshots.0.room_degrees`,
    ]);
  }
});

test('two fields whose names begin with the same letter are no table', () => {
  const table = withField({ ...degrees, name: 'temperature_degrees' });
  expect(() => scanned(bodyOf([{}]), assetMap(1, table))).toThrow(
    'temperature_degrees begins with the same letter as timestamp',
  );
});

/** What names the fourth field in the functions of the database names the fifth one too. */
function functionsWith(name: string, { column }: FieldOfTable): string {
  const textOf = (file: string) => readFileSync(join(sqlFolder, 'repeatable', file), 'utf8');
  const newest = textOf('newest-snapshots.sql')
    .replace('vehicle_state_of_charge double precision,', `$& ${name} ${column},`)
    .replace('newest.vehicle_state_of_charge,', `$& newest.${name},`)
    .replace('s.vehicle_state_of_charge,', `$& s.${name},`);
  const stored = textOf('stored-snapshots.sql')
    .replace('vehicle_state_of_charge bytea', `$&, ${name} bytea`)
    .replace(
      'array_send(array_agg(s.vehicle_state_of_charge)) AS vehicle_charges',
      `$&, array_send(array_agg(s.${name})) AS fifths`,
    )
    .replace('stored.vehicle_charges', '$&, stored.fifths')
    .replace(/s\.vehicle_state_of_charge$/m, `$&, s.${name}`);
  return `DROP FUNCTION newest_snapshots, stored_snapshots; ${newest}; ${stored}`;
}

describe('a fifth field in the database', () => {
  fileOnlyOn('timescaledb', 'the functions of the other engine are other texts');

  let service: SnapshotApi;
  let home: SnapshotHousehold;
  let writer: SnapshotWriter;
  let rows: AssetRow[];

  beforeAll(async () => {
    service = await startSnapshotApi({});
    home = await service.addHousehold();
    const { deps } = service.api;
    writer = createSnapshotWriter(deps);
    const found = await deps.database.inOrganization({ organization: service.organization }, (connection) =>
      listAssetsForSnapshots(connection, service.organization, [home.household], 10),
    );
    rows = found.get(home.household) ?? [];
  });
  afterAll(async () => {
    await writer?.drain();
    await service?.close();
  });

  function batchOf(table: FieldTable, snapshots: readonly unknown[]): Batch {
    const bytes = Buffer.from(JSON.stringify({ household: home.household, snapshots }));
    const limits = timeLimits(service.clock.nowMilliseconds(), 0);
    const opening = readOpening(bytes);
    const batch =
      opening === null ? null : scanBatch(bytes, opening.rowsAt, createAssetMap(rows, table), limits);
    if (batch === null) throw new Error('These rows are good');
    return batch;
  }

  const write = (batch: Batch) =>
    writer.write(
      service.api.deps.queue.account({ path: [service.organization, 'client'], weight: 1 }),
      batch,
      new AbortController().signal,
    );

  test.each([
    ['a number', degrees, [21.5, -50, 0.1], 99],
    ['true or false', locked, [true, false, true], false],
  ])(
    'that is %s comes back as it was sent, and what differs from it is refused',
    async (_kind, field, values, other) => {
      const { name } = field;
      await service.admin.query(`ALTER TABLE asset_snapshots ADD COLUMN ${name} ${field.column}`);
      await service.admin.query(functionsWith(name, field));
      const table = withField(field);
      const { household_net: net } = home.assets;
      const second = field.kind === 'number' ? 0 : 100;
      const sent = [...values, undefined].map((value, index) => ({
        asset: net.id,
        timestamp: instant(second + index),
        power_kw: index,
        ...(value !== undefined && { [name]: value }),
      }));
      expect(await write(batchOf(table, sent))).toEqual({ stored: 4 });

      const { rows: stored } = await service.admin.query(
        `SELECT power_kw, ${name}, connected FROM asset_snapshots WHERE asset_id = $1 AND timestamp >= $2 ORDER BY timestamp`,
        [net.key, instant(second)],
      );
      expect(stored).toEqual(
        sent.map((row, index) => ({
          power_kw: row.power_kw,
          [name]: values[index] ?? null,
          connected: null,
        })),
      );

      expect(await write(batchOf(table, sent))).toEqual({ stored: 0 });
      const later = { ...sent[0], timestamp: instant(second + 50) };
      expect(await write(batchOf(table, [...sent, later]))).toEqual({ stored: 1 });

      const different = batchOf(table, [
        { ...sent[0], [name]: other },
        { ...sent[3], [name]: other },
      ]);
      const written = await write(different);
      const told =
        'contradictions' in written &&
        (await inPieces(contradictionEntries(different, written.contradictions)));
      expect(told).toEqual([
        {
          code: 'custom',
          field: `snapshots.0.${name}`,
          message: `${other} differs from ${values[0]} stored for the same asset and timestamp`,
        },
        {
          code: 'custom',
          field: `snapshots.1.${name}`,
          message: `${other} differs from none stored for the same asset and timestamp`,
        },
      ]);

      const list = {
        limit: 10,
        after: null,
        filters: [{ field: 'asset', operator: 'eq' as const, value: net.id, type: 'string' as const }],
        cursorAfter: () => '',
      };
      const { items } = await newestSnapshots(service.api.deps, service, list, table);
      expect(items).toMatchObject([{ asset: net.id, power_kw: 0, [name]: values[0] }]);
      expect(Object.keys(items[0] ?? {})).toEqual([
        ...['object', 'household', 'asset', 'timestamp'],
        ...['power_kw', name, 'created_at'],
      ]);
    },
  );
});
