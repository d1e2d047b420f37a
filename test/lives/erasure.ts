import { expect } from 'vitest';
import { changedContracts } from '../../src/billing/invoices/corrections/changes.ts';
import { missingDocuments } from '../../src/billing/invoices/runs/report.ts';
import { listOfPayments } from '../../src/billing/payments/list.ts';
import { addDays, berlinDayAt, berlinMidnight } from '../../src/platform/time/berlin-calendar.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import { keysWith, tablesWith } from '../governance/personal-data/search.ts';
import { storedRows } from '../setup/stored-rows.ts';
import type { LivesBank } from './bank.ts';
import { allPages, type BackOffice, type Shown, type ShownInvoice } from './doors.ts';
import type { Living } from './living.ts';
import type { Person } from './person.ts';

/** Until six weeks after the end values may come in that correct a bill; the run of that day looks for the last time. */
const CORRECTED_DAYS = 43;
const BEFORE_END_DAYS = 40;
/** A line of the refusal: `open_invoice: invoice inv_… is not settled`. */
const OBSTACLE = /^(\w+): (?:contract|invoice) (\w+) /gm;

interface Document extends ShownInvoice {
  period_start: string;
  period_end: string;
}

interface ShownToStaff {
  /** Amounts by bill. */
  overpaid: ReadonlyMap<string, string>;
  /** Numbers of bills. */
  underWay: ReadonlySet<string>;
  /** By contract. */
  statuses: ReadonlyMap<string, string>;
  documents: ReadonlyMap<string, readonly Document[]>;
  /** Causes of corrections that could not be made, by contract. */
  waiting: ReadonlyMap<string, readonly string[]>;
  /** Contracts of which something came in since the run of today, or in the hour before it: the next one looks at it. */
  unseen: ReadonlySet<string>;
}

interface Month extends ShownToStaff {
  today: string;
}

/** What the back office does when somebody asks to be erased. */
export class Erasures {
  readonly #billed: Billed;
  readonly #office: BackOffice;
  readonly #bank: LivesBank;
  readonly #erased: Person[] = [];
  readonly #lines: readonly string[];

  constructor(billed: Billed, office: BackOffice, bank: LivesBank, lines: readonly string[]) {
    this.#billed = billed;
    this.#office = office;
    this.#bank = bank;
    this.#lines = lines;
  }

  /** He asks each month from his farewell on. It is refused while something is open, and says what. */
  async month(today: string, contracts: readonly Living[]): Promise<void> {
    let shown: Promise<ShownToStaff> | null = null;
    for (const [person, ofPerson] of Map.groupBy(contracts, (living) => living.person)) {
      const [first] = ofPerson;
      if (person.isErased || first?.life.asksForErasure !== true) continue;
      if (today < addDays(first.end, -BEFORE_END_DAYS)) continue;
      shown ??= this.#shown();
      await this.#ask(person, ofPerson, { today, ...(await shown) });
    }
  }

  async #ask(person: Person, contracts: readonly Living[], now: Month): Promise<void> {
    const obstacles = obstaclesOf(contracts, now);
    if (obstacles.length === 0) for (const living of contracts) await living.isBilledRight();
    const { exitCode, stderr } = await this.#office.try('customers', 'erase', person.id, '--yes');
    const told = [...stderr.matchAll(OBSTACLE)].map(([, reason, object]) => `${reason} ${object}`);
    expect(told.sort(), stderr).toEqual(obstacles);
    expect(exitCode, stderr).toBe(obstacles.length === 0 ? 0 : 1);
    if (exitCode !== 0) {
      await this.#bank.payBack(overpaidOf(contracts, now));
      return;
    }
    person.isErased = true;
    this.#erased.push(person);
  }

  /** One answer for all who ask today: to erase one changes nothing of another. */
  async #shown(): Promise<ShownToStaff> {
    const client = await this.#billed.client();
    const subscriptions = await allPages<Shown>(client, '/subscriptions?limit=100');
    const invoices = await allPages<Document>(client, '/invoices?limit=100');
    const { api, organization } = this.#billed;
    const overpaid = await listOfPayments(api.deps.database, organization, 'overpaid', 1_000);
    const missing = await missingDocuments(api.deps.database, organization, {}, 1_000);
    const now = this.#billed.clock.nowMilliseconds();
    const next = { since: new Date(now - 3_600_000).toISOString(), today: berlinDayAt(now), after: '' };
    const entered = await api.deps.database.inOrganization({ organization }, (connection) =>
      changedContracts(connection, organization, next),
    );
    return {
      overpaid: new Map(overpaid.map(({ invoice_id, overpaid: amount }) => [`${invoice_id}`, `${amount}`])),
      underWay: this.#bank.underWay,
      statuses: new Map(subscriptions.map(({ id, status }) => [id, status])),
      documents: Map.groupBy(invoices, ({ subscription }) => subscription),
      unseen: new Set(entered.contracts),
      waiting: new Map(
        [...Map.groupBy(missing, ({ subscription_id }) => subscription_id)].map(([id, rows]) => [
          id,
          rows.flatMap(({ type, code }) => (type === 'usage' || type === 'prepayment' ? [] : [code])),
        ]),
      ),
    };
  }

  /** What an erased person left is in no table but those of finance, in no key and in no line of the log; and nothing is billed. */
  async look(): Promise<void> {
    /* Without country and check digits, which may be written apart; so all of them begin alike. */
    const words = this.#erased.flatMap(({ word, iban }) => [word, iban.slice(4)]);
    if (words.length === 0) return;
    const { api } = this.#billed;
    const persons = this.#erased.map(({ id }) => id);
    const refused =
      'SELECT subscription_id, period_start, type, code, detail, first_at FROM billing_refusals WHERE customer_id = ANY ($1)';
    expect(await storedRows(api, refused, [persons])).toEqual([]);
    const finance = ['bank_entries', 'invoices', 'payment_files'].map((table) => `${table} restricted`);
    expect(finance).toEqual(expect.arrayContaining(await tablesWith(api, words)));
    expect(await keysWith(api.deps.config.REDIS_URL, words)).toEqual([]);
    expect(this.#lines.filter((line) => words.some((word) => line.includes(word)))).toEqual([]);
  }
}

function overpaidOf(contracts: readonly Living[], { documents, overpaid }: Month) {
  return contracts.flatMap(({ contract: { id: subscription } }) =>
    (documents.get(subscription) ?? []).flatMap(({ id, invoice_number: number }) => {
      const amount = overpaid.get(id);
      return amount === undefined ? [] : [{ number, amount, subscription }];
    }),
  );
}

/**
 * As the interface shows it: contracts that run, have days without a bill or a last bill that may be corrected, and documents
 * that are not settled; and as staff and the bank know it, money that may come back or was paid too much.
 */
function obstaclesOf(contracts: readonly Living[], now: Month): string[] {
  const { today, statuses, documents, overpaid, underWay, waiting, unseen } = now;
  const found: string[] = [];
  for (const living of contracts) {
    const { contract, end, isNeverSupplied } = living;
    const items = documents.get(contract.id) ?? [];
    const isClosed = items.some(({ type }) => type === 'exit_summary');
    if (statuses.get(contract.id) !== 'ended') found.push(`running_contract ${contract.id}`);
    else if (!isNeverSupplied && !isClosed) {
      const { isWhole, isFinal } = billedDays(living, items);
      if (!isWhole) found.push(`bill_missing ${contract.id}`);
      const causes = (waiting.get(contract.id) ?? []).filter((code) => code !== 'not_reversible');
      if (causes.some((code) => code !== 'too_early')) found.push(`correction_waits ${contract.id}`);
      else if (causes.length > 0 || (isFinal && today < addDays(end, CORRECTED_DAYS)))
        found.push(`may_be_corrected ${contract.id}`);
      else if (isFinal && unseen.has(contract.id)) found.push(`changed_since_run ${contract.id}`);
    }
    for (const { id, status, invoice_number } of items) {
      if (status === 'open') found.push(`open_invoice ${id}`);
      if (underWay.has(invoice_number)) found.push(`payment_under_way ${id}`);
      if (overpaid.has(id)) found.push(`overpaid ${id}`);
    }
  }
  return found.sort();
}

/** Whether bills that stand are about each day of supply, and about its last one. */
function billedDays({ first, end }: Living, items: readonly Document[]) {
  const bills = items
    .filter(({ type, status }) => type === 'usage' && status !== 'voided')
    .map(({ period_start, period_end }) => [Date.parse(period_start), Date.parse(period_end)] as const)
    .toSorted(([start], [otherStart]) => start - otherStart);
  const until = Date.parse(berlinMidnight(end));
  let billed = Date.parse(berlinMidnight(first));
  for (const [from, to] of bills) if (from <= billed) billed = Math.max(billed, to);
  return { isWhole: billed >= until, isFinal: bills.some(([, to]) => to === until) };
}
