import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import { moveFailed, movePaid } from '../invoices/issue/move.ts';
import { findReceiver } from '../invoices/queries.ts';
import { mayMove, newPaymentId, setOffReturned } from '../invoices/service.ts';
import {
  type BankEntryRow,
  listNamedBills,
  listNewEntries,
  listReportedPayments,
  updateEntry,
} from './entry-queries.ts';
import {
  billNumbersIn,
  type Candidates,
  type Meaning,
  meaningOf,
  type ReceivedPart,
  type UnmatchedNote,
} from './match.ts';
import {
  type BillRow,
  insertPayments,
  listFinalDebits,
  lockInvoices,
  lockPaymentsOf,
  sumsOf,
  updatePayment,
} from './queries.ts';
import { isSettled, type PaymentRow } from './states.ts';
import { addTargetDays } from './target-days.ts';

/** Movements of one transaction: whoever waits for the payments meanwhile gets them before his time is up. */
const ENTRIES_MAX = 25;
/**
 * A debit is credited under reserve: the bank of the payer gives it back within five days of settlement where the account is
 * closed or has too little (SEPA core rulebook). A bill counts as paid when these are over and were read, for paid is for ever.
 */
const RETURN_TARGET_DAYS = 5;

export interface PaymentsDeps {
  readonly database: Database;
  readonly clock: Pick<Clock, 'now'>;
}

export interface BookingCounts {
  booked: number;
  unmatched: number;
}

/** Books what was imported and not looked at yet. Ended anywhere, the next call goes on with the rest. */
export async function bookEntries(deps: PaymentsDeps, organization: string): Promise<BookingCounts> {
  const total: BookingCounts = { booked: 0, unmatched: 0 };
  for (;;) {
    const portion = await deps.database.inOrganization({ organization }, (connection) =>
      bookPortion(connection, organization, deps.clock),
    );
    total.booked += portion.booked;
    total.unmatched += portion.unmatched;
    if (portion.booked + portion.unmatched < ENTRIES_MAX) return total;
  }
}

async function bookPortion(
  connection: Connection,
  organization: string,
  clock: PaymentsDeps['clock'],
): Promise<BookingCounts> {
  await lockPaymentsOf(connection, organization);
  const entries = await listNewEntries(connection, organization, ENTRIES_MAX);
  const booking = new Booking(connection, organization, clock);
  if (entries.length > 0) await booking.look(entries);
  const portion: BookingCounts = { booked: 0, unmatched: 0 };
  for (const entry of entries) {
    const isBooked = await booking.book(entry);
    portion[isBooked ? 'booked' : 'unmatched'] += 1;
  }
  return portion;
}

interface KnownRows {
  readonly payments: readonly PaymentRow[];
  readonly bills: Awaited<ReturnType<typeof listNamedBills>>;
}

/** Some movements in one transaction; the bills that they can be about are held from the beginning. */
class Booking {
  readonly #connection: Connection;
  readonly #organization: string;
  readonly #clock: PaymentsDeps['clock'];
  readonly #bills = new Map<string, BillRow>();

  constructor(connection: Connection, organization: string, clock: PaymentsDeps['clock']) {
    this.#connection = connection;
    this.#organization = organization;
    this.#clock = clock;
  }

  async look(entries: readonly BankEntryRow[]): Promise<void> {
    const { payments, bills } = await this.#known(entries);
    const ids = new Set([...payments.map(({ invoice_id }) => invoice_id), ...bills.map(({ id }) => id)]);
    if (ids.size === 0) return;
    for (const bill of await lockInvoices(this.#connection, this.#organization, [...ids])) {
      this.#bills.set(bill.id, bill);
    }
  }

  /** A bill that took over a prepayment while this transaction waited for it is held when it is needed. */
  async #hold(id: string): Promise<BillRow> {
    const known = this.#bills.get(id);
    if (known !== undefined) return known;
    const [bill] = await lockInvoices(this.#connection, this.#organization, [id]);
    if (bill === undefined) throw new Error(`Bill ${id} is paid and is not there`);
    this.#bills.set(id, bill);
    return bill;
  }

  async #known(entries: readonly BankEntryRow[]): Promise<KnownRows> {
    const payments = await listReportedPayments(this.#connection, this.#organization, {
      endToEndIds: entries.flatMap(({ end_to_end_id }) => end_to_end_id ?? []),
      blockIds: entries.flatMap(({ block_id, end_to_end_id }) => (end_to_end_id === null && block_id) || []),
    });
    const bills = await listNamedBills(this.#connection, this.#organization, {
      numbers: billNumbersIn(...entries.flatMap(({ end_to_end_id, text }) => [end_to_end_id, text])),
      ibans: entries.flatMap(({ iban, amount }) => (iban === null || amount.startsWith('-') ? [] : iban)),
    });
    return { payments, bills };
  }

  /** Each sees what those before it have done. Returns whether it is on a bill now. */
  async book(row: BankEntryRow): Promise<boolean> {
    const meaning = meaningOf(
      {
        ...{
          bookedOn: row.booked_on,
          amount: row.amount,
          endToEndId: row.end_to_end_id,
          blockId: row.block_id,
        },
        ...{ returnReason: row.return_reason, name: row.name, iban: row.iban, text: row.text },
      },
      candidates(await this.#known([row])),
    );
    const change = await this.#apply(row, meaning);
    await updateEntry(this.#connection, this.#organization, row.id, change);
    return change.state === 'booked';
  }

  async #apply(row: BankEntryRow, meaning: Meaning): Promise<Pick<BankEntryRow, 'state' | 'note'>> {
    if (meaning.means === 'unmatched') return { state: 'unmatched', note: meaning.note };
    if (meaning.means === 'executed') {
      for (const payment of meaning.payments) await this.#executed(row, payment);
    } else if (meaning.means === 'returned') {
      await this.#returned(row, meaning.payment, meaning.reason);
    } else if (row.perhaps_known) {
      return { state: 'unmatched', note: 'perhaps_known' satisfies UnmatchedNote };
    } else {
      await this.#received(row, meaning.parts);
    }
    return { state: 'booked', note: null };
  }

  async #executed(
    { id: bank_entry_id, booked_on }: BankEntryRow,
    { id, invoice_id, direction }: Pick<PaymentRow, 'id' | 'invoice_id' | 'direction'>,
  ): Promise<void> {
    const booked = { bank_entry_id, booked_on, return_reason: null, updated_at: this.#now() };
    if (direction === 'in') {
      const final_on = addTargetDays(booked_on, RETURN_TARGET_DAYS);
      const receiver = await findReceiver(this.#connection, this.#organization, invoice_id);
      await this.#update(id, { ...booked, status: 'credited', final_on, ...movedTo(invoice_id, receiver) });
    } else {
      await this.#update(id, { ...booked, status: 'settled' });
      await this.#settle(invoice_id);
    }
  }

  async #returned(
    { id: bank_entry_id, booked_on }: BankEntryRow,
    { id, invoice_id, failure_told_at }: Pick<PaymentRow, 'id' | 'invoice_id' | 'failure_told_at'>,
    return_reason: string,
  ): Promise<void> {
    /* As it is now: a transfer of the same report may have paid it. */
    const [bill] = await lockInvoices(this.#connection, this.#organization, [invoice_id]);
    const now = this.#now();
    /* Staff may have entered it before the bank credited it after all. */
    const isNews = failure_told_at === null && bill !== undefined && mayMove(bill, 'payment_failed');
    await this.#update(id, {
      ...{ status: 'returned', return_reason, bank_entry_id, booked_on, updated_at: now },
      ...(isNews && { failure_told_at: now }),
    });
    if (isNews) await moveFailed(this.#connection, this.#organization, invoice_id, this.#clock);
    if (bill?.status !== 'voided') return;
    const reversal = await setOffReturned(this.#connection, this.#organization, invoice_id, this.#clock);
    if (reversal !== null) await this.#settle(reversal);
  }

  async #received(
    { id: bank_entry_id, booked_on }: BankEntryRow,
    parts: readonly ReceivedPart[],
  ): Promise<void> {
    const now = this.#now();
    for (const { bill, meantFor, amount } of parts) {
      const { customer_id } = await this.#hold(bill);
      await insertPayments(this.#connection, this.#organization, [
        {
          ...{
            id: newPaymentId(),
            customer_id,
            invoice_id: bill,
            meant_for: meantFor,
            direction: 'in',
            way: 'bank_transfer',
            amount,
          },
          ...{ status: 'settled', booked_on, bank_entry_id, created_at: now, updated_at: now },
        },
      ]);
      await this.#settle(bill);
    }
  }

  /**
   * The database checks at the commit that what became paid has its payment. Here it checks at once: a later movement of the
   * same report may take the money back, and paid is for ever.
   */
  async #settle(id: string): Promise<void> {
    if (!(await settleBill(this.#connection, this.#organization, id, this.#clock))) return;
    await sql`SET CONSTRAINTS check_invoice_status IMMEDIATE`.execute(this.#connection);
    await sql`SET CONSTRAINTS check_invoice_status DEFERRED`.execute(this.#connection);
  }

  #update(id: string, change: Parameters<typeof updatePayment>[3]): Promise<void> {
    return updatePayment(this.#connection, this.#organization, id, change);
  }

  #now(): string {
    return this.#clock.now().toISOString();
  }
}

function candidates({ payments, bills }: KnownRows): Candidates {
  return {
    paymentOf: (endToEndId) => payments.find((payment) => payment.end_to_end_id === endToEndId),
    blockOf: (blockId) => payments.filter((payment) => payment.block_id === blockId),
    billOf: (number) => bills.find((bill) => bill.number === number),
    billsOfAccount: (iban) => bills.filter((bill) => bill.iban === iban),
  };
}

/** On the bill that took over a prepayment it is still known what it was for. */
const movedTo = (named: string, receiver: string) =>
  receiver === named ? {} : { invoice_id: receiver, meant_for: named };

/** Whoever holds the bill asks: where nothing is missing any more, it is paid. Returns whether it is now. */
export async function settleBill(
  connection: Connection,
  organization: string,
  id: string,
  clock: PaymentsDeps['clock'],
): Promise<boolean> {
  const [bill] = await lockInvoices(connection, organization, [id]);
  if (bill === undefined || !mayMove(bill, 'paid')) return false;
  if (!isSettled(bill.total, await sumsOf(connection, organization, id))) return false;
  await movePaid(connection, organization, id, clock);
  return true;
}

/** Debits that no bank returns any more as unpaid make their bills paid. Returns how many. */
export async function settleDebits(deps: PaymentsDeps, organization: string): Promise<number> {
  let paid = 0;
  for (;;) {
    const settled = await deps.database.inOrganization({ organization }, async (connection) => {
      await lockPaymentsOf(connection, organization);
      const now = deps.clock.now().toISOString();
      const due = await listFinalDebits(connection, organization, berlinDayOf(now), ENTRIES_MAX);
      if (due.length === 0) return 0;
      const billed = due.map(({ invoice_id }) => invoice_id);
      await lockInvoices(connection, organization, billed);
      const ids = new Set<string>();
      for (const { id, invoice_id: named } of due) {
        const receiver = await findReceiver(connection, organization, named);
        ids.add(receiver);
        const change = { status: 'settled', ...movedTo(named, receiver), updated_at: now } as const;
        await updatePayment(connection, organization, id, change);
      }
      for (const id of [...ids].toSorted())
        if (await settleBill(connection, organization, id, deps.clock)) paid += 1;
      return due.length;
    });
    if (settled < ENTRIES_MAX) return paid;
  }
}
