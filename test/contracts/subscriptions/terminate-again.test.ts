import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { Contracts } from './contracts.ts';

const INVALID = [409, 'invalid_termination_date intended_end_at'];

let contracts: Contracts;
beforeAll(async () => {
  contracts = await Contracts.start('2026-11-23T08:30:00.000Z');
});
afterAll(() => contracts.close());

async function terminate(id: string, reason: string, day?: string) {
  const intended_end_at = day === undefined ? {} : { intended_end_at: `${day}T00:00:00+01:00` };
  const client = await contracts.client();
  return await client.post<ErrorBody>(`/subscriptions/${id}/terminate`, { reason, ...intended_end_at });
}

describe('a termination in force', () => {
  test('is replaced by one that ends supply earlier, and told again', async () => {
    const { id } = await contracts.active();
    expect((await terminate(id, 'ORDINARY', '2027-03-01')).status).toBe(200);
    contracts.clock.advance(60_000);
    expect((await terminate(id, 'ORDINARY')).body).toMatchObject({
      intended_end_at: '2026-12-24T00:00:00+01:00',
    });
    expect((await terminate(id, 'MOVE_OUT', '2026-12-01')).status).toBe(200);
    expect(await contracts.row(id)).toMatchObject({
      termination_reason: 'MOVE_OUT',
      end_at: '2026-11-30T23:00:00',
      terminated_at: '2026-11-23T08:31:00',
    });
    expect(await contracts.topics(id)).toEqual(Array(3).fill('subscription.terminated'));
  });

  test.each([
    ['ORDINARY', undefined],
    ['ORDINARY', '2026-12-24'],
    ['ORDINARY', '2027-01-01'],
    ['MOVE_OUT', '2026-12-01'],
    ['MOVE_OUT', '2026-12-24'],
  ])('%s to %s changes nothing when that is not earlier', async (reason, day) => {
    const { id } = await contracts.active();
    await terminate(id, 'MOVE_OUT', '2026-12-01');
    const before = await contracts.row(id);
    const answer = await terminate(id, reason, day);
    expect(refusal(answer)).toEqual(INVALID);
    expect(answer.body.message).toMatch(
      /^The end date is not possible: the earliest is 2026-1\d-\d\dT00:00:00\+01:00/,
    );
    expect(await contracts.row(id)).toEqual(before);
  });

  test('a withdrawal too must end supply earlier', async () => {
    const { id } = await contracts.active({ confirmed_at: '2026-11-20T08:00:00Z' });
    await terminate(id, 'MOVE_OUT', '2026-11-28');
    expect((await terminate(id, 'WITHDRAWAL')).body).toMatchObject({
      intended_end_at: '2026-11-27T00:00:00+01:00',
    });
    expect(refusal(await terminate(id, 'WITHDRAWAL'))).toEqual(INVALID);
  });
});

describe('at the same moment', () => {
  test('of equal terminations one is accepted', async () => {
    const { id } = await contracts.active();
    const answers = await Promise.all(Array.from({ length: 6 }, () => terminate(id, 'ORDINARY')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(await contracts.topics(id)).toEqual(['subscription.terminated']);
    const lines = await auditRows(contracts.api, contracts.organization, 'subscription.terminate');
    expect(lines.filter(({ object_id }) => object_id === id)).toHaveLength(1);
  });

  test('of different ones the earliest remains, and each accepted one was told', async () => {
    const { id } = await contracts.active();
    const days = ['2027-01-04', '2027-01-02', '2027-01-05', '2027-01-01', '2027-01-03'];
    const answers = await Promise.all(days.map((day) => terminate(id, 'ORDINARY', day)));
    expect(await contracts.row(id)).toMatchObject({ end_at: '2026-12-31T23:00:00' });
    const accepted = answers.filter(({ status }) => status === 200);
    expect(await contracts.topics(id)).toHaveLength(accepted.length);
  });

  test('a change of the contract and a termination both happen', async () => {
    const { id } = await contracts.active();
    const client = await contracts.client();
    const [terminated, ...changed] = await Promise.all([
      terminate(id, 'ORDINARY'),
      ...['a', 'b', 'c'].map((key) => client.patch(`/subscriptions/${id}`, { metadata: { [key]: 1 } })),
    ]);
    expect([terminated, ...changed].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { body } = await client.get(`/subscriptions/${id}`);
    expect(body).toMatchObject({ metadata: { a: 1, b: 1, c: 1 }, end_at: '2026-12-23T23:00:00.000Z' });
  });
});
