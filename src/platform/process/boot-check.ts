import type pg from 'pg';
import { driverProblem } from '../database/copy.ts';
import { schemaProblems } from '../database/migrate.ts';

/*
 * Before a service process works with a database, these must hold: versions without known holes (of the driver as well),
 * durable commits, the barriers between organizations, and the schema. Each problem is a sentence with what mends it.
 */

const POSTGRES_MAJOR_MIN = 17;
/** Below, a conflict in a compressed chunk dropped the rows after it silently (timescale/timescaledb#7672). */
const APACHE_EDITION_MIN = '2.19.0';
/** Below, open chunk functions and wrong results on compressed data (timescale/timescaledb#10423, #9921). */
const COMMUNITY_EDITION_MIN = '2.29.2';

/** Functions of the extension that took no look at their caller until 2.29.1; `sql/roles.sql` closes them. */
export const CHUNK_FUNCTIONS = [
  'drop_chunk',
  'drop_osm_chunk',
  'create_compressed_chunk',
  'freeze_chunk',
  'unfreeze_chunk',
  'hypertable_osm_range_update',
  'lock_osm_chunk_dimension_slice',
] as const;

/** Those of Citus by which every role ends the server; `sql/citus/roles.sql` closes them. */
const SERVER_ENDING_FUNCTIONS = ['worker_split_copy', 'worker_copy_table_to_node'] as const;

/** Below, the nodes keep no metadata about objects that this service makes; later ones are not known to be wrong. */
const CITUS_MIN = '14.0.0';

const INIT_HINT = 'run npm run db -- init';

/** The settings that "stored" rests on, with the values under which it holds. */
export const DURABLE_SETTINGS: Record<string, readonly string[]> = {
  synchronous_commit: ['on', 'remote_apply'],
  fsync: ['on'],
  full_page_writes: ['on'],
  data_sync_retry: ['off'],
};

interface BootFacts {
  server_version: number;
  timescaledb: string | null;
  citus: string | null;
  license: string | null;
  settings: Record<string, string>;
  role: string;
  is_privileged: boolean;
  roles_held: string[];
  owns: string[];
  unprotected: string[];
  snapshot_rights: string[] | null;
  audit_rights: string[] | null;
  open_functions: string[];
}

const RIGHTS = (table: string) => `
  (SELECT array_agg(held.kind ORDER BY held.kind)
     FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS held (kind)
    WHERE has_table_privilege(to_regclass('${table}'), held.kind)
       OR (held.kind IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
           AND has_any_column_privilege(to_regclass('${table}'), held.kind)))`;

const FACTS = `
  SELECT current_setting('server_version_num')::integer / 10000 AS server_version,
         (SELECT extversion FROM pg_extension WHERE extname = 'timescaledb') AS timescaledb,
         (SELECT extversion FROM pg_extension WHERE extname = 'citus') AS citus,
         current_setting('timescaledb.license', true) AS license,
         (SELECT jsonb_object_agg(name, setting) FROM pg_settings WHERE name = ANY ($1)) AS settings,
         current_user AS role,
         (SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication
            FROM pg_roles WHERE rolname = current_user) AS is_privileged,
         ARRAY(SELECT quote_ident(r.rolname) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid
                WHERE m.member = current_user::regrole ORDER BY 1) AS roles_held,
         ARRAY(SELECT oid::regclass::text FROM pg_class
                WHERE relowner = current_user::regrole AND relpersistence <> 't'
                  AND relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^pg_toast_temp_|^pg_temp_')
                UNION ALL
               SELECT oid::regprocedure::text FROM pg_proc WHERE proowner = current_user::regrole
                UNION ALL
               SELECT nspname::text FROM pg_namespace
                WHERE nspowner = current_user::regrole AND nspname !~ '^pg_toast_temp_|^pg_temp_') AS owns,
         ARRAY(SELECT quote_ident(c.relname) FROM pg_class c
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                  AND NOT (c.relrowsecurity AND c.relforcerowsecurity)
                  AND (c.relname = 'organizations' OR EXISTS (
                    SELECT FROM pg_attribute a
                     WHERE a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped))
                ORDER BY 1) AS unprotected,
         ${RIGHTS('public.asset_snapshots')} AS snapshot_rights,
         ${RIGHTS('public.audit_log')} AS audit_rights,
         ARRAY(SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
                WHERE n.nspname IN ('_timescaledb_functions', '_timescaledb_internal', 'pg_catalog')
                  AND p.proname = ANY ($2) AND has_function_privilege(p.oid, 'EXECUTE')
                ORDER BY 1) AS open_functions`;

/** Of rights: what is wrong, and what mends it. */
interface RightsProblem {
  readonly found: string;
  readonly remedy: string;
}

/** What stands against working with this database, by what it is about. */
export interface DatabaseReport extends Record<'versions' | 'durability' | 'schema', readonly string[]> {
  readonly roles: readonly RightsProblem[];
}

/** Asked as the role of the service. */
export async function databaseReport(client: pg.ClientBase): Promise<DatabaseReport> {
  const { rows } = await client.query<BootFacts>(FACTS, [
    Object.keys(DURABLE_SETTINGS),
    [...CHUNK_FUNCTIONS, ...SERVER_ENDING_FUNCTIONS],
  ]);
  const facts = rows[0];
  if (facts === undefined) throw new Error('The database told nothing about itself');
  return {
    versions: [...[driverProblem()].filter((problem) => problem !== null), ...versionProblems(facts)],
    durability: durabilityProblems(facts.settings),
    roles: [...roleProblems(facts), ...barrierProblems(facts)],
    schema: await schemaProblems(client),
  };
}

/** All of it in one list: empty where a process may work. */
export async function databaseProblems(client: pg.ClientBase): Promise<string[]> {
  const { versions, durability, roles, schema } = await databaseReport(client);
  return [...versions, ...durability, ...roles.map(({ found, remedy }) => `${found}: ${remedy}`), ...schema];
}

export function versionProblems(
  facts: Pick<BootFacts, 'server_version' | 'timescaledb' | 'citus' | 'license'>,
): string[] {
  const problems: string[] = [];
  if (facts.server_version < POSTGRES_MAJOR_MIN) {
    problems.push(`PostgreSQL ${facts.server_version} is too old: ${POSTGRES_MAJOR_MIN} or newer is needed`);
  }
  if (facts.citus !== null) {
    if (isFromVersion(facts.citus, CITUS_MIN)) return problems;
    return [
      ...problems,
      `Citus ${facts.citus} is too old: ${CITUS_MIN} or newer is needed; install it, then ${INIT_HINT}`,
    ];
  }
  if (facts.timescaledb === null) return [...problems, `The extension timescaledb is missing: ${INIT_HINT}`];
  const isCommunity = facts.license === 'timescale';
  const least = isCommunity ? COMMUNITY_EDITION_MIN : APACHE_EDITION_MIN;
  if (!isFromVersion(facts.timescaledb, least)) {
    const edition = isCommunity ? 'Community' : 'Apache';
    problems.push(
      `TimescaleDB ${facts.timescaledb} is too old: ${least} or newer is needed in the ${edition} edition; install it, then ${INIT_HINT}`,
    );
  }
  return problems;
}

export function durabilityProblems(settings: Record<string, string>): string[] {
  return Object.entries(DURABLE_SETTINGS)
    .filter(([name, safe]) => !safe.includes(settings[name] ?? ''))
    .map(
      ([name, safe]) =>
        `${name} is ${settings[name]}: what was acknowledged could be lost; set it to ${safe.join(' or ')}`,
    );
}

const SERVICE_ROLE = 'voltstream_app';

/** `init` takes no right of a table and no membership away. */
const bySuperuser = (statement: string) => `as a superuser, ${statement}`;

/** Of another role nothing is to be mended. */
const ofService = (role: string, remedy: string) =>
  role === SERVICE_ROLE ? remedy : `DATABASE_URL has to name ${SERVICE_ROLE}`;

function roleProblems({ role, ...facts }: BootFacts): RightsProblem[] {
  const problems: RightsProblem[] = [];
  const mend = (statement: string) => ofService(role, bySuperuser(statement));
  if (facts.is_privileged) {
    const found = `The role ${role} may do more than a service should`;
    problems.push({ found, remedy: ofService(role, INIT_HINT) });
  }
  if (facts.roles_held.length > 0) {
    const held = facts.roles_held.join(', ');
    problems.push({
      found: `The role ${role} is a member of ${held}`,
      remedy: mend(`REVOKE ${held} FROM ${role}`),
    });
  }
  if (facts.owns.length > 0) {
    problems.push({
      found: `The role ${role} owns ${facts.owns.join(', ')}`,
      remedy: mend(`REASSIGN OWNED BY ${role} TO voltstream_owner`),
    });
  }
  return problems;
}

function barrierProblems(facts: BootFacts): RightsProblem[] {
  const problems: RightsProblem[] = [];
  if (facts.unprotected.length > 0) {
    problems.push({
      found: `Row-level security is not forced on ${facts.unprotected.join(', ')}`,
      remedy: bySuperuser(
        facts.unprotected
          .map((table) => `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`)
          .join('; '),
      ),
    });
  }
  for (const [table, rights] of [
    ['asset_snapshots', facts.snapshot_rights],
    ['audit_log', facts.audit_rights],
  ] as const) {
    // Null where the table is missing: then the schema is the problem.
    const more = rights?.filter((right) => right !== 'INSERT') ?? [];
    if (more.length > 0) {
      const revoke = bySuperuser(`REVOKE ${more.join(', ')} ON ${table} FROM PUBLIC, ${SERVICE_ROLE}`);
      problems.push({
        found: `The role ${facts.role} may ${more.join(', ')} on ${table}, and only INSERT is safe`,
        remedy: ofService(facts.role, revoke),
      });
    }
  }
  if (facts.open_functions.length > 0) {
    problems.push({
      found: `Functions of the extension are open to ${facts.role} (${facts.open_functions.join(', ')})`,
      remedy: INIT_HINT,
    });
  }
  return problems;
}

function isFromVersion(version: string, least: string): boolean {
  const [have, need] = [version, least].map((text) => text.split(/[.-]/).map(Number));
  for (let part = 0; part < 3; part += 1) {
    const difference = (have?.[part] || 0) - (need?.[part] || 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
