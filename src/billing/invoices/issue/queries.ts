import type { Decimal } from 'decimal.js';
import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../../platform/database/db.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { isId } from '../../../platform/ids.ts';
import { berlinDayOf, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import type { DocumentFacts, PaymentFacts } from '../calculate/fact-types.ts';
import type { InvoiceLine, RateSum } from '../calculate/types.ts';
import { findWorthTrying, listReplacedBills } from '../queries.ts';
import { newPaymentId } from '../schema.ts';

const COLUMNS = [
  'id',
  'customer_id',
  'subscription_id',
  'type',
  'invoice_number',
  'ledger_number',
  'month',
  'year',
  'period_start',
  'period_end',
  'period_number',
  'status',
  'is_estimated',
  'is_final',
  'usage_kwh',
  'net',
  'tax',
  'deducted',
  'total',
  'taxes',
  'voids',
  'void_reason',
  'due_on',
  'issued_at',
  'paid_at',
  'facts',
  'run_id',
] as const;

/** A document as it is stored, without its lines. */
export type StoredInvoice = Omit<
  Pick<Selectable<Tables['invoices']>, (typeof COLUMNS)[number]>,
  'taxes' | 'facts'
> & { taxes: readonly RateSum[]; facts: DocumentFacts };

/** By its id, or by the number that is printed on it. */
export function findStoredInvoice(
  connection: Connection,
  organization: string,
  idOrNumber: string,
): Promise<StoredInvoice | undefined> {
  return connection
    .selectFrom('invoices')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where(isId(idOrNumber) ? 'id' : 'invoice_number', '=', idOrNumber)
    .$castTo<StoredInvoice>()
    .executeTakeFirst();
}

/** As nobody else changes it until the transaction ends. */
export function lockInvoice(
  connection: Connection,
  organization: string,
  id: string,
): Promise<StoredInvoice | undefined> {
  return connection
    .selectFrom('invoices')
    .select(COLUMNS)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .$castTo<StoredInvoice>()
    .executeTakeFirst();
}

/** Whoever changes it has locked it. */
export async function updateInvoiceStatus(
  connection: Connection,
  organization: string,
  id: string,
  change: { status: StoredInvoice['status']; paid_at?: string },
): Promise<void> {
  await connection
    .updateTable('invoices')
    .set(change)
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .execute();
}

/** The number of the organization's last document. Held until the commit: whoever issues meanwhile waits. */
export async function lockLedger(
  connection: Connection,
  organization: string,
): Promise<{ last_number: number; series: number }> {
  await connection
    .insertInto('invoice_ledgers')
    .values({ organization_id: organization, last_number: 0 })
    .onConflict((on) => on.doNothing())
    .execute();
  return await connection
    .selectFrom('invoice_ledgers')
    .select(['last_number', 'series'])
    .where('organization_id', '=', organization)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

export async function updateLedger(
  connection: Connection,
  organization: string,
  change: { last_number: number } | { series: number },
): Promise<void> {
  await connection
    .updateTable('invoice_ledgers')
    .set(change)
    .where('organization_id', '=', organization)
    .execute();
}

export interface NumberedContract {
  id: string;
  number: string | null;
  /** Running number of its last document; 0: it has none. */
  last_number: number;
  is_closed: boolean;
}

/** Read behind the ledger's lock: until the commit nobody adds a document. */
export async function listNumberedContracts(
  connection: Connection,
  organization: string,
  subscriptions: readonly string[],
): Promise<NumberedContract[]> {
  const { rows } = await sql<NumberedContract>`
    SELECT s.id, s.number,
           coalesce((SELECT max(i.running_number) FROM invoices AS i
                      WHERE i.organization_id = s.organization_id AND i.subscription_id = s.id), 0) AS last_number,
           EXISTS (SELECT FROM invoices AS i
                    WHERE i.organization_id = s.organization_id AND i.subscription_id = s.id
                      AND i.type = 'exit_summary' AND i.status <> 'voided') AS is_closed
      FROM subscriptions AS s
     WHERE s.organization_id = ${organization} AND s.id = ANY(${subscriptions}::text[])`.execute(connection);
  return rows;
}

interface DraftedPeriod {
  subscription: string;
  type: string;
  periodNumber: number;
  period_start: string;
  period_end: string;
}

/** Places of those periods, from 0, for which there is a document that holds, with its id. */
export async function listBilledPlaces(
  connection: Connection,
  organization: string,
  periods: readonly DraftedPeriod[],
): Promise<Map<number, string>> {
  const { rows } = await sql<{ place: number; id: string }>`
    SELECT (draft.place - 1)::integer AS place, min(i.id) AS id
      FROM unnest(${periods.map(({ subscription }) => subscription)}::text[], ${periods.map(({ type }) => type)}::text[],
                  ${periods.map(({ periodNumber }) => periodNumber)}::integer[],
                  ${periods.map(({ period_start }) => period_start)}::timestamptz[],
                  ${periods.map(({ period_end }) => period_end)}::timestamptz[])
             WITH ORDINALITY AS draft (subscription, type, period_number, starts, ends, place)
      JOIN invoices AS i
        ON i.organization_id = ${organization} AND i.subscription_id = draft.subscription AND i.status <> 'voided'
       AND CASE draft.type
             WHEN 'prepayment' THEN i.type = 'prepayment' AND i.period_start = draft.starts
             WHEN 'usage' THEN i.type = 'usage'
               AND (i.period_number = draft.period_number OR (i.period_start < draft.ends AND i.period_end > draft.starts))
             ELSE i.type = draft.type
           END
     GROUP BY draft.place`.execute(connection);
  return new Map(rows.map(({ place, id }) => [place, id]));
}

/** A document with its id and numbers, as it is stored for good. */
export type IssuedInvoice = StoredInvoice & { running_number: number; retain_until: CalendarDay };

/** One parameter for all of them: a statement with a parameter for each value could not take many. */
export async function insertInvoices(
  connection: Connection,
  organization: string,
  rows: readonly IssuedInvoice[],
): Promise<void> {
  const names = sql.join([...COLUMNS, 'running_number', 'retain_until'].map((name) => sql.ref(name)));
  await sql`
    INSERT INTO invoices (organization_id, created_at, ${names})
    SELECT ${organization}, issued_at, ${names}
      FROM json_populate_recordset(NULL::invoices, ${JSON.stringify(rows)}::json)`.execute(connection);
}

/**
 * The documents before one that asks for money: where staff stopped them, it is stopped as well. A closing bill also asks for
 * what was not paid of prepayments, also of those whose debit was taken back behind `paid`. `document` names the table.
 */
const listStoppable = (document: string) => {
  const of = (name: string) => sql.ref(`${document}.${name}`);
  return sql<string>`${listReplacedBills(document)}
     UNION ALL
    SELECT old.id FROM invoices AS old
     WHERE old.organization_id = ${of('organization_id')} AND old.subscription_id = ${of('subscription_id')}
       AND ${of('type')} = 'usage' AND ${of('total')} > 0 AND old.type = 'prepayment'
       AND old.period_start >= ${of('period_start')} AND old.period_start < ${of('period_end')}
       AND (old.status = 'uncollectible' OR (old.status = 'paid' AND old.total > (
             SELECT coalesce(sum(CASE p.direction WHEN 'in' THEN p.amount ELSE -p.amount END), 0) FROM payments AS p
              WHERE p.organization_id = old.organization_id AND p.invoice_id = old.id AND p.status = 'settled')))`;
};

/**
 * Of some documents, by id, how those are paid that no file debits on their day: their account did not pay the ones in whose
 * place they stand, or staff stopped these.
 */
export async function listUndebited(
  connection: Connection,
  organization: string,
  documents: readonly IssuedInvoice[],
): Promise<Map<string, NonNullable<PaymentFacts['way']>>> {
  if (documents.length === 0) return new Map();
  const places = documents.map(({ id, subscription_id, type, period_start, period_end, total }) => ({
    ...{ organization_id: organization, id, subscription_id, type, period_start, period_end, total },
  }));
  const { rows } = await sql<{ id: string; way: NonNullable<PaymentFacts['way']> }>`
    SELECT i.id, CASE WHEN account.is_worth_trying THEN 'stopped' ELSE 'transfer' END AS way
      FROM json_populate_recordset(NULL::invoices, ${JSON.stringify(places)}::json) AS i
      JOIN subscriptions AS s ON s.organization_id = ${organization} AND s.id = i.subscription_id
     CROSS JOIN LATERAL ${findWorthTrying} AS account
     WHERE account.is_worth_trying IS NOT TRUE
        OR EXISTS (SELECT FROM (${listStoppable('i')}) AS stopped
                     JOIN dunning_holds AS h ON h.organization_id = ${organization} AND h.invoice_id = stopped.id)`.execute(
    connection,
  );
  return new Map(rows.map(({ id, way }) => [id, way]));
}

/**
 * Staff stopped reminders and debits of a document that was reversed, or of a prepayment: they stay stopped for the one in its
 * place, or for the bill that takes it over. Of several stops the first one stays.
 */
export async function moveHolds(
  connection: Connection,
  organization: string,
  documents: readonly Pick<IssuedInvoice, 'id'>[],
): Promise<void> {
  await sql`
    WITH moved AS (
      DELETE FROM dunning_holds AS h
       USING invoices AS i CROSS JOIN LATERAL (${listStoppable('i')}) AS stopped
       WHERE h.organization_id = ${organization} AND i.organization_id = ${organization}
         AND i.id = ANY(${documents.map(({ id }) => id)}::text[])
         AND h.invoice_id = stopped.id
      RETURNING h.customer_id, i.id, h.cause, h.created_at)
    INSERT INTO dunning_holds (organization_id, customer_id, invoice_id, cause, created_at)
    SELECT ${organization}, customer_id, id, cause, created_at FROM moved ORDER BY created_at
        ON CONFLICT DO NOTHING`.execute(connection);
}

export interface NewLines {
  invoice: string;
  customer: string;
  lines: readonly InvoiceLine[];
}

export async function insertLines(
  connection: Connection,
  organization: string,
  documents: readonly NewLines[],
): Promise<void> {
  const rows = documents.flatMap(({ invoice, customer, lines }) =>
    lines.map((line, index) => ({
      customer_id: customer,
      invoice_id: invoice,
      position: index + 1,
      kind: line.kind,
      period_from: line.from,
      period_until: line.until,
      band: line.band,
      quantity: line.quantity,
      unit: line.unit,
      unit_price: line.unitPrice,
      net: line.net,
      vat_rate: line.vatRate,
      figures: line.figures,
    })),
  );
  await sql`
    INSERT INTO invoice_lines
      (organization_id, customer_id, invoice_id, position, kind, period_from, period_until, band, quantity, unit, unit_price,
       net, vat_rate, figures)
    SELECT ${organization}, customer_id, invoice_id, position, kind, period_from, period_until, band, quantity, unit, unit_price,
           net, vat_rate, figures
      FROM json_populate_recordset(NULL::invoice_lines, ${JSON.stringify(rows)}::json)`.execute(connection);
}

/** The same lines the other way round. */
export async function insertNegatedLines(
  connection: Connection,
  organization: string,
  of: string,
  invoice: string,
): Promise<void> {
  await sql`
    INSERT INTO invoice_lines
      (organization_id, customer_id, invoice_id, position, kind, period_from, period_until, band, quantity, unit, unit_price,
       net, vat_rate, figures)
    SELECT organization_id, customer_id, ${invoice}, position, kind, period_from, period_until, band, -quantity, unit, unit_price,
           -net, vat_rate, figures
      FROM invoice_lines
     WHERE organization_id = ${organization} AND invoice_id = ${of}`.execute(connection);
}

/** What moved for a document, in less out. */
interface MoneyMoved {
  /** EUR, done for good. */
  settled: string;
  /** Something is with the bank or may come back, or a credit is paid out in part: what it comes to is not known. */
  is_under_way: boolean;
}

/** Whoever asks holds the document: until he is done nothing moves for it. */
export async function findMoved(
  connection: Connection,
  organization: string,
  id: string,
): Promise<MoneyMoved> {
  const { rows } = await sql<MoneyMoved>`
    SELECT coalesce(sum(p.signed) FILTER (WHERE p.status = 'settled'), 0)::text AS settled,
           coalesce(bool_or(p.status <> 'settled' OR (i.status = 'open' AND i.total < 0)), false) AS is_under_way
      FROM invoices AS i
      JOIN (SELECT organization_id, invoice_id, status, CASE direction WHEN 'in' THEN amount ELSE -amount END AS signed
              FROM payments WHERE status <> 'returned') AS p
        ON p.organization_id = i.organization_id AND p.invoice_id = i.id
     WHERE i.organization_id = ${organization} AND i.id = ${id}`.execute(connection);
  const [moved] = rows;
  if (moved === undefined) throw new Error('A sum has one row');
  return moved;
}

/** The document that reverses another one. */
export function findReversalOf(connection: Connection, organization: string, id: string) {
  return connection
    .selectFrom('invoices')
    .select(['id', 'invoice_number', 'total'])
    .where('organization_id', '=', organization)
    .where('voids', '=', id)
    .executeTakeFirst();
}

/** Sets off what came back of a document against the one that reverses it: it moves in the accounts only. */
export async function insertSetOff(
  connection: Connection,
  organization: string,
  { id, customer_id }: Pick<StoredInvoice, 'id' | 'customer_id'>,
  { back, voiding, now }: { back: Decimal; voiding: Pick<StoredInvoice, 'id'>; now: string },
): Promise<void> {
  const [into, out] = back.isNegative() ? [voiding.id, id] : [id, voiding.id];
  const common = {
    ...{ organization_id: organization, customer_id, way: 'entered' as const, amount: back.abs().toFixed(2) },
    ...{ status: 'settled' as const, booked_on: berlinDayOf(now), created_at: now, updated_at: now },
  };
  await connection
    .insertInto('payments')
    .values([
      { ...common, id: newPaymentId(), invoice_id: into, direction: 'in' },
      { ...common, id: newPaymentId(), invoice_id: out, direction: 'out' },
    ])
    .execute();
}
