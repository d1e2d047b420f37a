import { runDunning } from '../../src/billing/dunning/run.ts';
import { bankFiles } from '../../src/billing/payments/bank-files.ts';
import { importStatement } from '../../src/billing/payments/import.ts';
import { makeDebitFile, makeRefundFile } from '../../src/billing/payments/make-file.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import { camt, chunks, type Movement } from '../billing/payments/bank.ts';
import { storedRows } from '../setup/stored-rows.ts';
import type { Living } from './living.ts';

/** Of the issuer of these tests. */
const OWN_IBAN = 'DE89370400440532013000';

interface Requested {
  direction: 'in' | 'out';
  end_to_end_id: string;
  amount: string;
  subscription: string;
}

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

/** The account of the supplier: what it is asked for, what customers transfer by themselves, and what comes back. */
export class LivesBank {
  readonly #billed: Billed;
  /** Cents, of everything that it reported, by contract. */
  readonly received = new Map<string, number>();

  constructor(billed: Billed) {
    this.#billed = billed;
  }

  /** A month of the account: `bouncing` contracts send their debits back, `paying` ones transfer shares of a bill. */
  async month(
    bouncing: ReadonlySet<string>,
    paying: readonly (readonly [Living, number[]])[],
  ): Promise<void> {
    const { api, organization } = this.#billed;
    await makeDebitFile(api.deps, organization, { provider: bankFiles }, this.#staff());
    await makeRefundFile(api.deps, organization, { provider: bankFiles }, this.#staff());
    const requested = await storedRows<Requested>(
      api,
      `SELECT p.direction, p.end_to_end_id, p.amount::text, i.subscription_id AS subscription
         FROM payments AS p JOIN invoices AS i ON i.organization_id = p.organization_id AND i.id = p.invoice_id
        WHERE p.organization_id = $1 AND p.status = 'requested'`,
      [organization],
    );
    const movements: (Movement & { subscription: string })[] = [];
    for (const { direction, end_to_end_id: endToEndId, amount, subscription } of requested) {
      const done = { amount: direction === 'in' ? amount : `-${amount}`, endToEndId, subscription };
      movements.push(done);
      if (direction === 'in' && bouncing.has(subscription))
        movements.push({ amount: `-${amount}`, endToEndId, reason: 'AM04', subscription });
    }
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
    await runDunning(api.deps, { signal: new AbortController().signal, log: api.deps.log, organization });
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

  async #report(movements: readonly (Movement & { subscription: string })[]): Promise<void> {
    const { api, organization, clock } = this.#billed;
    const on = clock.now().toISOString().slice(0, 10);
    const reported = movements.map((movement, index) => ({
      ...{ on, reference: `${on} ${index}` },
      ...movement,
    }));
    if (reported.length === 0) return;
    const source = chunks(camt(reported, { iban: OWN_IBAN }));
    await importStatement(api.deps, organization, { name: 'camt', source }, bankFiles, this.#staff());
    for (const { amount, subscription } of reported) {
      const cents = (this.received.get(subscription) ?? 0) + Math.round(Number(amount) * 100);
      this.received.set(subscription, cents);
    }
  }

  #staff() {
    const now = this.#billed.clock.now().toISOString();
    return { staff: 'ada', reason: 'end of the month', command: 'test', now };
  }
}
