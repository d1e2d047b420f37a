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

/** The account of the supplier: what it is asked for, what customers transfer by themselves, and what comes back. */
export class LivesBank {
  readonly #billed: Billed;
  /** Cents, of everything that it reported. */
  balance = 0;

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
    const movements: Movement[] = [];
    for (const { direction, end_to_end_id: endToEndId, amount, subscription } of requested) {
      const done = { amount: direction === 'in' ? amount : `-${amount}`, endToEndId };
      movements.push(done);
      if (direction === 'in' && bouncing.has(subscription))
        movements.push({ amount: `-${amount}`, endToEndId, reason: 'AM04' });
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
        movements.push({ amount: (cents / 100).toFixed(2), text: `Rechnung ${bill.number} ${word}`, iban });
      }
    }
    await this.#report(movements);
    await runDunning(api.deps, { signal: new AbortController().signal, log: api.deps.log, organization });
  }

  async #report(movements: readonly Movement[]): Promise<void> {
    const { api, organization, clock } = this.#billed;
    const on = clock.now().toISOString().slice(0, 10);
    const reported = movements.map((movement, index) => ({
      ...{ on, reference: `${on} ${index}` },
      ...movement,
    }));
    if (reported.length === 0) return;
    const source = chunks(camt(reported, { iban: OWN_IBAN }));
    await importStatement(api.deps, organization, { name: 'camt', source }, bankFiles, this.#staff());
    for (const { amount } of reported) this.balance += Math.round(Number(amount) * 100);
  }

  #staff() {
    const now = this.#billed.clock.now().toISOString();
    return { staff: 'ada', reason: 'end of the month', command: 'test', now };
  }
}
