import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { topics } from '../../src/api/topics.ts';
import { readWorkerConfig } from '../../src/config/config.ts';
import { subscriptionTopics } from '../../src/contracts/subscriptions/topics.ts';
import { createEndpoint } from '../../src/events/endpoints/create.ts';
import { recordEvents } from '../../src/events/record.ts';
import { type DatabaseClock, systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { openJobQueue, queuePrefix } from '../../src/platform/jobs/queue.ts';
import { openRedis } from '../../src/platform/redis/redis.ts';
import { openWorkerDeps, type WorkerDeps } from '../../workers/deps.ts';
import { type CutConnection, cutConnection } from '../setup/cut-connection.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { testEnvironment } from '../setup/environment.ts';
import { happened } from '../setup/events.ts';
import { takeTestRedis } from '../setup/redis.ts';
import { type ServiceProcess, startService } from '../setup/service-process.ts';
import { storedRows } from '../setup/stored-rows.ts';

const EVENTS_OF_TRANSACTION = 50;

export interface ReceivedMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string;
}

export interface WebhookFaults {
  readonly database: TestDatabase;
  readonly redisUrl: string;
  /** Between Redis and whoever changes something, and the worker of this process. */
  readonly way: CutConnection;
  /** One endpoint of a new organization, whose receiver answers 204. */
  begin(): Promise<void>;
  /** Ends the workers of a test. */
  end(): Promise<void>;
  close(): Promise<void>;
  startWorker(): Promise<ServiceProcess>;
  openWorkerDeps(clock: DatabaseClock): WorkerDeps;
  /** So many events, committed in portions. */
  happen(count: number, clock?: DatabaseClock): Promise<void>;
  readonly received: readonly ReceivedMessage[];
  /** Requests that were answered to the end. */
  answered(): number;
  /** What every later request is answered. */
  answerWith(status: number, headers?: OutgoingHttpHeaders): void;
  /** No answer until the test is over. */
  holdAnswers(): void;
  /** Done when a request was read; the answer follows it. */
  beforeAnswer(work: (() => Promise<void>) | null): void;
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  runs(job: string): Promise<{ state: string; fence: number }[]>;
  eventIds(): Promise<string[]>;
  /** Deliveries by state, and how many different events were received. */
  outcome(): Promise<{ states: Record<string, number>; arrived: number }>;
}

/** Everything between a change and a receiver, with the places at which it can break. */
export async function openWebhookFaults(): Promise<WebhookFaults> {
  const database = await createTestDatabase();
  const redisUrl = await takeTestRedis();
  const way = await cutConnection(redisUrl);
  const usual = testEnvironment(database, redisUrl);
  const environment = {
    ...usual,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    BASE_URL: 'http://127.0.0.1:1',
    WORKER_PORT: '0',
    LOG_LEVEL: 'info',
  };
  const redis = openRedis({
    url: way.url,
    use: 'commands',
    connectionName: 'asking',
    onStateChange: () => {},
  });
  const queue = openJobQueue({
    connect: () => redis,
    prefix: queuePrefix(database.appUrl),
    clock: systemClock(),
    onError: () => {},
  });
  const asking = openDatabase({
    ...{ url: database.appUrl, applicationName: 'asking', connectionsMax: 4 },
    onError: () => {},
    onEnqueued: queue.nudge,
  });
  const receiver = await openReceiver();
  const running: ServiceProcess[] = [];
  let organization = '';
  const rows = <Row>(text: string, values: unknown[] = []) => storedRows<Row>({ database }, text, values);

  return {
    database,
    redisUrl,
    way,
    ...receiver.controls,
    get received() {
      return receiver.received;
    },
    begin: async () => {
      /* What the worker before was killed in would be taken up again, but only after its minute of silence. */
      for (const table of ['job_runs', 'event_deliveries', 'webhook_endpoints', 'events']) {
        await rows(`DELETE FROM ${table}`);
      }
      receiver.reset();
      organization = newId('org');
      await rows(`INSERT INTO organizations (id, name) VALUES ($1, 'fixture')`, [organization]);
      const rules = { allowedNetworks: ['127.0.0.0/8'], ports: [443], ownHosts: [] };
      const act = { staff: 'test', reason: 'fixture', command: 'test', now: new Date().toISOString() };
      const deps = {
        database: asking,
        config: { ENCRYPTION_KEY: usual.ENCRYPTION_KEY ?? '' },
        rules,
        topics,
      };
      await createEndpoint(deps, organization, { url: receiver.url }, act);
    },
    end: async () => {
      receiver.reset();
      await Promise.all(running.splice(0).map((service) => service.kill()));
    },
    close: async () => {
      redis.disconnect();
      await Promise.all([asking.close(), way.close(), receiver.close()]);
      await database.drop();
    },
    startWorker: async () => {
      const started = startService('workers/main.ts', environment);
      running.push(started);
      await started.line('worker ready');
      return started;
    },
    openWorkerDeps: (clock) =>
      openWorkerDeps(readWorkerConfig({ ...environment, REDIS_URL: way.url, LOG_LEVEL: 'silent' }), {
        clock,
      }),
    happen: async (count, clock = systemClock()) => {
      for (let written = 0; written < count; written += EVENTS_OF_TRANSACTION) {
        const events = Array.from({ length: Math.min(EVENTS_OF_TRANSACTION, count - written) }, () =>
          happened(subscriptionTopics.created, clock.now().toISOString()),
        );
        await asking.inOrganization({ organization }, (connection) =>
          recordEvents(connection, organization, events),
        );
      }
    },
    rows,
    runs: (job) => rows('SELECT state, fence FROM job_runs WHERE job = $1 ORDER BY id', [job]),
    eventIds: async () => (await rows<{ id: string }>('SELECT id FROM events')).map(({ id }) => id),
    outcome: async () => {
      const counts = await rows<{ state: string; count: number }>(
        'SELECT state, count(*)::int AS count FROM event_deliveries GROUP BY state',
      );
      const states = Object.fromEntries(counts.map(({ state, count }) => [state, count]));
      return { states, arrived: new Set(receiver.received.map(({ id }) => id)).size };
    },
  };
}

/** A receiver whose answers the test decides about. */
async function openReceiver() {
  const received: ReceivedMessage[] = [];
  const held = new Set<ServerResponse>();
  let answer = { status: 204, headers: {} as OutgoingHttpHeaders };
  let before: (() => Promise<void>) | null = null;
  let isHolding = false;
  let answered = 0;
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    received.push({
      id: String(request.headers['webhook-id']),
      timestamp: String(request.headers['webhook-timestamp']),
      body: Buffer.concat(parts).toString('utf8'),
    });
    await before?.();
    response.on('finish', () => {
      answered += 1;
    });
    if (isHolding) held.add(response);
    else response.writeHead(answer.status, answer.headers).end();
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    reset: () => {
      received.length = 0;
      for (const response of held) response.destroy();
      held.clear();
      answer = { status: 204, headers: {} };
      before = null;
      isHolding = false;
      answered = 0;
    },
    controls: {
      answered: () => answered,
      answerWith: (status: number, headers: OutgoingHttpHeaders = {}) => {
        answer = { status, headers };
      },
      holdAnswers: () => {
        isHolding = true;
      },
      beforeAnswer: (work: (() => Promise<void>) | null) => {
        before = work;
        isHolding = false;
      },
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
