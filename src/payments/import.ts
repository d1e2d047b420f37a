import { audit } from '../platform/audit.ts';
import { allowLongTransaction } from '../platform/database/time-limits.ts';
import { Exact } from '../platform/money.ts';
import { type StaffAct, staffOf } from '../platform/staff-act.ts';
import { type Booked, bookEntries, settleDebits } from './book.ts';
import { insertEntries } from './entry-queries.ts';
import { findAccount } from './file-queries.ts';
import type { PaymentsDeps } from './make-file.ts';
import type { PaymentProvider } from './provider.ts';
import { statementProblemsText } from './statements/entry.ts';

/** Rows of one statement. */
const ROWS_MAX = 2_000;

export interface ImportedStatement extends Booked {
  /** Movements in it that are booked at the bank. */
  readonly entries: number;
  /** Those that were not there before. */
  readonly new: number;
  /** Announced by the bank, not booked yet. */
  readonly pending: number;
  /** Bills that became paid because their debit can no longer come back. */
  readonly settled: number;
}

/**
 * Takes in a statement, entirely or not at all, and books it. What was taken in before, from this file or another, is left
 * as it is: the same file twice changes nothing. A process that ends while it books is no harm, for the next import goes
 * on with what is left.
 */
export async function importStatement(
  deps: PaymentsDeps,
  organization: string,
  statement: { readonly name: string; readonly source: AsyncIterable<Uint8Array> },
  provider: PaymentProvider,
  act: StaffAct,
): Promise<ImportedStatement> {
  const { iban: ownIban } = await deps.database.inOrganization({ organization }, (connection) =>
    findAccount(connection, organization),
  );
  const read = await provider.results(statement.source, { ownIban });
  if (read.problems.length > 0) throw new Error(statementProblemsText(statement.name, read.problems));
  const entries = read.entries.filter(({ amount }) => !new Exact(amount).isZero());
  const added = await deps.database.inOrganization({ organization }, async (connection) => {
    await allowLongTransaction(connection);
    const now = deps.clock.now().toISOString();
    let count = 0;
    for (let first = 0; first < entries.length; first += ROWS_MAX) {
      const portion = entries.slice(first, first + ROWS_MAX);
      count += await insertEntries(connection, organization, portion, { provider: provider.name, now });
    }
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'payments.import',
      object_id: organization,
      result: count === 0 ? 'unchanged' : 'done',
    });
    return count;
  });
  const booked = await bookEntries(deps, organization);
  const settled = await settleDebits(deps, organization);
  return { entries: entries.length, new: added, pending: read.pending, ...booked, settled };
}
