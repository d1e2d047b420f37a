import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { topics } from '../../src/api/topics.ts';
import { VERSION_NAMES } from '../../src/config/versions.ts';
import { eventBody } from '../../src/events/document.ts';
import { sendTestEvent } from '../../src/events/endpoints/send-test.ts';
import { findEvent } from '../../src/events/queries.ts';
import { recordEvents } from '../../src/events/record.ts';
import { openWebhookRequests } from '../../src/events/requests/send.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { happened } from '../setup/events.ts';
import { createTenant } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { actAt, depsOf, makeEndpoint } from './endpoints/setup.ts';
import { HERE, type TestReceiver, testReceiver } from './requests/receiver.ts';

type Json = Record<string, unknown>;

let api: TestApi;
let receiver: TestReceiver;
let organization: string;
let token: string;
const requests = openWebhookRequests(HERE);

beforeAll(async () => {
  api = await startApi();
  receiver = await testReceiver();
  ({ organization, token } = await createTenant(api));
});
afterAll(async () => {
  await requests.close();
  await receiver[Symbol.asyncDispose]();
  await api.close();
});

interface Description {
  webhooks: Json;
  components: Json;
}

/** One is made on its first call; a busy machine may then answer 503 for a moment. */
async function descriptionOf(version: string): Promise<Description> {
  let text = '';
  await expect
    .poll(async () => {
      const answer = await fetch(`${api.baseUrl}/openapi.${version}.json`);
      text = await answer.text();
      return answer.status;
    })
    .toBe(200);
  return JSON.parse(text) as Description;
}

/** What a description says the body of a webhook is. */
async function schemaOf(version: string): Promise<(topic: string, body: unknown) => string[]> {
  const { webhooks, components } = await descriptionOf(version);
  expect(Object.keys(webhooks)).toEqual([...topics.map(({ name }) => name), 'test.event']);
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'https://description.example/', webhooks, components });
  return (topic, body) => {
    const place = `#/webhooks/${topic}/post/requestBody/content/application~1json/schema`;
    const check = ajv.getSchema(`https://description.example/${place}`);
    if (check === undefined) throw new Error(`${topic} has no schema`);
    return check(body) === true
      ? []
      : (check.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  };
}

/** The body that arrives at a receiver, and the id in its headers. */
async function received(send: () => Promise<unknown>): Promise<{ id: unknown; text: string; body: Json }> {
  const before = receiver.requests.length;
  await send();
  const [arrived] = receiver.requests.slice(before);
  const text = Buffer.from(arrived?.body ?? '', 'latin1').toString();
  return { id: arrived?.headers['webhook-id'], text, body: JSON.parse(text) as Json };
}

test('W22 the body of every topic is valid by its JSON schema, and is the answer of GET /events/{id}', async () => {
  const problems = await schemaOf('2026-09-08.gauss');
  const client = api.client(token);
  for (const topic of topics) {
    await api.deps.database.inOrganization({ organization }, (connection) =>
      recordEvents(connection, organization, [happened(topic, api.deps.clock.now().toISOString())]),
    );
    const [stored] = await storedRows<{ id: string }>(
      api,
      'SELECT id FROM events ORDER BY position DESC LIMIT 1',
    );
    const row = await api.deps.database.inOrganization({ organization }, (connection) =>
      findEvent(connection, organization, stored?.id ?? ''),
    );
    if (row === undefined) throw new Error('The event is not stored');
    const message = { id: row.id, body: eventBody(row), atSeconds: 1_796_079_604 };
    const target = { url: receiver.url, secrets: [Buffer.alloc(32, 1)] };
    const { id, text, body } = await received(() => requests.send(target, message));
    expect(id).toBe(row.id);
    expect(problems(topic.name, body)).toEqual([]);
    const answer = await client.get(`/events/${row.id}`);
    expect([answer.status, answer.text]).toEqual([200, text]);
    expect(Buffer.byteLength(text)).toBeLessThan(20_000);

    const [member = ''] = Object.keys(topic.context);
    const context = body.context as Json;
    expect(problems(topic.name, { ...body, context: { ...context, [member]: 'Jule Brandt' } })).toEqual([
      `/context/${member} pattern`,
    ]);
    expect(problems(topic.name, { ...body, context: {} })).not.toEqual([]);
    expect(problems(topic.name, { ...body, topic: 'subscription.moved' })).toEqual(['/topic const']);
    expect(problems(topic.name, { ...body, timestamp: 'yesterday' })).not.toEqual([]);
    expect(problems(topic.name, { ...body, id: `${body.id}x` })).toEqual(['/id pattern']);
  }
});

test('W22 a test.event is valid by its JSON schema, and GET /events/{id} does not find it', async () => {
  const { id: endpoint } = await makeEndpoint(api, organization, { url: receiver.url });
  const deps = { ...depsOf(api), requests };
  const { id, body } = await received(() => sendTestEvent(deps, organization, endpoint, actAt(api)));
  expect((await schemaOf('2026-09-08.gauss'))('test.event', body)).toEqual([]);
  expect(body).toMatchObject({ id, topic: 'test.event', context: {} });
  expect(id).toMatch(/^evt_test_[0-9a-z]{24}$/);
  expect((await api.client(token).get(`/events/${id}`)).status).toBe(404);
});

test('all versions describe the same webhooks', async () => {
  const { webhooks } = await descriptionOf('2026-09-08.gauss');
  for (const version of VERSION_NAMES) expect((await descriptionOf(version)).webhooks).toEqual(webhooks);
});
