import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  confirmSubscription,
  rejectSubscription,
  setDates,
} from '../../src/contracts/subscriptions/back-office.ts';
import type { StaffAct } from '../../src/platform/staff-act.ts';
import { LifecycleWorker } from '../contracts/subscriptions/lifecycle-worker.ts';
import { SIGNED_UP_AT, type SignedUp, SignUps } from '../contracts/subscriptions/sign-ups.ts';
import { createLead } from '../setup/factories.ts';

/* What a contract tells on its way, as an organization reads it: by the calls, commands and the clock that move it. */

interface Told {
  topic: string;
  context: Record<string, string>;
}

let signUps: SignUps;
let worker: LifecycleWorker;
beforeAll(async () => {
  signUps = await SignUps.start(SIGNED_UP_AT, { alone: true });
  worker = new LifecycleWorker(signUps.contracts);
});
afterAll(() => signUps?.close());

const act = (command: string): StaffAct => ({
  staff: 'ada',
  reason: 'ticket 17',
  command,
  now: signUps.contracts.clock.now().toISOString(),
});

const seen = new Set<string>();

/** What is told by this step alone, oldest first; where a contract is named, of what is told about it. */
async function told(step: () => Promise<unknown>, about?: string): Promise<Told[]> {
  await unseen();
  await step();
  const events = (await unseen()).filter(
    ({ context }) => about === undefined || context.subscription === about,
  );
  return events.map(({ topic, context }) => ({ topic, context }));
}

async function unseen(): Promise<Told[]> {
  const { body } = await (await signUps.client()).get<{ items: (Told & { id: string })[] }>(
    '/events?limit=100',
  );
  const events = body.items.filter(({ id }) => !seen.has(id));
  for (const { id } of events) seen.add(id);
  return events.toReversed();
}

const withOrder = { product_orders: [{ type: 'smart-meter' }] };

async function orderOf(subscription: string): Promise<string> {
  const [order] = await signUps.rows<{ id: string }>(
    'SELECT id FROM meter_orders WHERE subscription_id = $1',
    [subscription],
  );
  return order?.id ?? '';
}

const confirm = ({ id }: SignedUp, start_on: string) => {
  const { api, organization } = signUps.contracts;
  return confirmSubscription(api.deps, organization, id, { start_on }, act('subscriptions confirm'));
};

describe('a contract tells', () => {
  test('that it was signed, and of the lead that it came from', async () => {
    const { api, organization } = signUps.contracts;
    const lead = await createLead(api.deps, organization, { plan_id: signUps.plan });
    let id = '';
    const events = await told(async () => {
      ({ id } = await signUps.signUp(signUps.body({ lead: lead.id })));
    });
    expect(events).toEqual([{ topic: 'subscription.created', context: { subscription: id, lead: lead.id } }]);
  });

  test('that it was signed, and then of the smart meter that was ordered with it', async () => {
    let id = '';
    const events = await told(async () => {
      ({ id } = await signUps.signUp(signUps.body(withOrder)));
    });
    const order = { meter_order: await orderOf(id), subscription: id };
    expect(events).toEqual([
      { topic: 'subscription.created', context: { subscription: id } },
      { topic: 'meter_order.created', context: order },
    ]);
  });

  test('nothing of a sign-up that is refused', async () => {
    const events = await told(() => signUps.post(signUps.body({ lead: 'lead_000000000000000000000000' })));
    expect(events).toEqual([]);
  });

  test('its day when it is fixed and when it changes, and not when it stays', async () => {
    const contract = await signUps.signUp(signUps.body());
    const confirmed = { topic: 'subscription.confirmed', context: { subscription: contract.id } };
    expect(await told(() => confirm(contract, '2026-11-01'))).toEqual([confirmed]);
    expect(await told(() => confirm(contract, '2026-11-01'))).toEqual([]);
    expect(await told(() => confirm(contract, '2026-11-02'))).toEqual([confirmed]);
  });

  test('what follows a clock that was ahead at once, though its instant lies behind that of the last change', async () => {
    const contract = await signUps.signUp(signUps.body());
    const { clock } = signUps.contracts;
    const right = clock.now().toISOString();
    clock.advance(24 * 3_600_000);
    await confirm(contract, '2026-11-01');
    clock.set(right);
    await confirm(contract, '2026-11-02');
    const runs = await signUps.rows<{ ahead: boolean; due_at: Date }>(
      `SELECT r.due_at, e.timestamp > $2 AS ahead FROM events AS e JOIN job_runs AS r ON r.key = e.id
        WHERE e.context ->> 'subscription' = $1 AND e.topic = 'subscription.confirmed' ORDER BY e.position`,
      [contract.id, right],
    );
    expect(runs).toMatchObject([{ ahead: true }, { ahead: true, due_at: new Date(right) }]);
  });

  test('that the grid operator refused it, and that its order is called off', async () => {
    const { id } = await signUps.signUp(signUps.body(withOrder));
    const { api, organization } = signUps.contracts;
    const events = await told(() =>
      rejectSubscription(api.deps, organization, id, act('subscriptions reject')),
    );
    expect(events).toEqual([
      { topic: 'subscription.ended', context: { subscription: id } },
      { topic: 'meter_order.cancelled', context: { meter_order: await orderOf(id), subscription: id } },
    ]);
  });

  test('supply, termination, another end, and the end with its open order', async () => {
    const contract = await signUps.signUp(signUps.body(withOrder));
    const { id } = contract;
    const { api, clock, organization } = signUps.contracts;
    const context = { subscription: id };
    await confirm(contract, '2026-11-01');
    expect(await told(() => worker.run('2026-10-31T23:00:00Z'), id)).toEqual([
      { topic: 'subscription.activated', context },
    ]);
    clock.set('2026-11-02T08:00:00Z');
    const client = await signUps.client();
    const body = { reason: 'ORDINARY', intended_end_at: '2027-01-31T23:00:00Z' };
    const terminated = { topic: 'subscription.terminated', context };
    expect(await told(() => client.post(`/subscriptions/${id}/terminate`, body))).toEqual([terminated]);
    expect(await told(() => client.post(`/subscriptions/${id}/terminate`, body))).toEqual([]);
    const dates = { end_on: '2026-12-31' } as const;
    expect(
      await told(() => setDates(api.deps, organization, id, dates, act('subscriptions set-dates'))),
    ).toEqual([terminated]);
    clock.set('2026-12-30T23:00:00Z');
    expect(await told(() => worker.run('2026-12-30T23:00:00Z'), id)).toEqual([
      { topic: 'subscription.ended', context },
      { topic: 'meter_order.cancelled', context: { meter_order: await orderOf(id), subscription: id } },
    ]);
  });
});
