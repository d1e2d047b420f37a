import { setTimeout as wait } from 'node:timers/promises';
import { topics } from '../../src/api/topics.ts';
import { subscriptionTopics } from '../../src/contracts/subscriptions/topics.ts';
import { createEndpoint } from '../../src/events/endpoints/create.ts';
import { recordEvents } from '../../src/events/record.ts';
import { createOrganization } from '../../src/identity/organizations/service.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { openJobQueue, queuePrefix } from '../../src/platform/jobs/queue.ts';
import { openRedis } from '../../src/platform/redis/redis.ts';
import type { Cleanup } from '../surroundings/cleanup.ts';
import { WrongUse } from '../surroundings/failures.ts';
import type { Surroundings } from '../surroundings/service.ts';
import type { Arrivals, Receivers } from './receivers.ts';

const CONNECTIONS = 8;

export interface CommittedEvent {
  readonly label: string;
  readonly atMilliseconds: number;
}

/** Commits events as the service does, and knows what has to arrive because of them. */
export interface Writer {
  /** By id of the event. */
  readonly committed: ReadonlyMap<string, CommittedEvent>;
  /** Deliveries to endpoints that are well, of all events so far. */
  readonly expected: number;
  readonly wellEndpoints: readonly string[];
  write(label: string, events: number, perSecond: number): Promise<void>;
  deliveriesOf(events: number): number;
  lost(arrivals: Arrivals): number;
}

interface WriterOptions {
  surroundings: Surroundings;
  receivers: Receivers;
  redisUrl: string;
  organizations: number;
}

interface Tenant {
  id: string;
  /** Places of its endpoints that are well. */
  well: number[];
}

export async function openWriter(options: WriterOptions, cleanup: Cleanup): Promise<Writer> {
  const { environment, database: administrator } = options.surroundings;
  if (environment === undefined)
    throw new WrongUse('This run takes no addresses: it starts its own processes');
  const database = openWriterDatabase(environment.DATABASE_URL ?? '', options.redisUrl, cleanup);
  const { tenants, wellEndpoints } = await storeEndpoints(database, environment, options);
  const committed = new Map<string, CommittedEvent>();
  /* The event's own id is given by the database's side; its context is ours. */
  const bySubscription = new Map<string, CommittedEvent & { tenant: Tenant }>();
  const tenantOf = new Map<string, Tenant>();
  let written = 0;
  let expected = 0;

  const tenantAt = (index: number) => tenants[index % tenants.length] as Tenant;

  async function writeOne(label: string, tenant: Tenant): Promise<void> {
    const subscription = newId('sub');
    const now = new Date().toISOString();
    await database.inOrganization({ organization: tenant.id }, (connection) =>
      recordEvents(connection, tenant.id, [
        { topic: subscriptionTopics.created, context: { subscription }, now },
      ]),
    );
    bySubscription.set(subscription, { label, tenant, atMilliseconds: Date.now() });
  }

  async function learnIds(): Promise<void> {
    const { rows } = await administrator.query<{ id: string; subscription: string }>(
      `SELECT id, context->>'subscription' AS subscription FROM events`,
    );
    for (const { id, subscription } of rows) {
      const event = bySubscription.get(subscription);
      if (event === undefined) throw new Error(`An event was stored that nobody wrote: ${id}`);
      committed.set(id, event);
      tenantOf.set(id, event.tenant);
    }
  }

  return {
    committed,
    wellEndpoints,
    get expected() {
      return expected;
    },
    deliveriesOf: (events) => {
      let deliveries = 0;
      for (let index = 0; index < events; index += 1) deliveries += tenantAt(written + index).well.length;
      return deliveries;
    },
    write: async (label, events, perSecond) => {
      const begunAt = performance.now();
      const underWay = new Set<Promise<void>>();
      for (let index = 0; index < events; index += 1) {
        const early = begunAt + (index * 1000) / perSecond - performance.now();
        if (early > 0) await wait(early);
        if (underWay.size >= CONNECTIONS) await Promise.race(underWay);
        const tenant = tenantAt(written);
        written += 1;
        expected += tenant.well.length;
        const writing = writeOne(label, tenant).finally(() => underWay.delete(writing));
        underWay.add(writing);
      }
      await Promise.all(underWay);
      await learnIds();
    },
    lost: ({ first }) =>
      [...tenantOf].reduce(
        (sum, [event, { well }]) => sum + well.filter((place) => !first.has(`${place} ${event}`)).length,
        0,
      ),
  };
}

function openWriterDatabase(url: string, redisUrl: string, cleanup: Cleanup): Database {
  const redis = openRedis({
    ...{ url: redisUrl, use: 'commands', connectionName: 'load' },
    onStateChange: () => {},
  });
  cleanup.add(async () => redis.disconnect());
  const clock = systemClock();
  const queue = openJobQueue({ connect: () => redis, prefix: queuePrefix(url), clock, onError: () => {} });
  const database = openDatabase({
    ...{ url, applicationName: 'voltstream-load', connectionsMax: CONNECTIONS },
    onError: () => {},
    onEnqueued: queue.nudge,
  });
  cleanup.add(() => database.close());
  return database;
}

async function storeEndpoints(
  database: Database,
  environment: Readonly<Record<string, string>>,
  { receivers, organizations }: WriterOptions,
) {
  const now = new Date().toISOString();
  const act = { staff: 'load', reason: 'load run', command: 'load', now };
  const tenants: Tenant[] = [];
  for (let count = 0; count < organizations; count += 1) {
    const { id } = await createOrganization(database, { name: `Load run ${count}` }, act);
    tenants.push({ id, well: [] });
  }
  const deps = {
    database,
    config: { ENCRYPTION_KEY: environment.ENCRYPTION_KEY ?? '' },
    rules: { allowedNetworks: ['127.0.0.0/8'], ports: [443], ownHosts: [] },
    topics,
  };
  const wellEndpoints: string[] = [];
  for (const [place, { url, kind, organization }] of receivers.plans.entries()) {
    const tenant = tenants[organization] as Tenant;
    const { endpoint } = await createEndpoint(deps, tenant.id, { url, description: kind }, act);
    if (kind !== 'well') continue;
    tenant.well.push(place);
    wellEndpoints.push(endpoint.id);
  }
  return { tenants, wellEndpoints };
}
