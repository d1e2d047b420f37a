import { sql } from 'kysely';
import type { Connection } from '../platform/database/db.ts';
import type { RemovalLimits } from '../platform/retention.ts';

export interface AuditSeal {
  /** UTC. */
  day: string;
  rows: number;
  /** SHA-256, hexadecimal. */
  hash: string;
}

export async function findNewestSealDay(connection: Connection): Promise<string | null> {
  const { rows } = await sql<{ day: string }>`
    SELECT day FROM audit_seals ORDER BY day DESC LIMIT 1`.execute(connection);
  return rows[0]?.day ?? null;
}

export async function listSealProblems(
  connection: Connection,
  firstDay: string,
  lastDay: string,
): Promise<{ day: string; problem: string }[]> {
  const { rows } = await sql<{ day: string; problem: string }>`
    SELECT day, problem FROM audit_seal_problems(${firstDay}, ${lastDay})`.execute(connection);
  return rows;
}

/** Seals the next day that is over; undefined where all of them are sealed. */
export async function insertSeal(connection: Connection): Promise<AuditSeal | undefined> {
  const { rows } = await sql<AuditSeal>`
    SELECT day, rows, encode(hash, 'hex') AS hash FROM seal_audit_days(1)`.execute(connection);
  return rows[0];
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
