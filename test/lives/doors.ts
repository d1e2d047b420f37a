import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { serveFailing, serveHealthy } from '../../src/events/deliveries/serve.ts';
import { newEndpointId } from '../../src/events/endpoints/queries.ts';
import { newSecret, sealSecret } from '../../src/events/endpoints/secret.ts';
import { deliverWebhooksJob, retryWebhooksJob } from '../../src/events/jobs.ts';
import { openWebhookRequests } from '../../src/events/requests/send.ts';
import { FairQueue } from '../../src/platform/fair-queue.ts';
import { type JobWorker, worker } from '../../src/platform/jobs/jobs.ts';
import { addDays } from '../../src/platform/time/berlin-calendar.ts';
import type { Billed } from '../billing/invoices/billing.ts';
import { type CommandResult, collectingIo } from '../cli/command-line.ts';
import { HERE, type TestReceiver, testReceiver } from '../events/requests/receiver.ts';
import { csvRows } from '../governance/exports/fixture.ts';
import { basic, registeredClient, requestToken, type TestClient } from '../identity/oauth/token-requests.ts';
import { consented, exchange, REDIRECT_URI, Visitor } from '../identity/oauth/visitor.ts';
import { testEnvironment } from '../setup/api.ts';
import type { ApiClient } from '../setup/client.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { FIRST } from './life.ts';
import type { Living } from './living.ts';
import type { Person } from './person.ts';

const IDLE_MILLISECONDS = 30 * 86_400_000;

/** What a client is shown of a bill or a contract. */
export interface Shown {
  id: string;
  type: string;
  status: string;
}

export interface ShownInvoice extends Shown {
  total: number;
  invoice_number: string;
  subscription: string;
}

export interface Told {
  id: string;
  topic: string;
  context: Record<string, string>;
}

/** Newest first. */
export async function allPages<Item>(client: ApiClient, path: string): Promise<Item[]> {
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

type ServeParts = Parameters<typeof serveHealthy>[0];

/** A partner's receiver of webhooks, and the two jobs that send to it. */
export class Receiver implements AsyncDisposable {
  readonly #server: TestReceiver;
  readonly #requests = openWebhookRequests(HERE);

  private constructor(server: TestReceiver) {
    this.#server = server;
  }

  static async start(): Promise<Receiver> {
    return new Receiver(await testReceiver());
  }

  get workers(): JobWorker<ServeParts>[] {
    const queue = new FairQueue({ turnsMax: 4, bounds: null });
    const sending = (parts: ServeParts) => ({ ...parts, webhooks: this.#requests, queue });
    return [
      worker(deliverWebhooksJob, (parts: ServeParts, run) => serveHealthy(sending(parts), run)),
      worker(retryWebhooksJob, (parts: ServeParts, run) => serveFailing(sending(parts), run)),
    ];
  }

  /** Of all topics. Its address is one of this machine, which the command line refuses. */
  async register({ api, organization, clock }: Billed): Promise<void> {
    const id = newEndpointId();
    const secret = sealSecret(api.deps.config.ENCRYPTION_KEY, id, newSecret());
    await storedRows(
      api,
      `INSERT INTO webhook_endpoints (organization_id, id, kind, url, secret, created_at)
       VALUES ($1, $2, 'address', $3, $4, $5)`,
      [organization, id, this.#server.url, secret, clock.now().toISOString()],
    );
  }

  /** What it was told, each event once, whatever the order. */
  told(): Told[] {
    const told = this.#server.requests.map(({ body }): Told => JSON.parse(body));
    return [...new Map(told.map((event) => [event.id, event])).values()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#requests.close();
    await this.#server[Symbol.asyncDispose]();
  }
}

/** The back office of the supplier at the command line, by the clock of the lives. */
export class BackOffice implements AsyncDisposable {
  readonly #billed: Billed;
  readonly #environment: Record<string, string>;
  readonly #folder: string;
  #files = 0;
  commandsRun = 0;

  private constructor(billed: Billed, folder: string) {
    const { database, deps } = billed.api;
    this.#billed = billed;
    this.#environment = {
      ...testEnvironment(database, deps.config.REDIS_URL),
      DATABASE_OWNER_URL: database.ownerUrl,
      SECRET_PEPPER: deps.config.SECRET_PEPPER,
    };
    this.#folder = folder;
  }

  static async open(billed: Billed): Promise<BackOffice> {
    return new BackOffice(billed, await mkdtemp(join(tmpdir(), 'voltstream-lives-')));
  }

  /** About something of the organization; it may be refused. */
  async try(...args: readonly string[]): Promise<CommandResult> {
    return await this.#command([...args, '--organization', this.#billed.organization]);
  }

  /** What a command prints as JSON; a refusal fails. */
  async run(...args: readonly string[]): Promise<Record<string, unknown>> {
    const { exitCode, stdout, stderr } = await this.#command([...args, '--json']);
    expect([exitCode, stderr], args.join(' ')).toEqual([0, '']);
    return JSON.parse(stdout);
  }

  /** The same about an object of the organization. */
  async change(...args: readonly string[]): Promise<Record<string, unknown>> {
    return await this.run(...args, '--organization', this.#billed.organization);
  }

  /** Rows of all days; how far it is stands in the other stream. */
  async exported(what: string, ...args: readonly string[]): Promise<Record<string, string>[]> {
    const file = this.newFile(`${what}.csv`);
    const today = this.#billed.clock.now().toISOString().slice(0, 10);
    const days = ['--from', FIRST, '--to', addDays(today, 1)];
    const written = await this.try('export', what, ...days, '--format', 'csv', '--output', file, ...args);
    expect(written.exitCode, written.stderr).toBe(0);
    return await csvRows(file);
  }

  async #command(args: readonly string[]): Promise<CommandResult> {
    const io = { ...collectingIo(this.#environment), clock: this.#billed.clock };
    this.commandsRun += 1;
    const exitCode = await runCommandLine([...args, '--staff', 'ada', '--reason', 'it came late'], io);
    return { exitCode, stdout: io.stdout.text, stderr: io.stderr.text };
  }

  /** A name for a file that a command writes; commands replace none. */
  newFile(name: string): string {
    this.#files += 1;
    return join(this.#folder, `${this.#files} ${name}`);
  }

  async file(name: string, text: string): Promise<string> {
    const path = join(this.#folder, name);
    await writeFile(path, text);
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }
}

/** The customer's own doors: the portal, and an app that he consented to. */
export class CustomerDoors {
  readonly #billed: Billed;
  #app: TestClient | null = null;
  /** Refresh tokens of the app, and the moment of each, by who consented. */
  readonly #tokens = new Map<Person, { token: string; at: number }>();

  constructor(billed: Billed) {
    this.#billed = billed;
  }

  /** Signs in with a mailed code and lets the app in. */
  async consent(person: Person): Promise<void> {
    if (this.#tokens.has(person)) return;
    const { api, organization } = this.#billed;
    this.#app ??= await registeredClient(api.deps, { redirect_uris: [REDIRECT_URI] }, organization);
    const answer = await consented(api, this.#app, person.email);
    const { status, body } = await exchange(api, this.#app, answer.get('code') ?? '');
    expect(status).toBe(200);
    this.#keep(person, body);
  }

  /** The app sees what is its customer's, and nothing of an erased one. */
  async look(invoices: readonly ShownInvoice[], contracts: readonly Living[]): Promise<void> {
    for (const person of [...this.#tokens.keys()]) {
      const client = await this.#renewed(person);
      if (client === null) continue;
      const own = new Set(
        contracts.flatMap((living) => (living.person === person ? [living.contract.id] : [])),
      );
      const ids = (shown: readonly Shown[]) => shown.map(({ id }) => id).sort();
      expect(ids(await allPages<Shown>(client, '/subscriptions?limit=100'))).toEqual([...own].sort());
      const ofPerson = invoices.filter(({ subscription }) => own.has(subscription));
      expect(ids(await allPages<Shown>(client, '/invoices?limit=100'))).toEqual(ids(ofPerson));
    }
  }

  #keep(person: Person, { refresh_token }: Record<string, unknown>): void {
    this.#tokens.set(person, { token: String(refresh_token), at: this.#billed.clock.nowMilliseconds() });
  }

  /** Null where the app has no access any more: its customer was erased, or it was idle for 30 days. */
  async #renewed(person: Person): Promise<ApiClient | null> {
    const { api, clock } = this.#billed;
    const kept = this.#tokens.get(person);
    if (this.#app === null || kept === undefined) throw new Error('Nobody consented');
    const sent = { grant_type: 'refresh_token', refresh_token: kept.token };
    const { status, body } = await requestToken(api.baseUrl, sent, { authorization: basic(this.#app) });
    if (person.isErased || clock.nowMilliseconds() - kept.at >= IDLE_MILLISECONDS) {
      expect([status, body.error]).toEqual([401, 'invalid_grant']);
      this.#tokens.delete(person);
      return null;
    }
    expect(status).toBe(200);
    this.#keep(person, body);
    return api.client(String(body.access_token));
  }

  /** Behind a link of the back office the portal names each of his documents, with its amount. */
  async lookAtPortal(person: Person, invoices: readonly ShownInvoice[]): Promise<void> {
    const client = await this.#billed.client();
    const { body } = await client.post('/admin/magic_link', { customerId: person.id });
    const visitor = new Visitor();
    const confirm = await visitor.open(String(body.link));
    const next = /name="next" value="([^"]*)"/.exec(confirm.text)?.[1] ?? '';
    const { origin } = new URL(this.#billed.api.deps.config.portalUrl);
    const page = await visitor.follow(await visitor.submit(confirm, { next }), origin);
    expect(page.status).toBe(200);
    const written = page.text.split('<li>').flatMap((item) => {
      const number = /([A-Z0-9]+-\d+)/.exec(item)?.[1];
      const amount = /<b>(-?)€([\d,.]+)<\/b>/.exec(item);
      return amount === null ? [] : [`${number} ${amount[1]}${amount[2]?.replaceAll(',', '')}`];
    });
    const expected = invoices.map(({ invoice_number, total }) => `${invoice_number} ${total.toFixed(2)}`);
    expect(written.toSorted()).toEqual(expected.toSorted());
  }
}
