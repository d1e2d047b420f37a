import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirmSubscription, setDates } from '../../../src/contracts/subscriptions/back-office.ts';
import type { StaffAct } from '../../../src/platform/staff-act.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { Contracts } from './contracts.ts';

const ROUNDS = 10;

let contracts: Contracts;
beforeAll(async () => {
  contracts = await Contracts.start('2026-11-23T08:30:00.000Z');
});
afterAll(() => contracts?.close());

const act = (): StaffAct => ({
  staff: 'ada',
  reason: 'ticket 17',
  command: 'test',
  now: contracts.clock.now().toISOString(),
});

const confirm = (id: string, start_on: string) =>
  confirmSubscription(contracts.api.deps, contracts.organization, id, { start_on }, act());
const move = (id: string, dates: { start_on?: string; end_on?: string }) =>
  setDates(contracts.api.deps, contracts.organization, id, dates, act());

const ended = (end_at: string) => ({
  terminated_at: '2026-11-20T08:00:00Z',
  termination_reason: 'ORDINARY' as const,
  end_at,
});

async function overlaps(): Promise<unknown[]> {
  return await storedRows(
    contracts.api,
    `SELECT a.id, b.id FROM subscriptions a JOIN subscriptions b USING (organization_id, household_id)
      WHERE a.id < b.id AND a.type = 'consumption' AND b.type = 'consumption'
        AND a.start_at < coalesce(a.end_at, 'infinity') AND b.start_at < coalesce(b.end_at, 'infinity')
        AND a.start_at < coalesce(b.end_at, 'infinity') AND b.start_at < coalesce(a.end_at, 'infinity')`,
  );
}

test('a household gets one supply at a time, however its days are entered at once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    /* One ends with January, the other is to follow: that one moves its end and the other its start, into each other. */
    const first = await contracts.active(ended('2027-01-31T23:00:00Z'));
    const second = await contracts.contract({ household: first.place, intended_start_on: '2027-02-01' });
    const outcomes = await Promise.allSettled([
      move(first.id, { end_on: '2027-03-01' }),
      confirm(second.id, '2027-02-01'),
    ]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => [reason.status, reason.entries])).toEqual([
      [
        409,
        [
          {
            code: 'custom',
            field: expect.stringMatching(/^(start|end)_on$/),
            message: expect.stringMatching(/supplies the household at that time$/),
          },
        ],
      ],
    ]);
  }
  expect(await overlaps()).toEqual([]);
});

describe('the database', () => {
  const write = (id: string, start: string, end: string | null) =>
    storedRows(
      contracts.api,
      'UPDATE subscriptions SET confirmed_at = created_at, start_at = $2, end_at = $3 WHERE id = $1',
      [id, start, end],
    );

  test('refuses a second supply by whoever writes it', async () => {
    const first = await contracts.active();
    const second = await contracts.contract({ household: first.place });
    await expect(write(second.id, '2027-01-31T23:00:00Z', null)).rejects.toMatchObject({
      code: '23P01',
      constraint: 'subscriptions_one_supply',
    });
  });

  test('lets one supply follow another at the same midnight, feed-in run beside it, and one end that never began', async () => {
    const first = await contracts.active(ended('2027-01-31T23:00:00Z'));
    const second = await contracts.contract({ household: first.place });
    await write(second.id, '2027-01-31T23:00:00Z', null);
    const feedIn = await contracts.contract({ household: first.place, type: 'feed_in' });
    await write(feedIn.id, '2026-12-31T23:00:00Z', null);
    const withdrawn = await contracts.contract({ household: first.place });
    await write(withdrawn.id, '2026-12-31T23:00:00Z', '2026-12-31T23:00:00Z');
    expect(await overlaps()).toEqual([]);
  });
});
