import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NEWEST_VERSION } from '../../../src/config/versions.ts';
import { installRequestTraces } from '../../../src/platform/interface/request-traces.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createHousehold, createPlan } from '../../setup/factories.ts';
import { CLIENT, type Collected, childrenOf, named, SERVER, startCollected } from './fixture.ts';

const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };

let traced: Collected;

beforeAll(async () => {
  traced = await startCollected();
});

afterAll(() => traced?.close());

describe('a request', () => {
  test('is a span by the conventions for HTTP, with ids and without its URL', async () => {
    const { household } = await createHousehold(traced.api.deps, traced.organization);
    const answer = await traced.api.client(traced.token).get(`/households/${household}?expand=x`);
    const { server } = await traced.traceOf(answer);
    expect(server).toMatchObject({ name: 'GET /households/{id}', kind: SERVER });
    expect(server.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/households/{id}',
      'http.response.status_code': answer.status,
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
      'voltstream.api.version': '2026-09-08.gauss',
      'voltstream.organization.id': traced.organization,
      'voltstream.client.id': traced.clientId,
      'voltstream.request.id': answer.headers.get('x-request-id'),
    });
    expect(server.resource).toMatchObject({
      'service.name': 'voltstream-api',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'deployment.environment.name': 'test',
    });
    expect(traced.collector.posts[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'a secret' } });
  });

  test('that reads shows its transaction and statements, whose values stay in the database', async () => {
    const { household } = await createHousehold(traced.api.deps, traced.organization);
    const answer = await traced.api.client(traced.token).get(`/households/${household}`);
    expect(answer.status).toBe(200);
    const { server, spans } = await traced.traceOf(answer);
    const [transaction] = named(childrenOf(spans, server), 'transaction');
    const statements = childrenOf(spans, transaction);
    expect(statements.map(({ name }) => name)).toEqual([
      'BEGIN',
      'SELECT households',
      'SELECT customers',
      'SELECT addresses',
      'COMMIT',
    ]);
    expect(statements[1]).toMatchObject({ kind: CLIENT });
    expect(statements[1]?.attributes).toMatchObject({
      'db.system.name': 'postgresql',
      'db.namespace': traced.api.database.name,
      'db.query.text': expect.stringContaining('$1'),
      'db.response.returned_rows': 1,
    });
    expect(statements[0]?.attributes['db.query.text']).toBe(
      'BEGIN; SELECT set_config(?, ?, true), set_config(?, ?, true), set_config(?, hidden_ids(?), true)',
    );
    expect(JSON.stringify(spans)).not.toContain(household);
  });

  test('continues the trace of its caller, and begins another one where traceparent is malformed', async () => {
    const send = async (traceparent: string) => {
      const { headers } = await traced.api
        .client(traced.token)
        .get('/plans', { headers: { traceparent, tracestate: 'a=words' } });
      return (await traced.traceOf({ headers })).server;
    };
    expect(await send(`00-${CALLER.trace}-${CALLER.span}-01`)).toMatchObject({
      traceId: CALLER.trace,
      parentSpanId: CALLER.span,
    });
    for (const malformed of [
      '00-x-y-01',
      `00-${CALLER.trace}-${CALLER.span}`,
      `00-${'0'.repeat(32)}-${CALLER.span}-01`,
    ]) {
      const { traceId, parentSpanId } = await send(malformed);
      expect(traceId).not.toBe(CALLER.trace);
      expect(parentSpanId ?? '').toBe('');
    }
    expect(traced.collector.text()).not.toContain('words');
  });

  test('that its caller does not record is not recorded here either', async () => {
    const before = traced.collector.spans.length;
    const traceparent = `00-${CALLER.trace.replace('0', '1')}-${CALLER.span}-00`;
    const { headers } = await traced.api.client(traced.token).get('/plans', { headers: { traceparent } });
    const after = await traced.api.client(traced.token).get('/plans');
    await traced.traceOf(after);
    const since = traced.collector.spans.slice(before);
    expect(since.map(({ attributes }) => attributes['voltstream.request.id'])).not.toContain(
      headers.get('x-request-id'),
    );
    expect(since.every(({ parentSpanId }) => parentSpanId !== CALLER.span)).toBe(true);
  });

  test('has its trace in the lines of the log', async () => {
    const { headers } = await traced.api.client(traced.token).get('/plans');
    const requestId = headers.get('x-request-id');
    const { server } = await traced.traceOf({ headers });
    expect(traced.lines.find(({ reqId }) => reqId === requestId)).toMatchObject({
      msg: 'answered',
      trace: server.traceId,
    });
    const span = traced.api.deps.traces?.begin({ name: 'work', kind: 'INTERNAL', attributes: {} });
    traced.api.deps.traces?.within(span, () => traced.api.deps.log.child({ job: 'x' }).info('inside'));
    traced.api.deps.log.info('outside');
    expect(traced.lines.find(({ msg }) => msg === 'inside')).toMatchObject({
      trace: span?.spanContext().traceId,
    });
    expect(traced.lines.find(({ msg }) => msg === 'outside')).not.toHaveProperty('trace');
  });

  test('with personal data, taken or refused, has nothing of it in any span', async () => {
    const { id: plan } = await createPlan(traced.api.deps, traced.organization);
    const customer = {
      type: 'person',
      first_name: 'Walpurga',
      last_name: 'Zwiebelkopf',
      email: 'walpurga@example.org',
    };
    const address = { zip: '20354', street: 'Rapunzelweg', house_number: '1', city: 'Hamburg' };
    const lead = {
      ...{ plan, customer, address, meter: { estimated_usage: 2500, number: '1EMH0012345678' } },
      payment_method: {
        type: 'sepa_debit',
        sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Walpurga Zwiebelkopf' },
      },
    };
    const client = traced.api.client(traced.token);
    const made = await client.post('/leads', lead);
    expect(made.body).toMatchObject({ object: 'lead' });
    const refused = await client.post('/leads', { ...lead, change_reason: 'Rapunzelweg' });
    const filtered = await client.get(`/customers?filter[email][eq]=${customer.email}`);
    const customer404 = await client.get(`/customers/${customer.email}`);
    expect([refused.status, filtered.status, customer404.status]).toEqual([422, 200, 404]);
    for (const { headers } of [made, refused, filtered, customer404]) await traced.traceOf({ headers });
    const words = [...Object.values(customer).slice(1), ...Object.values(lead.payment_method.sepa_debit)];
    const sent = traced.collector.text().toLowerCase();
    for (const word of [...words, address.street, lead.meter.number, 'walpurga', 'example.org', 'zwiebel']) {
      expect(sent).not.toContain(word.toLowerCase());
    }
    expect(named(traced.collector.spans, 'INSERT leads').length).toBeGreaterThan(0);
    const { server } = await traced.traceOf(refused);
    expect(server.status.code ?? 0).toBe(0);
  });

  test('that fails is an error, one that is refused is none, and one that its caller left has no status', async () => {
    const app = Fastify();
    app.decorateRequest('apiVersion', NEWEST_VERSION);
    app.decorateRequest('principal', null);
    installRequestTraces(app, traced.api.deps.traces);
    const leaving = new AbortController();
    app.get('/things/fail', () => Promise.reject(new Error('Walpurga')));
    app.get('/things/refuse', (_request, reply) => reply.code(409).send('no'));
    app.get('/things/leave', (_request, reply) => {
      leaving.abort();
      return reply.hijack();
    });
    onTestFinished(() => app.close());
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    for (const path of ['/things/fail', '/things/refuse']) await fetch(`${url}${path}`);
    await expect(fetch(`${url}/things/leave`, { signal: leaving.signal })).rejects.toThrow('aborted');
    const found = () => traced.collector.spans.filter(({ name }) => name.startsWith('GET /things/'));
    await expect.poll(found).toHaveLength(3);
    expect(
      found().map(({ name, status, attributes }) => ({
        name,
        isError: status.code === 2,
        status: attributes['http.response.status_code'],
        type: attributes['error.type'],
      })),
    ).toEqual([
      { name: 'GET /things/fail', isError: true, status: 500, type: '500' },
      { name: 'GET /things/refuse', isError: false, status: 409, type: undefined },
      { name: 'GET /things/leave', isError: false, status: undefined, type: undefined },
    ]);
    expect(traced.collector.text()).not.toContain('Walpurga');
  });

  test('of a prober is no span', async () => {
    const answers = await Promise.all(
      ['/livez', '/readyz'].map((path) => fetch(`${traced.api.baseUrl}${path}`)),
    );
    /* On a busy machine the database may not answer within the second that a probe waits. */
    expect([200, 503]).toContain(answers[1]?.status);
    expect(answers[0]?.status).toBe(200);
    await traced.traceOf(await traced.api.client(traced.token).get('/plans'));
    expect(traced.collector.spans.filter(({ name }) => /livez|readyz/.test(name))).toEqual([]);
  });
});

describe('without a collector', () => {
  test('there are no traces, no hook, no member of a request and no statement that passes by them', async () => {
    const plain = await startApi();
    onTestFinished(() => plain.close());
    expect(plain.deps.traces).toBeNull();
    expect(plain.app.hasRequestDecorator('span')).toBe(false);
    expect(traced.api.app.hasRequestDecorator('span')).toBe(true);
    const hasOwnQuery = (of: TestApi) =>
      of.deps.database.withClient(async (client) => Object.hasOwn(client, 'query'));
    expect([await hasOwnQuery(plain), await hasOwnQuery(traced.api)]).toEqual([false, true]);
    const app = Fastify();
    const addHook = vi.spyOn(app, 'addHook');
    onTestFinished(() => addHook.mockRestore());
    installRequestTraces(app, null);
    expect(addHook).not.toHaveBeenCalled();
  });
});
