import pg from 'pg';
import type { TestApi } from './api.ts';

/** Every table with the number of its rows and a hash over all their columns. */
export type StoredState = Readonly<Record<string, string>>;

/** A look at everything that is stored, to be compared with a later one. */
export interface StateReader {
  whole(): Promise<StoredState>;
  /** What belongs to one organization. */
  of(organization: string): Promise<StoredState>;
  /** Id, owner and moment of creation of every row that has them; these never change. */
  identities(): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Hashing these took most of a look. A hundred years of days are filled by their migration, and nobody has the right to
 * change them. Of load profiles a trigger counts every statement that writes, in `reference_revision`, which is looked at.
 */
const NOT_HASHED = ['delivery_days', 'load_profiles'];

/** Every request leaves a row here, up to a second behind its answer; test/pages/console says whose it is. */
const WRITTEN_BEHIND_ANSWERS = ['request_log', 'request_minutes', 'request_days'];

/** Seen by the superuser, whom row-level security does not bind; the tables come from the catalogue. */
export async function openStateReader(api: Pick<TestApi, 'database'>): Promise<StateReader> {
  /*
   * Tables that nobody has analyzed are taken for large ones: two parallel workers would start for every look, and
   * their start takes ten times as long as the look.
   */
  const admin = new pg.Client({
    connectionString: api.database.adminUrl,
    // Asked thousands of times: planning a look takes longer than the look itself.
    options: '-c max_parallel_workers_per_gather=0 -c plan_cache_mode=force_generic_plan',
  });
  await admin.connect();
  const { rows: tables } = await admin.query<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text) AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        AND NOT c.relispartition AND NOT c.relname = ANY ($1)
      GROUP BY c.relname ORDER BY c.relname`,
    [[...NOT_HASHED, ...WRITTEN_BEHIND_ANSWERS]],
  );
  const hashed = (name: string, condition: string) =>
    `SELECT '${name}' AS name, count(*) || ' ' || md5(coalesce(string_agg(row, E'\\n' ORDER BY row), '')) AS hash
       FROM (SELECT (to_jsonb(t) - 'last_used_at')::text AS row FROM ${name} t WHERE ${condition}) r`;
  const state = async (
    name: string,
    conditionOf: (table: { name: string; columns: string[] }) => string | null,
    values: string[] = [],
  ) => {
    const parts = tables.flatMap((table) => {
      const condition = conditionOf(table);
      return condition === null ? [] : [hashed(table.name, `${condition} AND ${settled(table.name)}`)];
    });
    const { rows } = await admin.query<{ name: string; hash: string }>({
      ...{ name, values },
      text: parts.join(' UNION ALL '),
    });
    return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
  };
  return {
    whole: () => state('whole state', () => 'true'),
    of: (organization) =>
      state(
        'state of an organization',
        ({ name, columns }) => {
          if (columns.includes('organization_id')) return 'organization_id = $1';
          if (name === 'organizations') return 'id = $1';
          if (name === 'asset_snapshots')
            return 'asset_id IN (SELECT key FROM assets WHERE organization_id = $1)';
          return null;
        },
        [organization],
      ),
    identities: async () => {
      const known = ['organization_id', 'customer_id', 'household_id', 'id', 'key', 'created_at'];
      const parts = tables
        .filter(({ columns }) => columns.includes('organization_id') && columns.includes('id'))
        .map(({ name, columns }) => {
          const kept = known.filter((column) => columns.includes(column));
          return `SELECT concat_ws(' ', '${name}', ${kept.join(', ')}) AS identity FROM ${name}`;
        });
      const { rows } = await admin.query<{ identity: string }>(`${parts.join(' UNION ALL ')} ORDER BY 1`);
      return rows.map(({ identity }) => identity);
    },
    close: () => admin.end(),
  };
}

/** Who read personal data is written down beside the answer: it may arrive between two looks. */
function settled(table: string): string {
  return table === 'audit_log' ? "act <> 'personal_data.read'" : 'true';
}
