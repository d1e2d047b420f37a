import { audit } from '../../platform/audit.ts';
import { allowLongTransaction } from '../../platform/database/time-limits.ts';
import { Exact } from '../../platform/money.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { type BookingCounts, bookEntries, type PaymentsDeps, settleDebits } from './book.ts';
import { insertEntries, listAlike } from './entry-queries.ts';
import { listOwnIbans } from './file-queries.ts';
import type { PaymentProvider } from './provider.ts';
import { lockPaymentsOf } from './queries.ts';
import { type BankEntry, statementProblemsText } from './statements/entry.ts';

/** Rows of one statement. */
const ROWS_MAX = 2_000;

export interface ImportedStatement extends BookingCounts {
  /** Movements in it that are booked at the bank. */
  readonly entries: number;
  /** Those that were not there before. */
  readonly new: number;
  /** Those that were, from this statement or another: they are skipped. */
  readonly known: readonly BankEntry[];
  /** Announced by the bank, not booked yet. */
  readonly pending: number;
  /** Bills that became paid because their debit can no longer come back. */
  readonly settled: number;
}

/**
 * Takes in a statement, entirely or not at all, and books it. Movements that were taken in before, from this file or
 * another, stay as they are: the same file twice changes nothing. A process that ends while it books is no harm, for the
 * next import goes on with what is left.
 */
export async function importStatement(
  deps: PaymentsDeps,
  organization: string,
  statement: { readonly name: string; readonly source: AsyncIterable<Uint8Array> },
  provider: PaymentProvider,
  act: StaffAct,
): Promise<ImportedStatement> {
  const ownIbans = await deps.database.inOrganization({ organization }, (connection) =>
    listOwnIbans(connection, organization),
  );
  const read = await provider.results(statement.source, { ownIbans });
  if (read.problems.length > 0) throw new Error(statementProblemsText(statement.name, read.problems));
  const entries = read.entries.filter(({ amount }) => !new Exact(amount).isZero());
  const added = await deps.database.inOrganization({ organization }, async (connection) => {
    await allowLongTransaction(connection);
    await lockPaymentsOf(connection, organization);
    const portions = portionsOf(entries);
    /* Before anything of it is stored: what says the same within one report are several movements. */
    const alike = new Set<string>();
    for (const portion of portions) {
      for (const identity of await listAlike(connection, organization, portion)) alike.add(identity);
    }
    const now = deps.clock.now().toISOString();
    const inserted = new Set<string>();
    for (const portion of portions) {
      const origin = { provider: provider.name, now, alike };
      for (const identity of await insertEntries(connection, organization, portion, origin))
        inserted.add(identity);
    }
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'payments.import',
      object_id: organization,
      result: inserted.size === 0 ? 'unchanged' : 'done',
    });
    return inserted;
  });
  const booked = await bookEntries(deps, organization);
  const settled = await settleDebits(deps, organization);
  /* Money that an import before it left is booked now, though the statement brought nothing new. */
  if (booked.booked + booked.unmatched + settled > 0) act.heard?.('done');
  const known = entries.filter(({ identity }) => !added.has(identity));
  return {
    entries: entries.length,
    new: added.size,
    known,
    pending: read.pending,
    ...booked,
    settled,
  };
}

function portionsOf(entries: readonly BankEntry[]): readonly BankEntry[][] {
  const portions: BankEntry[][] = [];
  for (let first = 0; first < entries.length; first += ROWS_MAX)
    portions.push(entries.slice(first, first + ROWS_MAX));
  return portions;
}
