import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampled } from '../../setup/tier.ts';
import { type Json, SignUps } from './sign-ups.ts';

let signUps: SignUps;
beforeAll(async () => {
  signUps = await SignUps.start();
});
afterAll(() => signUps?.close());

/** Signs up at an instant and gives the day at which supply is to begin. */
async function begins(instant: string, body: () => Json): Promise<unknown> {
  signUps.contracts.clock.set(instant);
  const { id, start_at } = await signUps.signUp(body());
  expect(start_at).toBeNull();
  return (await signUps.row('subscriptions', id)).intended_start_on;
}

const wish = (day?: string, next_possible_start = false) => ({
  next_possible_start,
  ...(day === undefined ? {} : { intended_start_date: day }),
});

type Case = [title: string, instant: string, dates: ReturnType<typeof wish>, day: string];

describe('supply begins', () => {
  const BEGINS: Case[] = [
    ['14 days after the call where nothing is asked for', '2026-10-05T08:40:12.345Z', wish(), '2026-10-19'],
    [
      '14 days after the call as soon as possible',
      '2026-10-05T08:40:12.345Z',
      wish(undefined, true),
      '2026-10-19',
    ],
    [
      'as soon as possible whatever the date says',
      '2026-10-05T08:40:12.345Z',
      wish('2027-01-01', true),
      '2026-10-19',
    ],
    ['on the day that was asked for', '2026-10-05T08:40:12.345Z', wish('2026-10-20'), '2026-10-20'],
    ['on the first possible day', '2026-10-05T08:40:12.345Z', wish('2026-10-19'), '2026-10-19'],
    ['no earlier than that, without a word', '2026-10-05T08:40:12.345Z', wish('2026-10-18'), '2026-10-19'],
    ['no earlier than that, long ago', '2026-10-05T08:40:12.345Z', wish('0001-01-01'), '2026-10-19'],
    ['as late as anybody likes', '2026-10-05T08:40:12.345Z', wish('9999-12-31'), '9999-12-31'],
    ['counted in Berlin: the next day there', '2026-10-05T22:00:00Z', wish(), '2026-10-20'],
    ['counted in Berlin: still the same day', '2026-10-05T21:59:59.999Z', wish(), '2026-10-19'],
    ['across the end of summer time', '2026-10-20T22:30:00Z', wish(), '2026-11-04'],
    ['across the beginning of summer time', '2027-03-20T23:30:00Z', wish(), '2027-04-04'],
    ['across a leap day', '2028-02-20T08:00:00Z', wish(), '2028-03-05'],
  ];
  test.each(sampled(BEGINS, 2))('%s', async (_title, instant, dates, day) => {
    expect(await begins(instant, () => signUps.body(dates))).toBe(day);
  });
});

describe('feed-in begins on the first of the month that is a month ahead', () => {
  const BEGINS: Case[] = [
    ['as soon as possible', '2026-10-05T08:40:12.345Z', wish(undefined, true), '2026-12-01'],
    ['without a date', '2026-10-05T08:40:12.345Z', wish(), '2026-12-01'],
    [
      'as soon as possible whatever the date says',
      '2026-10-05T08:40:12.345Z',
      wish('2026-10-06', true),
      '2026-12-01',
    ],
    ['from the first of a month', '2026-10-01T08:00:00Z', wish(), '2026-11-01'],
    ['from a last day that the next month does not have', '2026-08-31T08:00:00Z', wish(), '2026-10-01'],
    ['from the end of January', '2027-01-31T08:00:00Z', wish(), '2027-03-01'],
    ['from the first of a month in Berlin', '2026-09-30T22:00:00Z', wish(), '2026-11-01'],
    ['at a later first of a month', '2026-10-05T08:40:12.345Z', wish('2027-03-01'), '2027-03-01'],
    ['at the earliest one', '2026-10-05T08:40:12.345Z', wish('2026-12-01'), '2026-12-01'],
    ['at the earliest one from a last day', '2027-01-31T08:00:00Z', wish('2027-03-01'), '2027-03-01'],
    ['at the first a month ahead to the day', '2026-10-01T08:00:00Z', wish('2026-11-01'), '2026-11-01'],
  ];
  test.each(sampled(BEGINS, 2))('%s', async (_title, instant, dates, day) => {
    expect(await begins(instant, () => signUps.feedIn(dates))).toBe(day);
  });

  const REFUSED = [
    ['2026-12-02', '2026-10-05T08:40:12.345Z', '2026-12-01'],
    ['2026-12-31', '2026-10-05T08:40:12.345Z', '2026-12-01'],
    ['2026-11-01', '2026-10-05T08:40:12.345Z', '2026-12-01'],
    ['2026-11-01', '2026-10-01T22:00:00Z', '2026-12-01'],
    ['2026-10-01', '2026-10-05T08:40:12.345Z', '2026-12-01'],
    ['0001-01-01', '2026-10-05T08:40:12.345Z', '2026-12-01'],
  ] as const;
  test.each(sampled(REFUSED, 3))('and %s, asked for on %s, is refused', async (day, instant, earliest) => {
    signUps.contracts.clock.set(instant);
    expect(await signUps.refused(signUps.feedIn(wish(day)))).toEqual([
      400,
      `custom intended_start_date: Feed-in begins on the first of a month, on ${earliest} at the earliest`,
    ]);
  });
});
