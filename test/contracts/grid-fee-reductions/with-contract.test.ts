import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  REDUCTION_STATUSES,
  type ReductionStatus,
} from '../../../src/contracts/grid-fee-reductions/schema.ts';
import { confirmSubscription, rejectSubscription } from '../../../src/contracts/subscriptions/back-office.ts';
import { berlinMidnight } from '../../../src/platform/time/berlin-calendar.ts';
import { LifecycleWorker } from '../subscriptions/lifecycle-worker.ts';
import { type Contract, moduleType, Reductions } from './reductions.ts';

/* What the life of a contract does to its reductions, from every status. */

const NOW = '2026-11-23T08:30:00.000Z';
const OPEN: readonly ReductionStatus[] = ['intended', 'ordered', 'activated'];
const FROM = berlinMidnight('2026-06-01');
const TOLD = berlinMidnight('2026-09-01');

let reductions: Reductions;
let worker: LifecycleWorker;
beforeAll(async () => {
  reductions = await Reductions.start(NOW);
  worker = new LifecycleWorker(reductions.contracts);
});
afterAll(() => reductions?.close());

/** One of each status; three modules are open at most at once, so that each status has a contract of its own. */
async function ofEachStatus(contract: () => Promise<Contract>): Promise<Map<ReductionStatus, string>> {
  const ids = new Map<ReductionStatus, string>();
  contracts = [];
  for (const status of REDUCTION_STATUSES) {
    const subscription = await contract();
    contracts.push(subscription);
    const valid = {
      ...((status === 'activated' || status === 'ended') && { valid_from: FROM }),
      ...(status === 'ended' && { valid_until: TOLD }),
    };
    ids.set(status, await reductions.stored(subscription, moduleType(1), status, valid));
  }
  return ids;
}
let contracts: Contract[] = [];

async function statesOf(ids: ReadonlyMap<ReductionStatus, string>) {
  const states: Partial<Record<ReductionStatus, (string | null)[]>> = {};
  for (const [status, id] of ids) {
    const row = await reductions.row(id);
    states[status] = [row.status, row.valid_from, row.valid_until];
  }
  return states;
}

/** As they are stored. */
const UNMOVED = {
  intended: ['intended', null, null],
  ordered: ['ordered', null, null],
  activated: ['activated', FROM, null],
  rejected: ['rejected', null, null],
  ended: ['ended', FROM, TOLD],
};

const ordered = { ...UNMOVED, intended: ['ordered', null, null] };

function endedAt(end: string) {
  const open = Object.fromEntries(
    OPEN.map((status) => [status, ['ended', status === 'activated' ? FROM : null, end]]),
  );
  return { ...UNMOVED, ...open };
}

const confirm = (id: string, start_on: string) =>
  confirmSubscription(
    reductions.api.deps,
    reductions.organization,
    id,
    { start_on },
    reductions.act('subscriptions confirm'),
  );

describe('the confirmation', () => {
  test('orders what was intended, and nothing else moves; later ones change nothing more', async () => {
    const ids = await ofEachStatus(() => reductions.pending());
    const events = await reductions.countEvents();
    for (const { id } of contracts) await confirm(id, '2027-01-01');
    expect(await statesOf(ids)).toEqual(ordered);
    for (const { id } of contracts) await confirm(id, '2027-02-01');
    expect(await statesOf(ids)).toEqual(ordered);
    /* Those of the contracts alone. */
    expect(await reductions.countEvents()).toBe(events + 2 * contracts.length);
  });

  test('said again orders what was intended meanwhile, with the same day too', async () => {
    const contract = await reductions.pending();
    await confirm(contract.id, '2027-01-01');
    const { body } = await reductions.order(contract, moduleType(1));
    expect(body.status).toBe('intended');
    await confirm(contract.id, '2027-01-01');
    expect(await reductions.row(body.id)).toMatchObject({ status: 'ordered' });
  });

  test('of one contract does not move those of another one', async () => {
    const [own, other] = [await reductions.pending(), await reductions.pending()];
    const id = await reductions.stored(other, moduleType(1), 'intended');
    await confirm(own.id, '2027-01-01');
    expect((await reductions.row(id)).status).toBe('intended');
  });
});

test('the beginning of supply orders what is intended still, and nothing else moves', async () => {
  const confirmed = { start_at: berlinMidnight('2027-01-01'), confirmed_at: NOW };
  const ids = await ofEachStatus(() => reductions.pending(confirmed));
  await worker.run('2026-12-31T22:59:59.999Z');
  expect(await statesOf(ids)).toEqual(UNMOVED);
  await worker.run('2026-12-31T23:00:00.000Z');
  expect(await statesOf(ids)).toEqual(ordered);
});

test('without a confirmation nothing is ordered, however long it takes', async () => {
  const id = await reductions.stored(await reductions.pending(), moduleType(1), 'intended');
  await worker.run('2027-06-01T10:00:00.000Z');
  expect((await reductions.row(id)).status).toBe('intended');
});

describe('the end', () => {
  const END = berlinMidnight('2027-07-01');
  const terminated = { terminated_at: NOW, termination_reason: 'ORDINARY' as const };

  test('of supply takes every open one with it at that end, whenever it is noticed', async () => {
    const ids = await ofEachStatus(() => reductions.active({ ...terminated, end_at: END }));
    await worker.run('2027-06-30T21:59:59.999Z');
    expect(await statesOf(ids)).toEqual(UNMOVED);
    await worker.run('2027-07-03T10:00:00.000Z');
    expect(await statesOf(ids)).toEqual(endedAt(END));
  });

  test('of a contract that was withdrawn from before its start does so at the computed end', async () => {
    const withdrawn = {
      confirmed_at: NOW,
      terminated_at: NOW,
      termination_reason: 'WITHDRAWAL' as const,
      start_at: berlinMidnight('2027-09-01'),
      end_at: berlinMidnight('2027-08-10'),
    };
    const ids = await ofEachStatus(() => reductions.pending(withdrawn));
    await worker.run('2027-08-09T21:59:59.999Z');
    expect(await statesOf(ids)).toEqual(UNMOVED);
    await worker.run('2027-08-09T22:00:00.000Z');
    expect(await statesOf(ids)).toEqual(endedAt(berlinMidnight('2027-08-10')));
  });

  test('by a termination of the interface does so when its day has come', async () => {
    reductions.contracts.clock.set('2027-08-20T08:00:00.000Z');
    const contract = await reductions.active();
    const id = await reductions.stored(contract, moduleType(1), 'activated', { valid_from: FROM });
    const client = await reductions.contracts.client();
    const body = { reason: 'MOVE_OUT', intended_end_at: '2027-09-15T00:00:00+02:00' };
    expect((await client.post(`/subscriptions/${contract.id}/terminate`, body)).status).toBe(200);
    expect((await reductions.row(id)).status).toBe('activated');
    await worker.run('2027-09-14T22:00:00.000Z');
    expect(await reductions.row(id)).toMatchObject({
      status: 'ended',
      valid_until: '2027-09-14T22:00:00.000Z',
      updated_at: '2027-09-14T22:00:00.000Z',
    });
  });

  test('by a refusal of the grid operator does so at once', async () => {
    const ids = await ofEachStatus(() => reductions.pending());
    const now = reductions.contracts.clock.now().toISOString();
    for (const { id } of contracts) {
      await rejectSubscription(
        reductions.api.deps,
        reductions.organization,
        id,
        reductions.act('subscriptions reject'),
      );
    }
    expect(await statesOf(ids)).toEqual(endedAt(now));
  });

  test('before a reduction would have come into force ends it at the instant it would have begun', async () => {
    const contract = await reductions.active({ ...terminated, end_at: berlinMidnight('2027-10-01') });
    const begins = berlinMidnight('2027-12-01');
    const id = await reductions.stored(contract, moduleType(1), 'activated', { valid_from: begins });
    await worker.run('2027-10-02T10:00:00.000Z');
    expect(await reductions.row(id)).toMatchObject({
      status: 'ended',
      valid_from: begins,
      valid_until: begins,
    });
  });

  test('that passed together with the beginning: what was intended ends with the rest', async () => {
    const contract = await reductions.pending({
      ...terminated,
      confirmed_at: NOW,
      start_at: berlinMidnight('2027-11-01'),
      end_at: berlinMidnight('2027-12-01'),
    });
    const id = await reductions.stored(contract, moduleType(1), 'intended');
    const events = await reductions.countEvents();
    await worker.run('2028-01-15T10:00:00.000Z');
    expect(await reductions.row(id)).toMatchObject({
      status: 'ended',
      valid_until: berlinMidnight('2027-12-01'),
    });
    /* subscription.activated and subscription.ended: reductions tell none. */
    expect(await reductions.countEvents()).toBe(events + 2);
  });
});
