import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampled } from '../../setup/tier.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { Contracts } from './contracts.ts';

let contracts: Contracts;
let plans: Record<number, string>;
beforeAll(async () => {
  contracts = await Contracts.start('2025-06-02T10:00:00Z');
  plans = {};
  for (const cancellation_months of [0, 1, 2, 3]) {
    plans[cancellation_months] = (await contracts.plan({ terms: [{ cancellation_months }] })).id;
  }
});
afterAll(() => contracts.close());

async function earliest(instant: string, reason: 'ORDINARY' | 'MOVE_OUT', months = 1): Promise<string> {
  const client = await contracts.at(instant);
  const { id } = await contracts.active({ plan_id: plans[months] ?? '' });
  if (reason === 'ORDINARY') {
    const { body } = await client.post(`/subscriptions/${id}/terminate`, { reason });
    return String(body.intended_end_at);
  }
  /* The refusal names it, the day before is refused and the day itself accepted. */
  const path = `/subscriptions/${id}/terminate`;
  const tooEarly = await client.post<ErrorBody>(path, {
    reason,
    intended_end_at: '2020-01-01T00:00:00+01:00',
  });
  const [named = ''] = /\d{4}-\d\d-\d\dT00:00:00\+0\d:00/.exec(tooEarly.body.message) ?? [];
  const accepted = await client.post(path, { reason, intended_end_at: named });
  expect(accepted.body).toEqual({ reason, intended_end_at: named });
  return named;
}

describe('the notice of three working days, counted behind the day of the call', () => {
  const DAYS = [
    ['a Monday', '2026-11-23T08:00:00Z', '2026-11-27T00:00:00+01:00'],
    ['a Tuesday', '2026-11-24T08:00:00Z', '2026-11-28T00:00:00+01:00'],
    ['a Wednesday: over the weekend', '2026-11-25T08:00:00Z', '2026-12-01T00:00:00+01:00'],
    ['a Friday', '2026-11-20T08:00:00Z', '2026-11-26T00:00:00+01:00'],
    ['a Saturday', '2026-11-21T08:00:00Z', '2026-11-26T00:00:00+01:00'],
    ['a Sunday', '2026-11-22T08:00:00Z', '2026-11-26T00:00:00+01:00'],
    ['the Wednesday before Easter', '2026-04-01T08:00:00Z', '2026-04-09T00:00:00+02:00'],
    ['Easter Sunday', '2026-04-05T08:00:00Z', '2026-04-10T00:00:00+02:00'],
    ['the day before Ascension Day', '2026-05-13T08:00:00Z', '2026-05-20T00:00:00+02:00'],
    ['the Friday before Whitsun', '2026-05-22T08:00:00Z', '2026-05-29T00:00:00+02:00'],
    ['30 April', '2026-04-30T08:00:00Z', '2026-05-07T00:00:00+02:00'],
    ['the day before 3 October, a Friday', '2025-10-02T08:00:00Z', '2025-10-09T00:00:00+02:00'],
    ['before Christmas on a Friday and a Saturday', '2026-12-22T08:00:00Z', '2026-12-29T00:00:00+01:00'],
    ['before Christmas on Thursday and Friday', '2025-12-23T08:00:00Z', '2025-12-31T00:00:00+01:00'],
    ['the last day of the year', '2026-12-31T08:00:00Z', '2027-01-07T00:00:00+01:00'],
    ['a holiday of some states only', '2025-10-30T08:00:00Z', '2025-11-05T00:00:00+01:00'],
  ] as const;
  test.each(sampled(DAYS, 3))('%s', async (_name, instant, expected) => {
    expect(await earliest(instant, 'MOVE_OUT')).toBe(expected);
  });

  test('the day of the call is the day in Berlin: it changes at midnight there', async () => {
    expect(await earliest('2026-11-23T22:59:59.999Z', 'MOVE_OUT')).toBe('2026-11-27T00:00:00+01:00');
    expect(await earliest('2026-11-23T23:00:00.000Z', 'MOVE_OUT')).toBe('2026-11-28T00:00:00+01:00');
    expect(await earliest('2026-07-06T21:59:59.999Z', 'MOVE_OUT')).toBe('2026-07-10T00:00:00+02:00');
    expect(await earliest('2026-07-06T22:00:00.000Z', 'MOVE_OUT')).toBe('2026-07-11T00:00:00+02:00');
  });

  test('over the clock change days stay days, and midnight is midnight', async () => {
    expect(await earliest('2026-03-26T12:00:00Z', 'MOVE_OUT')).toBe('2026-04-01T00:00:00+02:00');
    expect(await earliest('2026-03-29T00:59:59Z', 'MOVE_OUT')).toBe('2026-04-02T00:00:00+02:00');
    expect(await earliest('2026-10-22T12:00:00Z', 'MOVE_OUT')).toBe('2026-10-28T00:00:00+01:00');
    expect(await earliest('2026-10-25T00:30:00Z', 'MOVE_OUT')).toBe('2026-10-29T00:00:00+01:00');
    expect(await earliest('2026-10-25T01:30:00Z', 'MOVE_OUT')).toBe('2026-10-29T00:00:00+01:00');
  });
});

describe('the cancellation period of the plan', () => {
  const PERIODS = [
    [
      'a month ends behind the day with the same number',
      '2026-11-23T08:00:00Z',
      1,
      '2026-12-24T00:00:00+01:00',
    ],
    ['31 January: February has 28 days', '2026-01-31T08:00:00Z', 1, '2026-03-01T00:00:00+01:00'],
    ['31 January: February has 29 days', '2028-01-31T08:00:00Z', 1, '2028-03-01T00:00:00+01:00'],
    ['30 January', '2026-01-30T08:00:00Z', 1, '2026-03-01T00:00:00+01:00'],
    ['28 January', '2026-01-28T08:00:00Z', 1, '2026-03-01T00:00:00+01:00'],
    ['27 January', '2026-01-27T08:00:00Z', 1, '2026-02-28T00:00:00+01:00'],
    ['28 February', '2026-02-28T08:00:00Z', 1, '2026-03-29T00:00:00+01:00'],
    ['31 March', '2026-03-31T08:00:00Z', 1, '2026-05-01T00:00:00+02:00'],
    ['into summer', '2026-03-15T08:00:00Z', 1, '2026-04-16T00:00:00+02:00'],
    ['into winter', '2026-10-10T08:00:00Z', 1, '2026-11-11T00:00:00+01:00'],
    ['over the end of the year', '2026-12-31T08:00:00Z', 1, '2027-02-01T00:00:00+01:00'],
    ['two months', '2026-12-31T08:00:00Z', 2, '2027-03-01T00:00:00+01:00'],
    ['three months', '2026-11-30T08:00:00Z', 3, '2027-03-01T00:00:00+01:00'],
    ['none: the notice counts', '2026-11-23T08:00:00Z', 0, '2026-11-27T00:00:00+01:00'],
  ] as const;
  test.each(sampled(PERIODS, 3, 2))('%s', async (_name, instant, months, expected) => {
    expect(await earliest(instant, 'ORDINARY', months)).toBe(expected);
  });

  test('is that of the terms that are valid on the day of the call', async () => {
    const plan = await contracts.plan({
      terms: [
        { valid_to: '2026-07-01', cancellation_months: 2 },
        { valid_from: '2026-07-01', cancellation_months: 1 },
      ],
    });
    const ends = [];
    for (const instant of ['2026-06-30T21:59:00Z', '2026-06-30T22:00:00Z']) {
      const client = await contracts.at(instant);
      const { id } = await contracts.active({ plan_id: plan.id });
      const { body } = await client.post(`/subscriptions/${id}/terminate`, { reason: 'ORDINARY' });
      ends.push(body.intended_end_at);
    }
    expect(ends).toEqual(['2026-08-31T00:00:00+02:00', '2026-08-02T00:00:00+02:00']);
  });
});

describe('feed-in ends with a month', () => {
  async function feedIn(instant: string, body: Record<string, unknown>) {
    const client = await contracts.at(instant);
    const { id } = await contracts.active({ type: 'feed_in' });
    return await client.post<ErrorBody>(`/subscriptions/${id}/terminate`, body);
  }

  test.each([
    ['2026-11-23T08:00:00Z', '2027-01-01T00:00:00+01:00'],
    ['2026-01-31T08:00:00Z', '2026-03-01T00:00:00+01:00'],
    ['2026-02-28T08:00:00Z', '2026-04-01T00:00:00+02:00'],
    ['2026-10-31T08:00:00Z', '2026-12-01T00:00:00+01:00'],
  ])('an ordinary termination at %s is rounded up to %s', async (instant, expected) => {
    expect((await feedIn(instant, { reason: 'ORDINARY' })).body).toMatchObject({ intended_end_at: expected });
  });

  test.each(['ORDINARY', 'MOVE_OUT'])('%s to another day of a month is refused', async (reason) => {
    const other = { reason, intended_end_at: '2027-01-15T00:00:00+01:00' };
    const refused = await feedIn('2026-11-23T08:00:00Z', other);
    expect(refusal(refused)).toEqual([409, 'invalid_termination_date intended_end_at']);
    const first = { reason, intended_end_at: '2027-02-01T00:00:00+01:00' };
    expect((await feedIn('2026-11-23T08:00:00Z', first)).body).toEqual(first);
  });

  test('a first of a month that is too early is refused, and the next one named', async () => {
    const body = { reason: 'MOVE_OUT', intended_end_at: '2026-12-01T00:00:00+01:00' };
    expect((await feedIn('2026-11-25T08:00:00Z', body)).status).toBe(200);
    const refused = await feedIn('2026-11-26T08:00:00Z', body);
    expect(refusal(refused)).toEqual([409, 'invalid_termination_date intended_end_at']);
    expect(refused.body.message).toContain('2027-01-01T00:00:00+01:00');
  });
});
