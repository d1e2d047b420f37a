import { sql } from 'kysely';
import type { Connection, Database } from '../../../platform/database/db.ts';
import { berlinDayOf, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';

/** The first day on which a contract of the demo was supplied. */
export async function findFirstSupply(database: Database, organization: string): Promise<CalendarDay | null> {
  return await database.inOrganization({ organization }, async (connection) => {
    const row = await connection
      .selectFrom('subscriptions')
      .select((of) => of.fn.min('start_at').as('first'))
      .where('organization_id', '=', organization)
      .executeTakeFirst();
    return row?.first == null ? null : berlinDayOf(row.first);
  });
}

/** The day of the newest document. */
export async function findLastIssue(database: Database, organization: string): Promise<CalendarDay | null> {
  return await database.inOrganization({ organization }, async (connection) => {
    const row = await connection
      .selectFrom('invoices')
      .select((of) => of.fn.max('issued_at').as('last'))
      .where('organization_id', '=', organization)
      .executeTakeFirst();
    return row?.last == null ? null : berlinDayOf(row.last);
  });
}

export interface DemoBill {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly total: string;
}

/** Oldest first. */
export async function listDemoBills(database: Database, organization: string): Promise<DemoBill[]> {
  return await database.inOrganization({ organization }, (connection) =>
    connection
      .selectFrom('invoices')
      .select(['id', 'type', 'status', sql<string>`total::text`.as('total')])
      .where('organization_id', '=', organization)
      .orderBy('ledger_number')
      .execute(),
  );
}

export async function dateMandatesByStart(connection: Connection, organization: string): Promise<void> {
  await sql`
    UPDATE payment_methods AS m SET mandate_signed_on = (s.start_at AT TIME ZONE 'Europe/Berlin')::date - 14
      FROM subscriptions AS s
     WHERE m.organization_id = ${organization} AND s.organization_id = m.organization_id AND s.payment_method_id = m.id
       AND m.mandate_signed_on > (s.start_at AT TIME ZONE 'Europe/Berlin')::date - 14`.execute(connection);
}

/** The contract with this name in its metadata. */
export async function findContract(
  database: Database,
  organization: string,
  name: string,
): Promise<{ id: string; start_on: CalendarDay; has_documents: boolean } | undefined> {
  return await database.inOrganization({ organization }, async (connection) => {
    const { rows } = await sql<{ id: string; start_on: CalendarDay; has_documents: boolean }>`
      SELECT id, (start_at AT TIME ZONE 'Europe/Berlin')::date AS start_on,
             EXISTS (SELECT FROM invoices AS i
                      WHERE i.organization_id = s.organization_id AND i.subscription_id = s.id) AS has_documents
        FROM subscriptions AS s
       WHERE organization_id = ${organization} AND metadata ->> 'demo' = ${name} AND start_at IS NOT NULL`.execute(
      connection,
    );
    return rows[0];
  });
}
