import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { correctExchange, exchangeMeter } from '../../../src/contracts/meter-readings/exchange.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type Contract, type Metered, quarterHours, shown, startMetered } from './metered.ts';

const NOW = '2026-11-21T16:05:00.000Z';

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(NOW);
});
afterAll(() => metered?.close());

async function change(
  { meter, place }: Contract,
  valid_from: string,
  to: { type?: 'smart' | 'analog'; register?: number },
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

/** Readings of a register, straight into the table. */
async function read(contract: Contract, register: number, rows: Readonly<Record<string, number>>) {
  await metered.read(contract, rows, 'grid_reading', register);
}

describe('a meter that becomes smart', () => {
  test('a period that spans the day takes each part by what the meter was, by months', async () => {
    const contract = await metered.contract();
    await metered.read(contract, { '2026-08-01': 1000, '2026-09-01': 1310, '2026-10-16': 1800 });
    await change(contract, '2026-10-16', { type: 'smart' });
    await metered.import(contract.id, quarterHours('2026-10-15T22:00:00Z', '2026-10-31T23:00:00Z', 0.25));
    const answer = await metered.usage(contract.id, 'start=2026-08-01&end=2026-11-01');
    expect(answer.body).toMatchObject({ meter_type: 'smart', resolution: 'month' });
    const [august, september, october] = answer.body.data;
    expect(august).toEqual({ start: '2026-07-31T22:00:00Z', usage: 310, type: 'final' });
    /* 490 kWh until the change, and 16 days and an hour of 1 kW. */
    expect((september?.usage ?? 0) + (october?.usage ?? 0)).toBeCloseTo(490 + 16 * 24 + 1, 3);
    expect([september?.type, october?.type]).toEqual(['final', 'final']);
    /* Of days on which it was smart every resolution can be had. */
    const day = await metered.usage(contract.id, 'start=2026-10-25&end=2026-10-26&resolution=day');
    expect(shown(day)).toEqual(['2026-10-24T22:00:00Z 25 final']);
    const before = await metered.usage(contract.id, 'start=2026-08-01&end=2026-10-16&resolution=day');
    expect(before.body).toMatchObject({ meter_type: 'analog', resolution: 'month' });
  });

  test('quarter hours of the time before it are refused', async () => {
    const contract = await metered.contract();
    await change(contract, '2026-10-16', { type: 'smart' });
    await expect(metered.import(contract.id, ['2026-10-15T21:45:00Z,1'])).rejects.toThrow(
      'The meter was no smart meter then',
    );
    await metered.import(contract.id, ['2026-10-15T22:00:00Z,1']);
  });

  test('its own measurements are frozen from that day on', async () => {
    const contract = await metered.contract();
    await change(contract, '2026-10-16', { type: 'smart' });
    await metered.measure(contract, [
      ['2026-10-15T21:45:00Z', 4],
      ['2026-10-15T22:30:00Z', 8],
    ]);
    const answer = await metered.usage(contract.id, 'start=2026-10-16&end=2026-11-01&resolution=day');
    expect(shown(answer)).toEqual(['2026-10-15T22:00:00Z 2 final']);
  });
});

test('days that a corrected exchange takes from a smart meter are final usage neither in the interface nor for analysts', async () => {
  const contract = await metered.contract();
  const { database } = metered.api.deps;
  const act = { staff: 'ada', reason: 'ticket 17', command: 'meters', now: NOW };
  const wrong = {
    on: '2026-10-01',
    number: '1EMH0099999999',
    type: 'smart',
    closing: '1500',
  } as const;
  await metered.read(contract, { '2026-08-01': 1000 });
  await exchangeMeter(database, metered.organization, contract.meter, wrong, act);
  await metered.measure(
    contract,
    quarterHours('2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z', 1).map((line) => [
      line.split(',')[0] ?? '',
      1,
    ]),
  );
  const firstDays = async () => {
    const days: unknown[] = [];
    for (const view of ['usage_quarter_hours', 'usage_days', 'retail_cost', 'retail_cost_days'])
      days.push(
        ...(await storedRows(
          metered.api,
          `SELECT to_char(min(delivery_day), 'MM-DD') AS first, count(DISTINCT delivery_day)::int AS days
             FROM analytics.${view} WHERE organization_id = $1 AND contract = $2`,
          [metered.organization, contract.id],
        )),
      );
    return days;
  };
  const ofOctober = 'start=2026-10-01&end=2026-11-01';
  expect((await metered.usage(contract.id, ofOctober)).body.data[0]?.type).toBe('final');
  expect(await firstDays()).toEqual(Array(4).fill({ first: '10-01', days: 31 }));
  const later = { ...act, now: '2026-11-21T16:06:00.000Z' };
  await correctExchange(database, metered.organization, contract.meter, { on: '2026-10-20' }, later);
  const { body } = await metered.usage(contract.id, ofOctober);
  expect(body.data[0]?.usage).not.toBeCloseTo(31 * 24 + 1, 0);
  expect(await firstDays()).toEqual(Array(4).fill({ first: '10-20', days: 12 }));
});

describe('an exchange of an analog meter', () => {
  test('the closing reading ends the old register, the opening reading begins the new one', async () => {
    const contract = await metered.contract();
    await change(contract, '2026-06-16', { register: 2 });
    await read(contract, 1, { '2026-05-01': 90_000, '2026-06-16': 90_400 });
    await read(contract, 2, { '2026-06-16': 7, '2026-08-01': 307 });
    const answer = await metered.usage(contract.id, 'start=2026-05-01&end=2026-08-01');
    expect(answer.body.data.map(({ type }) => type)).toEqual(['final', 'final', 'final']);
    expect(answer.body.data.reduce((sum, { usage }) => sum + usage, 0)).toBeCloseTo(700, 3);
  });

  test('without a closing reading the estimate holds until the exchange, and before the first reading of the new one', async () => {
    const contract = await metered.contract({ estimated_usage: '3000' });
    await change(contract, '2026-07-01', { register: 2 });
    await read(contract, 1, { '2026-05-01': 90_000, '2026-06-01': 90_200 });
    await read(contract, 2, { '2026-08-01': 107, '2026-09-01': 307 });
    const answer = await metered.usage(contract.id, 'start=2026-05-01&end=2026-09-01');
    expect(answer.body.data.map(({ type }) => type)).toEqual([
      'final',
      'preliminary',
      'preliminary',
      'final',
    ]);
    const [may, june, july, august] = answer.body.data.map(({ usage }) => usage);
    expect([may, august]).toEqual([200, 200]);
    for (const estimate of [june, july]) expect(estimate).toBeGreaterThan(150);
  });
});
