import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays, berlinDays, berlinMilliseconds } from '../../../../../src/platform/time/berlin-calendar.ts';
import { forgetReferenceRevisions } from '../../../../../src/tariffs/reference-data/service.ts';
import {
  type Contract,
  type Metered,
  quarterHours,
  startMetered,
} from '../../../../contracts/usage/metered.ts';
import { storedRows } from '../../../../setup/stored-rows.ts';
import { type Energies, energies, known, planOf, refusal } from './billed.ts';

const NOW = '2026-11-21T16:05:00.000Z';

let metered: Metered;
let bills: Energies;
const FROM = Date.parse('2026-02-28T23:00:00Z');
const price = (index: number) => ((index * 37) % 190) - 20;

beforeAll(async () => {
  metered = await startMetered(NOW, { alone: true });
  bills = energies(metered);
  const count = (Date.parse('2026-11-30T23:00:00Z') - FROM) / 900_000;
  await bills.price(
    new Date(FROM).toISOString(),
    Array.from({ length: count }, (_, index) => String(price(index))),
  );
});
afterAll(() => metered?.close());

/** The mean price of days by the published profile, in binary floats and without any code of the service. */
function meanPrice(from: string, until: string): number {
  const rows = readFileSync(
    new URL('../../../../../reference/load_profiles.csv', import.meta.url),
    'utf8',
  ).split('\n');
  const values = new Map(
    rows
      .filter((row) => row.startsWith('h25,'))
      .map((row) => {
        const [, month, day, quarter, kwh] = row.split(',');
        return [`${Number(month)} ${day} ${Number(quarter)}`, Number(kwh)];
      }),
  );
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    ...({ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const),
  });
  let [sum, weights] = [0, 0];
  for (let start = berlinMilliseconds(from); start < berlinMilliseconds(until); start += 900_000) {
    const parts = Object.fromEntries(
      clock.formatToParts(start).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
    const date = Date.UTC(year, month - 1, day);
    const t = (date - Date.UTC(year, 0, 1)) / 86_400_000 + 1;
    const factor = -3.92e-10 * t ** 4 + 3.2e-7 * t ** 3 - 7.02e-5 * t ** 2 + 2.1e-3 * t + 1.24;
    const isHoliday = HOLIDAYS.includes(new Date(date).toISOString().slice(0, 10));
    const weekday = new Date(date).getUTCDay();
    const kind = weekday === 0 || isHoliday ? 'FT' : weekday === 6 ? 'SA' : 'WT';
    const weight = (values.get(`${month} ${kind} ${(hour * 60 + minute) / 15}`) ?? Number.NaN) * factor;
    weights += weight;
    sum += weight * price((start - FROM) / 900_000);
  }
  return sum / weights;
}

/* Of all of Germany, in the months that are looked at. */
const HOLIDAYS = ['2026-04-03', '2026-04-06', '2026-05-01', '2026-05-14', '2026-05-25', '2026-10-03'];

async function change(
  { meter, place }: Contract,
  valid_from: string,
  to: { type?: 'smart'; register?: number },
): Promise<void> {
  await storedRows(
    metered.api,
    `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, type, number, register)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      ...[metered.organization, place.customer, meter, valid_from, to.type ?? null],
      ...(to.register === undefined ? [null, null] : ['1EMH0099999999', to.register]),
    ],
  );
}

const monthOf = async (contract: Contract, from: string, until: string) =>
  (await metered.usage(contract.id, `start=${from}&end=${until}`)).body.data.map(({ usage }) => usage);

test.each([
  ['2026-03-01', '2026-04-01'],
  ['2026-10-01', '2026-11-01'],
  ['2026-05-01', '2026-06-01'],
] as const)('the month from %s costs what its quarter hours cost by the profile', async (from, until) => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-02-10': 1000, '2026-11-10': 3100 });
  const energy = await known(bills.energy(await bills.contract(contract), [from, until]));
  expect([Number(energy.kwh).toFixed(4)]).toEqual(
    (await monthOf(contract, from, until)).map((kwh) => kwh.toFixed(4)),
  );
  expect(energy).toMatchObject({ isEstimated: false, origin: 'readings' });
  const [slot] = energy.bySlot;
  expect((Number(slot?.eur) * 1000) / Number(slot?.kwh)).toBeCloseTo(meanPrice(from, until), 8);
  expect(Number(slot?.kwhAtNegativePrice)).toBeGreaterThan(0);
  expect(Number(slot?.kwhAtNegativePrice)).toBeLessThan(Number(slot?.kwh) / 5);
});

test('pieces of a month each have the price of their own days, and add up to its energy', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-02-10': 1000, '2026-11-10': 3100 });
  const billed = await bills.contract(contract);
  const month = ['2026-10-01', '2026-11-01'] as const;
  const whole = await known(bills.energy(billed, month));
  const plan = planOf(month, { pieces: ['2026-10-01', '2026-10-20'], hours: [3, 4, 5] });
  const parts = await known(bills.energy(billed, month, { plan }));
  const sum = (of: (slot: (typeof parts.bySlot)[number]) => string, pieces: readonly number[]) =>
    parts.bySlot
      .filter(({ slot }) => pieces.includes(slot))
      .reduce((total, slot) => total + Number(of(slot)), 0);
  expect(parts.bySlot).toHaveLength(4);
  expect(sum(({ kwh }) => kwh, [0, 1, 2, 3])).toBeCloseTo(Number(whole.kwh), 8);
  const mean = (sum(({ eur }) => eur, [2, 3]) * 1000) / sum(({ kwh }) => kwh, [2, 3]);
  expect(mean).toBeCloseTo(meanPrice('2026-10-20', '2026-11-01'), 8);
});

test('readings at both ends say how they were obtained; an estimate makes the bill one', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-08-01': 1000 }, 'customer_report');
  await metered.read(contract, { '2026-09-01': 1200 });
  await metered.read(contract, { '2026-10-01': 1400 }, 'grid_estimation');
  const billed = await bills.contract(contract, { estimatedUsage: '2400' });
  const august = await known(bills.energy(billed, ['2026-08-01', '2026-09-01']));
  expect(august.readings).toEqual([
    {
      meterNumber: billed.meterParts[0]?.number,
      register: 1,
      start: { on: '2026-08-01', value: '1000', obtained: 'customer_report' },
      end: { on: '2026-09-01', value: '1200', obtained: 'grid_reading' },
      kwh: '200',
    },
  ]);
  const september = await known(bills.energy(billed, ['2026-09-01', '2026-10-01']));
  expect(september.readings[0]?.end).toEqual({
    on: '2026-10-01',
    value: '1400',
    obtained: 'grid_estimation',
  });
  expect(september).toMatchObject({ isEstimated: true, origin: 'estimate', kwh: '200' });
  const october = await known(bills.energy(billed, ['2026-10-01', '2026-11-01']));
  expect(october).toMatchObject({ isEstimated: true, origin: 'estimate' });
  expect([september.estimates, october.estimates]).toEqual([['estimated_reading'], ['expected_usage']]);
  const [shown] = october.readings;
  expect(shown?.end?.obtained).toBe('interpolated');
  expect(Number(shown?.end?.value)).toBeCloseTo(1400 + Number(october.kwh), 4);
  const middle = await known(bills.energy(billed, ['2026-08-11', '2026-08-21']));
  expect(middle.isEstimated).toBe(false);
  const [{ start, end } = { start: null, end: null }] = middle.readings;
  expect([start?.obtained, end?.obtained]).toEqual(['interpolated', 'interpolated']);
  expect(Number(end?.value) - Number(start?.value)).toBeCloseTo(Number(middle.kwh), 3);
});

test('of a month with a reading within it only the days behind the reading are an estimate', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-09-01': 1000, '2026-09-16': 1120 });
  const billed = await bills.contract(contract, { estimatedUsage: '2400' });
  const energy = await known(bills.energy(billed, ['2026-09-01', '2026-10-01']));
  const behind = await known(bills.energy(billed, ['2026-09-16', '2026-10-01']));
  expect(energy).toMatchObject({ origin: 'readings', isEstimated: true, estimates: ['expected_usage'] });
  expect(energy.byOrigin).toEqual([
    { origin: 'estimate', kwh: behind.kwh },
    { origin: 'readings', kwh: '120' },
  ]);
});

test('a contract that nobody ever read is estimated, and no reading is made up', async () => {
  const billed = await bills.contract(await metered.contract());
  const energy = await known(bills.energy(billed, ['2026-10-01', '2026-11-01']));
  expect(energy).toMatchObject({ isEstimated: true, origin: 'estimate' });
  expect(energy.readings).toMatchObject([{ start: null, end: null, kwh: energy.kwh }]);
});

test('an exchange within the month: both registers with their readings, and their sum', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-09-01': 5000, '2026-10-16': 5300 });
  await change(contract, '2026-10-16', { register: 2 });
  await metered.read(contract, { '2026-10-16': 12, '2026-11-16': 212 }, 'grid_reading', 2);
  const billed = await bills.contract(contract);
  const month = ['2026-10-01', '2026-11-01'] as const;
  const energy = await known(bills.energy(billed, month));
  const [usage] = await monthOf(contract, ...month);
  expect(Number(energy.kwh)).toBeCloseTo(usage ?? 0, 4);
  expect(energy.isEstimated).toBe(false);
  expect(energy.readings).toMatchObject([
    { register: 1, end: { on: '2026-10-16', value: '5300', obtained: 'grid_reading' } },
    { register: 2, meterNumber: '1EMH0099999999', start: { on: '2026-10-16', value: '12' } },
  ]);
  const [old, young] = energy.readings.map(({ kwh }) => Number(kwh));
  expect((old ?? 0) + (young ?? 0)).toBeCloseTo(Number(energy.kwh), 8);
});

test('a meter that becomes smart within the month has both: readings, then quarter hours', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-09-01': 1000, '2026-10-16': 1450 });
  await change(contract, '2026-10-16', { type: 'smart' });
  await metered.import(contract.id, quarterHours('2026-10-15T22:00:00Z', '2026-10-31T23:00:00Z', 0.25));
  const month = ['2026-10-01', '2026-11-01'] as const;
  const plan = planOf(month, { pieces: ['2026-10-01', '2026-10-16'] });
  const energy = await known(bills.energy(await bills.contract(contract), month, { plan }));
  expect(energy).toMatchObject({ isEstimated: false, origin: 'mixed' });
  expect(energy.byOrigin.map(({ origin }) => origin)).toEqual(['metering_operator', 'readings']);
  const [usage] = await monthOf(contract, ...month);
  expect(Number(energy.kwh)).toBeCloseTo(usage ?? 0, 4);
  const [analog, smart] = energy.bySlot;
  expect(Number(smart?.kwh)).toBe(16 * 24 + 1);
  const quarters = berlinDays('2026-10-16', '2026-11-01');
  const begins = (quarters[0]?.begins ?? 0) - FROM;
  let eur = 0;
  for (let index = 0; index < 16 * 96 + 4; index += 1) eur += (price(begins / 900_000 + index) * 0.25) / 1000;
  expect(Number(smart?.eur)).toBeCloseTo(eur, 8);
  expect((Number(analog?.eur) * 1000) / Number(analog?.kwh)).toBeCloseTo(
    meanPrice('2026-10-01', '2026-10-16'),
    8,
  );
  expect(energy.readings).toMatchObject([
    { start: { obtained: 'interpolated' }, end: { value: '1450', obtained: 'grid_reading' } },
    { start: { on: '2026-10-16', value: null, obtained: 'remote' }, end: { on: '2026-11-01' } },
  ]);
});

test('a register that ran backwards, and a month that is not over, refuse the bill', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-08-01': 1000, '2026-09-01': 800 });
  const billed = await bills.contract(contract);
  expect(await refusal(bills.energy(billed, ['2026-08-01', '2026-09-01']))).toMatch(
    /^missing_reading: meter_readings: register 1 of mtr_\w+ ran backwards, so that its use from 2026-08-01 on/,
  );
  expect(await refusal(bills.energy(billed, ['2026-11-01', addDays('2026-11-20', 0)]))).toMatch(
    /^not_settled: .*2026-11-01/,
  );
});

test('a load profile that ran out is carried forward for the usage shown, and never for a bill', async () => {
  const contract = await metered.contract();
  await metered.read(contract, { '2026-02-10': 1000, '2026-11-10': 3100 });
  const billed = await bills.contract(contract);
  const profileEnds = async (on: string | null) => {
    await storedRows(metered.api, 'UPDATE load_profiles SET valid_to = $1::date', [on]);
    forgetReferenceRevisions();
  };
  const [september, october] = [['2026-09-01', '2026-10-01'] as const, ['2026-10-01', '2026-11-01'] as const];
  const before = await monthOf(contract, ...october);
  await profileEnds('2026-10-31');
  await known(bills.energy(billed, september));
  expect(await refusal(bills.energy(billed, october))).toBe(
    'missing_reference: load_profiles h25: no row is valid on 2026-10-31. It is entered with "tariffs import".',
  );
  expect(await monthOf(contract, ...october)).toEqual(before);
  /* Longer ago than anything is carried forward. */
  await profileEnds('2025-01-02');
  expect(await refusal(bills.energy(billed, october))).toMatch(/^missing_reference: .*load_profiles .*h25/);
  await profileEnds(null);
  await known(bills.energy(billed, october));
});
