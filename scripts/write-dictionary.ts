// Writes docs/dictionary.md and src/pages/docs/dictionary.json: what analysts find in the database, from its own comments.
// `node scripts/node.mjs scripts/write-dictionary.ts`; a test compares both files with a fresh database.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { DictionaryView } from '../src/pages/docs/dictionary.ts';
import { type FieldTable, measuredUnit } from '../src/telemetry/snapshots/fields.ts';
import { withFreshDatabase } from '../test/setup/fresh-database.ts';
import { projectFolder } from './data-folder.mjs';

interface ShownColumn {
  view: string;
  view_comment: string;
  name: string;
  type: string;
  comment: string;
}

/** As an organization's analyst sees them: without its own id. */
const COLUMNS = `
  SELECT c.relname AS view, obj_description(c.oid, 'pg_class') AS view_comment, a.attname AS name,
         format_type(a.atttypid, a.atttypmod) AS type, col_description(c.oid, a.attnum) AS comment
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
   WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'v' AND a.attname <> 'organization_id'
   ORDER BY c.relname, a.attnum`;

interface ShownFunction {
  name: string;
  arguments: string;
  comment: string;
}

const FUNCTIONS = `
  SELECT p.proname AS name, pg_get_function_identity_arguments(p.oid) AS arguments, obj_description(p.oid, 'pg_proc') AS comment
    FROM pg_proc p
   WHERE p.pronamespace = 'analytics'::regnamespace
   ORDER BY p.proname`;

/** Of functions whose rows have a type of their own. */
const FUNCTION_COLUMNS = `
  SELECT p.proname AS view, obj_description(p.oid, 'pg_proc') AS view_comment, a.attname AS name,
         format_type(a.atttypid, a.atttypmod) AS type, col_description(a.attrelid, a.attnum) AS comment
    FROM pg_proc p
    JOIN pg_type t ON t.oid = p.prorettype AND t.typtype = 'c'
    JOIN pg_attribute a ON a.attrelid = t.typrelid AND a.attnum > 0
   WHERE p.pronamespace = 'analytics'::regnamespace
   ORDER BY p.proname, a.attnum`;

/** By the end of a column's name, the longest first; measured fields have their unit in their own list. */
const UNITS: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/eur_mwh$/, 'EUR/MWh'],
  [/ct_kwh$/, 'ct/kWh'],
  [/eur_month$/, 'EUR a month'],
  [/eur_year$/, 'EUR a year'],
  [/kwh_year$/, 'kWh a year'],
  [/(^|_)kwh$/, 'kWh'],
  [/(^|_)kw$/, 'kW'],
  [/(^|_)eur$/, 'EUR'],
  [/_degrees$/, 'degrees'],
  [/(^|_)seconds$/, 's'],
  [/(^|_)minutes$/, 'min'],
  [/(utc_offset_hours|^hours)$/, 'h'],
  [/state_of_charge|(_share|_rate)$/, '0 to 1'],
];

const TYPES: Record<string, string> = {
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
};

export const unitOf = (name: string, table?: FieldTable) =>
  measuredUnit(name, table) ?? UNITS.find(([ending]) => ending.test(name))?.[1] ?? '';

async function shownIn(client: pg.ClientBase, statement: string): Promise<DictionaryView[]> {
  const { rows } = await client.query<ShownColumn>(statement);
  return [...Map.groupBy(rows, (row) => row.view)].map(([name, columns]) => ({
    name,
    comment: columns[0]?.view_comment ?? '',
    columns: columns.map(({ name: column, type, comment }) => ({
      name: column,
      type: TYPES[type] ?? type.split('(', 1)[0] ?? type,
      unit: unitOf(column),
      comment,
    })),
  }));
}

const columnsOf = ({ columns }: DictionaryView) => [
  ...['', '| Column | Type | Unit | What |', '|---|---|---|---|'],
  ...columns.map(({ name, type, unit, comment }) => `| \`${name}\` | ${type} | ${unit} | ${comment} |`),
];

function dictionaryPage(
  views: readonly DictionaryView[],
  functions: readonly ShownFunction[],
  withColumns: readonly DictionaryView[],
): string {
  const lines = [
    '# Dictionary of the analysts’ views',
    '',
    'Written from the database by scripts/write-dictionary.ts: not changed by hand. How to sign in and ask:',
    '[analysts.md](analysts.md).',
    '',
    '| View | What |',
    '|---|---|',
    ...views.map(({ name, comment }) => `| [${name}](#${name}) | ${comment} |`),
    ...views.flatMap((view) => ['', `## ${view.name}`, '', view.comment, ...columnsOf(view)]),
    ...['', '## Functions', '', '| Function | What |', '|---|---|'],
    ...functions.map(({ name, arguments: given, comment }) => `| \`${name}(${given})\` | ${comment} |`),
    ...withColumns.flatMap((made) => ['', `### ${made.name}`, ...columnsOf(made)]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Path from the project's folder, and what should stand there. */
export async function dictionaryFiles(
  client: pg.ClientBase,
): Promise<readonly (readonly [string, string])[]> {
  const views = await shownIn(client, COLUMNS);
  const { rows: functions } = await client.query<ShownFunction>(FUNCTIONS);
  const withColumns = await shownIn(client, FUNCTION_COLUMNS);
  return [
    ['docs/dictionary.md', dictionaryPage(views, functions, withColumns)],
    ['src/pages/docs/dictionary.json', `${JSON.stringify([...views, ...withColumns], null, 1)}\n`],
  ];
}

if (import.meta.main) {
  await withFreshDatabase(async (client) => {
    for (const [path, text] of await dictionaryFiles(client))
      await writeFile(join(projectFolder, path), text);
  });
}
