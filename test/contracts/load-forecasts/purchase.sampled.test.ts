import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepExpiredRows } from '../../../src/governance/retention/service.ts';
import { createTenant } from '../../setup/factories.ts';
import { whileHeld } from '../../setup/held-row.ts';
import { isLongTier, sampled } from '../../setup/tier.ts';
import { days, Forecasts } from './forecasts.ts';

/* Which of several forecasts of a day is kept for which purchase. */

let forecasts: Forecasts;
beforeAll(async () => {
  forecasts = await Forecasts.start('2026-11-21T10:05:00.000Z');
});
afterAll(() => forecasts?.close());

async function sendAt(instant: string, contract: { id: string }, day: string, kw: number, count = 1) {
  forecasts.contracts.clock.set(instant);
  const answer = await forecasts.send(contract, days(day, count, kw));
  if (answer.status !== 200) throw new Error(answer.text);
}

const kept = async (contract: { id: string }) =>
  (await forecasts.stored(contract)).map(
    ({ delivery_on, purchase, kw, received_at }) =>
      `${delivery_on} ${purchase} ${kw} ${received_at.toISOString()}`,
  );

/** 09:00 of the day before, in Berlin: in winter, in summer, and on the days on which the clock is changed. */
const DAYS = [
  ['2026-12-02', '2026-12-01T08:00:00.000Z', '2026-12-01T08:00:00.001Z'],
  ['2027-07-02', '2027-07-01T07:00:00.000Z', '2027-07-01T07:00:00.001Z'],
  ['2027-03-29', '2027-03-28T07:00:00.000Z', '2027-03-28T07:00:00.001Z'],
  ['2027-03-28', '2027-03-27T08:00:00.000Z', '2027-03-27T08:00:00.001Z'],
  ['2027-11-01', '2027-10-31T08:00:00.000Z', '2027-10-31T08:00:00.001Z'],
  ['2027-10-31', '2027-10-30T07:00:00.000Z', '2027-10-30T07:00:00.001Z'],
] as const;
test.each(sampled(DAYS, 2))(
  'what arrives for %s by %s is bought by on the day before, what arrives later on the day',
  async (day, last, late) => {
    const contract = await forecasts.contracts.active();
    await sendAt(last, contract, day, 1);
    await sendAt(late, contract, day, 2);
    expect(await kept(contract)).toEqual([`${day} day_ahead 1 ${last}`, `${day} intraday 2 ${late}`]);
  },
);

test('a day that is sent again is replaced; what was in time for the auction is not touched by what comes late', async () => {
  const contract = await forecasts.contracts.active();
  const day = '2026-12-09';
  await sendAt('2026-12-01T10:00:00.000Z', contract, day, 1);
  await sendAt('2026-12-08T07:59:00.000Z', contract, day, 2);
  expect(await kept(contract)).toEqual([`${day} day_ahead 2 2026-12-08T07:59:00.000Z`]);
  await sendAt('2026-12-08T12:00:00.000Z', contract, day, 3);
  await sendAt('2026-12-08T22:45:00.000Z', contract, day, 4);
  expect(await kept(contract)).toEqual([
    `${day} day_ahead 2 2026-12-08T07:59:00.000Z`,
    `${day} intraday 4 2026-12-08T22:45:00.000Z`,
  ]);
});

test('of several days each is in time or late by itself, and days that are not sent stay', async () => {
  const contract = await forecasts.contracts.active();
  await sendAt('2026-12-10T10:00:00.000Z', contract, '2026-12-11', 1, 3);
  await sendAt('2026-12-10T11:00:00.000Z', contract, '2026-12-12', 2);
  expect(await kept(contract)).toEqual([
    '2026-12-11 intraday 1 2026-12-10T10:00:00.000Z',
    '2026-12-12 day_ahead 2 2026-12-10T11:00:00.000Z',
    '2026-12-13 day_ahead 1 2026-12-10T10:00:00.000Z',
  ]);
});

test('who waited past 09:00 for another one is late: the clock is read when it is stored', async () => {
  const contract = await forecasts.contracts.active();
  forecasts.contracts.clock.set('2026-12-14T07:59:59.999Z');
  await whileHeld(
    forecasts.api.database,
    ['subscriptions', contract.id],
    () => forecasts.send(contract, days('2026-12-15', 1, 7)),
    () => forecasts.contracts.clock.set('2026-12-14T08:00:00.001Z'),
  );
  expect(await kept(contract)).toEqual(['2026-12-15 intraday 7 2026-12-14T08:00:00.001Z']);
});

test('many at once for the same days: each day is of one of them, whole', async () => {
  const contract = await forecasts.contracts.active();
  forecasts.contracts.clock.set('2026-12-14T10:00:00.000Z');
  const answers = await Promise.all(
    Array.from({ length: isLongTier ? 8 : 4 }, (_, sender) =>
      forecasts.send(contract, days('2026-12-20', 5, sender)),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const rows = await forecasts.stored(contract);
  expect(rows).toHaveLength(5);
  expect(new Set(rows.map(({ kw }) => kw)).size).toBe(1);
});

test('forecasts go one year after their day, in every organization; the others stay', async () => {
  const { api, contracts } = forecasts;
  const contract = await contracts.active();
  await sendAt('2026-12-14T10:00:00.000Z', contract, '2026-12-30', 1, 3);
  await createTenant(api);
  contracts.clock.set('2027-12-31T22:59:59.999Z');
  const run = { signal: new AbortController().signal, log: api.deps.log };
  await sweepExpiredRows(api.deps, run);
  const left = async () => (await forecasts.stored(contract)).map(({ delivery_on }) => delivery_on);
  expect(await left()).toEqual(['2026-12-31', '2027-01-01']);
  contracts.clock.set('2027-12-31T23:00:00.001Z');
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ load_forecasts: 1 });
  expect(await left()).toEqual(['2027-01-01']);
});
