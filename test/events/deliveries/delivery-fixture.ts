import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { subscriptionTopics } from '../../../src/contracts/subscriptions/topics.ts';
import { sweepWebhooks } from '../../../src/events/deliveries/sweep.ts';
import { newSecret, sealSecret } from '../../../src/events/endpoints/secret.ts';
import { recordEvents } from '../../../src/events/record.ts';
import { openWebhookRequests, type WebhookRequests } from '../../../src/events/requests/send.ts';
import type { Topic } from '../../../src/events/topic.ts';
import { type DatabaseClock, systemClock } from '../../../src/platform/clock.ts';
import { type Connection, type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { FairQueue } from '../../../src/platform/fair-queue.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createProcessor, type Processor } from '../../../src/platform/jobs/processor.ts';
import { createRunPool } from '../../../src/platform/jobs/run-pool.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { createMail } from '../../../src/platform/mail.ts';
import { createMetrics, type Metrics } from '../../../src/platform/metrics.ts';
import type { WorkerDeps } from '../../../workers/deps.ts';
import { jobWorkers } from '../../../workers/index.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { happened } from '../../setup/events.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { HERE } from '../requests/receiver.ts';

const OWN_SLOTS = 6;
const JOBS = /webhook|fan-out/;

export interface NewEndpoint {
  url?: string;
  topics?: readonly string[];
  organization?: string;
  contact?: string;
  createdAt?: string;
  kind?: 'address' | 'listener';
}

export interface DeliveryRow {
  event_id: string;
  endpoint_id: string;
  organization_id: string;
  state: string;
  attempts: number;
  attempts_in_all: number;
  next_at: Date | null;
  last_status: number | null;
  last_error: string | null;
}

/** Organizations, endpoints and events on a database of their own, and workers that deliver. */
export class DeliveryFixture {
  readonly #opened: (() => Promise<void>)[] = [];
  readonly encryptionKey = randomBytes(32).toString('base64url');
  readonly clock: DatabaseClock;
  readonly organization: string = newId('org');
  testDatabase!: TestDatabase;
  database!: Database;
  #mailFolder = '';

  constructor(clock: DatabaseClock = systemClock()) {
    this.clock = clock;
  }

  async open(): Promise<void> {
    this.testDatabase = await createTestDatabase();
    this.database = this.#openDatabase(4, () => {});
    this.#mailFolder = await mkdtemp(join(tmpdir(), 'voltstream-mail-'));
    await this.addOrganization(this.organization);
  }

  async close(): Promise<void> {
    for (const close of this.#opened.splice(0).reverse()) await close();
    await rm(this.#mailFolder, { recursive: true, force: true });
    await this.testDatabase?.drop();
  }

  #openDatabase(connectionsMax: number, onEnqueued: (runAt: ReadonlySet<string>) => void): Database {
    const database = openDatabase({
      url: this.testDatabase.appUrl,
      applicationName: 'delivery-test',
      connectionsMax,
      onError: () => {},
      onEnqueued,
    });
    this.#opened.push(() => database.close());
    return database;
  }

  rows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return storedRows<Row>({ database: this.testDatabase }, text, values);
  }

  async addOrganization(id: string = newId('org')): Promise<string> {
    await this.rows(`INSERT INTO organizations (id, name) VALUES ($1, 'fixture')`, [id]);
    return id;
  }

  async addEndpoint(given: NewEndpoint = {}): Promise<string> {
    const id = newId('whe');
    const kind = given.kind ?? 'address';
    await this.rows(
      `INSERT INTO webhook_endpoints (organization_id, id, kind, url, secret, topics, contact_email, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        given.organization ?? this.organization,
        id,
        kind,
        kind === 'address' ? (given.url ?? 'https://receiver.example/') : null,
        sealSecret(this.encryptionKey, id, newSecret()),
        given.topics ?? null,
        given.contact ?? null,
        given.createdAt ?? '2020-01-01T00:00:00Z',
      ],
    );
    return id;
  }

  /** As at the beginning of a test: no endpoint, no delivery, no run, no event, no mail. */
  async empty(): Promise<void> {
    for (const table of ['job_runs', 'event_deliveries', 'webhook_endpoints', 'events']) {
      await this.rows(`DELETE FROM ${table}`);
    }
    for (const file of await readdir(this.#mailFolder)) await rm(join(this.#mailFolder, file));
  }

  /** What the schedule does every minute. */
  sweep(): ReturnType<typeof sweepWebhooks> {
    const log = createLogger({ level: 'silent', name: 'delivery-test' });
    return sweepWebhooks(this, { signal: new AbortController().signal, log });
  }

  /** Events of a topic, in one transaction. */
  async record(count = 1, topic: Topic = subscriptionTopics.created, organization = this.organization) {
    await this.database.inOrganization({ organization }, (connection) =>
      this.recordIn(connection, count, topic, organization),
    );
  }

  async recordIn(
    connection: Connection,
    count: number,
    topic: Topic = subscriptionTopics.created,
    organization = this.organization,
  ): Promise<void> {
    const now = this.clock.now().toISOString();
    const events = Array.from({ length: count }, () => happened(topic, now));
    await recordEvents(connection, organization, events);
  }

  deliveries(where = 'true', values: unknown[] = []): Promise<DeliveryRow[]> {
    return this.rows<DeliveryRow>(
      `SELECT event_id, endpoint_id, organization_id, state, attempts, attempts_in_all, next_at, last_status, last_error
         FROM event_deliveries WHERE ${where} ORDER BY created_at, event_id, endpoint_id`,
      values,
    );
  }

  async states(): Promise<Record<string, number>> {
    const rows = await this.rows<{ state: string; count: number }>(
      'SELECT state, count(*)::int FROM event_deliveries GROUP BY state ORDER BY state',
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  async endpoint(id: string): Promise<Record<string, unknown>> {
    const [row] = await this.rows<Record<string, unknown>>('SELECT * FROM webhook_endpoints WHERE id = $1', [
      id,
    ]);
    return row ?? {};
  }

  /** Another worker, with connections of its own. */
  worker(
    options: { connections?: number; webhooks?: WebhookRequests; mailFolder?: string } = {},
  ): TestWorker {
    const wakes: (() => void)[] = [];
    const database = this.#openDatabase(options.connections ?? 4, (runAt) => nudge(runAt));
    const nudge = (runAt: Iterable<string>) => {
      for (const instant of runAt) {
        if (Date.parse(instant) <= this.clock.nowMilliseconds()) for (const wake of wakes) wake();
      }
    };
    const log = createLogger({ level: 'silent', name: 'delivery-test' });
    const metrics = createMetrics({ runtime: false });
    const { clock } = this;
    const config = {
      APP_ENV: 'test' as const,
      MAIL_FROM: 'Voltstream <voltstream@example.org>',
      MAIL_FOLDER: options.mailFolder ?? this.#mailFolder,
      SMTP_URL: undefined,
      ENCRYPTION_KEY: this.encryptionKey,
    };
    const webhooks = options.webhooks ?? openWebhookRequests(HERE);
    const mail = createMail({ config, log, metrics, clock });
    this.#opened.push(async () => {
      await mail.close();
      await webhooks.close();
    });
    const queue = new FairQueue({ turnsMax: 4, bounds: null });
    const deps = { database, clock, log, metrics, config, webhooks, mail, queue };
    const worker = new TestWorker(deps as unknown as WorkerDeps, nudge, wakes);
    this.#opened.push(() => worker.stop());
    return worker;
  }

  /** Subjects and receivers of the mails that left. */
  async mails(): Promise<{ to: string; subject: string; text: string }[]> {
    const files = (await readdir(this.#mailFolder)).sort();
    const texts = await Promise.all(files.map((file) => readFile(join(this.#mailFolder, file), 'utf8')));
    return texts.map((text) => ({
      to: /^To: (.*)$/m.exec(text)?.[1] ?? '',
      subject: /^Subject: (.*)$/m.exec(text)?.[1] ?? '',
      text,
    }));
  }
}

/** The engine of a worker process without Redis: a nudge is a call. */
export class TestWorker {
  readonly metrics: Metrics;
  readonly deps: WorkerDeps;
  readonly own: Processor;
  readonly requests: Processor;
  readonly #all: Processor;
  #ownHands = 0;
  #isStopped = false;

  constructor(deps: WorkerDeps, nudge: (runAt: Iterable<string>) => void, wakes: (() => void)[]) {
    this.deps = deps;
    this.metrics = deps.metrics;
    const workers = jobWorkers.filter(({ definition }) => JOBS.test(definition.name));
    const parts = { ...deps, workers, deps, nudge };
    this.own = createProcessor({ ...parts, pool: 'own' });
    this.requests = createProcessor({ ...parts, pool: 'requests' });
    this.#all = createProcessor({ ...parts, nudge: () => {} });
    this.#wakes = wakes;
  }
  readonly #wakes: (() => void)[];

  /** Runs what is due, one run after the other, until nothing is. */
  work(): Promise<void> {
    return this.#all.work();
  }

  /** Runs what is due in both pools, many at once, until it is stopped. */
  start(): void {
    const pool = createRunPool(this.requests, { slots: 192, onError: () => {} });
    const wake = () => {
      pool.wake();
      if (this.#isStopped || this.#ownHands >= OWN_SLOTS) return;
      this.#ownHands += 1;
      void this.own
        .work()
        .catch(() => {})
        .finally(() => {
          this.#ownHands -= 1;
        });
    };
    this.#wakes.push(wake);
    wake();
  }

  wake(): void {
    for (const wake of this.#wakes) wake();
  }

  /** As the process does when it is told to end and waits no longer. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const processor of [this.own, this.requests]) await processor.giveBack().catch(() => {});
    await Promise.all([this.own.idle(), this.requests.idle()]);
  }
}
