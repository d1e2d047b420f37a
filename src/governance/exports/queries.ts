import type { Writable } from 'node:stream';
import { sql } from 'kysely';
import pg from 'pg';
import { copyOut } from '../../platform/database/copy-out.ts';
import { type Connection, clientOf } from '../../platform/database/db.ts';
import { limitTransaction } from '../../platform/database/time-limits.ts';
import { berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import { NEVER_IN_USE } from '../../telemetry/assets/queries.ts';
import type { ExportColumn, ExportKind } from './columns.ts';

/*
 * Statements of the owner of the database, which act as the reader of analysts: they see the views of one organization, with
 * its id as a constant inside, as its analysts do. COPY takes no parameters: ids and instants are quoted here.
 */

/** Of the organization's views; without one, of what belongs to none and everybody sees. */
export interface Source {
  kind: ExportKind;
  organization: string | null;
  household: string | null;
  /** The role at the sign-in: an analyst has the rights of one, the owner takes them. */
  signedIn: 'owner' | 'analyst';
}

export interface Portion {
  /** Instants of the day: the second is no longer part of it. */
  since: string;
  until: string;
  /** Behind this key (null: from the first), up to and with that one; both null where nothing has a key. */
  after: string | null;
  last: string | null;
}

/** A portion is made for seconds; a disk or a network that is slow gets minutes. */
const PORTION_MILLISECONDS = 300_000;

/** For this transaction: the rights of the views' owner, who may read and do nothing else. */
export async function becomeReader(connection: Connection, signedIn: Source['signedIn']): Promise<void> {
  await limitTransaction(connection, { transaction: PORTION_MILLISECONDS, statement: PORTION_MILLISECONDS });
  await sql`SET TRANSACTION READ ONLY`.execute(connection);
  if (signedIn === 'owner') await sql`SET LOCAL ROLE voltstream_analyst_reader`.execute(connection);
}

export async function findHousehold(
  connection: Connection,
  organization: string,
  household: string,
): Promise<boolean> {
  const text = `SELECT 1 FROM ${viewOf(organization, 'households')} WHERE household = $1`;
  return (await clientOf(connection).query(text, [household])).rows.length > 0;
}

/** The last of the next so many keys, and how many they are. */
export async function findLastKey(
  connection: Connection,
  { kind, organization, household }: Source,
  { since, until, after, limit }: Pick<Portion, 'since' | 'until' | 'after'> & { limit: number },
): Promise<{ last: string | null; keys: number }> {
  if (kind.key === undefined) return { last: null, keys: after === null ? 1 : 0 };
  const { view, column } = portionKey(kind, kind.key);
  const [from, conditions] = kind.byInstant
    ? [relationOf({ kind, organization }, { since, until }), spanOf(kind, { since, until })]
    : [viewOf(organization, view), household === null ? [] : [`household = ${pg.escapeLiteral(household)}`]];
  if (after !== null) conditions.push(`${column} > ${pg.escapeLiteral(after)}`);
  const { rows } = await clientOf(connection).query<{ last: string | null; keys: number }>(
    `SELECT max(key)::text AS last, count(*) AS keys
       FROM (SELECT ${column} AS key FROM ${from} AS v ${where(conditions)} ORDER BY ${column} LIMIT ${limit}) AS next`,
  );
  return rows[0] ?? { last: null, keys: 0 };
}

/** The rows of a portion as CSV without a header. Gives their number. */
export async function copyPortion(
  connection: Connection,
  source: Source,
  portion: Portion,
  output: { sink: Writable; isForSpreadsheets: boolean },
): Promise<number> {
  const columns = source.kind.columns.map((column) => expressionOf(column, output.isForSpreadsheets));
  const { from, order } = rowsOf(source, portion);
  const select = `SELECT ${columns.join(', ')} ${from} ORDER BY ${order.join(', ')}`;
  return await copyOut(
    clientOf(connection),
    `COPY (${select}) TO STDOUT (FORMAT csv)`,
    output.sink,
    PORTION_MILLISECONDS,
  );
}

/** What the portions of a day are told apart by. */
const portionKey = ({ byInstant, view, at }: ExportKind, key: NonNullable<ExportKind['key']>) =>
  byInstant && at !== undefined ? { view, column: at } : key;

const where = (conditions: readonly string[]) =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;

type Span = Pick<Portion, 'since' | 'until'>;

/** Conditions on the rows of a view `v`: their instants, or their days, lie within. A list has neither. */
function spanOf({ at, isDay }: ExportKind, { since, until }: Span): string[] {
  if (at === undefined) return [];
  const bound = (instant: string) => pg.escapeLiteral(isDay ? berlinDayOf(instant) : instant);
  return [`v.${at} >= ${bound(since)}`, `v.${at} < ${bound(until)}`];
}

function relationOf(
  { kind, organization }: Pick<Source, 'kind' | 'organization'>,
  { since, until }: Span,
): string {
  const name = viewOf(organization, kind.view);
  return kind.isFunction ? `${name}(${pg.escapeLiteral(since)}, ${pg.escapeLiteral(until)})` : name;
}

/** Which rows a portion has, in which order. */
function rowsOf({ kind, organization, household }: Source, { after, last, ...span }: Portion) {
  const ofHousehold = kind.columns.find(({ name }) => name === 'household')?.of ?? 'v';
  const conditions = [
    ...spanOf(kind, span),
    ...(household === null ? [] : [`${ofHousehold}.household = ${pg.escapeLiteral(household)}`]),
  ];
  const from = [`${relationOf({ kind, organization }, span)} AS v`];
  const order = kind.order.map((column) => `v.${column}`);
  if (kind.key !== undefined) {
    const { view, column } = kind.key;
    const portion = `v.${portionKey(kind, kind.key).column}`;
    if (after !== null) conditions.push(`${portion} > ${pg.escapeLiteral(after)}`);
    if (last !== null) conditions.push(`${portion} <= ${pg.escapeLiteral(last)}`);
    order.unshift(portion);
    const ofKey = kind.columns.filter(({ of }) => of === 'k').map(({ name }) => name);
    /* OFFSET 0: one look by key for each row at most. A plain join was done as keys times keys where few were expected. */
    if (ofKey.length > 0) {
      from.push(`LATERAL (SELECT ${ofKey.join(', ')} FROM ${viewOf(organization, view)} AS key_row
                           WHERE key_row.${column} = v.${column} OFFSET 0) AS k`);
    }
  }
  return { from: `FROM ${from.join(' CROSS JOIN ')} ${where(conditions)}`, order };
}

/** Two equal ones mean the same rows: their number, the first and the last instant, and a hash over all columns. */
export interface Fingerprint {
  rows: number;
  first: string | null;
  last: string | null;
  /** The order of the rows does not matter: the hashes of parts are joined by XOR. */
  hash: string;
}

export async function findFingerprint(
  connection: Connection,
  source: Source,
  span: Span,
): Promise<Fingerprint> {
  const { kind } = source;
  const columns = kind.columns.map(({ of, name }) => `${of}.${name}`);
  const { from } = rowsOf(source, { ...span, after: null, last: null });
  const at = kind.isDay ? `v.${kind.at}::timestamp AT TIME ZONE 'Europe/Berlin'` : `v.${kind.at}`;
  const { rows } = await clientOf(connection).query<Fingerprint>({
    text: `SELECT count(*) AS rows, min(${at}) AS first, max(${at}) AS last,
                  coalesce(bit_xor(hash_record_extended(ROW(${columns.join(', ')}), 0)), 0)::text AS hash ${from}`,
    query_timeout: PORTION_MILLISECONDS,
  } as { text: string });
  const [found] = rows;
  if (found === undefined) throw new Error('An aggregate gave no row');
  return found;
}

/** Whether retention has come past the instant of a row. Whole weeks of UTC go, which begin within days of Berlin; of days whole years. */
export async function isRemovedBefore(
  connection: Connection,
  { organization }: Pick<Source, 'organization'>,
  keptSince: NonNullable<ExportKind['keptSince']>,
  instant: string,
): Promise<boolean> {
  const { rows } = await clientOf(connection).query<{ removed: boolean }>(
    `SELECT coalesce(${keptSince} > $1::timestamptz, false) AS removed FROM ${viewOf(organization, 'energy_progress')}`,
    [instant],
  );
  return rows[0]?.removed === true;
}

/**
 * Households of erased persons. Only an erasure ends the household's own assets, which it has since its first device; of a
 * device a client may say any instant, also this one.
 */
export async function listErasedHouseholds(
  connection: Connection,
  { organization }: Pick<Source, 'organization'>,
): Promise<string[]> {
  const { rows } = await clientOf(connection).query<{ household: string }>(
    `SELECT household FROM ${viewOf(organization, 'assets')}
      WHERE type = 'household_net' AND decommissioned_at = '${NEVER_IN_USE}'`,
  );
  return rows.map(({ household }) => household);
}

/** Asked as the service or the owner of the database: analysts are not told who is restricted (Art. 18 GDPR). */
export async function listRestrictedHouseholds(
  connection: Connection,
  organization: string,
): Promise<string[]> {
  const { rows } = await sql<{ household: string }>`
    SELECT id AS household FROM unnest(string_to_array(hidden_ids(${organization}), ',')) AS id
     WHERE starts_with(id, 'dom_')`.execute(connection);
  return rows.map(({ household }) => household);
}

/** What the columns mean, as the views say it themselves. */
export async function listColumnComments(
  connection: Connection,
  { kind, organization }: Pick<Source, 'kind' | 'organization'>,
): Promise<Map<string, string>> {
  const views = [...(kind.key === undefined ? [] : [kind.key.view]), kind.view];
  const { rows } = await clientOf(connection).query<{ name: string; comment: string | null }>(
    `SELECT a.attname AS name, col_description(a.attrelid, a.attnum) AS comment
       FROM unnest($1::text[]) WITH ORDINALITY AS view (name, place)
       LEFT JOIN pg_proc AS p ON p.oid = to_regproc(view.name)
       LEFT JOIN pg_type AS made ON made.oid = p.prorettype
       JOIN pg_attribute AS a ON a.attrelid = coalesce(to_regclass(view.name), made.typrelid) AND a.attnum > 0
      ORDER BY view.place`,
    [views.map((view) => viewOf(organization, view))],
  );
  return new Map(rows.map(({ name, comment }) => [name, comment ?? '']));
}

/** Whose views the account of an analyst reads; null: nobody's, because the organization is suspended. */
export async function findOrganizationOfAccount(connection: Connection): Promise<string | null> {
  const { rows } = await clientOf(connection).query<{ organization: string }>(
    `SELECT substr(nspname, length('analytics_') + 1) AS organization FROM pg_namespace
      WHERE nspname LIKE 'analytics\\_org\\_%' AND has_schema_privilege(oid, 'USAGE')`,
  );
  return rows.length === 1 ? (rows[0]?.organization ?? null) : null;
}

function viewOf(organization: string | null, view: string): string {
  const schema = organization === null ? 'analytics' : `analytics_${organization}`;
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(view)}`;
}

/**
 * A spreadsheet calculates a text that begins with one of these, and customers write such texts: there they begin with an
 * apostrophe, which it does not show.
 */
const FORMULA_BEGINS = '^[=+@\\t\\r-]';

function expressionOf({ of, name, type }: ExportColumn, isForSpreadsheets: boolean): string {
  const column = `${of}.${name}`;
  switch (type) {
    case 'text':
      return isForSpreadsheets
        ? `CASE WHEN ${column} ~ '${FORMULA_BEGINS}' THEN '''' || ${column} ELSE ${column} END`
        : column;
    case 'words':
      return `array_to_string(${column}, ' ')`;
    case 'yes_no':
      return `${column}::text`;
    case 'eur_mwh':
    case 'ct_kwh':
    case 'kwh':
    case 'exact':
      return `trim_scale(${column})`;
    default:
      return column;
  }
}
