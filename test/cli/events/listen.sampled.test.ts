import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { meterOrderTopics } from '../../../src/contracts/meter-orders/topics.ts';
import { subscriptionTopics } from '../../../src/contracts/subscriptions/topics.ts';
import { sweepWebhooks } from '../../../src/events/deliveries/sweep.ts';
import { recordEvents } from '../../../src/events/record.ts';
import type { Topic } from '../../../src/events/topic.ts';
import { createProcessor } from '../../../src/platform/jobs/processor.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import { jobWorkers } from '../../../workers/index.ts';
import { testReceiver } from '../../events/requests/receiver.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { happened } from '../../setup/events.ts';
import { createOrganization } from '../../setup/factories.ts';
import { type ServiceProcess, startService } from '../../setup/service-process.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { isLongTier } from '../../setup/tier.ts';
import { collectingIo, runCommand } from '../command-line.ts';

let api: TestApi;
let environment: Record<string, string>;
const running: { kill(): Promise<unknown> }[] = [];

beforeAll(async () => {
  api = await startApi();
  const { SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL } = api.deps.config;
  environment = { APP_ENV: 'test', SECRET_PEPPER, ENCRYPTION_KEY, DATABASE_URL };
});
afterEach(async () => {
  for (const listener of running.splice(0)) await listener.kill();
});
afterAll(() => api?.close());

/** A listener in the process of the test. */
interface Listener {
  lines(): string[];
  /** The first line that is such, whether it was written already or comes later. */
  line(pattern: RegExp): Promise<string>;
  errors(): string;
  /** The exit code. */
  readonly ended: Promise<number>;
  /** As Ctrl-C does. */
  interrupt(): Promise<number>;
}

function listen(organization: string, ...args: string[]): Listener {
  const stopping = new AbortController();
  const io = { ...collectingIo(environment), interruption: () => stopping.signal };
  const ended = runCommandLine(['listen', '--organization', organization, ...args], io);
  const interrupt = () => {
    stopping.abort();
    return ended;
  };
  running.push({ kill: interrupt });
  const lines = () => io.stdout.text.split('\n').slice(0, -1);
  const line = async (pattern: RegExp) => {
    const found = () => lines().find((text) => pattern.test(text));
    await expect.poll(found).toBeDefined();
    return found() ?? '';
  };
  return { lines, line, errors: () => io.stderr.text, ended, interrupt };
}

/** One that can be killed, and gets Ctrl-C of a terminal. */
function listenProcess(organization: string): ServiceProcess {
  const started = startService('src/cli/main.ts', environment, 'listen', '--organization', organization);
  running.push(started);
  return started;
}

/** Something happens in an organization, and the worker writes who is to hear of it. */
async function happens(organization: string, ...topics: Topic[]): Promise<string[]> {
  const { deps } = api;
  const now = deps.clock.now().toISOString();
  const events = topics.map((topic) => happened(topic, now));
  await deps.database.inOrganization({ organization }, (connection) =>
    recordEvents(connection, organization, events),
  );
  const workers = jobWorkers.filter(({ definition }) => definition.name === 'fan-out-event');
  const metrics = createMetrics({ runtime: false });
  await createProcessor({ ...deps, metrics, workers, deps: deps as never, nudge: () => {} }).work();
  const rows = await storedRows<{ id: string }>(
    api,
    'SELECT id FROM events WHERE organization_id = $1 ORDER BY position DESC LIMIT $2',
    [organization, topics.length],
  );
  return rows.map(({ id }) => id).reverse();
}

async function ended(started: ServiceProcess, signal: NodeJS.Signals = 'SIGINT') {
  started.child.kill(signal);
  return await started.ended;
}

const listenersOf = (organization: string) =>
  storedRows<{ id: string; deleted: boolean }>(
    api,
    `SELECT id, deleted_at IS NOT NULL AS deleted FROM webhook_endpoints WHERE organization_id = $1`,
    [organization],
  );

/** A listener says that it is there, by which the sweep knows it from one that was killed. */
async function showsLife(organization: string): Promise<void> {
  const served = () =>
    storedRows(api, 'SELECT FROM webhook_endpoints WHERE organization_id = $1 AND served_at IS NOT NULL', [
      organization,
    ]);
  await expect.poll(served).toHaveLength(1);
}

test('forwards what happens, signed with the secret that it prints, and shows the answer', async () => {
  await using receiver = await testReceiver((_request, response) => void response.writeHead(202).end());
  const organization = await createOrganization(api.deps);
  const started = listen(organization, '--forward-to', receiver.url);
  await started.line(/^Listening to everything in org_/);
  const said = await started.line(/^Forwarding to /);
  const secret = /whsec_\S+$/.exec(said)?.[0] ?? '';
  const [id = ''] = await happens(organization, subscriptionTopics.created);
  const line = await started.line(/subscription\.created/);
  expect(line).toMatch(
    new RegExp(`^\\d{4}-\\S+Z  subscription\\.created  ${id}  .*subscription=sub_\\S+  → 202 in \\d+ ms$`),
  );
  const [request] = receiver.requests;
  const headers = request?.headers as Record<string, string>;
  for (const library of [new Webhook(secret), new SvixWebhook(secret)]) {
    library.verify(request?.body ?? '', headers);
  }
  expect(JSON.parse(request?.body ?? '')).toMatchObject({ id, topic: 'subscription.created' });
  await expect
    .poll(() => storedRows(api, 'SELECT state, last_status FROM event_deliveries WHERE event_id = $1', [id]))
    .toEqual([{ state: 'delivered', last_status: 202 }]);
});

test('without an address it prints only; with --topics these only; with --json one object a line', async () => {
  const organization = await createOrganization(api.deps);
  const started = listen(organization, '--topics', 'meter_order.installed', '--json');
  await expect.poll(() => started.lines().length).toBe(1);
  expect(JSON.parse(started.lines()[0] ?? '')).toEqual({
    organization,
    endpoint: expect.stringMatching(/^whe_/),
    topics: ['meter_order.installed'],
    forward_to: null,
    secret: null,
  });
  const [, id] = await happens(organization, subscriptionTopics.created, meterOrderTopics.installed);
  await expect.poll(() => started.lines().length).toBe(2);
  expect(JSON.parse(started.lines()[1] ?? '')).toEqual({
    id,
    topic: 'meter_order.installed',
    timestamp: expect.any(String),
    context: { meter_order: expect.any(String), subscription: expect.any(String) },
  });
  expect(await started.interrupt()).toBe(0);
});

test('Ctrl-C removes the listener, and nothing that happens afterwards waits for it', async () => {
  const organization = await createOrganization(api.deps);
  const started = listenProcess(organization);
  await started.line(/^Listening/);
  expect(await listenersOf(organization)).toMatchObject([{ deleted: false }]);
  await showsLife(organization);
  expect(await ended(started)).toEqual({ code: 0, signal: null });
  expect(started.errors()).toBe('');
  expect(await listenersOf(organization)).toMatchObject([{ deleted: true }]);
  await happens(organization, subscriptionTopics.created);
  const waiting = await storedRows(api, 'SELECT FROM event_deliveries WHERE organization_id = $1', [
    organization,
  ]);
  expect(waiting).toEqual([]);
  const acts = (await auditRows(api, organization, 'webhook_endpoint')).map(({ act, route }) => [act, route]);
  expect(acts).toEqual([
    ['webhook_endpoint.create', 'listen'],
    ['webhook_endpoint.delete', 'listen'],
  ]);
});

/* The short tier has the sweep of a listener that went silent in test/events/deliveries/sweep.sampled.test.ts. */
test.runIf(isLongTier)(
  'one that was killed is removed after five minutes without a sign of life, and not before',
  async () => {
    const organization = await createOrganization(api.deps);
    const started = listenProcess(organization);
    await started.line(/^Listening/);
    const [listener] = await listenersOf(organization);
    expect(listener).toBeDefined();
    await showsLife(organization);
    await ended(started, 'SIGKILL');
    const sweep = async (minutes: number) => {
      const clock = fakeClock(new Date().toISOString());
      clock.advance(minutes * 60_000);
      const run = { signal: new AbortController().signal, log: api.deps.log };
      await sweepWebhooks({ database: api.deps.database, clock }, run);
      return await listenersOf(organization);
    };
    expect(await sweep(4)).toMatchObject([{ deleted: false }]);
    expect(await sweep(6)).toMatchObject([{ deleted: true }]);
  },
);

test('a request that is under way at Ctrl-C is waited for no longer', async () => {
  await using receiver = await testReceiver(() => {});
  const organization = await createOrganization(api.deps);
  const started = listen(organization, '--forward-to', receiver.url);
  await started.line(/^Forwarding/);
  await happens(organization, subscriptionTopics.created);
  await expect.poll(() => receiver.requests.length).toBe(1);
  expect(await started.interrupt()).toBe(0);
  expect(await listenersOf(organization)).toMatchObject([{ deleted: true }]);
});

test('two listeners hear of their own organization only', async () => {
  const [own, foreign] = [await createOrganization(api.deps), await createOrganization(api.deps)];
  const [here, there] = [listen(own), listen(foreign)];
  await Promise.all([here.line(/^Listening/), there.line(/^Listening/)]);
  const [first] = await happens(own, subscriptionTopics.created);
  const [second] = await happens(foreign, subscriptionTopics.ended);
  await there.line(/subscription\.ended/);
  await here.line(/subscription\.created/);
  expect(here.lines().join('\n')).toContain(String(first));
  expect(here.lines().join('\n')).not.toContain(String(second));
  expect(there.lines().join('\n')).not.toContain(String(first));
});

test('a receiver that answers 410 ends it with a sentence; one that is not there is tried again later', async () => {
  await using receiver = await testReceiver((_request, response) => void response.writeHead(410).end());
  const organization = await createOrganization(api.deps);
  const gone = listen(organization, '--forward-to', receiver.url);
  const away = listen(organization, '--forward-to', 'http://127.0.0.1:1/');
  await Promise.all([gone.line(/^Forwarding/), away.line(/^Forwarding/)]);
  await happens(organization, subscriptionTopics.created);
  await away.line(/→ no connection in \d+ ms, failed: one of at most 13 attempts$/);
  expect(await gone.ended).toBe(1);
  expect(gone.lines().join('\n')).toMatch(/→ 410 in \d+ ms, which switches the listener off$/);
  expect(gone.errors()).toContain('The receiver answered 410: start it anew');
  expect(await listenersOf(organization)).toHaveLength(2);
});

test.each([
  [
    'suspended organization',
    'organizations',
    "standing = 'suspended'",
    'The organization is suspended or deleted',
  ],
  [
    'listener that was switched off',
    'webhook_endpoints',
    "disabled_at = now(), disabled_reason = 'operator'",
    'switched off',
  ],
])('of a %s it says so when it ends', async (_of, table, change, said) => {
  const organization = await createOrganization(api.deps);
  const started = listen(organization);
  await started.line(/^Listening/);
  await showsLife(organization);
  const key = table === 'organizations' ? 'id' : 'organization_id';
  await storedRows(api, `UPDATE ${table} SET ${change} WHERE ${key} = $1`, [organization]);
  expect(await started.ended).toBe(1);
  expect(started.errors()).toContain(said);
  expect(started.errors()).not.toContain('410');
});

test('wrong input is told before anything is made', async () => {
  const organization = await createOrganization(api.deps);
  const run = (...args: string[]) =>
    runCommand(environment, 'listen', '--organization', organization, ...args);
  expect(await run('--topics', 'a.b')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^topics\.0: There is no topic "a\.b"\. There are: subscription\.created, /,
    ),
  });
  expect(await run('--forward-to', 'localhost:3000')).toMatchObject({
    exitCode: 1,
    stderr: '--forward-to: The address must begin with http:// or https://\n',
  });
  expect(
    await runCommand(environment, 'listen', '--organization', 'org_000000000000000000000000'),
  ).toMatchObject({
    exitCode: 1,
    stderr: 'There is no organization org_000000000000000000000000\n',
  });
  expect(await listenersOf(organization)).toEqual([]);
});
