import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';

export const STANDINGS = ['in_order', 'past_due', 'suspended', 'deleted'] as const;
export type OrganizationStanding = (typeof STANDINGS)[number];
/** Jobs of all others stand still. */
export const STANDINGS_AT_WORK: readonly OrganizationStanding[] = ['in_order', 'past_due'];

export interface OrganizationRow {
  id: string;
  name: string;
  standing: OrganizationStanding;
  forecast_enabled: boolean;
  created_at: string;
  updated_at: string;
}

const columns = ['id', 'name', 'standing', 'forecast_enabled', 'created_at', 'updated_at'] as const;

export type ListedOrganization = Omit<OrganizationRow, 'updated_at'>;

/** Looks across organizations; newest first. */
export async function listOrganizations(connection: Connection): Promise<ListedOrganization[]> {
  const { rows } = await sql<ListedOrganization>`
    SELECT id, name, standing, forecast_enabled, created_at
    FROM list_organizations()
    ORDER BY created_at DESC, id DESC`.execute(connection);
  return rows;
}

export async function insertOrganization(
  connection: Connection,
  organization: OrganizationRow,
): Promise<OrganizationRow> {
  const row = await connection
    .insertInto('organizations')
    .values(organization)
    .returning(columns)
    .executeTakeFirstOrThrow();
  return row as OrganizationRow;
}

/** What people name by its id at the command line. */
const NAMED_TABLES = [
  ...['subscriptions', 'invoices', 'customers', 'households', 'meters', 'plans', 'assets'],
  ...['meter_orders', 'grid_fee_reductions', 'meter_readings', 'leads', 'grants'],
  ...['webhook_endpoints', 'events', 'auth_clients', 'payment_files', 'billing_runs'],
  'console_users',
];

/** Whether one of these ids is that of something the organization has. */
export async function hasOneOf(
  connection: Connection,
  organization: string,
  ids: readonly string[],
): Promise<boolean> {
  const places = NAMED_TABLES.map(
    (table) => sql`SELECT 1 FROM ${sql.table(table)}
      WHERE organization_id = ${organization} AND id = ANY(${[...ids]}::text[])`,
  );
  const { rows } = await sql`${sql.join(places, sql` UNION ALL `)} LIMIT 1`.execute(connection);
  return rows.length > 0;
}

export async function findOrganization(
  connection: Connection,
  organization: string,
): Promise<OrganizationRow | undefined> {
  const row = await connection
    .selectFrom('organizations')
    .select(columns)
    .where('id', '=', organization)
    .executeTakeFirst();
  return row as OrganizationRow | undefined;
}

/** Locked, so that the audit log's "before" is what the change replaced. */
export async function lockOrganization(
  connection: Connection,
  organization: string,
): Promise<OrganizationRow | undefined> {
  const row = await connection
    .selectFrom('organizations')
    .select(columns)
    .where('id', '=', organization)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row as OrganizationRow | undefined;
}

export async function updateOrganizationFields(
  connection: Connection,
  organization: string,
  fields: Partial<Pick<OrganizationRow, 'standing' | 'forecast_enabled'>> & { updated_at: string },
): Promise<OrganizationRow> {
  const row = await connection
    .updateTable('organizations')
    .set(fields)
    .where('id', '=', organization)
    .returning(columns)
    .executeTakeFirstOrThrow();
  return row as OrganizationRow;
}

/** Lets its analysts in or shuts them out, as its standing wants. */
export async function setAnalystAccess(connection: Connection, organization: string): Promise<void> {
  await sql`SELECT set_analyst_access(${organization})`.execute(connection);
}
