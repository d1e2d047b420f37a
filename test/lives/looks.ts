import { expect } from 'vitest';
import type { Billed } from '../billing/invoices/billing.ts';
import type { ApiClient } from '../setup/client.ts';
import { createClient, createOrganization, tokenFor } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import type { LivesBank } from './bank.ts';

interface Shown {
  id: string;
  type: string;
  status: string;
  total: number;
  invoice_number: string;
  subscription: string;
}

interface Told {
  id: string;
  topic: string;
  context: Record<string, string>;
}

/** Where an event leads; one that is not named here leads nowhere. */
const STATUS_AFTER: Readonly<Record<string, string>> = {
  'invoice.created': 'open',
  'invoice.paid': 'paid',
  'invoice.uncollectible': 'uncollectible',
  'invoice.voided': 'voided',
};

/** What holds of all lives together, whatever happened: looked at through every door after each month. */
export class Looks {
  readonly #billed: Billed;
  readonly #bank: LivesBank;
  #stranger: ApiClient | null = null;
  /** What a receiver of events believes. */
  readonly #believed = new Map<string, string>();
  #newestEvent = '0';

  constructor(billed: Billed, bank: LivesBank) {
    this.#billed = billed;
    this.#bank = bank;
  }

  async look(): Promise<void> {
    const shown = await this.#everyInvoice(await this.#billed.client());
    await this.#otherVersions(shown);
    await this.#events(shown);
    await this.#numbers(shown);
    await this.#money();
    await this.#analysts(shown);
    await this.#strangers(shown);
    expect(
      await storedRows(this.#billed.api, "SELECT job, error FROM job_runs WHERE state = 'failed'"),
    ).toEqual([]);
  }

  async #everyInvoice(client: ApiClient): Promise<Shown[]> {
    return await allPages<Shown>(client, '/invoices?limit=100');
  }

  /** The version before shows the same documents, and each by itself is what the list says. */
  async #otherVersions(shown: readonly Shown[]): Promise<void> {
    const older = await this.#billed.client('2026-05-27.curie');
    const known = shown.filter(({ type }) => type !== 'exit_summary');
    const facts = ({ id, status, total }: Shown) => ({ id, status, total });
    expect((await this.#everyInvoice(older)).map(facts)).toEqual(known.map(facts));
    const client = await this.#billed.client();
    for (const item of shown.slice(0, 3))
      expect((await client.get(`/invoices/${item.id}`)).body).toEqual(item);
  }

  /** Who has only heard the events knows each document, once, and how it stands. */
  async #events(shown: readonly Shown[]): Promise<void> {
    const client = await this.#billed.client();
    for (const { id, topic, context } of await this.#toldSince(client)) {
      this.#newestEvent = id;
      const { invoice } = context;
      const status = STATUS_AFTER[topic];
      if (invoice === undefined || status === undefined) continue;
      expect(this.#believed.has(invoice), `${topic} of ${invoice}`).toBe(topic !== 'invoice.created');
      this.#believed.set(invoice, status);
    }
    expect(Object.fromEntries(this.#believed)).toEqual(
      Object.fromEntries(shown.map(({ id, status }) => [id, status])),
    );
  }

  async #toldSince(client: ApiClient): Promise<Told[]> {
    const told: Told[] = [];
    for (let after = this.#newestEvent; ; ) {
      const { body } = await client.get<{ items: Told[] }>(`/events?limit=100&after=${after}`);
      told.push(...body.items);
      const last = body.items.at(-1);
      if (last === undefined) return told;
      after = last.id;
    }
  }

  /** Numbers of the organization and of each contract have no gap. */
  async #numbers(shown: readonly Shown[]): Promise<void> {
    const [ledger] = await storedRows<{ count: number; last: number }>(
      this.#billed.api,
      'SELECT count(*)::int AS count, max(ledger_number)::int AS last FROM invoices WHERE organization_id = $1',
      [this.#billed.organization],
    );
    expect(ledger?.last ?? 0).toBe(ledger?.count);
    for (const [subscription, documents] of Map.groupBy(shown, (invoice) => invoice.subscription)) {
      const numbers = documents.map(({ invoice_number }) => Number(invoice_number.split('-').at(-1)));
      const expected = documents.map((_, index) => index + 1);
      expect(
        numbers.toSorted((left, right) => left - right),
        subscription,
      ).toEqual(expected);
    }
  }

  /** What the bank reported lies on bills, or with staff; and a bill is paid when its money is there. */
  async #money(): Promise<void> {
    const { api, organization } = this.#billed;
    const [sums] = await storedRows<{ booked: number; unmatched: number }>(
      api,
      `SELECT (SELECT coalesce(sum(CASE direction WHEN 'in' THEN amount ELSE -amount END), 0)::float8 * 100 FROM payments
                WHERE organization_id = $1 AND status IN ('credited', 'settled')) AS booked,
              (SELECT coalesce(sum(amount), 0)::float8 * 100 FROM bank_entries
                WHERE organization_id = $1 AND state <> 'booked') AS unmatched`,
      [organization],
    );
    expect(Math.round((sums?.booked ?? 0) + (sums?.unmatched ?? 0))).toBe(this.#bank.balance);
    const wrong = await storedRows(
      api,
      `SELECT i.id, i.type, i.status, i.total, moved.settled
         FROM invoices AS i
        CROSS JOIN LATERAL (
          SELECT coalesce(sum(CASE direction WHEN 'in' THEN amount ELSE -amount END), 0) AS settled FROM payments AS p
           WHERE p.organization_id = i.organization_id AND p.invoice_id = i.id AND p.status = 'settled') AS moved
        WHERE i.organization_id = $1 AND i.type = 'usage' AND i.status IN ('open', 'paid')
          AND (i.status = 'paid') <> CASE WHEN i.total < 0 THEN moved.settled <= i.total ELSE moved.settled >= i.total END`,
      [organization],
    );
    expect(wrong).toEqual([]);
  }

  /** Analysts add up the same documents. */
  async #analysts(shown: readonly Shown[]): Promise<void> {
    const [view] = await storedRows<{ documents: number; total: number }>(
      this.#billed.api,
      `SELECT count(*)::int AS documents, coalesce(sum(total_eur), 0)::float8 AS total
         FROM analytics.invoices WHERE organization_id = $1`,
      [this.#billed.organization],
    );
    expect(view?.documents).toBe(shown.length);
    expect(view?.total).toBeCloseTo(
      shown.reduce((sum, { total }) => sum + total, 0),
      2,
    );
  }

  /** Another organization sees none of it. */
  async #strangers(shown: readonly Shown[]): Promise<void> {
    const { api } = this.#billed;
    if (this.#stranger === null) {
      const credentials = await createClient(api.deps, await createOrganization(api.deps));
      this.#stranger = api.client(await tokenFor(api, credentials));
    }
    const answer = await this.#stranger.get<{ items: unknown[] }>('/invoices');
    if (answer.status === 401) this.#stranger = null;
    else expect(answer.body.items).toEqual([]);
    const [first] = shown;
    if (first !== undefined && this.#stranger !== null)
      expect((await this.#stranger.get(`/invoices/${first.id}`)).status).toBe(404);
  }
}

/** Newest first. */
async function allPages<Item>(client: ApiClient, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = ''; ; ) {
    const answer = await client.get<{ items: Item[]; next_page?: string | null }>(`${path}${cursor}`);
    expect(answer.status, answer.text).toBe(200);
    items.push(...answer.body.items);
    const { next_page = null } = answer.body;
    if (next_page === null) return items;
    cursor = `&cursor=${next_page}`;
  }
}
