import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newId } from '../../platform/ids.ts';

const columns = [
  'id',
  'kind',
  'url',
  'description',
  'contact_email',
  'topics',
  'disabled_at',
  'disabled_reason',
  'failing_since',
  'last_success_at',
  'last_failure_at',
  'wait_until',
  'previous_secret_until',
  'created_at',
] as const;

const secretColumns = ['id', 'secret', 'previous_secret', 'previous_secret_until'] as const;

type Row = Selectable<Tables['webhook_endpoints']>;

/** An endpoint without its secrets. */
export type EndpointRow = Pick<Row, (typeof columns)[number]>;
export type EndpointSecrets = Pick<Row, (typeof secretColumns)[number]>;

/** The columns of a new row. */
export type NewEndpointRow = Pick<
  Row,
  'id' | 'kind' | 'url' | 'description' | 'contact_email' | 'topics' | 'secret' | 'created_at'
>;

export function newEndpointId(): string {
  return newId('whe');
}

/** Until the end of the transaction nobody else makes an endpoint of this organization: they are counted. */
export async function lockEndpointCount(connection: Connection, organization: string): Promise<void> {
  const name = `voltstream webhook endpoints ${organization}`;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(connection);
}

export async function countEndpoints(
  connection: Connection,
  organization: string,
  kind: EndpointRow['kind'],
): Promise<number> {
  const { count } = await connection
    .selectFrom('webhook_endpoints')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organization)
    .where('deleted_at', 'is', null)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertEndpoint(
  connection: Connection,
  organization: string,
  endpoint: NewEndpointRow,
): Promise<EndpointRow> {
  return await connection
    .insertInto('webhook_endpoints')
    .values({ ...endpoint, organization_id: organization })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Newest first; few, because their number is bounded. */
export async function listEndpointRows(connection: Connection, organization: string): Promise<EndpointRow[]> {
  return await connection
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('organization_id', '=', organization)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

function livingEndpoint(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('webhook_endpoints')
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null);
}

export async function findEndpoint(
  connection: Connection,
  organization: string,
  id: string,
): Promise<EndpointRow | undefined> {
  return await livingEndpoint(connection, organization, id).select(columns).executeTakeFirst();
}

export async function lockEndpoint(
  connection: Connection,
  organization: string,
  id: string,
): Promise<(EndpointRow & Pick<Row, 'served_by'>) | undefined> {
  return await livingEndpoint(connection, organization, id)
    .select(columns)
    .select('served_by')
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function findEndpointSecrets(
  connection: Connection,
  organization: string,
  id: string,
): Promise<EndpointSecrets> {
  return await livingEndpoint(connection, organization, id).select(secretColumns).executeTakeFirstOrThrow();
}

export async function listEndpointSecrets(
  connection: Connection,
  organization: string,
): Promise<EndpointSecrets[]> {
  return await connection
    .selectFrom('webhook_endpoints')
    .select(secretColumns)
    .where('organization_id', '=', organization)
    .where('deleted_at', 'is', null)
    .execute();
}

export type EndpointFields = Omit<Partial<Row>, 'organization_id' | 'id' | 'kind' | 'created_at'>;

export async function updateEndpoint(
  connection: Connection,
  organization: string,
  id: string,
  fields: EndpointFields,
): Promise<EndpointRow> {
  return await connection
    .updateTable('webhook_endpoints')
    .set(fields)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export type DeliveryState = Selectable<Tables['event_deliveries']>['state'];

/** How many deliveries of the endpoint are in the state, counted no further than asked. */
export async function findStateCount(
  connection: Connection,
  organization: string,
  endpoint: string,
  { state, max }: { state: DeliveryState; max: number },
): Promise<number> {
  const { count } = await connection
    .selectFrom((from) =>
      from
        .selectFrom('event_deliveries')
        .select('event_id')
        .where('organization_id', '=', organization)
        .where('endpoint_id', '=', endpoint)
        .where('state', '=', state)
        .limit(max)
        .as('found'),
    )
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
