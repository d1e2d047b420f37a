// Writes src/platform/database/tables.ts from a migrated database: what Kysely knows of tables and views.
// `node scripts/node.mjs scripts/write-tables.ts`; a test compares the file with a fresh database.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { withFreshDatabase } from '../test/setup/fresh-database.ts';
import { projectFolder } from './data-folder.mjs';

export const tablesFile = join(projectFolder, 'src', 'platform', 'database', 'tables.ts');

interface Column {
  relation: string;
  is_view: boolean;
  name: string;
  type: string;
  not_null: boolean;
  has_default: boolean;
  is_identity: boolean;
  comment: string | null;
  /** The texts that a CHECK allows, where it lists them. */
  allowed: string[] | null;
}

/** As the parsers of platform/database/db.ts give them. json goes in as text: pg would turn a list into a PostgreSQL array. */
const TYPES: Record<string, string> = {
  smallint: 'number',
  bigint: 'number',
  integer: 'number',
  'double precision': 'number',
  numeric: 'string',
  boolean: 'boolean',
  text: 'string',
  uuid: 'string',
  date: 'string',
  datemultirange: 'string',
  'timestamp with time zone': 'string',
  bytea: 'Buffer',
  xid8: 'string',
  json: 'Json',
  jsonb: 'Json',
  'text[]': 'string[]',
  'double precision[]': 'number[]',
};

const COLUMNS = `
  SELECT c.relname AS relation,
         c.relkind = 'v' AS is_view,
         a.attname AS name,
         format_type(a.atttypid, a.atttypmod) AS type,
         a.attnotnull AS not_null,
         a.atthasdef AS has_default,
         a.attidentity <> '' OR a.attgenerated <> '' AS is_identity,
         col_description(c.oid, a.attnum) AS comment,
         (SELECT array_agg(found.value[1] ORDER BY found.position)
            FROM pg_constraint k,
                 regexp_matches(pg_get_constraintdef(k.oid), '''([^'']*)''::text', 'g')
                   WITH ORDINALITY AS found (value, position)
           WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conkey = ARRAY[a.attnum]
             AND pg_get_constraintdef(k.oid) ~ ('^CHECK \\(\\(' || a.attname || ' (= ANY \\(|<@ )ARRAY\\[')) AS allowed
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'p')
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
   ORDER BY c.relname, a.attnum`;

function columnType(column: Column): string {
  /* A numeric with so many digits is a numeric. */
  const known = TYPES[column.type.replace(/^numeric\(.*\)$/, 'numeric')];
  if (known === undefined) throw new Error(`${column.relation}.${column.name}: no type for ${column.type}`);
  const texts = column.allowed?.map((value) => `'${value}'`).join(' | ');
  const base = texts === undefined ? known : known === 'string[]' ? `(${texts})[]` : texts;
  const nullable = !(column.not_null || (column.is_view && column.comment?.endsWith('Never null.')));
  const whole = nullable ? `${base} | null` : base;
  if (column.is_identity) return `GeneratedAlways<${whole}>`;
  return column.has_default ? `Generated<${whole}>` : whole;
}

const LINE_CHARACTERS_MAX = 110;

/** A list of texts that is too long for one line stands as the formatter would write it. */
function declaration(column: Column): string[] {
  const type = columnType(column);
  const line = `  ${column.name}: ${type};`;
  const [, wrapper, texts] = /^(?:(\w+)<)?('.*?)>?$/.exec(type) ?? [];
  if (line.length <= LINE_CHARACTERS_MAX || texts === undefined) return [line];
  const each = texts.split(' | ').map((text) => `    | ${text}`);
  if (wrapper !== undefined) return [`  ${column.name}: ${wrapper}<`, ...each, '  >;'];
  return [`  ${column.name}:`, ...`${each.join('\n')};`.split('\n')];
}

function interfaceName(relation: string): string {
  return relation.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export async function tablesSource(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<Column>(COLUMNS);
  const relations = Map.groupBy(rows, (column) => column.relation);
  const lines = [
    '// Written from the database by scripts/write-tables.ts: not changed by hand.',
    "import type { ColumnType, Generated, GeneratedAlways } from 'kysely';",
    '',
    '/** Goes in as text that was made by JSON.stringify, comes out parsed. */',
    'type Json = ColumnType<unknown, string, string>;',
    '',
  ];
  for (const [relation, columns] of relations) {
    lines.push(`interface ${interfaceName(relation)} {`);
    for (const column of columns) {
      if (column.comment !== null) lines.push(`  /** ${column.comment} */`);
      lines.push(...declaration(column));
    }
    lines.push('}', '');
  }
  lines.push('export interface Tables {');
  for (const relation of relations.keys()) lines.push(`  ${relation}: ${interfaceName(relation)};`);
  return `${[...lines, '}'].join('\n')}\n`;
}

if (import.meta.main) {
  await withFreshDatabase(async (client) => {
    await writeFile(tablesFile, await tablesSource(client));
  });
}
