import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { subscriptionTopics } from '../../../src/contracts/subscriptions/topics.ts';
import { recordEvents } from '../../../src/events/record.ts';
import { openRequests } from '../../../src/events/requests/open.ts';
import { openHttpClient } from '../../../src/platform/http/client.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createProcessor } from '../../../src/platform/jobs/processor.ts';
import { createMetrics } from '../../../src/platform/metrics.ts';
import type { Traces } from '../../../src/platform/traces.ts';
import { jobWorkers } from '../../../workers/index.ts';
import { happened } from '../../setup/events.ts';
import { createAsset, createHousehold } from '../../setup/factories.ts';
import type { CollectedSpan } from './collector.ts';
import { CLIENT, CONSUMER, type Collected, childrenOf, named, startCollected } from './fixture.ts';

let traced: Collected;

beforeAll(async () => {
  traced = await startCollected();
});

afterAll(() => traced?.close());

test('batches of snapshots that are written together are one COPY, in the trace of the first and linked with all', async () => {
  const place = await createHousehold(traced.api.deps, traced.organization);
  const { household } = place;
  const asset = await createAsset(traced.api.deps, traced.organization, place, { type: 'household_net' });
  const client = traced.api.client(traced.token);
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, second) =>
      client.post('/asset-snapshots', {
        household,
        snapshots: [
          {
            asset: asset.id,
            timestamp: new Date(Date.now() - (second + 1) * 1_000).toISOString(),
            power_kw: 1,
          },
        ],
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const traces = await Promise.all(answers.map(({ headers }) => traced.traceOf({ headers })));
  const linksOf = (copy: CollectedSpan) => (copy.links ?? []).map(({ spanId }) => spanId);
  const copies = () => named(traced.collector.spans, 'COPY asset_snapshots');
  await expect
    .poll(() => copies().flatMap(linksOf).sort())
    .toEqual(traces.map(({ server }) => server.spanId).sort());
  expect(copies().some(({ links = [] }) => links.length > 1)).toBe(true);
  for (const copy of copies()) {
    const members = linksOf(copy);
    expect(members[0]).toBe(copy.parentSpanId);
    expect(copy.attributes).toMatchObject({
      'voltstream.snapshots.batches': members.length,
      'voltstream.snapshots.rows': members.length,
    });
    expect(childrenOf(traced.collector.spans, copy).map(({ name }) => name)).toContain('COMMIT');
    for (const member of members.slice(1)) {
      const server = traces.find((trace) => trace.server.spanId === member)?.server;
      expect((server?.links ?? []).map(({ spanId }) => spanId)).toEqual([copy.spanId]);
    }
  }
});

test('large bodies that wait for their turn keep their own traces', async () => {
  const client = traced.api.client(traced.token);
  const bodies = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const { household } = await createHousehold(traced.api.deps, traced.organization);
      /* Kept in memory: what is asked for below is asked for in the turn. */
      await client.post('/asset-snapshots', { household, snapshots: [] });
      const row = { asset: newId('ast'), timestamp: new Date().toISOString(), power_kw: 1 };
      return { household, snapshots: Array.from({ length: 500 }, () => row) };
    }),
  );
  const answers = await Promise.all(bodies.map((body) => client.post('/asset-snapshots', body)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
  const looks: number[] = [];
  for (const { headers } of answers) {
    const { server, spans } = await traced.traceOf({ headers });
    looks.push(named(childrenOf(spans, server), 'transaction').length);
  }
  /* Those who ask for devices at the same moment share a look, which stands in the trace of the first. */
  expect(Math.max(...looks)).toBe(1);
});

test('a run of a job is a trace of its own with its statements', async () => {
  const { deps } = traced.api;
  const instant = deps.clock.now().toISOString();
  await deps.database.inOrganization({ organization: traced.organization }, (connection) =>
    recordEvents(connection, traced.organization, [happened(subscriptionTopics.confirmed, instant)]),
  );
  const workers = jobWorkers.filter(({ definition }) => definition.name === 'fan-out-event');
  const metrics = createMetrics({ runtime: false });
  await createProcessor({ ...deps, metrics, workers, deps: deps as never, nudge: () => {} }).work();
  await expect.poll(() => named(traced.collector.spans, 'fan-out-event')).toHaveLength(1);
  const [run] = named(traced.collector.spans, 'fan-out-event');
  expect(run).toMatchObject({ kind: CONSUMER });
  expect(run?.attributes).toMatchObject({
    'voltstream.job.name': 'fan-out-event',
    'voltstream.job.run': expect.any(Number),
    'voltstream.job.attempt': 1,
    'voltstream.job.outcome': 'done',
    'voltstream.organization.id': traced.organization,
  });
  const transactions = named(childrenOf(traced.collector.spans, run), 'transaction');
  expect(transactions.length).toBeGreaterThan(1);
  for (const transaction of transactions) {
    expect(childrenOf(traced.collector.spans, transaction).map(({ name }) => name)).toContain('COMMIT');
  }
});

test('a statement that fails tells its SQLSTATE and nothing of its text', async () => {
  const { database, traces } = traced.api.deps;
  const start = { name: 'failing', kind: 'INTERNAL', attributes: {} } as const;
  const failing = traces?.alone(start, () =>
    database.withClient((client) => client.query('SELECT $1::integer', ['Walpurga'])),
  );
  await expect(failing).rejects.toThrow('Walpurga');
  await expect.poll(() => named(traced.collector.spans, 'failing')).toHaveLength(1);
  const [statement] = childrenOf(traced.collector.spans, named(traced.collector.spans, 'failing')[0]);
  expect(statement).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': '22P02', 'db.response.status_code': '22P02' },
  });
  expect(traced.collector.text()).not.toContain('Walpurga');
});

test('requests to others are spans with method, host and status; no trace of it is sent to them', async () => {
  const received: IncomingHttpHeaders[] = [];
  const other = createServer((request, response) => {
    received.push(request.headers);
    request.resume();
    response.writeHead(request.method === 'POST' ? 410 : 200).end('{}');
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/secret/path?token=hidden`);
  const traces = traced.api.deps.traces as Traces;
  const http = openHttpClient(traces);
  const webhooks = openRequests({ WEBHOOK_ALLOWED_NETWORKS: ['127.0.0.0/8'], WEBHOOK_PORTS: [443] }, traces);
  const { signal } = new AbortController();
  await traces.alone({ name: 'outgoing', kind: 'CONSUMER', attributes: {} }, async () => {
    await http.get({ pool: 'x', url, headers: {}, bodyBytesMax: 100, signal });
    const message = { id: 'evt_1', body: '{}', atSeconds: 1 };
    await webhooks.send({ url: url.href, secrets: [Buffer.alloc(32)] }, message, signal);
    await webhooks.send({ url: 'no address', secrets: [Buffer.alloc(32)] }, message, signal);
  });
  await Promise.all([http.close(), webhooks.close()]);
  await expect.poll(() => named(traced.collector.spans, 'outgoing')).toHaveLength(1);
  const sent = childrenOf(traced.collector.spans, named(traced.collector.spans, 'outgoing')[0]);
  expect(
    sent.map(({ name, kind, attributes, status }) => ({ name, kind, attributes, code: status.code ?? 0 })),
  ).toEqual([
    {
      name: 'GET',
      kind: CLIENT,
      code: 0,
      attributes: {
        'http.request.method': 'GET',
        'server.address': '127.0.0.1',
        'server.port': port,
        'http.response.status_code': 200,
      },
    },
    {
      name: 'POST',
      kind: CLIENT,
      code: 2,
      attributes: {
        'http.request.method': 'POST',
        'server.address': '127.0.0.1',
        'server.port': port,
        'http.response.status_code': 410,
        'error.type': '410',
      },
    },
  ]);
  expect(received).toHaveLength(2);
  for (const headers of received) expect(headers).not.toHaveProperty('traceparent');
  expect(traced.collector.text()).not.toMatch(/hidden|secret\/path/);
});
