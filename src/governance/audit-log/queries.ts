import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { RemovalLimits } from '../../platform/retention.ts';

export interface AuditSeal {
  /** UTC. */
  day: string;
  rows: number;
  /** SHA-256, hexadecimal. */
  hash: string;
}

export interface SealProblem {
  /** UTC; null: of the chain as a whole. */
  day: string | null;
  problem: string;
}

/** Rows as they were when they were last compared, the chain of seals as it is now. */
export async function listSealProblems(connection: Connection): Promise<SealProblem[]> {
  const { rows } = await sql<SealProblem>`SELECT day, problem FROM audit_seal_problems()`.execute(connection);
  return rows;
}

/** The newest seal, those that did not fit last time, and some others by chance. Days in UTC, oldest first. */
export async function listSampledSealDays(connection: Connection, others: number): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    SELECT day FROM audit_seals WHERE problem IS NOT NULL
     UNION (SELECT day FROM audit_seals ORDER BY day DESC LIMIT 1)
     UNION (SELECT day FROM audit_seals WHERE day > now() - interval '24 months' ORDER BY random() LIMIT ${others})
     ORDER BY day`.execute(connection);
  return rows.map(({ day }) => day);
}

export async function listSeals(connection: Connection): Promise<AuditSeal[]> {
  const { rows } = await sql<AuditSeal>`
    SELECT day, rows, encode(hash, 'hex') AS hash FROM audit_seals ORDER BY day`.execute(connection);
  return rows;
}

/** Compares one day's seal with its rows and keeps what does not fit; false: too old, its rows are no longer kept. */
export async function compareSeal(connection: Connection, day: string): Promise<boolean> {
  const { rows } = await sql<{ compared: number }>`
    SELECT compare_audit_seals(${day}, ${day}) AS compared`.execute(connection);
  return (rows[0]?.compared ?? 0) > 0;
}

/** Seals the next day that is over; undefined where all of them are sealed. */
export async function insertSeal(connection: Connection): Promise<AuditSeal | undefined> {
  const { rows } = await sql<AuditSeal>`
    SELECT day, rows, encode(hash, 'hex') AS hash FROM seal_audit_days(1)`.execute(connection);
  return rows[0];
}

export interface ReadPerson {
  /** The customer; an id that leads to none, as of a lead; null where the log does not say whose it was. */
  whose: string | null;
  /** How many answers showed something of it, or led to it. */
  reads: number;
  first_at: string;
  last_at: string;
}

/** Whose customer an id of the log leads to. */
const OF_CUSTOMERS = [
  ...['subscriptions', 'households', 'assets', 'invoices', 'meters'],
  ...['meter_orders', 'grid_fee_reductions', 'meter_readings'],
];

/**
 * The first words of acts after which a token knows something of a person: who changes something is answered with all of it, and
 * who makes a link into the portal sees there what the customer sees.
 */
const SHOWING = [
  ...['personal_data', 'customer', 'asset', 'lead', 'subscription', 'meter_order', 'meter_reading'],
  ...['grid_fee_reduction', 'load_forecast', 'magic_link'],
];

/** By the owner of the database: the service cannot read here. The latest first. */
export async function listReadPersons(
  connection: Connection,
  organization: string,
  { client, grant, since, until }: { client?: string; grant?: string; since?: string; until?: string },
): Promise<ReadPerson[]> {
  const places = OF_CUSTOMERS.map(
    (table) => sql`SELECT id, customer_id FROM ${sql.table(table)}
      WHERE organization_id = ${organization} AND id IN (SELECT id FROM read_ids)`,
  );
  const { rows } = await sql<ReadPerson>`
    WITH read_ids AS MATERIALIZED (
      SELECT shown.id, count(*) AS reads, min(log.at) AS first_at, max(log.at) AS last_at
        FROM audit_log AS log LEFT JOIN unnest(string_to_array(log.object_id, ' ')) AS shown (id) ON true
       WHERE log.organization_id = ${organization} AND split_part(log.act, '.', 1) = ANY (${SHOWING})
         AND (${client ?? null}::text IS NULL OR log.client_id = ${client ?? null})
         AND (${grant ?? null}::text IS NULL OR log.grant_id = ${grant ?? null})
         AND log.at >= ${since ?? '-infinity'}::timestamptz AND log.at < ${until ?? 'infinity'}::timestamptz
       GROUP BY shown.id)
    SELECT coalesce(owners.customer_id, read_ids.id) AS whose, sum(read_ids.reads)::integer AS reads,
           min(read_ids.first_at) AS first_at, max(read_ids.last_at) AS last_at
      FROM read_ids LEFT JOIN (${sql.join(places, sql` UNION ALL `)}) AS owners USING (id)
     GROUP BY 1 ORDER BY last_at DESC, whose`.execute(connection);
  return rows;
}

/** By the role for maintenance: the service cannot delete here. */
export async function deleteAuditRows(
  connection: Connection,
  { before, portion }: RemovalLimits,
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    SELECT delete_old_audit_rows(${before}, ${portion}) AS deleted`.execute(connection);
  return rows[0]?.deleted ?? 0;
}
