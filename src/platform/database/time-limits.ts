import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * From BEGIN to COMMIT. Readers of lists rely on it: a change carries an instant of its transaction, and it is seen from the
 * COMMIT on. No transaction that changes such a list is open for longer than `OVERLAP_SECONDS`. So nobody misses a change
 * who asks for changes since that long before the last time. The server ends one that is, whatever its process does.
 */
export const TRANSACTION_MILLISECONDS = 40_000;

/**
 * Descriptions of lists tell clients to overlap by this. The rest is for delays that the time limit does not see: the last
 * write to the disk, and clocks that differ by the 2 seconds that readiness allows.
 */
export const OVERLAP_SECONDS = 60;

/**
 * So old snapshots may be when they are committed and still be on time: quarter hours are summed later than this, and later
 * ones have to ask for it. Gateways that send once in a quarter hour are on time.
 */
export const ON_TIME_SECONDS = 1_200;

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

/** The audit log of a day is sealed ten minutes after its end: a row of a transaction that began on it must be there. */
const LONG_TRANSACTION_MILLISECONDS = 540_000;
/** A year of quarter hours is read and checked between two statements. On a busy machine that takes longer than a request may. */
const LONG_IDLE_MILLISECONDS = 60_000;

/**
 * For files of an operator, which are taken in by one transaction. Such a transaction must not change contracts: clients
 * ask for those by `updated_at`.
 */
export function allowLongTransaction(connection: Kysely<Tables>): Promise<void> {
  return limitTransaction(connection, {
    transaction: LONG_TRANSACTION_MILLISECONDS,
    statement: STATEMENT_LIMITS.statement_timeout,
    idle: LONG_IDLE_MILLISECONDS,
  });
}

/**
 * Other limits for this transaction, counted from now, in milliseconds. The server's timer takes no other value while it
 * runs: 0 stops it first.
 */
export async function limitTransaction(
  connection: Kysely<Tables>,
  {
    transaction,
    statement,
    idle = STATEMENT_LIMITS.idle_in_transaction_session_timeout,
  }: { transaction: number; statement: number; idle?: number },
): Promise<void> {
  await sql`
    SELECT set_config('statement_timeout', ${String(statement)}, true), set_config('transaction_timeout', '0', true),
           set_config('transaction_timeout', ${String(transaction)}, true),
           set_config('idle_in_transaction_session_timeout', ${String(idle)}, true)`.execute(connection);
}
