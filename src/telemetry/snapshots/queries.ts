import { sql } from 'kysely';
import pg from 'pg';
import { copyIn, copyInBehind } from '../../platform/database/copy.ts';
import { copyInStream } from '../../platform/database/copy-in.ts';
import { type Connection, clientOf } from '../../platform/database/db.ts';
import type { RemovalLimits } from '../../platform/retention.ts';
import { instantFromMicroseconds } from '../../platform/time/instant.ts';
import type { AssetRow } from './asset-map.ts';
import { type AssetType, type FieldTable, MEASURED, onceForTable } from './fields.ts';
import type { LateQuarterHours } from './late.ts';
import type { Week } from './weeks.ts';

/*
 * The snapshot table has no row-level security, so these statements do without the organization: what is written was
 * looked up under the organization's own rows before (the asset map), and what is read comes through functions that look at
 * `assets` under row-level security.
 */

const RULE_COLUMNS = sql`a.key, a.id, a.external_id, a.type, a.max_power_kw, a.peak_power_kw, a.max_charge_power_kw,
           a.max_discharge_power_kw, a.decommissioned_at`;

/**
 * The assets of different households with what the rules need, of each at most so many; a household that the organization
 * does not have is absent. Each is looked up by itself: for a list of ids PostgreSQL went through an index of all households.
 */
export async function listAssetsForSnapshots(
  connection: Connection,
  organization: string,
  households: readonly string[],
  rowsMax: number,
): Promise<ReadonlyMap<string, AssetRow[]>> {
  const { rows } = await sql<{ [Field in keyof AssetRow]: AssetRow[Field] | null } & { household: string }>`
    SELECT h.id AS household, a.*
      FROM unnest(${households}::text[]) AS named (id)
     CROSS JOIN LATERAL (
        SELECT h.id FROM households h WHERE h.organization_id = ${organization} AND h.id = named.id LIMIT 1) AS h
      LEFT JOIN LATERAL (
        SELECT ${RULE_COLUMNS} FROM assets a
         WHERE a.organization_id = ${organization} AND a.household_id = h.id
         LIMIT ${rowsMax}) AS a ON true`.execute(connection);
  const found = new Map<string, AssetRow[]>();
  for (const { household, ...row } of rows) {
    const assets = found.get(household) ?? [];
    found.set(household, assets);
    if (row.key !== null) assets.push(row as AssetRow);
  }
  return found;
}

/** Whether this transaction may read a household: one of a restricted customer is hidden from clients. */
export async function findReadableHousehold(
  connection: Connection,
  organization: string,
  household: string,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM households WHERE organization_id = ${organization} AND id = ${household}`.execute(connection);
  return rows.length > 0;
}

/** Assets by either of their names. */
export interface NamedAssets {
  readonly ids: readonly string[];
  readonly externalIds: readonly string[];
}

/** Those of the named assets that the household has. The names are looked up first, however many assets it has. */
export async function listNamedAssets(
  connection: Connection,
  organization: string,
  household: string,
  { ids, externalIds }: NamedAssets,
): Promise<AssetRow[]> {
  const { rows } = await sql<AssetRow>`
    WITH named AS MATERIALIZED (
      SELECT a.household_id, ${RULE_COLUMNS}
        FROM assets a WHERE a.organization_id = ${organization} AND a.id = ANY (${ids}::text[])
      UNION
      SELECT a.household_id, ${RULE_COLUMNS}
        FROM assets a WHERE a.organization_id = ${organization} AND a.external_id = ANY (${externalIds}::text[]))
    SELECT ${RULE_COLUMNS} FROM named a WHERE a.household_id = ${household}`.execute(connection);
  return rows;
}

const beginCopy = ({ copyColumns }: FieldTable) =>
  `BEGIN; COPY asset_snapshots (${copyColumns}) FROM STDIN (FORMAT binary)`;

const LINE_OF_COPY = /^COPY \S+, line (\d+)/m;

/** Which row of a COPY stream the server refused, counted from 1; null where it does not say. */
export function refusedLine(error: unknown): number | null {
  const where = error instanceof pg.DatabaseError ? error.where : undefined;
  const line = where === undefined ? undefined : LINE_OF_COPY.exec(where)?.[1];
  return line === undefined ? null : Number(line);
}

/** Opens a transaction and writes into the hypertable, in one round trip; the caller commits. */
export function copySnapshots(
  client: pg.ClientBase,
  bytes: Buffer,
  fields: FieldTable = MEASURED,
): Promise<number> {
  return copyIn(client, beginCopy(fields), bytes);
}

/** The same for many rows: they take so long that the round trip to the server's go-ahead makes no difference. */
export function copyManySnapshots(client: pg.ClientBase, bytes: Buffer, fields: FieldTable): Promise<number> {
  return copyInStream(client, beginCopy(fields), bytes);
}

/** As `copySnapshots`, on a client whose last transaction is being committed. */
export function copySnapshotsBehind(client: pg.Client, bytes: Buffer, fields: FieldTable): Promise<number> {
  return copyInBehind(client, beginCopy(fields), bytes);
}

/**
 * The rows stored at the instants of some runs: each column as the binary arrays of the runs, one behind the other, each
 * ascending. A run without rows has `NO_ROWS` in place of an array.
 */
export type StoredColumns = Readonly<Record<string, Buffer>>;

/** Bytes of the number of dimensions of an array, of which a run without rows has nothing more. */
const NO_ROWS = "'\\x00000000'";

const columnOf = (name: string) => `string_agg(coalesce("${name}", ${NO_ROWS}), '') AS "${name}"`;

const storedColumns = onceForTable(
  ({ names }) =>
    `SELECT ${['timestamp', ...names].map(columnOf).join(', ')}
       FROM stored_snapshots($1::bigint[], $2::integer[], $3::timestamptz[], $4::timestamptz, $5::timestamptz,
                             $6::text[], $7::integer[])`,
);

/** The runs of an organization end before this place among all runs. */
export interface RunsOfOrganization {
  readonly organization: string;
  readonly end: number;
}

/**
 * The rows stored at the instants of a week, in the order of its runs. Each organization sees its own assets. It is one row
 * of bytea: pg reads text, and the rows of 160 short runs took it longer than the server needed to find them.
 */
export async function findStored(
  client: pg.ClientBase,
  week: Week,
  organizations: readonly RunsOfOrganization[],
  fields: FieldTable,
): Promise<StoredColumns> {
  let end = 0;
  const { rows } = await client.query<StoredColumns>(storedColumns(fields), [
    week.runs.map((run) => run.key),
    week.runs.map((run) => (end += run.rows)),
    week.instants,
    instantFromMicroseconds(week.since),
    instantFromMicroseconds(week.until),
    organizations.map(({ organization }) => organization),
    organizations.map((runs) => runs.end),
  ]);
  return rows[0] as StoredColumns;
}

/**
 * Asks for the sums of quarter hours anew, in the transaction that stores their rows. Nobody reads here but the job, and
 * two writers never wait for each other.
 */
export async function insertLateQuarterHours(
  client: pg.ClientBase,
  { assets, starts, counts }: LateQuarterHours,
): Promise<void> {
  if (assets.length === 0) return;
  await client.query(
    `INSERT INTO late_quarter_hours (asset_id, start, quarter_hours)
     SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::smallint[])`,
    [assets, starts, counts],
  );
}

export interface NewestSnapshot {
  household: string;
  asset: string;
  asset_type: AssetType;
  timestamp: string;
  created_at: string;
  /** When this list was read, by the clock that `created_at` is of. */
  read_at: string;
  /** Which transactions that reading saw, as `pg_snapshot`. */
  seen: string;
  [measured: string]: string | number | boolean | null;
}

/**
 * One probe of the index per asset: the time does not grow with what is stored. A page behind another one is out of what
 * the first one saw.
 */
export async function listNewestSnapshots(
  connection: Connection,
  page: {
    households: readonly string[] | null;
    assets: readonly string[] | null;
    since: string;
    after: { timestamp: string; asset: string; storedUntil: string | null; seen: string | null } | null;
    rows: number;
  },
): Promise<NewestSnapshot[]> {
  const { rows } = await sql<NewestSnapshot>`
    SELECT *, statement_timestamp() AS read_at, pg_current_snapshot()::text AS seen FROM newest_snapshots(
      ${page.households}::text[], ${page.assets}::text[], ${page.since}::timestamptz,
      ${page.after?.timestamp ?? null}::timestamptz, ${page.after?.asset ?? null}::text, ${page.rows}::integer,
      ${page.after?.storedUntil ?? null}::timestamptz, ${page.after?.seen ?? null}::pg_snapshot)`.execute(
    connection,
  );
  return rows;
}

export interface HeldPowerRow {
  start: number;
  seconds: number;
  consumed: number;
  fed: number;
  next_seconds: number;
  next_consumed: number;
  next_fed: number;
}

const CONNECTION_OF_HOUSEHOLD = `
  SELECT key FROM assets WHERE organization_id = $1 AND household_id = $2 AND type = 'household_net' LIMIT 1`;

/**
 * The power at a household's grid connection by quarter hours in seconds since 1970: for how many seconds values held, and
 * kW times seconds in both directions, `next_…` of the part that reaches into the next quarter hour. A value holds until
 * the next one, at most 15 minutes; those from `from` on count, in milliseconds since 1970, where they were stored before an
 * instant.
 */
export async function listHeldPower(
  connection: Connection,
  organization: string,
  household: string,
  { from, until }: { from: number; until: number },
  storedBefore = 'infinity',
): Promise<HeldPowerRow[]> {
  const client = clientOf(connection);
  const { rows: assets } = await client.query<{ key: number }>(CONNECTION_OF_HOUSEHOLD, [
    organization,
    household,
  ]);
  const [asset] = assets;
  if (asset === undefined) return [];
  const bounds = [from, until].map((milliseconds) => new Date(milliseconds).toISOString());
  const { rows } = await client.query<HeldPowerRow>('SELECT * FROM held_power($1, $2, $3, $4)', [
    asset.key,
    ...bounds,
    storedBefore,
  ]);
  return rows;
}

/** By the role for maintenance, the oldest first. */
export async function deleteSnapshotChunks(
  connection: Connection,
  { before, portion }: RemovalLimits,
): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    SELECT drop_old_snapshot_chunks(${before}, ${portion}) AS dropped`.execute(connection);
  return rows[0]?.dropped ?? 0;
}

/** By the role for maintenance: makes what is missing of the week of an instant, and tells how much it was. */
export async function preparePartitions(connection: Connection, since: string): Promise<number> {
  const { rows } = await sql<{ made: number }>`
    SELECT prepare_snapshot_partitions(${since}::timestamptz, 1) AS made`.execute(connection);
  return rows[0]?.made ?? 0;
}

/** Null: partitions need not be made ahead. */
export async function findWeeksAhead(connection: Connection, now: string): Promise<number | null> {
  const { rows } = await sql<{ weeks: number | null }>`
    SELECT find_snapshot_weeks_ahead(${now}::timestamptz) AS weeks`.execute(connection);
  return rows[0]?.weeks ?? null;
}
