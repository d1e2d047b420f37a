import { expect } from 'vitest';
import { ErasureRefused, eraseCustomer } from '../../src/governance/personal-data/erase.ts';
import type { Database } from '../../src/platform/database/db.ts';
import { addDays, berlinMidnight } from '../../src/platform/time/berlin-calendar.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import { keysWith, tablesWith } from '../governance/personal-data/search.ts';
import type { Living } from './living.ts';
import type { Person } from './person.ts';

/** Until six weeks after the end values may come in that correct a bill; the run of that day looks for the last time. */
const CORRECTED_DAYS = 43;
const BEFORE_END_DAYS = 40;

interface Document {
  id: string;
  type: string;
  status: string;
  period_end: string;
}

/** What the back office does when somebody asks to be erased, as the owner of the tables. */
export class Erasures {
  readonly #billed: Billed;
  readonly #owner: Database;
  readonly #erased: Person[] = [];
  readonly #lines: readonly string[];

  constructor(billed: Billed, owner: Database, lines: readonly string[]) {
    this.#billed = billed;
    this.#owner = owner;
    this.#lines = lines;
  }

  /** He asks each month from his farewell on. It is refused while something is open, and says what. */
  async month(today: string, contracts: readonly Living[]): Promise<void> {
    for (const [person, ofPerson] of Map.groupBy(contracts, (living) => living.person)) {
      const [first] = ofPerson;
      if (person.isErased || first?.life.asksForErasure !== true) continue;
      if (today >= addDays(first.end, -BEFORE_END_DAYS)) await this.#ask(person, ofPerson, today);
    }
  }

  async #ask(person: Person, contracts: readonly Living[], today: string): Promise<void> {
    const obstacles = await this.#obstacles(contracts, today);
    if (obstacles.length === 0) for (const living of contracts) await living.isBilledRight();
    const { organization, clock } = this.#billed;
    const act = { staff: 'ada', reason: 'he asked', command: 'test', now: clock.now().toISOString() };
    const answer = await eraseCustomer(this.#owner, { organization, customer: person.id }, act).catch(
      (error: unknown) => {
        if (error instanceof ErasureRefused) return error;
        throw error;
      },
    );
    if (answer instanceof ErasureRefused) {
      expect(answer.obstacles.map(({ reason, object }) => `${reason} ${object}`).sort()).toEqual(obstacles);
      return;
    }
    expect(obstacles).toEqual([]);
    person.isErased = true;
    this.#erased.push(person);
  }

  /**
   * As the interface shows it: contracts that run, have no bill up to their end or one that may be corrected, and documents that
   * are not settled.
   */
  async #obstacles(contracts: readonly Living[], today: string): Promise<string[]> {
    const client = await this.#billed.client();
    const found: string[] = [];
    for (const { contract, end, isNeverSupplied } of contracts) {
      const { body } = await client.get(`/subscriptions/${contract.id}`);
      const path = `/invoices?filter[subscription][eq]=${contract.id}&limit=100`;
      const { items } = (await client.get<{ items: Document[] }>(path)).body;
      const isFinal = ({ type, status, period_end }: Document) =>
        type === 'usage' && status !== 'voided' && Date.parse(period_end) === Date.parse(berlinMidnight(end));
      if (body.status !== 'ended') found.push(`running_contract ${contract.id}`);
      else if (!isNeverSupplied && !items.some(isFinal)) found.push(`final_bill_missing ${contract.id}`);
      else if (
        !isNeverSupplied &&
        today < addDays(end, CORRECTED_DAYS) &&
        !items.some(({ type }) => type === 'exit_summary')
      )
        found.push(`may_be_corrected ${contract.id}`);
      found.push(...items.flatMap(({ id, status }) => (status === 'open' ? [`open_invoice ${id}`] : [])));
    }
    return found.sort();
  }

  /** What an erased person left is in no table but those of finance, in no key and in no line of the log. */
  async look(): Promise<void> {
    const words = this.#erased.flatMap(({ word, iban }) => [word, iban]);
    if (words.length === 0) return;
    const { api } = this.#billed;
    const finance = ['bank_entries', 'invoices', 'payment_files'].map((table) => `${table} restricted`);
    expect(finance).toEqual(expect.arrayContaining(await tablesWith(api, words)));
    expect(await keysWith(api.deps.config.REDIS_URL, words)).toEqual([]);
    expect(this.#lines.filter((line) => words.some((word) => line.includes(word)))).toEqual([]);
  }
}
