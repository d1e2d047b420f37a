import { afterAll, beforeAll, expect, test } from 'vitest';
import { meterOrderTopics } from '../../src/contracts/meter-orders/topics.ts';
import { subscriptionTopics } from '../../src/contracts/subscriptions/topics.ts';
import { changeEndpoint } from '../../src/events/endpoints/change.ts';
import { disableEndpoint, enableEndpoint } from '../../src/events/endpoints/switch.ts';
import { fanOutEvent } from '../../src/events/fan-out.ts';
import { recordEvents } from '../../src/events/record.ts';
import type { Topic } from '../../src/events/topic.ts';
import { newId } from '../../src/platform/ids.ts';
import { createProcessor } from '../../src/platform/jobs/processor.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { jobWorkers } from '../../workers/index.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { happened } from '../setup/events.ts';
import { createTenant } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { actAt, depsOf, makeEndpoint } from './endpoints/setup.ts';

let api: TestApi;
let organization: string;

beforeAll(async () => {
  api = await startApi({ alone: true });
  ({ organization } = await createTenant(api));
});
afterAll(() => api?.close());

async function addEndpoint(columns: { topics?: string[]; disabled?: boolean; of?: string } = {}) {
  const id = newId('whe');
  await storedRows(
    api,
    `INSERT INTO webhook_endpoints (organization_id, id, url, secret, topics, disabled_at, disabled_reason, created_at)
     VALUES ($1, $2, 'https://receiver.example/', '\\x00', $3, CASE WHEN $4 THEN timestamptz '2021-01-01' END, CASE WHEN $4 THEN 'operator' END,
             '2020-01-01')`,
    [columns.of ?? organization, id, columns.topics ?? null, columns.disabled === true],
  );
  return id;
}

const record = (...topics: Topic[]) =>
  api.deps.database.inOrganization({ organization }, (connection) =>
    recordEvents(
      connection,
      organization,
      topics.map((topic) => happened(topic, api.deps.clock.now().toISOString())),
    ),
  );

/** What the worker process does with the runs that were asked for. */
function work(): Promise<void> {
  const { deps } = api;
  const workers = jobWorkers.filter(({ definition }) => definition.name === 'fan-out-event');
  const metrics = createMetrics({ runtime: false });
  return createProcessor({ ...deps, metrics, workers, deps: deps as never, nudge: () => {} }).work();
}

const deliveries = () =>
  storedRows<{ topic: string; endpoint_id: string; organization_id: string; state: string }>(
    api,
    `SELECT e.topic, d.endpoint_id, d.organization_id, d.state
       FROM event_deliveries d JOIN events e ON (e.organization_id, e.id) = (d.organization_id, d.event_id)
      ORDER BY e.position, d.endpoint_id`,
  );

test('an event reaches each endpoint that is on, was there and wants its topic, and no other one', async () => {
  const everything = await addEndpoint();
  const created = await addEndpoint({ topics: ['subscription.created'] });
  await addEndpoint({ topics: ['subscription.ended'] });
  await addEndpoint({ disabled: true });
  await addEndpoint({ of: (await createTenant(api)).organization });
  await record(subscriptionTopics.created, meterOrderTopics.created);
  await work();
  const of = (topic: string, endpoint_id: string) => ({
    topic,
    endpoint_id,
    organization_id: organization,
    state: 'pending',
  });
  expect(await deliveries()).toEqual([
    ...[everything, created].sort().map((endpoint) => of('subscription.created', endpoint)),
    of('meter_order.created', everything),
  ]);
});

test('a fan-out that is done twice writes each delivery once', async () => {
  await record(subscriptionTopics.confirmed);
  const [event] = await storedRows<{ id: string }>(
    api,
    `SELECT id FROM events WHERE topic = 'subscription.confirmed' AND organization_id = $1`,
    [organization],
  );
  const run = { payload: { event: event?.id ?? '' }, organization };
  /* The first one takes the event's own run along, which then finds nothing to do. */
  expect(await fanOutEvent(api.deps, run)).toEqual({ events: 2, deliveries: 1 });
  expect(await fanOutEvent(api.deps, run)).toEqual({ events: 1, deliveries: 0 });
});

test('who hears of an event is who was on and wanted its topic when it happened, whatever is changed before the fan-out', async () => {
  const { organization: of } = await createTenant(api);
  const { database, clock } = api.deps;
  const happens = (topic: Topic) =>
    database.inOrganization({ organization: of }, (connection) =>
      recordEvents(connection, of, [happened(topic, clock.now().toISOString())]),
    );
  const named = new Map<string, string>();
  const make = async (name: string, topics?: string[]) => {
    const { id } = await makeEndpoint(api, of, topics === undefined ? {} : { topics });
    named.set(id, name);
    return id;
  };
  const choose = (id: string, topics: string[]) =>
    changeEndpoint(depsOf(api), of, id, { topics }, actAt(api, 'webhooks change'));
  const left = await make('left', ['subscription.created']);
  const joined = await make('joined', ['subscription.ended']);
  const [back, away] = [await make('back'), await make('away')];
  await disableEndpoint(database, of, back, actAt(api));
  await happens(subscriptionTopics.created);
  await choose(left, ['subscription.ended']);
  await choose(joined, ['subscription.created']);
  await enableEndpoint(database, of, back, actAt(api));
  await disableEndpoint(database, of, away, actAt(api));
  await make('new');
  await happens(subscriptionTopics.ended);
  await work();
  const written = (await deliveries()).filter(({ organization_id }) => organization_id === of);
  const told = written.map(({ topic, endpoint_id, state }) => `${topic} ${named.get(endpoint_id)} ${state}`);
  expect(told.sort()).toEqual([
    'subscription.created away cancelled',
    'subscription.created left pending',
    'subscription.ended back pending',
    'subscription.ended left pending',
    'subscription.ended new pending',
  ]);
});

test('a change that is rolled back after its event leaves no event, no run and no delivery', async () => {
  const stored = () =>
    storedRows(
      api,
      `SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM job_runs) AS runs,
              (SELECT count(*) FROM event_deliveries) AS deliveries`,
    );
  await work();
  const before = await stored();
  const change = api.deps.database.inOrganization({ organization }, async (connection) => {
    await recordEvents(connection, organization, [
      happened(subscriptionTopics.ended, api.deps.clock.now().toISOString()),
    ]);
    throw new Error('The change was refused');
  });
  await expect(change).rejects.toThrow('The change was refused');
  await work();
  expect(await stored()).toEqual(before);
});
