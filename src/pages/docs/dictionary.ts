import type pg from 'pg';
import { unitOfColumn } from '../../telemetry/snapshots/fields.ts';

/** What analysts find in the database, in the words of its own comments: a view, or a function. */
export interface DictionaryEntry {
  readonly name: string;
  /** Null: a view. */
  readonly arguments: string | null;
  readonly comment: string;
  /** None where the rows of a function have no type of their own. */
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    /** Empty where it has none. */
    readonly unit: string;
    readonly comment: string;
  }[];
}

/** As an organization's analyst sees them: without its own id. Views go first. */
const ENTRIES = `
  WITH shown AS (
    SELECT relname AS name, NULL AS arguments, obj_description(oid, 'pg_class') AS comment, oid AS rows
      FROM pg_class WHERE relnamespace = 'analytics'::regnamespace AND relkind = 'v'
    UNION ALL
    SELECT p.proname, pg_get_function_identity_arguments(p.oid), obj_description(p.oid, 'pg_proc'), t.typrelid
      FROM pg_proc p LEFT JOIN pg_type t ON t.oid = p.prorettype AND t.typtype = 'c'
     WHERE p.pronamespace = 'analytics'::regnamespace)
  SELECT s.name, s.arguments, s.comment,
         coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                                             'comment', col_description(a.attrelid, a.attnum)) ORDER BY a.attnum)
                  FILTER (WHERE a.attnum > 0), '[]') AS columns
    FROM shown s
    LEFT JOIN pg_attribute a ON a.attrelid = s.rows AND a.attnum > 0 AND a.attname <> 'organization_id'
   GROUP BY s.name, s.arguments, s.comment
   ORDER BY s.arguments IS NOT NULL, s.name`;

const TYPES: Record<string, string> = {
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
};

export async function readDictionary(client: pg.ClientBase): Promise<DictionaryEntry[]> {
  const { rows } = await client.query<DictionaryEntry>(ENTRIES);
  return rows.map((entry) => ({
    ...entry,
    columns: entry.columns.map(({ name, type, comment }) => ({
      ...{ name, type: TYPES[type] ?? type.split('(', 1)[0] ?? type },
      ...{ unit: unitOfColumn(name) ?? '', comment },
    })),
  }));
}
