import { afterAll, beforeAll, expect, test } from 'vitest';
import { BillingYear } from './billing-year.ts';

/*
 * A year of supply, from April to March, under a clock that is moved from morning to morning. After each season the bills that
 * stand are compared with a recomputation in SQL. Each test goes on where the one before it stopped.
 */
let year: BillingYear;
beforeAll(async () => {
  year = await BillingYear.start();
});
afterAll(() => year?.close());

test('the first months are billed one by one, with a discount that ends and a module that begins', async () => {
  await year.reads({ '2027-04-01': 1_000 });
  await year.passes('2027-05', { '2027-05-01': 1_210.4 });
  await year.passes('2027-06', { '2027-06-01': 1_400 });
  await year.passes('2027-07', { '2027-07-01': 1_571.3 });
  await year.expectRecomputed('2027-07-01');
  expect(await year.lines('plain', 'discount')).toMatchObject([
    { from: '2027-04-01', net: '-10.00' },
    { from: '2027-05-01', net: '-10.00' },
  ]);
  expect(await year.days('modules', 'grid_base', '2027-06')).toEqual(['2027-06-01 10', '2027-06-11 20']);
});

test('a change of VAT within a month taxes the days before and after with their own rate', async () => {
  await year.passes('2027-08', { '2027-08-01': 1_750 });
  await year.expectRecomputed('2027-08-01');
  const july = (await year.lines('plain', 'energy')).filter(({ from }) => from.startsWith('2027-07'));
  expect(july.map(({ from, rate }) => `${from} ${rate}`)).toEqual(['2027-07-01 0.19', '2027-07-16 0.16']);
});

test('a meter that is exchanged within a month is billed by both of its registers', async () => {
  await year.exchangesMeter('2027-08-20', { old: 1_850, new: 0 });
  await year.passes('2027-09', { '2027-09-01': 70.2 });
  await year.expectRecomputed('2027-09-01');
  /* 100 kWh on the old register and 70.2 on the new one. */
  expect(await year.usage('analog', '2027-08-01')).toBe('170.200000');
  await year.passes('2027-10', { '2027-10-01': 290 });
});

test('a price change within a month, the long day of October and a move-out within a month', async () => {
  await year.reads({ '2027-11-01': 480 }, 'grid_estimation');
  await year.passes('2027-11');
  await year.expectRecomputed('2027-11-01');
  expect(await year.days('plain', 'base_fee', '2027-10')).toEqual(['2027-10-01 14', '2027-10-15 17']);
  await year.passes('2027-12', { '2027-12-01': 880 });
  expect((await year.bills('moving')).at(-1)).toMatchObject({ from: '2027-11-01', until: '2027-11-17' });
  await year.expectRecomputed('2027-12-01');
});

test('a reading in the place of an estimate, and a value in the place of another, correct the bills', async () => {
  const october = await year.bills('analog');
  const june = await year.bills('plain');
  await year.reads({ '2027-11-01': 555.5 });
  await year.replaces('plain', '2027-06-10', 0.4);
  await year.morning('2027-12-20');
  await year.expectRecomputed('2027-12-01');
  expect(await year.bills('analog')).not.toEqual(october);
  expect(await year.bills('plain')).not.toEqual(june);
  expect(await year.voided()).toEqual([...['analog 2027-10-01', 'analog 2027-11-01', 'plain 2027-06-01']]);
});

test('the end of the year takes back what module 1 made too much of, and new prices begin', async () => {
  await year.passes('2028-01', { '2028-01-01': 1_250 });
  await year.passes('2028-02', { '2028-02-01': 1_601.5 });
  await year.expectRecomputed('2028-02-01');
  const [cap, ...others] = await year.lines('idle', 'module_1_cap');
  expect(others).toEqual([]);
  expect(cap).toMatchObject({ from: '2027-12-01' });
  expect(Number(cap?.net)).toBeGreaterThan(0);
});

test('February has 29 days, the last day of winter time 23 hours, and a year paid in advance is closed', async () => {
  await year.passes('2028-03', { '2028-03-01': 1_900 });
  await year.passes('2028-04', { '2028-04-01': 2_180 });
  await year.expectRecomputed('2028-04-01');
  expect(await year.days('plain', 'grid_base', '2028-02')).toEqual(['2028-02-01 29']);
  const [closing, ...others] = await year.bills('advance');
  expect(others).toEqual([]);
  /* Twelve months of 95 EUR. */
  expect(closing).toMatchObject({ from: '2027-04-01', until: '2028-04-01', deducted: '1140.00' });
  expect(await year.refusals()).toEqual([]);
});

test('nothing of the year is billed twice, and all documents together come to what stands and what was paid', async () => {
  const before = await year.documents();
  await year.morning('2028-04-20');
  expect(await year.documents()).toEqual(before);
  expect(before.map(({ ledger_number }) => ledger_number)).toEqual(before.map((_, index) => index + 1));
  /* VAT 3, levies 7, concession 1, metering 4, grid fees 2, schedules 2, place 1: none of them can be pruned. */
  expect(await year.namedRows()).toEqual({ count: 20, unknown: [] });
  expect(await year.sumOfAll()).toBe(await year.sumOfStanding());
});
