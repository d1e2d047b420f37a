import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fanOutEvent } from '../../../src/events/fan-out.ts';
import { fakeClock } from '../../setup/clock.ts';
import { type TestReceiver, testReceiver } from '../requests/receiver.ts';
import { DeliveryFixture, type TestWorker } from './delivery-fixture.ts';
import { hourByHour } from './hour-by-hour.ts';

const START = '2026-11-05T06:00:00.000Z';
const MINUTE = 60_000;

const clock = fakeClock(START);
const fixture = new DeliveryFixture(clock);
let worker: TestWorker;
let receiver: TestReceiver;

beforeAll(async () => {
  await fixture.open();
  worker = fixture.worker();
  receiver = await testReceiver();
});
afterAll(async () => {
  await fixture.close();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  clock.set(START);
  receiver.requests.length = 0;
  await fixture.empty();
});

const live = (hours: number) => hourByHour({ fixture, clock, worker }, hours);

test('W17 nothing is sent to an endpoint that was deleted, and what waited is cancelled', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.record(20);
  await fixture.rows('UPDATE webhook_endpoints SET deleted_at = $1', [clock.now()]);
  await fixture.rows(`UPDATE job_runs SET state = 'done' WHERE job = 'fan-out-event'`);
  await fixture.rows(
    `INSERT INTO event_deliveries (organization_id, event_id, endpoint_id, created_at, next_at)
     SELECT organization_id, id, $1, $2, $2 FROM events`,
    [endpoint, clock.now()],
  );
  clock.advance(3 * MINUTE);
  await fixture.sweep();
  await worker.work();
  await fixture.record();
  await live(2);
  expect(receiver.requests).toEqual([]);
  expect(Object.keys(await fixture.states())).toEqual(['cancelled']);
});

test('W17 an endpoint that is deleted while its deliveries go out gets no more of them after a second', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  const slow = await testReceiver((_request, response) => {
    setTimeout(() => response.end(), 400);
  });
  await fixture.rows('UPDATE webhook_endpoints SET url = $1', [slow.url]);
  await fixture.record(30);
  const working = worker.work();
  await expect.poll(() => slow.requests.length, { interval: 5 }).toBeGreaterThan(0);
  await fixture.rows('UPDATE webhook_endpoints SET deleted_at = $1', [clock.now()]);
  await working;
  /* Four at once, each 400 ms, begun within a second of the taking. */
  expect(slow.requests.length).toBeLessThanOrEqual(12);
  const { cancelled, delivered } = await fixture.states();
  expect((cancelled ?? 0) + (delivered ?? 0)).toBe(30);
  expect((await fixture.endpoint(endpoint)).served_by).toBeNull();
  await slow[Symbol.asyncDispose]();
});

test('I12 W19 what happens in one organization is never told to endpoints of another one', async () => {
  const others = [await fixture.addOrganization(), await fixture.addOrganization()];
  const all: string[] = [fixture.organization, ...others];
  const told = new Map<string, TestReceiver>();
  for (const organization of all) {
    const own = await testReceiver();
    told.set(organization, own);
    await fixture.addEndpoint({ organization, url: own.url });
  }
  const expected = new Map(all.map((organization) => [organization, 0]));
  for (let round = 0; round < 40; round += 1) {
    const organization = all[randomInt(all.length)] ?? fixture.organization;
    expected.set(organization, (expected.get(organization) ?? 0) + 1);
    await fixture.record(1, undefined, organization);
  }
  await worker.work();
  for (const [organization, { requests }] of told) {
    const ids = await fixture.rows<{ id: string }>('SELECT id FROM events WHERE organization_id = $1', [
      organization,
    ]);
    const own = new Set(ids.map(({ id }) => id));
    expect(requests).toHaveLength(expected.get(organization) ?? 0);
    expect(requests.filter(({ headers }) => !own.has(String(headers['webhook-id'])))).toEqual([]);
  }
  const strayed = await fixture.rows(
    `SELECT 1 FROM event_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
      WHERE e.organization_id <> d.organization_id`,
  );
  expect(strayed).toEqual([]);
  for (const own of told.values()) await own[Symbol.asyncDispose]();
});

test('I11 a run of one organization with an event of another one tells it to nobody', async () => {
  const stranger = await fixture.addOrganization();
  await fixture.addEndpoint({ organization: stranger, url: receiver.url });
  await fixture.addEndpoint({ url: receiver.url });
  await fixture.record();
  const [event] = await fixture.rows<{ id: string }>('SELECT id FROM events');
  const run = { payload: { event: event?.id ?? '' }, organization: stranger };
  await expect(fanOutEvent(fixture, run)).resolves.toMatchObject({ deliveries: 0 });
  expect(await fixture.deliveries()).toEqual([]);
});

test('W11 a change that is rolled back after its event is told to nobody', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  const { organization } = fixture;
  const change = fixture.database.inOrganization({ organization }, async (connection) => {
    await fixture.recordIn(connection, 3);
    throw new Error('The change was refused');
  });
  await expect(change).rejects.toThrow('The change was refused');
  await worker.work();
  await live(1);
  expect(receiver.requests).toEqual([]);
  expect(await fixture.deliveries()).toEqual([]);
});

test.each(['suspended', 'deleted'])(
  'I18 an organization that is %s sends nothing, and goes on where it stopped when it is back',
  async (standing) => {
    let milliseconds = 300;
    const slow = await testReceiver((_request, response) => {
      setTimeout(() => response.end(), milliseconds);
    });
    const stand = (as: string) =>
      fixture.rows('UPDATE organizations SET standing = $2 WHERE id = $1', [fixture.organization, as]);
    await stand('in_order');
    await fixture.addEndpoint({ url: slow.url });
    await fixture.record(30);
    const working = worker.work();
    await expect.poll(() => slow.requests.length, { interval: 5 }).toBeGreaterThan(0);
    await stand(standing);
    await working;
    const before = slow.requests.length;
    expect(before).toBeLessThanOrEqual(16);
    await live(3);
    expect(slow.requests).toHaveLength(before);
    milliseconds = 0;
    await stand('in_order');
    await live(1);
    expect(await fixture.states()).toEqual({ delivered: 30 });
    await slow[Symbol.asyncDispose]();
  },
);
