import { afterAll, beforeAll, expect, test } from 'vitest';
import { setDates } from '../../src/contracts/subscriptions/back-office.ts';
import { createProcessor } from '../../src/platform/jobs/processor.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { jobWorkers } from '../../workers/index.ts';
import { Contracts } from '../contracts/subscriptions/contracts.ts';
import { persistently } from '../setup/busy.ts';
import { storedRows } from '../setup/stored-rows.ts';

const CHANGES = 100;
const DAY_MILLISECONDS = 24 * 3_600_000;

let contracts: Contracts;
beforeAll(async () => {
  contracts = await Contracts.start('2026-11-23T08:30:00.000Z', { alone: true });
});
afterAll(() => contracts?.close());

const dayFrom = (days: number) =>
  new Date(Date.parse('2027-03-01T00:00:00Z') + days * DAY_MILLISECONDS).toISOString().slice(0, 10);

/** What the worker process does with the runs that were asked for. */
function work(): Promise<void> {
  const { deps } = contracts.api;
  const workers = jobWorkers.filter(({ definition }) => definition.name === 'fan-out-event');
  const metrics = createMetrics({ runtime: false });
  return createProcessor({ ...deps, metrics, workers, deps: deps as never, nudge: () => {} }).work();
}

test('W20 of 100 changes of one contract at once each tells its event, once, in the order of the changes', async () => {
  const { api, organization } = contracts;
  await storedRows(
    api,
    `INSERT INTO webhook_endpoints (organization_id, id, url, secret, created_at)
     VALUES ($1, 'whe_000000000000000000000000', 'https://receiver.example/', '\\x00', '2020-01-01')`,
    [organization],
  );
  const { id } = await contracts.active({
    terminated_at: '2026-11-20T08:00:00Z',
    termination_reason: 'ORDINARY',
    end_at: '2027-02-28T23:00:00Z',
  });
  const now = contracts.clock.now().toISOString();
  const act = { staff: 'ada', reason: 'ticket 17', command: 'subscriptions set-dates', now };
  const changed = await Promise.all(
    Array.from({ length: CHANGES }, (_, place) =>
      persistently(() => setDates(api.deps, organization, id, { end_on: dayFrom(1 + place) as never }, act)),
    ),
  );
  /* The last of them is some microseconds behind the clock that stands still. */
  contracts.clock.advance(1_000);
  await work();
  const instants = changed.map(({ updated_at }) => updated_at).toSorted();
  expect(new Set(instants).size).toBe(CHANGES);
  const client = await contracts.client();
  const events = await client.get<{
    items: { id: string; topic: string; timestamp: string; context: unknown }[];
  }>('/events?limit=100');
  expect(events.body).toMatchObject({ has_more: false });
  const { items } = events.body;
  expect(new Set(items.map((event) => event.id)).size).toBe(CHANGES);
  expect(items.map(({ topic, context }) => ({ topic, context }))).toEqual(
    instants.map(() => ({ topic: 'subscription.terminated', context: { subscription: id } })),
  );
  expect(items.map(({ timestamp }) => timestamp).toReversed()).toEqual(instants);
  const deliveries = await storedRows<{ event_id: string }>(api, 'SELECT event_id FROM event_deliveries');
  expect(deliveries.map(({ event_id }) => event_id).toSorted()).toEqual(
    items.map((event) => event.id).toSorted(),
  );
});
