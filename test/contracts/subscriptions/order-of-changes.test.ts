import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirmSubscription, setDates } from '../../../src/contracts/subscriptions/back-office.ts';
import type { StaffAct } from '../../../src/platform/staff-act.ts';
import { createAsset } from '../../setup/factories.ts';
import { whileHeld } from '../../setup/held-row.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { SIGNED_UP_AT, SignUps } from './sign-ups.ts';

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start();
});
afterAll(() => signUps?.close());

const WAITED_MILLISECONDS = 2_000;

async function storedInstant(table: string, id: string): Promise<string> {
  const [row] = await signUps.rows<{ at: string }>(
    `SELECT to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM ${table} WHERE id = $1`,
    [id],
  );
  return row?.at ?? '';
}

const act = (): StaffAct => ({
  staff: 'ada',
  reason: 'ticket 17',
  command: 'test',
  now: signUps.contracts.clock.now().toISOString(),
});

/** Each changes the row of the table and takes some time to get it. */
const changes: [
  string,
  string,
  () => Promise<{ id: string; held?: [string, string]; run: () => Promise<unknown> }>,
][] = [
  [
    'a contract',
    'subscriptions',
    async () => {
      const { id } = await signUps.known();
      return {
        id,
        run: async () => (await signUps.client()).patch(`/subscriptions/${id}`, { metadata: { a: 1 } }),
      };
    },
  ],
  [
    'a customer',
    'customers',
    async () => {
      const { customer: id } = await signUps.known();
      return {
        id,
        run: async () => (await signUps.client()).patch(`/customers/${id}`, { last_name: 'Sommer' }),
      };
    },
  ],
  [
    'an asset',
    'assets',
    async () => {
      const { household, customer } = await signUps.known();
      const place = { household, customer } as Parameters<typeof createAsset>[2];
      const type = { type: 'heat_pump' } as const;
      const { id } = await createAsset(signUps.api.deps, signUps.contracts.organization, place, type);
      const run = async () => (await signUps.client()).patch(`/assets/${id}`, { display_name: 'Keller' });
      return { id, held: ['households', household], run };
    },
  ],
  [
    'a confirmed contract',
    'subscriptions',
    async () => {
      const { id } = await signUps.known();
      const { organization } = signUps.contracts;
      const given = act();
      const confirmation = { start_on: '2026-11-01' };
      return { id, run: () => confirmSubscription(signUps.api.deps, organization, id, confirmation, given) };
    },
  ],
];

describe('updated_at', () => {
  test.each(changes)('of %s is the moment after the wait for its row', async (_what, table, make) => {
    const { id, held, run } = await make();
    const { clock } = signUps.contracts;
    /* The token is asked for before, at the same moment of the clock. */
    await signUps.client();
    await whileHeld(signUps.api.database, held ?? [table, id], run, () => clock.advance(WAITED_MILLISECONDS));
    expect(Date.parse(await storedInstant(table, id))).toBe(clock.nowMilliseconds());
  });

  test.each(changes)(
    'of %s moves on, also by a process whose clock is behind',
    async (_what, table, make) => {
      const { id, run } = await make();
      const before = '2026-10-05T09:30:00.000250Z';
      await signUps.rows(`UPDATE ${table} SET updated_at = $2 WHERE id = $1`, [id, before]);
      expect(await storedInstant(table, id)).toBe(before);
      signUps.contracts.clock.set(SIGNED_UP_AT);
      await run();
      expect(await storedInstant(table, id)).toBe('2026-10-05T09:30:00.000251Z');
    },
  );

  test('of two changes within one millisecond differs, and a filter finds the second alone', async () => {
    const { id } = await signUps.known();
    const client = await signUps.client();
    const patch = async (name: number) =>
      (await client.patch<{ updated_at: string }>(`/subscriptions/${id}`, { metadata: { name } })).body
        .updated_at;
    const first = await patch(1);
    const second = await patch(2);
    expect(second > first).toBe(true);
    const found = await client.get<{ items: { id: string; updated_at: string }[] }>(
      `/subscriptions?filter[updated_at][gte]=${encodeURIComponent(second)}`,
    );
    expect(found.body.items.find((item) => item.id === id)?.updated_at).toBe(second);
  });
});

describe('events of one instant', () => {
  test('of a sign-up are the contract and then its order', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { id } = await signUps.signUp(signUps.body({ product_orders: [{ type: 'smart-meter' }] }));
      expect(await signUps.contracts.topics(id)).toEqual(['subscription.created', 'meter_order.created']);
    }
    const ties = await storedRows(
      signUps.api,
      'SELECT timestamp, position FROM events GROUP BY timestamp, position HAVING count(*) > 1',
    );
    expect(ties).toEqual([]);
  });

  test('of both days of a contract are the start and then the end', async () => {
    const { id } = await signUps.known();
    const { organization } = signUps.contracts;
    const parts = signUps.api.deps;
    await confirmSubscription(parts, organization, id, { start_on: '2026-11-01' }, act());
    await signUps.rows(
      `UPDATE subscriptions SET terminated_at = created_at, termination_reason = 'ORDINARY', end_at = '2027-01-31T23:00:00Z'
        WHERE id = $1`,
      [id],
    );
    await setDates(parts, organization, id, { start_on: '2026-11-02', end_on: '2027-03-01' }, act());
    const topics = await signUps.contracts.topics(id);
    expect(topics.slice(-2)).toEqual(['subscription.confirmed', 'subscription.terminated']);
  });
});
