import { afterAll, beforeAll, expect, test } from 'vitest';
import { energiesOf } from '../../../../../src/billing/invoices/basis/energy/energies.ts';
import { BillingRefused } from '../../../../../src/billing/invoices/refusal.ts';
import { Exact } from '../../../../../src/platform/money.ts';
import { forgetReferenceRevisions } from '../../../../../src/tariffs/reference-data/service.ts';
import { type Metered, quarterHours, startMetered } from '../../../../contracts/usage/metered.ts';
import { storedRows } from '../../../../setup/stored-rows.ts';
import { type Energies, energies, known, planOf, refusal } from './billed.ts';

/* The 8th working day of November 2026 is over. */
const NOW = '2026-11-21T16:05:00.000Z';
const SMART = { meter_type: 'smart' } as const;

let metered: Metered;
let bills: Energies;
const price = (index: number) => (index % 7 === 3 ? `-${index % 50}.07` : `${(index * 37) % 190}.31`);

beforeAll(async () => {
  metered = await startMetered(NOW, { alone: true });
  bills = energies(metered);
  /* From 1 August to the end of October; the last day of September 2025 and of March 2026 beside it. */
  const count = (Date.parse('2026-10-31T23:00:00Z') - Date.parse('2026-07-31T22:00:00Z')) / 900_000;
  await bills.price(
    '2026-07-31T22:00:00Z',
    Array.from({ length: count }, (_, index) => price(index)),
  );
});
afterAll(() => metered?.close());

const OCTOBER = ['2026-10-01', '2026-11-01'] as const;
const OCTOBER_UTC = ['2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'] as const;
const kwhOf = (index: number) => ((index * 7919) % 4001) / 10_000;

async function smart(input: Parameters<Metered['contract']>[0] = {}) {
  return metered.contract({ ...SMART, ...input });
}

test('sums by slot equal those of each quarter hour alone, exactly, with an hour more in October', async () => {
  const contract = await smart();
  await metered.import(contract.id, quarterHours(...OCTOBER_UTC, kwhOf));
  const plan = planOf(OCTOBER, { pieces: ['2026-10-01', '2026-10-16'], hours: [1, 2, 3, 17, 18] });
  const energy = await known(bills.energy(await bills.contract(contract), OCTOBER, { plan }));
  const sums = plan.slots.map(() => ({ kwh: new Exact(0), eur: new Exact(0), negative: new Exact(0) }));
  const before = (Date.parse(OCTOBER_UTC[0]) - Date.parse('2026-07-31T22:00:00Z')) / 900_000;
  let count = 0;
  for (let start = Date.parse(OCTOBER_UTC[0]); start < Date.parse(OCTOBER_UTC[1]); start += 900_000) {
    const { slot } = plan.runs.find(({ from, until }) => from <= start && start < until) ?? { slot: -1 };
    const sum = sums[slot];
    if (sum === undefined) throw new Error('No slot');
    const [kwh, eurMwh] = [new Exact(kwhOf(count)), new Exact(price(before + count))];
    sum.kwh = sum.kwh.plus(kwh);
    sum.eur = sum.eur.plus(kwh.times(eurMwh).dividedBy(1000));
    if (eurMwh.isNegative() && !eurMwh.isZero()) sum.negative = sum.negative.plus(kwh);
    count += 1;
  }
  expect(count).toBe(31 * 96 + 4);
  const shown = energy.bySlot.map(({ slot, kwh, eur, kwhAtNegativePrice }) => [
    slot,
    ...[kwh, eur, kwhAtNegativePrice].map((text) => new Exact(text).toFixed()),
  ]);
  expect(shown).toEqual(
    sums.map(({ kwh, eur, negative }, slot) => [slot, kwh.toFixed(), eur.toFixed(), negative.toFixed()]),
  );
  const total = sums.reduce((sum, { kwh }) => sum.plus(kwh), new Exact(0));
  expect(new Exact(energy.kwh).toFixed()).toBe(total.toFixed());
  expect(energy).toMatchObject({ isEstimated: false, origin: 'metering_operator' });
  expect(energy.readings).toMatchObject([
    {
      start: { on: '2026-10-01', value: null, obtained: 'remote' },
      end: { on: '2026-11-01', value: null, obtained: 'remote' },
    },
  ]);
});

test('own quarter hours are told apart from those of the operator', async () => {
  const contract = await smart();
  await metered.import(contract.id, quarterHours(OCTOBER_UTC[0], '2026-10-31T22:45:00Z', 0.25));
  await storedRows(
    metered.api,
    `INSERT INTO usage_quarter_hours (organization_id, customer_id, subscription_id, interval_start, kwh, source)
     VALUES ($1, $2, $3, '2026-10-31T22:45:00Z', 0.5, 'own_measurement')`,
    [metered.organization, contract.place.customer, contract.id],
  );
  const energy = await known(bills.energy(await bills.contract(contract), OCTOBER));
  expect(energy.origin).toBe('mixed');
  expect(energy.byOrigin.map(({ origin, kwh }) => `${origin} ${Number(kwh)}`)).toEqual([
    `metering_operator ${(31 * 96 + 3) * 0.25}`,
    'own_measurement 0.5',
  ]);
});

test('missing quarter hours refuse the bill: how many, and the first one', async () => {
  const contract = await smart();
  const lines = quarterHours(...OCTOBER_UTC, 0.25).filter((_, index) => index !== 5 && index !== 700);
  await metered.import(contract.id, lines);
  const billed = await bills.contract(contract);
  expect(await refusal(bills.energy(billed, OCTOBER))).toBe(
    `missing_usage: usage_quarter_hours: 2 of 2980 quarter hours of ${contract.id} are missing, the first 2026-09-30T23:15:00.000Z; cli usage import takes them in`,
  );
});

test('asked for, gaps are estimated by the load profile and marked; what is fed in never is', async () => {
  const contract = await smart();
  const half = quarterHours(OCTOBER_UTC[0], '2026-10-15T22:00:00Z', 0.25);
  await metered.import(contract.id, half);
  const billed = await bills.contract(contract, { estimatedUsage: '3000' });
  const energy = await known(bills.energy(billed, OCTOBER, { estimateGaps: true }));
  expect(energy).toMatchObject({ isEstimated: true, origin: 'metering_operator' });
  expect(energy.estimates).toEqual(['filled_quarter_hours']);
  const [estimate, operator] = energy.byOrigin;
  expect([estimate?.origin, operator?.origin]).toEqual(['estimate', 'metering_operator']);
  expect(Number(operator?.kwh)).toBe(15 * 24);
  /* Sixteen days of 365 in October, when households use about as much as on the mean of the year. */
  const share = Number(estimate?.kwh) / 3000;
  expect(share).toBeGreaterThan((16 / 365) * 0.9);
  expect(share).toBeLessThan((16 / 365) * 1.1);
  expect(Number(energy.kwh)).toBeCloseTo(15 * 24 + Number(estimate?.kwh), 6);
  expect(Number(energy.readings[0]?.kwh)).toBeCloseTo(Number(energy.kwh), 6);

  const feedIn = await bills.contract(contract, { type: 'feed_in' });
  expect(await refusal(bills.energy(feedIn, OCTOBER, { estimateGaps: true }))).toMatch(/^missing_usage: /);

  /* By a profile of these days: one that ran out is carried forward for no bill. */
  const profileEnds = async (on: string | null) => {
    await storedRows(metered.api, 'UPDATE load_profiles SET valid_to = $1::date', [on]);
    forgetReferenceRevisions();
  };
  await profileEnds('2026-10-31');
  expect(await refusal(bills.energy(billed, OCTOBER, { estimateGaps: true }))).toBe(
    'missing_reference: load_profiles h25: no row is valid on 2026-10-31. It is entered with "tariffs import".',
  );
  await profileEnds(null);
});

test('a day of 23 hours has 92 quarter hours', async () => {
  const contract = await smart();
  await metered.import(contract.id, quarterHours('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 1));
  await bills.price('2026-03-28T23:00:00Z', Array<string>(92).fill('100'));
  const energy = await known(bills.energy(await bills.contract(contract), ['2026-03-29', '2026-03-30']));
  expect(energy.bySlot.map(({ kwh, eur }) => [Number(kwh), Number(eur)])).toEqual([[92, 9.2]]);
});

test('hourly prices before October 2025 count for their four quarter hours', async () => {
  const contract = await smart();
  await metered.import(contract.id, quarterHours('2025-09-29T22:00:00Z', '2025-10-01T22:00:00Z', 1));
  await bills.price(
    '2025-09-29T22:00:00Z',
    Array.from({ length: 24 }, (_, hour) => `${hour}`),
    60,
  );
  await bills.price(
    '2025-09-30T22:00:00Z',
    Array.from({ length: 96 }, (_, quarter) => `${quarter}`),
  );
  const billed = await bills.contract(contract);
  const energy = await known(
    bills.energy(billed, ['2025-09-30', '2025-10-02'], {
      plan: planOf(['2025-09-30', '2025-10-02'], { pieces: ['2025-09-30', '2025-10-01'] }),
    }),
  );
  expect(energy.bySlot.map(({ kwh, eur }) => [Number(kwh), Number(eur)])).toEqual([
    [96, (4 * 276) / 1000],
    [96, 4560 / 1000],
  ]);
});

test('a missing price refuses the bill, also where gaps may be estimated', async () => {
  const contract = await smart();
  await metered.import(contract.id, quarterHours('2026-05-31T22:00:00Z', '2026-06-01T22:00:00Z', 1));
  await bills.price(
    '2026-05-31T22:00:00Z',
    Array.from({ length: 96 }, (_, index) => (index < 94 ? '50' : null)),
  );
  const billed = await bills.contract(contract);
  expect(await refusal(bills.energy(billed, ['2026-06-01', '2026-06-02'], { estimateGaps: true }))).toBe(
    'missing_price: spot_prices: 2 of 96 quarter hours have no realized price, the first 2026-06-01T21:30:00Z; cli prices backfill asks for them, cli prices release serves what is held back',
  );
});

test('what is not settled is refused; what was settled and not frozen is frozen first, from snapshots', async () => {
  const contract = await smart();
  const billed = await bills.contract(contract);
  expect(await refusal(bills.energy(billed, ['2026-11-01', '2026-11-02']))).toMatch(
    /^not_settled: .*2026-11-01/,
  );
  const rows = Array.from({ length: 31 * 288 + 12 }, (_, index) => {
    const at = Date.parse(OCTOBER_UTC[0]) + index * 300_000;
    return [new Date(at).toISOString(), 2] as const;
  });
  await metered.measure(contract, rows);
  expect(await refusal(bills.energy(billed, OCTOBER, { freeze: false }))).toMatch(
    /^not_settled: settled_usage_months: the month of 2026-10-01 is not frozen/,
  );
  const energy = await known(bills.energy(billed, OCTOBER));
  expect(energy.origin).toBe('own_measurement');
  expect(Number(energy.kwh)).toBeCloseTo(2 * (31 * 24 + 1), 6);
});

test('contracts of one plan are summed together, each by itself, and one refusal leaves the others', async () => {
  const all = await Promise.all([1, 2, 3].map(() => smart()));
  for (const [index, { id }] of all.entries()) {
    if (index < 2) await metered.import(id, quarterHours(...OCTOBER_UTC, (index + 1) / 4));
  }
  const plan = planOf(OCTOBER, { hours: [0, 1] });
  const period = { from: OCTOBER[0], until: OCTOBER[1] };
  const periods = await Promise.all(
    all.map(async (contract) => ({ contract: await bills.contract(contract), plan, period })),
  );
  /* Nobody measured anything at the third one: its month has to be frozen as empty. */
  await bills.energy(periods[2]?.contract ?? (await bills.contract(all[0] as never)), OCTOBER);
  const { organization, api, clock } = metered;
  const sums = await api.deps.database.inOrganization({ organization }, (connection) =>
    energiesOf(connection, organization, periods, {
      estimateGaps: false,
      nowMilliseconds: clock.nowMilliseconds(),
    }),
  );
  const kwh = all.map(({ id }) => {
    const energy = sums.get(id);
    return energy instanceof BillingRefused || energy === undefined ? energy?.code : Number(energy.kwh);
  });
  expect(kwh).toEqual([2980 / 4, 2980 / 2, 'missing_usage']);
});
