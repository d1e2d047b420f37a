import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';

const columns = [
  'id',
  'kind',
  'created_at',
  'url',
  'secret',
  'previous_secret',
  'previous_secret_until',
  'disabled_at',
  'disabled_reason',
  'deleted_at',
  'failing_since',
  'last_success_at',
  'last_failure_at',
  'first_mail_at',
  'wait_until',
  'one_at_a_time',
  'asked_run',
  'asked_at',
  'served_by',
  'served_at',
] as const;

/** An endpoint as those see it who send to it. */
export type ServedEndpoint = Pick<Selectable<Tables['webhook_endpoints']>, (typeof columns)[number]>;

/** With the standing of its organization. Everything that changes what is to be sent to it happens behind this lock. */
export async function lockServedEndpoint(
  connection: Connection,
  organization: string,
  id: string,
): Promise<(ServedEndpoint & { standing: string }) | undefined> {
  return await connection
    .selectFrom('webhook_endpoints')
    .select(columns)
    .select(
      sql<string>`(SELECT standing FROM organizations WHERE organizations.id = ${organization})`.as(
        'standing',
      ),
    )
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/**
 * Those of the organization that are to hear of one of these events, or all where an event does not say it. Few; locked in
 * the order of their ids.
 */
export async function lockWillingEndpoints(
  connection: Connection,
  organization: string,
  events: readonly string[],
): Promise<ServedEndpoint[]> {
  const found = sql`FROM events WHERE organization_id = ${organization} AND id = ANY(${[...events]})`;
  return await connection
    .selectFrom('webhook_endpoints')
    .select(columns)
    .where('organization_id', '=', organization)
    .where('deleted_at', 'is', null)
    .where(
      sql<boolean>`(id = ANY(ARRAY(SELECT unnest(heard_by) ${found})) OR EXISTS (SELECT ${found} AND heard_by IS NULL))`,
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

export type ServedColumns = Omit<
  ServedEndpoint,
  'id' | 'kind' | 'created_at' | 'url' | 'secret' | 'previous_secret' | 'previous_secret_until'
>;

export async function updateServedEndpoint(
  connection: Connection,
  organization: string,
  id: string,
  fields: Partial<ServedColumns>,
): Promise<void> {
  await connection
    .updateTable('webhook_endpoints')
    .set(fields)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

/** Which run each of these endpoints waits for, and from when. */
export async function updateWaitingRuns(
  connection: Connection,
  organization: string,
  runs: readonly { id: string; asked_run: number; asked_at: string }[],
): Promise<void> {
  await sql`
    UPDATE webhook_endpoints AS endpoint SET asked_run = waiting.run, asked_at = waiting.at
      FROM unnest(${runs.map(({ id }) => id)}::text[], ${runs.map(({ asked_run }) => asked_run)}::bigint[],
                  ${runs.map(({ asked_at }) => asked_at)}::timestamptz[]) AS waiting (id, run, at)
     WHERE endpoint.organization_id = ${organization} AND endpoint.id = waiting.id`.execute(connection);
}

/** Whom to tell about an endpoint, and what about. Not found: it was deleted. */
export async function findContact(
  connection: Connection,
  organization: string,
  id: string,
): Promise<
  | Pick<
      Selectable<Tables['webhook_endpoints']>,
      'url' | 'description' | 'contact_email' | 'failing_since' | 'disabled_reason'
    >
  | undefined
> {
  return await connection
    .selectFrom('webhook_endpoints')
    .select(['url', 'description', 'contact_email', 'failing_since', 'disabled_reason'])
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}
