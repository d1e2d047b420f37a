import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { listOfPayments } from '../../src/billing/payments/list.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import { camt, type Movement } from '../billing/payments/bank.ts';
import { storedRows } from '../setup/stored-rows.ts';
import type { BackOffice } from './doors.ts';
import type { Living } from './living.ts';

/** Of the issuer of these tests. */
const OWN_IBAN = 'DE89370400440532013000';

/** Of pain.008 and pain.001: both name each payment before its amount. */
const PAYMENT = /<EndToEndId>([^<]+)<.*?<InstdAmt Ccy="EUR">([\d.]+)</gs;

/** With the contract that it is about. */
interface BankMovement extends Movement {
  subscription: string;
}

/** That the bank was asked for. */
interface Debit extends BankMovement {
  endToEndId: string;
}

const numberOf = ({ endToEndId }: Pick<Debit, 'endToEndId'>) => endToEndId.split('.', 1)[0] ?? '';

/** Cents. */
export interface Account {
  contract: string;
  documents: number;
  booked: number;
  open: number;
  written_off: number;
  overpaid: number;
  /** What the bank reported and nobody booked. */
  with_staff: number;
  /** What the bank reported. */
  received: number;
}

/**
 * A debit is final with the next statement. Where none comes, the service takes it for final eight weeks later, at the end of the
 * second month.
 */
const SETTLED_MONTHS = 2;

/** The account of the supplier: what it is asked for, what customers transfer by themselves, and what comes back. */
export class LivesBank {
  readonly #billed: Billed;
  readonly #office: BackOffice;
  /** Cents, of everything that it reported, by contract. */
  readonly received = new Map<string, number>();
  /** Numbers of the bills that it debited and may still give back, as the service knows it, each with its month. */
  readonly #credited = new Map<string, number>();
  #month = 0;
  /** Debits that did not come back, of the month before and of that before it: these are final. */
  #debitedBefore: Debit[] = [];
  #final: Debit[] = [];
  /** A bank names each movement differently; two of a day may have the same amount. */
  #reported = 0;

  constructor(billed: Billed, office: BackOffice) {
    this.#billed = billed;
    this.#office = office;
  }

  /**
   * A month of the account: `bouncing` contracts send their debits back, `disputing` ones those of two months before,
   * `paying` ones transfer shares of a bill, and `misleading` ones do not say of which. The back office reverses bills whose
   * money was taken back.
   */
  async month(
    { bouncing, disputing, misleading }: Record<'bouncing' | 'disputing' | 'misleading', ReadonlySet<string>>,
    paying: readonly (readonly [Living, number[]])[],
  ): Promise<void> {
    const { api } = this.#billed;
    const disputed = await this.#reversible(
      this.#final.filter(({ subscription }) => disputing.has(subscription)),
    );
    const movements: BankMovement[] = disputed.map((debit) => ({
      ...{ ...debit, amount: `-${debit.amount}`, reason: 'MD01' },
    }));
    this.#final = this.#debitedBefore;
    this.#debitedBefore = [];
    this.#month += 1;
    this.#settle(SETTLED_MONTHS);
    for (const { amount, ...debit } of await this.#ordered('debit-file')) {
      movements.push({ ...debit, amount });
      if (bouncing.has(debit.subscription))
        movements.push({ ...debit, amount: `-${amount}`, reason: 'AM04' });
      else {
        this.#credited.set(numberOf(debit), this.#month);
        this.#debitedBefore.push({ ...debit, amount });
      }
    }
    for (const { amount, ...refund } of await this.#ordered('refund-file'))
      movements.push({ ...refund, amount: `-${amount}` });
    for (const [living, shares] of paying) {
      const [bill] = await storedRows<{ number: string; total: string }>(
        api,
        `SELECT invoice_number AS number, total::text FROM invoices
          WHERE subscription_id = $1 AND total > 0 AND status = 'open' ORDER BY ledger_number LIMIT 1`,
        [living.contract.id],
      );
      if (bill === undefined) continue;
      for (const share of shares) {
        const cents = Math.max(1, Math.round(Number(bill.total) * 100 * share));
        const { word, iban } = living.person;
        const text = `Rechnung ${bill.number} ${word}`;
        movements.push({ amount: (cents / 100).toFixed(2), text, iban, subscription: living.contract.id });
      }
    }
    await this.#report(movements);
    for (const { id } of await this.#paidAmong(disputed)) await this.#office.change('invoices', 'void', id);
    for (const contract of misleading) await this.#mislead(contract);
    await this.#giveBack();
    await this.#office.try('invoices', 'dunning', 'run');
  }

  get underWay(): ReadonlySet<string> {
    return new Set(this.#credited.keys());
  }

  /** Debits are final that are older than so many months. */
  #settle(months: number): void {
    for (const [number, month] of this.#credited)
      if (month < this.#month - months) this.#credited.delete(number);
  }

  /** Those of bills that may be reversed: their contract is not closed, nor the days of a prepayment. */
  async #reversible(debits: readonly Debit[]): Promise<Debit[]> {
    const open = await storedRows<{ number: string }>(
      this.#billed.api,
      `SELECT i.invoice_number AS number FROM invoices AS i
        WHERE i.invoice_number = ANY ($1) AND NOT EXISTS (
                SELECT FROM invoices AS other
                 WHERE other.subscription_id = i.subscription_id AND other.status <> 'voided'
                   AND (other.type = 'exit_summary'
                        OR (i.type = 'prepayment' AND other.type = 'usage' AND other.period_end > i.period_start)))`,
      [debits.map(numberOf)],
    );
    const numbers = new Set(open.map(({ number }) => number));
    return debits.filter((debit) => numbers.has(numberOf(debit)));
  }

  async #paidAmong(debits: readonly Debit[]) {
    return await storedRows<{ id: string }>(
      this.#billed.api,
      `SELECT id FROM invoices WHERE invoice_number = ANY ($1) AND status = 'paid' ORDER BY ledger_number`,
      [debits.map(numberOf)],
    );
  }

  /** Half of a bill comes without its number. Staff take it for another contract's, and correct that. */
  async #mislead(subscription: string): Promise<void> {
    const untouched = await storedRows<{ number: string; total: string; isOwn: boolean }>(
      this.#billed.api,
      `SELECT invoice_number AS number, total::text, subscription_id = $2 AS "isOwn" FROM invoices AS i
        WHERE organization_id = $1 AND status = 'open' AND total > 0
          AND NOT EXISTS (SELECT FROM payments AS p WHERE p.organization_id = i.organization_id AND p.invoice_id = i.id)
        ORDER BY ledger_number`,
      [this.#billed.organization, subscription],
    );
    const own = untouched.find(({ isOwn }) => isOwn);
    if (own === undefined) return;
    const amount = (Math.ceil(Number(own.total) * 50) / 100).toFixed(2);
    const other = untouched.find(({ isOwn, total }) => !isOwn && Number(total) > Number(amount));
    this.#reported += 1;
    const text = `Danke ${this.#reported}`;
    await this.#report([{ amount, text, subscription }]);
    const [entry] = await storedRows<{ id: string }>(
      this.#billed.api,
      `SELECT id FROM bank_entries WHERE organization_id = $1 AND state = 'unmatched' AND text = $2`,
      [this.#billed.organization, text],
    );
    const id = entry?.id ?? '';
    if (other !== undefined) {
      await this.#office.change('payments', 'assign', id, other.number);
      await this.#office.change('payments', 'unassign', id);
    }
    await this.#office.change('payments', 'assign', id, own.number);
  }

  /** Customers give back what they got too much of a credit. */
  async #giveBack(): Promise<void> {
    const { api, organization } = this.#billed;
    const overpaid = await listOfPayments(api.deps.database, organization, 'overpaid', 1_000);
    const owed = overpaid.filter(({ overpaid: amount }) => Number(amount) < 0);
    if (owed.length === 0) return;
    const contracts = await this.#contractsOf(owed.map(({ invoice_number }) => String(invoice_number)));
    await this.#byHand(
      owed.map(({ invoice_number, overpaid: amount }) => ({
        ...{ number: String(invoice_number), amount: String(amount).slice(1) },
        subscription: contracts.get(String(invoice_number)) ?? '',
      })),
    );
  }

  /** Staff transfer what was paid too much, and assign the movement to its bill. */
  async payBack(bills: readonly { number: string; amount: string; subscription: string }[]): Promise<void> {
    await this.#byHand(bills.map(({ amount, ...bill }) => ({ ...bill, amount: `-${amount}` })));
  }

  async #byHand(bills: readonly { number: string; amount: string; subscription: string }[]): Promise<void> {
    const { api, organization } = this.#billed;
    await this.#report(
      bills.map(({ number, amount, subscription }) => ({
        ...{ amount, text: `Zu viel gezahlt zu ${number} `, subscription },
      })),
    );
    for (const { number } of bills) {
      const [entry] = await storedRows<{ id: string }>(
        api,
        `SELECT id FROM bank_entries WHERE organization_id = $1 AND state = 'unmatched' AND text LIKE 'Zu viel gezahlt zu ' || $2 || '%'`,
        [organization, number],
      );
      await this.#office.change('payments', 'assign', entry?.id ?? '', number);
    }
  }

  /** What a file asks the bank to do, and for which contract: the bank knows no more than the file. */
  async #ordered(kind: 'debit-file' | 'refund-file') {
    const out = this.#office.newFile('bank.xml');
    const made = await this.#office.change('payments', kind, '--out', out);
    const text = made.file === null ? '' : await readFile(out, 'utf8');
    const payments = [...text.matchAll(PAYMENT)].map(([, endToEndId = '', amount = '']) => ({
      ...{ endToEndId, amount, number: endToEndId.split('.', 1)[0] ?? '' },
    }));
    expect(payments).toHaveLength(Number(made.payments ?? 0));
    const contracts = await this.#contractsOf(payments.map(({ number }) => number));
    return payments.map(({ number, ...payment }) => ({
      ...payment,
      subscription: contracts.get(number) ?? `of nobody: ${payment.endToEndId}`,
    }));
  }

  async #contractsOf(numbers: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const bills = await storedRows<{ number: string; subscription: string }>(
      this.#billed.api,
      'SELECT invoice_number AS number, subscription_id AS subscription FROM invoices WHERE invoice_number = ANY ($1)',
      [numbers],
    );
    return new Map(bills.map(({ number, subscription }) => [number, subscription]));
  }

  /**
   * What stands on each contract. All of its documents come to what is booked on them, what is open, what was written off or
   * taken over by a closing bill, less what was paid too much, also of bills that were reversed.
   */
  async accounts(): Promise<Account[]> {
    const { api, organization } = this.#billed;
    const rows = await storedRows<Omit<Account, 'received'>>(
      api,
      `WITH documents AS (
         SELECT i.*, coalesce(moved.booked, 0) AS booked, i.total - coalesce(moved.booked, 0) AS rest
           FROM invoices AS i
           LEFT JOIN (SELECT invoice_id, sum(CASE direction WHEN 'in' THEN amount ELSE -amount END) AS booked
                        FROM payments WHERE organization_id = $1 AND status IN ('credited', 'settled')
                       GROUP BY 1) AS moved ON moved.invoice_id = i.id
          WHERE i.organization_id = $1)
       SELECT subscription_id AS contract, round(100 * sum(total))::int AS documents, round(100 * sum(booked))::int AS booked,
              round(100 * coalesce(sum(rest) FILTER (WHERE status = 'open'), 0))::int AS open,
              round(100 * coalesce(sum(rest) FILTER (WHERE status = 'uncollectible'), 0))::int AS written_off,
              round(-100 * coalesce(sum(rest) FILTER (WHERE status NOT IN ('open', 'uncollectible')), 0))::int AS overpaid,
              round(100 * (SELECT coalesce(sum(e.amount), 0) FROM bank_entries AS e
                            WHERE e.organization_id = $1 AND e.state <> 'booked'
                              AND EXISTS (SELECT FROM documents AS named
                                           WHERE named.subscription_id = d.subscription_id
                                             AND (e.text LIKE '%' || named.invoice_number || ' %'
                                                  OR split_part(e.end_to_end_id, '.', 1) = named.invoice_number))))::int AS with_staff
         FROM documents AS d GROUP BY subscription_id`,
      [organization],
    );
    return rows.map((row) => ({ ...row, received: this.received.get(row.contract) ?? 0 }));
  }

  async #report(movements: readonly BankMovement[]): Promise<void> {
    const on = this.#billed.clock.now().toISOString().slice(0, 10);
    const reported = movements.map((movement) => {
      this.#reported += 1;
      return { ...{ on, reference: `movement ${this.#reported}` }, ...movement };
    });
    if (reported.length === 0) return;
    const file = await this.#office.file('statement.xml', camt(reported, { iban: OWN_IBAN }));
    await this.#office.change('payments', 'import', file);
    this.#settle(0);
    for (const { amount, subscription } of reported) {
      const cents = (this.received.get(subscription) ?? 0) + Math.round(Number(amount) * 100);
      this.received.set(subscription, cents);
    }
  }
}
