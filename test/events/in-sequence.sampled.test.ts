import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES } from '../../src/config/versions.ts';
import { meterOrderTopics } from '../../src/contracts/meter-orders/topics.ts';
import { subscriptionTopics } from '../../src/contracts/subscriptions/topics.ts';
import { fanOutEvent } from '../../src/events/fan-out.ts';
import { recordEvents } from '../../src/events/record.ts';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import type { ApiClient } from '../setup/client.ts';
import { happened } from '../setup/events.ts';
import { createTenant } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { isLongTier } from '../setup/tier.ts';
import { type ErrorBody, refusal } from '../telemetry/assets/devices.ts';

/* GET /events?after=: every event exactly once, in the order of commits. */

const WRITERS = 12;
const EVENTS_OF_A_WRITER = isLongTier ? 20 : 4;

let api: TestApi;
let writers: Database;
beforeAll(async () => {
  api = await startApi();
  writers = openDatabase({
    url: api.deps.config.DATABASE_URL,
    applicationName: 'writers',
    connectionsMax: WRITERS,
    onError: () => {},
  });
});
afterAll(async () => {
  await writers?.close();
  await api?.close();
});

type EventList = { items: { id: string; topic: string; timestamp: string }[]; next_page: string | null };

async function idsBehind(client: ApiClient, after: string, more = ''): Promise<string[]> {
  const { status, body, text } = await client.get<EventList>(`/events?after=${after}${more}`);
  if (status !== 200) throw new Error(text);
  return body.items.map(({ id }) => id);
}

/** Writes an event and stays open until `commit` is called. */
async function begun(organization: string, timestamp: string) {
  const commit = Promise.withResolvers<void>();
  const written = Promise.withResolvers<string>();
  const committed = writers.inOrganization({ organization }, async (connection) => {
    const event = happened(subscriptionTopics.created, timestamp);
    await recordEvents(connection, organization, [event]);
    const row = await connection
      .selectFrom('events')
      .select('id')
      .where('organization_id', '=', organization)
      .where('context', '@>', JSON.stringify(event.context))
      .executeTakeFirstOrThrow();
    written.resolve(row.id);
    await commit.promise;
  });
  return {
    id: await written.promise,
    commit: () => {
      commit.resolve();
      return committed;
    },
  };
}

async function told(organization: string, timestamp = new Date().toISOString()): Promise<string> {
  const event = await begun(organization, timestamp);
  await event.commit();
  return event.id;
}

test('twelve writers that commit behind the next poll: every event is seen exactly once', async () => {
  const { organization, token } = await createTenant(api);
  const client = api.client(token);
  const first = await told(organization);
  let polled = Promise.withResolvers<void>();
  let writing = WRITERS;
  const written: string[] = [];
  const write = async () => {
    for (let index = 0; index < EVENTS_OF_A_WRITER; index += 1) {
      const event = await begun(organization, new Date().toISOString());
      await polled.promise;
      await event.commit();
      written.push(event.id);
    }
    writing -= 1;
  };
  const all = Promise.all(Array.from({ length: WRITERS }, write));

  const seen: string[] = [];
  let last = first;
  for (let isOver = false; !isOver; ) {
    isOver = writing === 0;
    for (;;) {
      const ids = await idsBehind(client, last, '&limit=7');
      seen.push(...ids);
      last = ids.at(-1) ?? last;
      if (ids.length < 7) break;
    }
    polled.resolve();
    polled = Promise.withResolvers<void>();
  }
  await all;
  expect(seen).toHaveLength(WRITERS * EVENTS_OF_A_WRITER);
  expect(new Set(seen)).toEqual(new Set(written));
  /* The same for who begins later. */
  const again: string[] = [];
  for (let next = first; ; next = again.at(-1) ?? next) {
    const ids = await idsBehind(client, next, '&limit=100');
    again.push(...ids);
    if (ids.length < 100) break;
  }
  expect(again).toEqual(seen);
});

describe('what is committed later', () => {
  test('comes later, however much older its instant is', async () => {
    const { organization, token } = await createTenant(api);
    const client = api.client(token);
    const early = await begun(organization, '2026-01-01T00:00:00.000Z');
    const late = await told(organization, '2026-02-01T00:00:00.000Z');
    const { body } = await client.get<EventList>('/events?limit=1');
    expect(body.items.map(({ id }) => id)).toEqual([late]);
    expect(await idsBehind(client, late)).toEqual([]);
    await early.commit();
    expect(await idsBehind(client, late)).toEqual([early.id]);
    expect(await idsBehind(client, '0')).toEqual([late, early.id]);
  });

  test('is found where the oldest events were removed meanwhile', async () => {
    const { organization, token } = await createTenant(api);
    const [first, second] = [await told(organization), await told(organization)];
    expect(await idsBehind(api.client(token), '0')).toEqual([first, second]);
    await storedRows(api, 'DELETE FROM events WHERE id = $1', [first]);
    const third = await told(organization);
    expect(await idsBehind(api.client(token), second)).toEqual([third]);
  });
});

test('the worker gives events their places as they come', async () => {
  const { organization } = await createTenant(api);
  const events = [await told(organization), await told(organization)];
  await fanOutEvent(api.deps, { payload: { event: events[0] ?? '' }, organization });
  const rows = await storedRows<{ id: string; sequence: string }>(
    api,
    'SELECT id, sequence FROM events WHERE organization_id = $1 ORDER BY position',
    [organization],
  );
  expect(rows.map(({ id, sequence }) => [id, Number(sequence)])).toEqual(
    events.map((id, index) => [id, index + 1]),
  );
});

test('an organization sees its own events only, and goes on behind its own only', async () => {
  const [first, second] = [await createTenant(api), await createTenant(api)];
  const [own, foreign] = [await told(first.organization), await told(second.organization)];
  expect(await idsBehind(api.client(first.token), '0')).toEqual([own]);
  const answer = await api.client(first.token).get<ErrorBody>(`/events?after=${foreign}`);
  expect(refusal(answer)).toEqual([400, 'custom after']);
});

describe('beside other parameters', () => {
  test('pages go on by cursor, or behind the last item; filters of topics hold', async () => {
    const { organization, token } = await createTenant(api);
    const client = api.client(token);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push(await told(organization));
    await writers.inOrganization({ organization }, (connection) =>
      recordEvents(connection, organization, [happened(meterOrderTopics.placed, new Date().toISOString())]),
    );
    const topic = `filter[topic][eq]=${subscriptionTopics.created.name}`;
    const first = (await client.get<EventList>(`/events?after=0&limit=3&${topic}`)).body;
    expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const cursor = encodeURIComponent(first.next_page ?? '');
    const second = (await client.get<EventList>(`/events?after=0&limit=3&${topic}&cursor=${cursor}`)).body;
    expect([second.items.map(({ id }) => id), second.next_page]).toEqual([ids.slice(3), null]);
    expect(await idsBehind(client, ids[2] ?? '', `&${topic}`)).toEqual(ids.slice(3));
    const moved = await client.get<ErrorBody>(`/events?after=${ids[0]}&limit=3&${topic}&cursor=${cursor}`);
    expect(refusal(moved)).toEqual([400, 'custom cursor']);
  });

  test.each([
    'after=x',
    'after=',
    'after=evt_000000000000000000000000',
    'after=%00',
    'after=0&filter[created_at][gte]=2026-01-01T00:00:00Z',
  ])('%s is refused', async (query) => {
    const { token } = await createTenant(api);
    expect(refusal(await api.client(token).get<ErrorBody>(`/events?${query}`))).toEqual([
      400,
      'custom after',
    ]);
  });

  test.each(VERSION_NAMES)('%s has it, with the topics that it shows', async (version) => {
    const { organization, token } = await createTenant(api);
    const first = await told(organization);
    await writers.inOrganization({ organization }, (connection) =>
      recordEvents(connection, organization, [happened(meterOrderTopics.placed, new Date().toISOString())]),
    );
    const last = await told(organization);
    const client = api.client(token, { version });
    const shown = await idsBehind(client, first);
    expect(shown.at(-1)).toBe(last);
    expect(shown).toHaveLength(version < '2026-05-27.curie' ? 1 : 2);
  });
});
