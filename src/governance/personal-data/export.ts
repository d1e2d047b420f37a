import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { limitTransaction } from '../../platform/database/time-limits.ts';
import { notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { type Person, type Place, places } from './places.ts';

/*
 * Everything about one customer (Art. 15 and 20 GDPR), as files of a new folder. It has the rows of each table as JSON and
 * as CSV, and the PDF of each invoice. `index.json` says of each column its purpose, its period and its origin. Read row by
 * row in one transaction, so that the memory does not grow with the years.
 */

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const PORTION_ROWS = 2_000;
/** Each has up to 10 MB, which are twice as long as hexadecimal digits. */
const DOCUMENTS_AT_ONCE = 2;
/** Years of measurements take minutes, and this transaction changes nothing that others wait for. */
const WITHOUT_LIMIT = 0;
const STATEMENT_MILLISECONDS = 60_000;

const RECIPIENTS = [
  'the grid operator and the metering operator: contract, meter, usage',
  'the bank: name, account and mandate, for direct debits and refunds',
  'the previous and the next supplier: meter and dates, at a change',
  'apps that the customer gave a consent (grants.jsonl)',
];

interface ExportedTable {
  table: string;
  rows: number;
  source: string;
  /** By column, as the database describes it: purpose and period where it is personal. */
  columns: Record<string, string>;
}

export async function exportCustomer(
  database: Database,
  { organization, customer }: Person,
  folder: string,
  act: StaffAct,
): Promise<ExportedTable[]> {
  const person = { organization, customer };
  await database.inOrganization({ organization }, (connection) => assertKnown(connection, person));
  await mkdir(folder, { mode: PRIVATE_FOLDER });
  await database.inOrganization({ organization }, (connection) =>
    audit(connection, { ...staffOf(act, organization), act: 'customer.export', object_id: customer }),
  );
  return await database.inOrganization({ organization }, async (connection) => {
    await limitTransaction(connection, { transaction: WITHOUT_LIMIT, statement: STATEMENT_MILLISECONDS });
    const tables: ExportedTable[] = [];
    for (const place of places) tables.push(await exportTable(connection, place, person, folder));
    const index = { customer, organization, exported_at: act.now, recipients: RECIPIENTS, tables };
    const text = `${JSON.stringify(index, null, 2)}\n`;
    await writeFile(join(folder, 'index.json'), text, { mode: PRIVATE_FILE });
    return tables;
  });
}

async function assertKnown(connection: Connection, { organization, customer }: Person): Promise<void> {
  const { rows } = isId(customer)
    ? await sql`SELECT FROM customers WHERE organization_id = ${organization} AND id = ${customer}`.execute(
        connection,
      )
    : { rows: [] };
  if (rows.length === 0) throw notFound();
}

async function exportTable(
  connection: Connection,
  place: Place,
  person: Person,
  folder: string,
): Promise<ExportedTable> {
  const { table, source, withheld = [] } = place;
  const described = await sql<{ name: string; comment: string | null }>`
    SELECT attname AS name, col_description(attrelid, attnum) AS comment
      FROM pg_attribute
     WHERE attrelid = ${table}::regclass AND attnum > 0 AND NOT attisdropped
     ORDER BY attnum`.execute(connection);
  const columns = described.rows.filter(({ name }) => !withheld.includes(name));
  const names = columns.map(({ name }) => name);
  const [json, csv] = [await newFile(folder, `${table}.jsonl`), await newFile(folder, `${table}.csv`)];
  let rows = 0;
  try {
    await csv.appendFile(`${names.join(',')}\n`);
    for await (const portion of portionsOf(connection, place, person, names)) {
      rows += portion.length;
      await json.appendFile(portion.map((row) => `${row.json}\n`).join(''));
      await csv.appendFile(portion.map(({ fields }) => `${fields.map(csvField).join(',')}\n`).join(''));
      if (table === 'invoice_files') await writeDocuments(folder, portion);
    }
  } finally {
    await json.close();
    await csv.close();
  }
  const comments = Object.fromEntries(columns.map(({ name, comment }) => [name, comment ?? '']));
  return { table, rows, source, columns: comments };
}

const newFile = (folder: string, name: string) => open(join(folder, name), 'wx', PRIVATE_FILE);

/** As the database writes it, so that no digit of a decimal is lost on the way. */
interface Row {
  json: string;
  fields: (string | null)[];
}

/** By a cursor of the database: a part of the rows at a time, whatever the table is ordered by. */
async function* portionsOf(
  connection: Connection,
  place: Place,
  person: Person,
  names: readonly string[],
): AsyncGenerator<Row[]> {
  const fields = sql.join(names.map((name) => sql`${sql.ref(`t.${name}`)}::text`));
  await sql`
    DECLARE exported NO SCROLL CURSOR FOR
     SELECT (to_jsonb(t) - ${place.withheld ?? []}::text[])::text AS json, ARRAY[${fields}] AS fields
       FROM ${sql.table(place.table)} AS t
      WHERE ${place.rowsOf(person)}`.execute(connection);
  const portionRows = place.table === 'invoice_files' ? DOCUMENTS_AT_ONCE : PORTION_ROWS;
  for (let isEnd = false; !isEnd; ) {
    const { rows } = await sql<Row>`FETCH ${sql.lit(portionRows)} FROM exported`.execute(connection);
    yield rows;
    isEnd = rows.length < portionRows;
  }
  await sql`CLOSE exported`.execute(connection);
}

/** The database writes bytes as `\x` and hexadecimal digits. */
async function writeDocuments(folder: string, rows: readonly Row[]): Promise<void> {
  for (const { json } of rows) {
    const { invoice_id, kind, content } = JSON.parse(json) as Record<string, string>;
    const bytes = Buffer.from(content?.slice(2) ?? '', 'hex');
    const name = `${invoice_id}.${kind === 'pdf' ? 'pdf' : 'xml'}`;
    await writeFile(join(folder, name), bytes, { mode: PRIVATE_FILE });
  }
}

/** RFC 4180. What a spreadsheet would take for a formula begins with an apostrophe. */
function csvField(value: string | null): string {
  if (value === null) return '';
  const plain = /^[=+@\t\r]|^-(?![0-9.]+$)/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
