import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { Contracts } from './contracts.ts';

const NOT_ALLOWED = [409, 'withdrawal_not_allowed reason'];

let contracts: Contracts;
beforeAll(async () => {
  contracts = await Contracts.start('2026-11-02T10:00:00Z');
});
afterAll(() => contracts.close());

async function withdraw(instant: string, id: string) {
  const client = await contracts.at(instant);
  return await client.post<ErrorBody>(`/subscriptions/${id}/terminate`, { reason: 'WITHDRAWAL' });
}

describe('the window: until the end of the fourteenth day behind the confirmation', () => {
  const WINDOWS = [
    ['in winter', '2026-11-02T10:00:00Z', '2026-11-16T22:59:59.999Z', '2026-11-16T23:00:00.000Z'],
    ['in summer', '2026-07-01T10:00:00Z', '2026-07-15T21:59:59.999Z', '2026-07-15T22:00:00.000Z'],
    ['over the change to summer', '2026-03-20T10:00:00Z', '2026-04-03T21:59:59.999Z', '2026-04-03T22:00:00Z'],
    ['over the change to winter', '2026-10-20T10:00:00Z', '2026-11-03T22:59:59.999Z', '2026-11-03T23:00:00Z'],
    [
      'confirmed at the first moment of a day',
      '2026-11-01T23:00:00Z',
      '2026-11-16T22:59:59Z',
      '2026-11-16T23:00:00Z',
    ],
    [
      'confirmed at the last moment of a day',
      '2026-11-01T22:59:59.999999Z',
      '2026-11-15T22:59:59Z',
      '2026-11-15T23:00:00Z',
    ],
    ['over the end of the year', '2026-12-24T10:00:00Z', '2027-01-07T22:59:59Z', '2027-01-07T23:00:00Z'],
  ] as const;
  test.each(sampled(WINDOWS, 2))('%s', async (_name, confirmed_at, last, tooLate) => {
    const late = await contracts.active({ confirmed_at });
    expect(refusal(await withdraw(tooLate, late.id))).toEqual(NOT_ALLOWED);
    const inTime = await contracts.active({ confirmed_at });
    expect((await withdraw(last, inTime.id)).status).toBe(200);
  });

  test('counts from the first confirmation, not from a changed date', async () => {
    const { id } = await contracts.contract({
      start_at: '2026-12-31T23:00:00Z',
      confirmed_at: '2026-11-02T10:00:00Z',
      updated_at: '2026-11-14T10:00:00Z',
    });
    expect(refusal(await withdraw('2026-11-16T23:00:00Z', id))).toEqual(NOT_ALLOWED);
  });
});

test('a company cannot withdraw', async () => {
  const household = await contracts.household({
    customer: {
      type: 'company',
      company_name: 'Bäckerei Brandt GmbH',
      first_name: 'Jule',
      last_name: 'Brandt',
      email: 'brandt.gmbh@example.org',
    },
  });
  const { id } = await contracts.active({ household, confirmed_at: '2026-11-20T08:00:00Z' });
  expect(refusal(await withdraw('2026-11-23T08:00:00Z', id))).toEqual(NOT_ALLOWED);
  const client = await contracts.client();
  expect((await client.post(`/subscriptions/${id}/terminate`, { reason: 'ORDINARY' })).status).toBe(200);
});

describe('the end', () => {
  const confirmed_at = '2026-11-20T08:00:00Z';

  test('of a supply that runs is the earliest that the grid operator can do', async () => {
    const { id } = await contracts.active({ confirmed_at });
    const { body } = await withdraw('2026-11-25T08:00:00Z', id);
    expect(body).toEqual({ reason: 'WITHDRAWAL', intended_end_at: '2026-12-01T00:00:00+01:00' });
    expect(await contracts.row(id)).toMatchObject({ status: 'active', termination_reason: 'WITHDRAWAL' });
  });

  test('may lie before the start: the contract waits for it and is never supplied', async () => {
    const { id } = await contracts.contract({ confirmed_at, start_at: '2027-01-31T23:00:00Z' });
    const { body } = await withdraw('2026-11-23T08:00:00Z', id);
    expect(body).toMatchObject({ intended_end_at: '2026-11-27T00:00:00+01:00' });
    expect(await contracts.row(id)).toMatchObject({ status: 'pending', end_at: '2026-11-26T23:00:00' });
  });

  test('of feed-in is the next first of a month', async () => {
    const { id } = await contracts.active({ confirmed_at, type: 'feed_in' });
    const { body } = await withdraw('2026-11-25T08:00:00Z', id);
    expect(body).toMatchObject({ intended_end_at: '2026-12-01T00:00:00+01:00' });
    const later = await contracts.active({ confirmed_at, type: 'feed_in' });
    const answer = await withdraw('2026-11-26T08:00:00Z', later.id);
    expect(answer.body).toMatchObject({ intended_end_at: '2027-01-01T00:00:00+01:00' });
  });
});
