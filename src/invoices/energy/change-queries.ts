import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';

/** A bill, and what its energy was read from. */
export interface BilledUsage {
  /** Id of the document. */
  readonly invoice: string;
  readonly subscription: string;
  readonly meter: string;
  readonly from: CalendarDay;
  /** Exclusive. */
  readonly until: CalendarDay;
  readonly issuedAt: string;
}

/**
 * Contracts, by id and behind `after`, of which something came in since an instant that their energy depends on: quarter
 * hours of a frozen month, a reading of their meter, another device. Each of the three is a range of an index by time.
 */
export async function listContractsChangedSince(
  connection: Connection,
  organization: string,
  since: string,
  { after, rowsMax }: { after: string; rowsMax: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH meters AS (
      SELECT meter_id FROM meter_readings
       WHERE organization_id = ${organization} AND created_at >= ${since}::timestamptz
      UNION
      SELECT meter_id FROM meter_changes
       WHERE organization_id = ${organization} AND updated_at >= ${since}::timestamptz
    ), changed AS (
      SELECT subscription_id AS id FROM settled_usage_months
       WHERE organization_id = ${organization} AND changed_at >= ${since}::timestamptz
      UNION
      SELECT contract.id
        FROM meters
       CROSS JOIN LATERAL (
               SELECT id FROM subscriptions
                WHERE organization_id = ${organization} AND meter_id = meters.meter_id) AS contract
    )
    SELECT id FROM changed WHERE id > ${after} ORDER BY id LIMIT ${rowsMax}`.execute(connection);
  return rows.map(({ id }) => id);
}

/**
 * Those of some bills whose energy may be another by now. A reading changes the days between the real readings next to it:
 * estimates between them count for what it leaves of them.
 */
export async function listChangedBills(
  connection: Connection,
  organization: string,
  billed: readonly BilledUsage[],
  margin: string,
): Promise<ReadonlySet<string>> {
  const column = (member: keyof BilledUsage) => billed.map((one) => one[member]);
  const { rows } = await sql<{ invoice: string }>`
    SELECT bill.invoice
      FROM unnest(${column('invoice')}::text[], ${column('subscription')}::text[], ${column('meter')}::text[],
                  ${column('from')}::date[], ${column('until')}::date[], ${column('issuedAt')}::timestamptz[])
             AS bill (invoice, subscription, meter, first, until, issued_at),
           LATERAL (SELECT bill.issued_at - ${margin}::interval AS at) AS seen
     WHERE EXISTS (
             SELECT FROM settled_usage_months AS settled
              WHERE settled.organization_id = ${organization} AND settled.subscription_id = bill.subscription
                AND settled.month >= date_trunc('month', bill.first::timestamp)::date AND settled.month < bill.until
                AND settled.changed_at >= seen.at)
        OR EXISTS (
             SELECT FROM meter_changes AS change
              WHERE change.organization_id = ${organization} AND change.meter_id = bill.meter
                AND change.valid_from < bill.until AND change.updated_at >= seen.at)
        OR EXISTS (
             SELECT FROM meter_readings AS young
              WHERE young.organization_id = ${organization} AND young.meter_id = bill.meter
                AND young.created_at >= seen.at
                AND NOT EXISTS (
                      SELECT FROM meter_readings AS before
                       WHERE before.organization_id = ${organization} AND before.meter_id = bill.meter
                         AND before.register = young.register AND before.type <> 'grid_estimation'
                         AND before.read_on >= bill.until AND before.read_on < young.read_on)
                AND NOT EXISTS (
                      SELECT FROM meter_readings AS behind
                       WHERE behind.organization_id = ${organization} AND behind.meter_id = bill.meter
                         AND behind.register = young.register AND behind.type <> 'grid_estimation'
                         AND behind.read_on <= bill.first AND behind.read_on > young.read_on))`.execute(
    connection,
  );
  return new Set(rows.map(({ invoice }) => invoice));
}
