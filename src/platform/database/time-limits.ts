import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * From BEGIN to COMMIT. Readers of lists rely on it: a change carries an instant of its transaction, and it is seen from
 * the COMMIT on. Whoever asks for what changed since `OVERLAP_SECONDS` before the last time misses nothing, because no
 * transaction that changes such a list is open for so long. The server ends one that is, whatever its process does.
 */
export const TRANSACTION_MILLISECONDS = 40_000;

/**
 * What descriptions of lists tell clients to overlap by. The rest is for what the time limit does not see: the last write
 * to the disk, and clocks that differ by the 2 seconds that readiness allows.
 */
export const OVERLAP_SECONDS = 60;

/*
 * The server cancels first (statement), the client's own limit covers a server that no longer answers, and the
 * HTTP handler's limit lies above both.
 */
export const STATEMENT_LIMITS = {
  lock_timeout: 3_000,
  idle_in_transaction_session_timeout: 10_000,
  statement_timeout: 15_000,
  query_timeout: 18_000,
} as const;

/**
 * For files of an operator, which are taken in by one transaction however long they are. Such a transaction must not
 * change contracts: clients ask for those by `updated_at`.
 */
export async function allowLongTransaction(connection: Kysely<Tables>): Promise<void> {
  await sql`SET LOCAL transaction_timeout = 0`.execute(connection);
}
