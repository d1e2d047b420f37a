import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newId } from '../../platform/ids.ts';
import { findBillThatTookOver } from '../invoices/queries.ts';
import type { KnownBill } from './match.ts';
import type { ProviderName } from './provider.ts';
import type { BankEntry } from './statements/entry.ts';
import type { PaymentRow } from './states.ts';

export type BankEntryRow = Selectable<Tables['bank_entries']>;

/**
 * Movements without a reference of the bank that say the same as one that is there: the same movement in a report with
 * another name, or another movement. Returns their identities.
 */
export async function listAlike(
  connection: Connection,
  organization: string,
  entries: readonly BankEntry[],
): Promise<string[]> {
  const movements = entries.filter(({ hasReference }) => !hasReference).map(rowOf);
  if (movements.length === 0) return [];
  const { rows } = await sql<{ identity: string }>`
    SELECT movement.identity
      FROM json_populate_recordset(NULL::bank_entries, ${JSON.stringify(movements)}::json) AS movement
     WHERE EXISTS (SELECT FROM bank_entries AS e
                    WHERE e.organization_id = ${organization} AND e.booked_on = movement.booked_on AND e.amount = movement.amount
                      AND ${saidOf('e')} = ${saidOf('movement')})`.execute(connection);
  return rows.map(({ identity }) => identity);
}

/** As the index of these statements has it. */
const saidOf = (table: string) => {
  const column = (name: string) => sql`coalesce(${sql.ref(`${table}.${name}`)}, '')`;
  return sql`md5(${sql.join(
    ['iban', 'end_to_end_id', 'block_id', 'return_reason', 'text'].map(column),
    sql` || ' ' || `,
  )})`;
};

const rowOf = (entry: BankEntry) => ({
  ...{ identity: entry.identity, booked_on: entry.bookedOn, amount: entry.amount },
  ...{ end_to_end_id: entry.endToEndId, block_id: entry.blockId, return_reason: entry.returnReason },
  ...{ name: entry.name, iban: entry.iban, text: entry.text },
});

/** What is there already, from this statement or another, stays as it is. Returns the identities of those that are new. */
export async function insertEntries(
  connection: Connection,
  organization: string,
  entries: readonly BankEntry[],
  { provider, now, alike }: { provider: ProviderName; now: string; alike: ReadonlySet<string> },
): Promise<string[]> {
  const named = entries.flatMap(({ elsewhere }) => elsewhere ?? []);
  const there = await sql<{ identity: string }>`
    SELECT identity FROM bank_entries
     WHERE organization_id = ${organization} AND identity = ANY (${named}::text[])`.execute(connection);
  const known = new Set(there.rows.map(({ identity }) => identity));
  const others = entries.filter(({ elsewhere }) => elsewhere === null || !known.has(elsewhere));
  const rows = others.map((entry) => ({
    ...{ id: newId('bke'), provider, ...rowOf(entry), imported_at: now },
    perhaps_known: alike.has(entry.identity),
  }));
  if (rows.length === 0) return [];
  const names = sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)));
  const inserted = await sql<{ identity: string }>`
    INSERT INTO bank_entries (organization_id, ${names})
    SELECT ${organization}, ${names}
      FROM json_populate_recordset(NULL::bank_entries, ${JSON.stringify(rows)}::json)
        ON CONFLICT (organization_id, identity) DO NOTHING
    RETURNING identity`.execute(connection);
  return inserted.rows.map(({ identity }) => identity);
}

/** In the order in which the bank booked them: a debit is credited before it comes back. */
export async function listNewEntries(
  connection: Connection,
  organization: string,
  rowsMax: number,
): Promise<BankEntryRow[]> {
  return await connection
    .selectFrom('bank_entries')
    .selectAll()
    .where('organization_id', '=', organization)
    .where('state', '=', 'new')
    .orderBy('booked_on')
    .orderBy(sql`return_reason IS NOT NULL`)
    .orderBy('id')
    .limit(rowsMax)
    .execute();
}

export async function countNewEntries(connection: Connection, organization: string): Promise<number> {
  const { rows } = await sql<{ entries: number }>`
    SELECT count(*)::integer AS entries FROM bank_entries
     WHERE organization_id = ${organization} AND state = 'new'`.execute(connection);
  return rows[0]?.entries ?? 0;
}

export function findEntry(
  connection: Connection,
  organization: string,
  id: string,
): Promise<BankEntryRow | undefined> {
  return connection
    .selectFrom('bank_entries')
    .selectAll()
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The id of a bill, by its id or its number. */
export async function findNamedBill(
  connection: Connection,
  organization: string,
  named: string,
): Promise<string | undefined> {
  const row = await connection
    .selectFrom('invoices')
    .select('id')
    .where('organization_id', '=', organization)
    .where(named.startsWith('inv_') ? 'id' : 'invoice_number', '=', named)
    .executeTakeFirst();
  return row?.id;
}

/** Ids of what is to come in for a contract, by the days on which it is due. A contract has some 16 documents a year. */
export async function listOpenBillsOfContract(
  connection: Connection,
  organization: string,
  subscription: string,
): Promise<string[]> {
  const rows = await connection
    .selectFrom('invoices')
    .select('id')
    .where('organization_id', '=', organization)
    .where('subscription_id', '=', subscription)
    .where('status', '=', 'open')
    .where('total', '>', '0')
    .orderBy('due_on')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

export async function updateEntry(
  connection: Connection,
  organization: string,
  id: string,
  change: Pick<BankEntryRow, 'state' | 'note'>,
): Promise<void> {
  await connection
    .updateTable('bank_entries')
    .set(change)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

/** Movements about a whole block that fitted nothing are looked at anew by whoever books next. Returns whether there are any. */
export async function updateUnmatchedOfBlock(
  connection: Connection,
  organization: string,
  blockId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await connection
    .updateTable('bank_entries')
    .set({ state: 'new', note: null })
    .where('organization_id', '=', organization)
    .where('state', '=', 'unmatched')
    .where('block_id', '=', blockId)
    .where('end_to_end_id', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Payments of our files that some movements are about. */
export async function listReportedPayments(
  connection: Connection,
  organization: string,
  reported: { readonly endToEndIds: readonly string[]; readonly blockIds: readonly string[] },
): Promise<PaymentRow[]> {
  if (reported.endToEndIds.length === 0 && reported.blockIds.length === 0) return [];
  return await connection
    .selectFrom('payments')
    .selectAll()
    .where('organization_id', '=', organization)
    .where((either) =>
      either.or([
        either('end_to_end_id', '=', sql<string>`ANY(${[...reported.endToEndIds]}::text[])`),
        either('block_id', '=', sql<string>`ANY(${[...reported.blockIds]}::text[])`),
      ]),
    )
    .orderBy('id')
    .execute();
}

type BillOfAccount = KnownBill & { readonly iban: string | null };

/**
 * Bills that are named, and open ones of customers whose account paid. A prepayment that a closing bill took over stands for
 * that bill, also one that was paid before its debit was taken back.
 */
export async function listNamedBills(
  connection: Connection,
  organization: string,
  named: { readonly numbers: readonly string[]; readonly ibans: readonly string[] },
): Promise<BillOfAccount[]> {
  const { rows } = await sql<BillOfAccount>`
    WITH candidate AS (
      SELECT id, NULL::text AS iban FROM invoices
       WHERE organization_id = ${organization} AND invoice_number = ANY(${[...named.numbers]}::text[])
      UNION
      SELECT i.id, m.iban FROM payment_methods AS m
        JOIN invoices AS i ON i.organization_id = m.organization_id AND i.customer_id = m.customer_id
       WHERE m.organization_id = ${organization} AND m.iban = ANY(${[...named.ibans]}::text[])
         AND (i.status IN ('open', 'uncollectible') OR (i.status = 'paid' AND i.type = 'prepayment')) AND i.total > 0)
    SELECT i.id, named.invoice_number AS number, i.status, i.total::text AS total, candidate.iban,
           CASE WHEN i.id <> named.id THEN named.total::text END AS instalment,
           CASE WHEN i.id <> named.id THEN named.id END AS meant_for,
           coalesce((SELECT sum(CASE p.direction WHEN 'in' THEN p.amount ELSE -p.amount END) FROM payments AS p
                      WHERE p.organization_id = i.organization_id AND p.invoice_id = i.id
                        AND p.status IN ('credited', 'settled')), 0)::text AS credited
      FROM candidate
      JOIN invoices AS named ON named.organization_id = ${organization} AND named.id = candidate.id
      JOIN invoices AS i
        ON i.organization_id = ${organization} AND i.id = coalesce(${findBillThatTookOver('named', 'id')}, named.id)
     ORDER BY i.id, named.id`.execute(connection);
  return rows;
}
