import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { topics } from '../../src/api/topics.ts';
import type { invoiceTopics } from '../../src/billing/invoices/topics.ts';
import { VERSION_NAMES } from '../../src/config/versions.ts';
import { subscriptionTopics } from '../../src/contracts/subscriptions/topics.ts';
import { eventBody } from '../../src/events/document.ts';
import { recordEvents } from '../../src/events/record.ts';
import { type ContextOf, type NewEvent, topicContext } from '../../src/events/topic.ts';
import { newId } from '../../src/platform/ids.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { happened } from '../setup/events.ts';
import { createOrganization } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';

const SINCE_THE_FIRST = ['created', 'confirmed', 'activated', 'ended'].map((what) => `subscription.${what}`);
const NOW = '2026-10-05T08:30:00.123Z';

let api: TestApi;
let organization: string;

beforeAll(async () => {
  api = await startApi();
  organization = await createOrganization(api.deps);
});
afterAll(() => api?.close());

test('there are 19 topics, four of them in every version and all of them from curie on', () => {
  const names = (version: string) => topics.filter(({ since }) => since === version).map(({ name }) => name);
  expect(names('2025-12-01.chucky').sort()).toEqual(SINCE_THE_FIRST.sort());
  expect(names('2026-05-27.curie').sort()).toEqual(
    [
      'subscription.terminated',
      ...['created', 'paid', 'payment_failed', 'uncollectible', 'voided'].map((what) => `invoice.${what}`),
      ...['created', 'placed', 'check_submitted', 'check_reviewed', 'scheduled', 'installed'].map(
        (what) => `meter_order.${what}`,
      ),
      ...['activated', 'blocked', 'cancelled'].map((what) => `meter_order.${what}`),
    ].sort(),
  );
  expect(new Set(topics.map(({ name }) => name)).size).toBe(19);
  for (const { since, when } of topics) {
    expect(VERSION_NAMES).toContain(since);
    expect(when).toMatch(/^[A-Z].{15,}\.$/);
  }
});

test('the context of a topic is checked by the compiler', () => {
  expectTypeOf<ContextOf<typeof subscriptionTopics.ended>>().toExtend<{ readonly subscription: string }>();
  expectTypeOf<{ subscription: string }>().toExtend<ContextOf<typeof subscriptionTopics.created>>();
  expectTypeOf<{ subscription: string }>().not.toExtend<ContextOf<typeof invoiceTopics.created>>();
  expectTypeOf<{ subscription: number }>().not.toExtend<ContextOf<typeof subscriptionTopics.ended>>();
});

test.each<{ told: Record<string, unknown>; says: string }>([
  { told: {}, says: 'subscription of an event of subscription.created needs an id that begins with sub_' },
  { told: { subscription: 'Erika Mustermann' }, says: 'needs an id that begins with sub_' },
  { told: { subscription: newId('cus') }, says: 'needs an id that begins with sub_' },
  { told: { subscription: newId('sub'), lead: null }, says: 'lead of an event' },
  { told: { subscription: newId('sub'), email: newId('lead') }, says: 'have no email in their context' },
])('an event whose context is $told is refused', ({ told, says }) => {
  const event = { topic: subscriptionTopics.created, context: told, now: NOW } as unknown as NewEvent;
  expect(() => topicContext(event)).toThrow(says);
});

test('a change whose event is refused leaves nothing', async () => {
  const event = { ...happened(subscriptionTopics.ended, NOW), context: { subscription: 'a name' } };
  const change = api.deps.database.inOrganization({ organization }, (connection) =>
    recordEvents(connection, organization, [happened(subscriptionTopics.confirmed, NOW), event]),
  );
  await expect(change).rejects.toThrow('needs an id');
  expect(await storedRows(api, 'SELECT id FROM events WHERE organization_id = $1', [organization])).toEqual(
    [],
  );
});

test('the body of an event has its four members, and its context is what was told', async () => {
  for (const topic of topics) {
    const event = happened(topic, NOW);
    await api.deps.database.inOrganization({ organization }, (connection) =>
      recordEvents(connection, organization, [event]),
    );
    const row = await api.deps.database.inOrganization({ organization }, (connection) =>
      connection
        .selectFrom('events')
        .select(['id', 'topic', 'timestamp', 'context'])
        .orderBy('position', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow(),
    );
    const body = eventBody(row);
    const context = Object.fromEntries(Object.entries(event.context).sort());
    expect(body).toBe(JSON.stringify({ id: row.id, topic: topic.name, timestamp: NOW, context }));
  }
});
