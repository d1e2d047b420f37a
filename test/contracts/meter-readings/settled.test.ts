import { afterAll, beforeAll, expect, test } from 'vitest';
import { importReadings } from '../../../src/contracts/meter-readings/import.ts';
import { type Billed, startBilled } from '../../billing/invoices/billing.ts';
import { createClient, tokenFor } from '../../setup/factories.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import type { Contract } from '../usage/metered.ts';

/* Usage that was final and billed does not move by a customer's call: the day is the supplier's to enter. */

const NOW = '2026-11-12T05:30:00.000Z';

let billed: Billed;
beforeAll(async () => {
  billed = await startBilled(NOW);
  await billed.price('2026-09-01', '2026-12-01', 80);
  await billed.issuer();
});
afterAll(() => billed?.close());

async function send({ id }: Pick<Contract, 'id'>, day: string, value: number, token?: string) {
  const client = token === undefined ? await billed.client() : billed.api.client(token);
  const timestamp = `${day}T12:00:00Z`;
  return await client.post<ErrorBody>('/meter-readings', { subscription: id, value, timestamp });
}

async function take({ id }: Pick<Contract, 'id'>, lines: readonly string[]) {
  const now = billed.clock.now().toISOString();
  const act = { staff: 'tests', reason: 'test', command: 'meter-readings import', now };
  const bytes = Buffer.from(
    ['subscription,date,value,type', ...lines.map((line) => `${id},${line}`)].join('\n'),
  );
  return await importReadings(
    billed.api.deps.database,
    billed.organization,
    { name: 'readings.csv', bytes },
    act,
  );
}

async function expectRefused(contract: Contract, day: string, value: number, token?: string) {
  const answer = await send(contract, day, value, token);
  expect(refusal(answer)).toEqual([422, 'implausible_meter_reading value']);
  expect(answer.body.message).toBe('A reading of that day can be entered by the supplier only');
}

const since = (start_at: string) => billed.contract({ start_at, estimated_usage: '3650' });

test('a day that is billed is refused, its end is not, and the supplier corrects the bill', async () => {
  billed.clock.set(NOW);
  const contract = await since('2026-08-31T22:00:00Z');
  await take(contract, ['2026-09-01,1000,', '2026-11-01,1600,']);
  await billed.bill();
  const before = await billed.bills(contract);
  expect(before.map(({ type, period }) => [type, period])).toEqual([
    ['usage', '2026-09-01 2026-10-01'],
    ['usage', '2026-10-01 2026-11-01'],
  ]);
  for (const day of ['2026-09-15', '2026-10-01', '2026-10-31']) await expectRefused(contract, day, 1200);
  const own = await createClient(billed.api.deps, billed.organization, {
    customer_id: contract.place.customer,
  });
  await expectRefused(contract, '2026-10-01', 1200, await tokenFor(billed.api, own));
  await billed.bill();
  expect(await billed.bills(contract)).toEqual(before);

  await take(contract, ['2026-10-01,1200,']);
  billed.clock.set('2026-11-14T05:30:00.000Z');
  await billed.bill();
  const after = await billed.bills(contract);
  expect(before.map((bill) => bill.usage)).not.toContain(200);
  expect(
    after.filter(({ status, type }) => type === 'usage' && status !== 'voided').map((bill) => bill.usage),
  ).toEqual(expect.arrayContaining([200, 400]));
});

test('days before the end of the newest bill are refused where no later reading is there', async () => {
  billed.clock.set(NOW);
  const contract = await since('2026-09-30T22:00:00Z');
  await take(contract, ['2026-10-01,1000,', '2026-11-01,1300,grid_estimation']);
  await billed.bill();
  expect(await billed.bills(contract)).toMatchObject([{ type: 'usage', period: '2026-10-01 2026-11-01' }]);
  await expectRefused(contract, '2026-10-31', 1290);
  expect((await send(contract, '2026-11-01', 1310)).status).toBe(200);
});

test('a day between two readings is refused without a bill, one between estimates is not', async () => {
  billed.clock.set(NOW);
  const contract = await since('2026-05-31T22:00:00Z');
  await billed.read(contract, { '2026-08-01': 1000, '2026-11-01': 1600 });
  await expectRefused(contract, '2026-10-01', 1200);
  const estimated = await since('2026-05-31T22:00:00Z');
  await billed.read(estimated, { '2026-08-01': 1000, '2026-11-01': 1600 }, 'grid_estimation');
  expect((await send(estimated, '2026-10-01', 1200)).status).toBe(200);
  expect((await send(estimated, '2026-10-02', 1205)).status).toBe(200);
});

test('after an exchange the readings of the device before it do not settle a day of the new one', async () => {
  billed.clock.set(NOW);
  const contract = await since('2026-05-31T22:00:00Z');
  await billed.read(contract, { '2026-08-01': 1000, '2026-11-01': 1600 }, 'grid_reading', 7);
  expect((await send(contract, '2026-10-01', 1200)).status).toBe(200);
});
