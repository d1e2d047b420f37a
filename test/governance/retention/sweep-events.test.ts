import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscriptionTopics } from '../../../src/contracts/subscriptions/topics.ts';
import { recordEvents } from '../../../src/events/record.ts';
import { sweepExpiredRows } from '../../../src/governance/retention/service.ts';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { happened } from '../../setup/events.ts';
import { createOrganization } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

const NOW = '2026-10-05T08:30:00.000Z';

let api: TestApi;

beforeAll(async () => {
  api = await startApi({ clock: fakeClock(NOW), alone: true });
});
afterAll(() => api?.close());

async function add(organization: string, at: string): Promise<string> {
  await api.deps.database.inOrganization({ organization }, (connection) =>
    recordEvents(connection, organization, [happened(subscriptionTopics.created, at)]),
  );
  const [row] = await storedRows<{ id: string }>(api, 'SELECT id FROM events ORDER BY position DESC LIMIT 1');
  return row?.id ?? '';
}

/** A delivery to a new endpoint, written or last sent at this instant. */
async function waits(organization: string, event: string, at: string): Promise<void> {
  const endpoint = newId('whe');
  await storedRows(
    api,
    `INSERT INTO webhook_endpoints (organization_id, id, url, secret) VALUES ($1, $2, 'https://receiver.example/', '\\x00')`,
    [organization, endpoint],
  );
  await storedRows(
    api,
    `INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, next_at, created_at, kept_from)
     VALUES ($1, $2, $3, $4, $4, $4)`,
    [organization, event, endpoint, at],
  );
}

const sweep = () =>
  sweepExpiredRows(api.deps, {
    signal: new AbortController().signal,
    log: createLogger({ level: 'silent', name: 'retention-test' }),
  });

const storedIds = async () =>
  (await storedRows<{ id: string }>(api, 'SELECT id FROM events ORDER BY id')).map(({ id }) => id);

test('events go after 13 months, in every organization; one that is still to be delivered stays until it was', async () => {
  const kept: string[] = [];
  const organization = await createOrganization(api.deps);
  for (const owner of [organization, await createOrganization(api.deps)]) {
    await add(owner, '2025-09-05T08:29:59.999999Z');
    kept.push(await add(owner, '2025-09-05T08:30:00Z'));
  }
  const pending = await add(organization, '2025-01-01T00:00:00Z');
  await waits(organization, pending, '2025-01-01T00:00:00Z');
  expect(await sweep()).toMatchObject({ events: 2 });
  expect(await storedIds()).toEqual([...kept, pending].toSorted());
  await storedRows(api, 'DELETE FROM event_deliveries WHERE event_id = $1', [pending]);
  expect(await sweep()).toMatchObject({ events: 1 });
  expect(await storedIds()).toEqual(kept.toSorted());
  expect(await sweep()).toMatchObject({ events: 0 });
});

test.each(['suspended', 'deleted'] as const)(
  'what waits in an organization that is %s is over after 30 days, and its events go in time',
  async (standing) => {
    const organization = await createOrganization(api.deps);
    const [old, young] = [await add(organization, '2025-01-01T00:00:00Z'), await add(organization, NOW)];
    await waits(organization, old, '2026-09-05T08:29:59Z');
    await waits(organization, young, '2026-09-05T08:30:01Z');
    const before = await storedIds();
    expect(await sweep()).toMatchObject({ event_deliveries: 0, events: 0 });
    const act = { staff: 'tests', reason: 'asked', command: 'test', now: NOW };
    await setStanding(api.deps.database, organization, standing, act);
    expect(await sweep()).toMatchObject({ event_deliveries: 1, events: 1 });
    expect(await storedIds()).toEqual(before.filter((id) => id !== old));
  },
);
