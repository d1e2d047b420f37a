import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { MEASURED_FIELDS } from '../../../src/telemetry/snapshots/fields.ts';
import { requestNumbers } from '../../rules/request-numbers.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { engine } from '../../setup/engine.ts';

/*
 * SQL and changes of versions are written by hand: each table, view and function that shows measured values shows all fields
 * of the table, and each version describes those that it has.
 */

let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin?.end();
  await database?.drop();
});

interface Column {
  name: string;
  type: string;
  comment: string | null;
}

/** Columns that stand beside the measured ones. */
const OTHERS = [
  ...['asset_id', 'organization_id', 'asset', 'household', 'type', 'asset_type', 'timestamp', 'delivery_day'],
  ...['local_time', 'utc_offset_hours', 'age_seconds', 'created_at'],
];

const measured = (columns: readonly Column[]) =>
  columns.filter(({ name }) => !OTHERS.includes(name)).map(({ name, type }) => `${name} ${type}`);
const inOrder = MEASURED_FIELDS.map(({ name, column }) => `${name} ${column}`);

async function columnsOf(relation: string): Promise<Column[]> {
  const { rows } = await admin.query<Column>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, col_description(attrelid, attnum) AS comment
       FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [relation],
  );
  return rows;
}

/** What a function gives, its parameters left out. */
async function givenBy(name: string): Promise<Column[]> {
  const { rows } = await admin.query<Column>(
    `SELECT given.name, format_type(given.type, NULL) AS type
       FROM pg_proc AS p, unnest(p.proargnames, p.proallargtypes, p.proargmodes) WITH ORDINALITY
              AS given (name, type, mode, place)
      WHERE p.proname = $1 AND given.mode = 't' ORDER BY given.place`,
    [name],
  );
  return rows;
}

test('the table of snapshots has these columns, and says their units', async () => {
  const columns = await columnsOf('asset_snapshots');
  expect(measured(columns).sort()).toEqual(inOrder.toSorted());
  for (const { name, unit } of MEASURED_FIELDS) {
    const comment = columns.find((column) => column.name === name)?.comment;
    expect(comment).toContain(unit ?? '');
    expect(comment).not.toBeNull();
  }
});

describe('the fields of the table stand, in its order, in', () => {
  const views = [
    ...[
      'measured.stored_snapshots',
      'measured.snapshots',
      'analytics.snapshots',
      'analytics.newest_snapshots',
    ],
    ...(engine === 'timescaledb' ? ['visible_snapshots'] : []),
  ];

  test.each(views)('%s', async (view) => {
    expect(measured(await columnsOf(view))).toEqual(inOrder);
  });

  test('what analysts read, with their units', async () => {
    for (const view of ['analytics.snapshots', 'analytics.newest_snapshots']) {
      const columns = await columnsOf(view);
      for (const { name, unit } of MEASURED_FIELDS) {
        expect(columns.find((column) => column.name === name)?.comment, `${view}.${name}`).toContain(
          unit ?? '',
        );
      }
    }
  });

  test('newest_snapshots()', async () => {
    expect(measured(await givenBy('newest_snapshots'))).toEqual(inOrder);
  });

  test('stored_snapshots(), as binary arrays', async () => {
    expect(measured(await givenBy('stored_snapshots'))).toEqual(
      MEASURED_FIELDS.map(({ name }) => `${name} bytea`),
    );
  });
});

test('a field whose name ends with its unit, and no other, has that unit', () => {
  const named = MEASURED_FIELDS.filter(({ unit }) => unit !== null && /^[A-Za-z]+$/.test(unit));
  expect(named.map(({ name }) => name)).toContain('power_kw');
  for (const { name, unit } of named) expect(name.endsWith(`_${unit?.toLowerCase()}`)).toBe(true);
});

test.each(VERSION_NAMES)('version %s describes the numbers that it has', (version) => {
  const described = requestNumbers(version).map(({ name }) => name);
  const ofVersion = MEASURED_FIELDS.filter(
    ({ kind, since }) => kind === 'number' && VERSION_NAMES.indexOf(since) <= VERSION_NAMES.indexOf(version),
  );
  expect(described.filter((name) => name.startsWith('post /asset-snapshots'))).toEqual(
    ofVersion.map(({ name }) => `post /asset-snapshots snapshots.${name}`),
  );
});
