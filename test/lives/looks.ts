import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { VERSION_NAMES } from '../../src/config/versions.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import type { ApiClient } from '../setup/client.ts';
import { createClient, createOrganization, tokenFor } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import type { LivesBank } from './bank.ts';
import {
  allPages,
  type BackOffice,
  CustomerDoors,
  type Receiver,
  type Shown,
  type ShownInvoice,
  type Told,
} from './doors.ts';
import type { Living } from './living.ts';

/** Where an event leads its noun; one that is not named here leads nowhere. */
const STATUS_AFTER: Readonly<Record<string, string>> = {
  'invoice.created': 'open',
  'invoice.uncollectible': 'uncollectible',
  'invoice.paid': 'paid',
  'invoice.voided': 'voided',
  'subscription.created': 'pending',
  'subscription.activated': 'active',
  'subscription.ended': 'ended',
};
/** For receivers that are told in any order: no document and no contract goes back. */
const RANKS = Object.values(STATUS_AFTER);

/** Nouns of a life that have a list, with gets of single ones; beside contracts and documents. */
const NOUNS = ['customers', 'households', 'grid-fee-reductions'];
/** So many of each list are also got each month. */
const GETS = 2;

/** What holds of all lives together, whatever happened: looked at through every door after each month. */
export class Looks {
  readonly #billed: Billed;
  readonly #bank: LivesBank;
  readonly #receiver: Receiver;
  readonly customers: CustomerDoors;
  #stranger: ApiClient | null = null;
  /** What a poller of events believes. */
  readonly #believed = new Map<string, string>();
  readonly #told: Told[] = [];
  #months = 0;

  constructor(billed: Billed, bank: LivesBank, receiver: Receiver) {
    this.#billed = billed;
    this.#bank = bank;
    this.#receiver = receiver;
    this.customers = new CustomerDoors(billed);
  }

  async look(contracts: readonly Living[]): Promise<void> {
    this.#months += 1;
    const client = await this.#billed.client();
    const subscriptions = await allPages<Shown>(client, '/subscriptions?limit=100');
    const invoices = await allPages<ShownInvoice>(client, '/invoices?limit=100');
    const hidden = contracts.filter(({ person }) => person.isErased).map(({ contract }) => contract.id);
    await this.#gets(client, { subscriptions, invoices });
    await this.#otherVersions(subscriptions, invoices);
    await this.#events([...subscriptions, ...invoices], new Set(hidden));
    await this.#numbers(invoices);
    await this.#money();
    await this.#analysts(subscriptions, invoices);
    await this.customers.look(invoices, contracts);
    await this.#portal(invoices, contracts);
    await this.#strangers(invoices);
    expect(
      await storedRows(this.#billed.api, "SELECT job, error FROM job_runs WHERE state = 'failed'"),
    ).toEqual([]);
  }

  /** Each month others of a list, got one by one: what both show is the same. */
  async #gets(client: ApiClient, listed: Readonly<Record<string, readonly Shown[]>>): Promise<void> {
    for (const noun of [...NOUNS, ...Object.keys(listed)]) {
      const items = listed[noun] ?? (await allPages<Shown>(client, `/${noun}?limit=100`));
      for (const item of this.#some(items)) {
        const { status, body } = await client.get(`/${noun}/${item.id}`);
        expect([status, differences(item, body)]).toEqual([200, []]);
      }
    }
  }

  #some<Item>(items: readonly Item[]): Item[] {
    const first = (this.#months * GETS) % Math.max(items.length, 1);
    return [...items.slice(first), ...items.slice(0, first)].slice(0, GETS);
  }

  /** Each version shows the same contracts and documents, as far as it knows them: the older ones know no feed-in. */
  async #otherVersions(subscriptions: readonly Shown[], invoices: readonly ShownInvoice[]): Promise<void> {
    for (const version of VERSION_NAMES.slice(0, -1)) {
      const older = await this.#billed.client(version);
      const isCurie = version === '2026-05-27.curie';
      const shownThere = subscriptions.filter(({ type }) => isCurie || type !== 'feed_in');
      const statusOf = ({ id, status }: Pick<Shown, 'id' | 'status'>) => `${id} ${status}`;
      const contracts = await allPages<Shown>(older, '/subscriptions?limit=100');
      expect(contracts.map(statusOf), version).toEqual(shownThere.map(statusOf));
      const facts = ({ id, status, total }: ShownInvoice) => ({ id, status, total });
      if (isCurie) {
        const known = invoices.filter(({ type }) => type !== 'exit_summary');
        const shown = await allPages<ShownInvoice>(older, '/invoices?limit=100');
        expect(shown.map(facts)).toEqual(known.map(facts));
        continue;
      }
      for (const { id } of this.#some(shownThere)) {
        const known = invoices.filter(({ subscription, type }) => subscription === id && type === 'usage');
        const shown = await allPages<ShownInvoice>(older, `/subscriptions/${id}/invoices?limit=100`);
        expect(shown.map(facts), version).toEqual(
          known
            .map(facts)
            .map((fact) => (fact.status === 'uncollectible' ? { ...fact, status: 'open' } : fact)),
        );
      }
    }
  }

  /** Who has only heard the events knows each contract and document, once, and how it stands: poller and receiver. */
  async #events(shown: readonly Shown[], hidden: ReadonlySet<string>): Promise<void> {
    const news = await this.#toldSince(await this.#billed.client());
    for (const { topic, context } of news) {
      const [noun = ''] = topic.split('.');
      const id = context[noun];
      const status = STATUS_AFTER[topic];
      if (id === undefined || status === undefined) continue;
      expect(this.#believed.has(id), `${topic} of ${id}`).toBe(!topic.endsWith('.created'));
      this.#believed.set(id, status);
    }
    this.#told.push(...news);
    const standing = Object.fromEntries(shown.map(({ id, status }) => [id, status]));
    const isHidden = (id: string) =>
      this.#told.some(
        (event) => event.context.invoice === id && hidden.has(event.context.subscription ?? ''),
      );
    const seen = (picture: ReadonlyMap<string, string>) =>
      Object.fromEntries([...picture].filter(([id]) => id in standing || !isHidden(id)));
    expect(seen(this.#believed)).toEqual(standing);
    const received = this.#receiver.told();
    expect(received.map(({ id }) => id).sort()).toEqual(this.#told.map(({ id }) => id).sort());
    expect(seen(pictureOf(received))).toEqual(standing);
  }

  async #toldSince(client: ApiClient): Promise<Told[]> {
    const told: Told[] = [];
    for (let after = this.#told.at(-1)?.id ?? '0'; ; ) {
      const { body } = await client.get<{ items: Told[] }>(`/events?limit=100&after=${after}`);
      told.push(...body.items);
      const last = body.items.at(-1);
      if (last === undefined) return told;
      after = last.id;
    }
  }

  /** Numbers of the organization and of each contract have no gap. */
  async #numbers(shown: readonly ShownInvoice[]): Promise<void> {
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

  /** What the bank reported for a contract lies on its bills, or with staff; and a bill is paid when its money is there. */
  async #money(): Promise<void> {
    const { api, organization } = this.#billed;
    for (const { contract, received, booked, with_staff, overpaid } of await this.#bank.accounts()) {
      expect(booked + with_staff, contract).toBe(received);
      expect(overpaid, contract).toBeGreaterThanOrEqual(0);
    }
    const wrong = await storedRows(
      api,
      `SELECT i.id, i.type, i.status, i.total, moved.settled
         FROM invoices AS i
        CROSS JOIN LATERAL (
          SELECT coalesce(sum(CASE direction WHEN 'in' THEN amount ELSE -amount END), 0) AS settled FROM payments AS p
           WHERE p.organization_id = i.organization_id AND p.invoice_id = i.id AND p.status = 'settled') AS moved
        WHERE i.organization_id = $1 AND i.type <> 'void' AND i.status IN ('open', 'paid')
          AND (i.status = 'paid') <> CASE WHEN i.total < 0 THEN moved.settled <= i.total ELSE moved.settled >= i.total END`,
      [organization],
    );
    expect(wrong).toEqual([]);
  }

  /** When all is over: what was paid in advance is deducted once, and an export has the same documents. */
  async lookAtTheEnd(office: BackOffice): Promise<void> {
    const { api, organization } = this.#billed;
    const wrong = await storedRows(
      api,
      `SELECT subscription_id, sum(deducted) AS deducted, sum(paid) AS paid
         FROM invoices AS i CROSS JOIN LATERAL (
           SELECT least(i.total, coalesce(sum(CASE direction WHEN 'in' THEN amount ELSE -amount END), 0)) AS paid FROM payments AS p
            WHERE p.organization_id = i.organization_id AND p.invoice_id = i.id AND p.status IN ('credited', 'settled')
              AND i.type = 'prepayment') AS moved
        WHERE organization_id = $1 GROUP BY 1
        HAVING sum(deducted) <> sum(paid) FILTER (WHERE type = 'prepayment' AND status <> 'voided')`,
      [organization],
    );
    expect(wrong).toEqual([]);
    const shown = await allPages<ShownInvoice>(await this.#billed.client(), '/invoices?limit=100');
    const written = (await office.exported('invoices')).map((row) => [
      row.invoice,
      row.type,
      row.status,
      Number(row.total_eur),
    ]);
    const expected = shown.map(({ id, type, status, total }) => [id, type, status, total]);
    expect(written.sort()).toEqual(expected.sort());
  }

  /** Analysts count the same contracts and documents, one by one. */
  async #analysts(subscriptions: readonly Shown[], invoices: readonly ShownInvoice[]): Promise<void> {
    const { api, organization } = this.#billed;
    const contracts = await storedRows(
      api,
      'SELECT contract AS id, status FROM analytics.contracts WHERE organization_id = $1 ORDER BY 1',
      [organization],
    );
    expect(contracts).toEqual(byId(subscriptions.map(({ id, status }) => ({ id, status }))));
    const documents = await storedRows(
      api,
      `SELECT invoice AS id, type, status, total_eur::float8 AS total FROM analytics.invoices
        WHERE organization_id = $1 ORDER BY 1`,
      [organization],
    );
    expect(documents).toEqual(
      byId(invoices.map(({ id, type, status, total }) => ({ id, type, status, total }))),
    );
  }

  /** Each month another customer looks at his bills. */
  async #portal(invoices: readonly ShownInvoice[], contracts: readonly Living[]): Promise<void> {
    const living = contracts.filter(({ person }) => !person.isErased);
    const [looking] = this.#some(living);
    if (looking === undefined) return;
    const own = living.filter(({ person }) => person === looking.person).map(({ contract }) => contract.id);
    await this.customers.lookAtPortal(
      looking.person,
      invoices.filter(({ subscription }) => own.includes(subscription)),
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

/** Of each noun the furthest that was told. */
function pictureOf(told: readonly Told[]): Map<string, string> {
  const picture = new Map<string, string>();
  for (const { topic, context } of told) {
    const id = context[topic.split('.')[0] ?? ''];
    const status = STATUS_AFTER[topic];
    if (id === undefined || status === undefined) continue;
    const known = picture.get(id);
    if (known === undefined || RANKS.indexOf(known) < RANKS.indexOf(status)) picture.set(id, status);
  }
  return picture;
}

const byId = <Item extends { id: string }>(items: Item[]) =>
  items.sort((left, right) => (left.id < right.id ? -1 : 1));

/** Fields of a list's item that the single one shows differently; where it has the whole, the item has its id. */
function differences(item: object, got: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(item).flatMap(([name, value]) => {
    const shown = got[name] as { id?: unknown } | null | undefined;
    const isSame = isDeepStrictEqual(shown, value) || (typeof value === 'string' && shown?.id === value);
    return isSame ? [] : [name];
  });
}
