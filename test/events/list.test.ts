import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { topics } from '../../src/api/topics.ts';
import { VERSION_NAMES } from '../../src/config/versions.ts';
import { meterOrderTopics } from '../../src/contracts/meter-orders/topics.ts';
import { subscriptionTopics } from '../../src/contracts/subscriptions/topics.ts';
import { eventBody } from '../../src/events/document.ts';
import { findEvent } from '../../src/events/queries.ts';
import { recordEvents } from '../../src/events/record.ts';
import type { Topic } from '../../src/events/topic.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { type FakeClock, fakeClock } from '../setup/clock.ts';
import { happened } from '../setup/events.ts';
import { createClient, createHousehold, createTenant, tokenFor } from '../setup/factories.ts';
import { filterRefusals, idsOf, idsOfAllPages } from '../setup/lists.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../telemetry/assets/devices.ts';

const CURIE = '2026-05-27.curie';
const SINCE_THE_FIRST = topics.filter(({ since }) => since < CURIE);
const LATER = topics.filter(({ since }) => since >= CURIE);

let api: TestApi;
let clock: FakeClock;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock });
});
afterAll(() => api?.close());

async function newTenant() {
  const { organization, token } = await createTenant(api);
  /** Told one after the other at one instant; their ids in this order. */
  const add = async (...told: Topic[]) => {
    clock.advance(1);
    const events = told.map((topic) => happened(topic, clock.now().toISOString()));
    await api.deps.database.inOrganization({ organization }, (connection) =>
      recordEvents(connection, organization, events),
    );
    const rows = await storedRows<{ id: string }>(
      api,
      'SELECT id FROM events WHERE organization_id = $1 ORDER BY position DESC LIMIT $2',
      [organization, told.length],
    );
    return rows.map(({ id }) => id).reverse();
  };
  return { organization, token, client: api.client(token), add };
}

describe('GET /events/{id}', () => {
  test('an event of every topic is, byte for byte, the body of its webhooks', async () => {
    const { client, organization, add } = await newTenant();
    const ids = await add(...topics);
    expect(ids).toHaveLength(19);
    for (const id of ids) {
      const row = await api.deps.database.inOrganization({ organization }, (connection) =>
        findEvent(connection, organization, id),
      );
      if (row === undefined) throw new Error(`${id} is not stored`);
      const answer = await client.get<Record<string, unknown>>(`/events/${id}`);
      expect([answer.status, answer.text]).toEqual([200, eventBody(row)]);
      expect(Object.keys(answer.body)).toEqual(['id', 'topic', 'timestamp', 'context']);
    }
  });

  test('what happened to the microsecond is shown so', async () => {
    const { client, organization, add } = await newTenant();
    const [id = ''] = await add(subscriptionTopics.ended);
    const timestamp = '2026-10-05T08:30:00.000001Z';
    await storedRows(api, 'UPDATE events SET timestamp = $2 WHERE organization_id = $1', [
      organization,
      timestamp,
    ]);
    expect((await client.get(`/events/${id}`)).body).toMatchObject({ id, timestamp });
  });

  test.each(VERSION_NAMES)('%s finds the topics that it shows, and no other one', async (version) => {
    const { token, add } = await newTenant();
    const client = api.client(token, { version });
    const ids = await add(...topics);
    const shown = version < CURIE ? SINCE_THE_FIRST : topics;
    for (const [place, id] of ids.entries()) {
      const isShown = shown.includes(topics[place] as Topic);
      const { status, body } = await client.get<ErrorBody>(`/events/${id}`);
      expect([topics[place]?.name, status]).toEqual([topics[place]?.name, isShown ? 200 : 404]);
      if (!isShown) expect(body.message).toBe('Resource not found');
    }
  });

  test("another organization's event is as unknown as nothing", async () => {
    const [a, b] = [await newTenant(), await newTenant()];
    const [theirs] = await b.add(subscriptionTopics.created);
    for (const id of [
      theirs,
      'evt_000000000000000000000000',
      'evt_test_000000000000000000000000',
      'x',
      '%00',
    ]) {
      expect((await a.client.get(`/events/${id}`)).status).toBe(404);
    }
    expect((await api.client(null).get(`/events/${theirs}`)).status).toBe(401);
  });

  test('a customer token is turned away from one and from all', async () => {
    const { organization, add } = await newTenant();
    const [id] = await add(subscriptionTopics.created);
    const { customer } = await createHousehold(api.deps, organization);
    const credentials = await createClient(api.deps, organization, { customer_id: customer });
    const client = api.client(await tokenFor(api, credentials));
    for (const path of [`/events/${id}`, '/events', '/events/x']) {
      const { status, body } = await client.get<ErrorBody>(path);
      const message = 'This token acts for one customer and cannot be used here';
      expect([status, body.message]).toEqual([403, message]);
    }
  });
});

describe('GET /events', () => {
  test('newest first; of one instant, what was told last is first', async () => {
    const { client, add } = await newTenant();
    const [first, second] = await add(subscriptionTopics.created, meterOrderTopics.created);
    const [third] = await add(subscriptionTopics.confirmed);
    expect(await idsOf(client, '/events')).toEqual([third, second, first]);
  });

  test.each(VERSION_NAMES)('%s lists the topics that it shows, and no other one', async (version) => {
    const { token, add } = await newTenant();
    const ids = await add(...topics);
    const shown = version < CURIE ? SINCE_THE_FIRST : topics;
    const expected = ids.filter((_id, place) => shown.includes(topics[place] as Topic)).reverse();
    expect(await idsOf(api.client(token, { version }), '/events?limit=100')).toEqual(expected);
  });

  test('all pages together have every event once, also while others happen', async () => {
    const { token, add } = await newTenant();
    for (let count = 0; count < 3; count += 1) {
      await add(subscriptionTopics.created, meterOrderTopics.created, subscriptionTopics.ended);
    }
    for (const version of ['2026-01-29.edison', CURIE] as const) {
      const client = api.client(token, { version });
      const known = await idsOf(client, '/events?limit=100');
      expect(await idsOfAllPages(client, '/events', () => add(subscriptionTopics.confirmed))).toEqual(known);
    }
  });

  test('a page whose last event was removed meanwhile goes on behind its instant', async () => {
    const { client, add } = await newTenant();
    const old = await add(subscriptionTopics.created, subscriptionTopics.confirmed);
    const [newest = ''] = await add(subscriptionTopics.activated);
    const remove = () => storedRows(api, 'DELETE FROM events WHERE id = $1', [newest]);
    const page = await client.get<{ next_page: string }>('/events?limit=1');
    await storedRows(api, `DELETE FROM job_runs WHERE payload ->> 'event' = $1`, [newest]);
    await remove();
    expect(await idsOf(client, `/events?limit=1&cursor=${page.body.next_page}`)).toEqual([old[1]]);
  });

  test('chucky answers all at once, in portions that leave nothing out', async () => {
    const { organization, token } = await newTenant();
    await storedRows(
      api,
      `INSERT INTO events (organization_id, id, topic, timestamp, context)
       SELECT $1, 'evt_' || lpad(n::text, 24, '0'), 'subscription.' || (ARRAY['created', 'terminated', 'ended'])[1 + n % 3],
              '2026-10-01'::timestamptz + n / 4 * interval '1 second', '{}' FROM generate_series(1, 3300) AS n`,
      [organization],
    );
    const chucky = api.client(token, { version: '2025-12-01.chucky' });
    const answer = await chucky.get<{ items: { id: string }[] }>('/events?limit=0&cursor=y');
    expect(Object.keys(answer.body)).toEqual(['object', 'items']);
    const expected = await storedRows<{ id: string }>(
      api,
      `SELECT id FROM events WHERE organization_id = $1 AND topic <> 'subscription.terminated'
        ORDER BY timestamp DESC, position DESC`,
      [organization],
    );
    expect(expected).toHaveLength(2200);
    expect(answer.body.items.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  });

  test('topic takes one, several, or all but one', async () => {
    const { client, add } = await newTenant();
    const [created, order, ended] = await add(
      subscriptionTopics.created,
      meterOrderTopics.created,
      subscriptionTopics.ended,
    );
    const found = (query: string) => idsOf(client, `/events?filter[topic]${query}`);
    expect(await found('[eq]=meter_order.created')).toEqual([order]);
    expect(await found('[eq]=invoice.paid')).toEqual([]);
    expect(await found('[ne]=meter_order.created')).toEqual([ended, created]);
    expect(await found('[in]=subscription.ended,subscription.created,invoice.paid')).toEqual([
      ended,
      created,
    ]);
    expect(await found('[in]=')).toEqual([]);
  });

  test('topic takes the values of the version', async () => {
    const { token, add } = await newTenant();
    await add(...topics);
    const countOf = async (version: string, name: string) => {
      const answer = await api
        .client(token, { version })
        .get<{ items: { topic: string }[] } & ErrorBody>(`/events?filter[topic][eq]=${name}`);
      return answer.status === 200 ? answer.body.items.map(({ topic }) => topic) : answer.status;
    };
    for (const version of VERSION_NAMES) {
      const isOld = version < CURIE;
      for (const { name } of SINCE_THE_FIRST) expect(await countOf(version, name)).toEqual([name]);
      for (const { name } of LATER) expect(await countOf(version, name)).toEqual(isOld ? 400 : [name]);
      expect(await countOf(version, 'test.event')).toBe(400);
      expect(await countOf(version, 'subscription')).toBe(400);
    }
  });

  test('created_at compares the instant of the event, to the microsecond, with a topic or without', async () => {
    const { client, organization, add } = await newTenant();
    const at = (id: string | undefined, timestamp: string) =>
      storedRows(api, 'UPDATE events SET timestamp = $2 WHERE id = $1', [id, timestamp]);
    const [first, second] = await add(subscriptionTopics.created, subscriptionTopics.created);
    await at(first, '2026-10-01T08:00:00.000001Z');
    await at(second, '2026-10-01T08:00:00.000002Z');
    expect(organization).toMatch(/^org_/);
    for (const also of ['', '&filter[topic][eq]=subscription.created']) {
      const found = (query: string) => idsOf(client, `/events?filter[created_at]${query}${also}`);
      expect(await found('[gte]=2026-10-01T08:00:00.000002Z')).toEqual([second]);
      expect(await found('[lte]=2026-10-01T08:00:00.000001Z')).toEqual([first]);
      expect(await found('[is_null]=true')).toEqual([]);
      expect(await found('[is_null]=false')).toEqual([second, first]);
    }
  });

  test('filters and pages that are wrong are refused', async () => {
    const { client } = await newTenant();
    const refusals: [string, string][] = [
      ...filterRefusals({ topic: { type: 'enum' }, created_at: { type: 'date' } }),
      ['filter[topic][eq]=x', 'invalid_value filter[topic][eq]'],
      ['filter[topic][in]=subscription.created,x', 'invalid_value filter[topic][in]'],
      ['filter[timestamp][gte]=2026-10-01T08:00:00Z', 'unrecognized_keys filter[timestamp][gte]'],
      ['limit=0', 'too_small limit'],
      ['limit=101', 'too_big limit'],
      ['cursor=x', 'custom cursor'],
    ];
    for (const [query, entry] of refusals) {
      expect(refusal(await client.get<ErrorBody>(`/events?${query}`)), query).toEqual([400, entry]);
    }
    expect((await client.post('/events', {})).status).toBe(405);
  });
});
