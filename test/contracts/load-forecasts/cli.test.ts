import { afterAll, beforeAll, expect, test } from 'vitest';
import { CUT, runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/api.ts';
import { days, Forecasts } from './forecasts.ts';

const DAY = '2027-03-28';

let forecasts: Forecasts;
let environment: Record<string, string>;
let first: string;
let second: string;
beforeAll(async () => {
  forecasts = await Forecasts.start('2027-03-26T10:00:00.000Z');
  environment = testEnvironment(forecasts.api.database, 'redis://127.0.0.1:1');
  const contracts = [await forecasts.contracts.active(), await forecasts.contracts.active()];
  [first = '', second = ''] = contracts.map(({ id }) => id).sort();
  for (const id of [first, second]) await forecasts.send({ id }, days(DAY, 2, 1));
  forecasts.contracts.clock.set('2027-03-27T12:00:00.000Z');
  await forecasts.send(
    { id: second },
    days(DAY, 1, (index) => index / 10),
  );
});
afterAll(() => forecasts?.close());

const run = (...args: string[]) =>
  runCommand(environment, 'load-forecasts', ...args, '--organization', forecasts.contracts.organization);

async function json(...args: string[]): Promise<unknown> {
  const { stdout, stderr } = await run(...args, '--json');
  if (stderr.replace(CUT, '') !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

test('list tells what a purchase of a day goes by, one forecast for each contract', async () => {
  const early = { delivery_on: DAY, purchase: 'day_ahead', points: 92, kwh: 23 };
  const inTime = { ...early, received_at: '2027-03-26T10:00:00.000Z' };
  const late = {
    ...{ delivery_on: DAY, purchase: 'intraday', points: 92, kwh: 104.65 },
    received_at: '2027-03-27T12:00:00.000Z',
  };
  expect(await json('list', '--day', DAY, '--purchase', 'day_ahead')).toEqual([
    { subscription_id: first, ...inTime },
    { subscription_id: second, ...inTime },
  ]);
  const newest = [
    { subscription_id: first, ...inTime },
    { subscription_id: second, ...late },
  ];
  expect(await json('list', '--day', DAY)).toEqual(newest);
  expect(await json('list', '--day', DAY, '--limit', '1')).toEqual(newest.slice(0, 1));
  expect(await json('list', '--day', DAY, '--subscription', second)).toEqual(newest.slice(1));
  expect(await json('list', '--day', '2027-03-30')).toEqual([]);
  expect((await run('list', '--day', DAY)).stdout).toMatch(
    /^subscription_id +delivery_on +purchase +points +kwh/,
  );
});

test('days that became days without supply after they were sent are not bought', async () => {
  const { contracts } = forecasts;
  const mover = await contracts.active();
  await forecasts.send(mover, days('2027-04-10', 3, 1));
  const client = await contracts.client();
  const moves = { reason: 'MOVE_OUT', intended_end_at: '2027-04-12T00:00:00+02:00' };
  expect((await client.post(`/subscriptions/${mover.id}/terminate`, moves)).status).toBe(200);
  const bought = async (day: string) => (await json('list', '--day', day)) as { subscription_id: string }[];
  expect(await bought('2027-04-11')).toMatchObject([{ subscription_id: mover.id, kwh: 24 }]);
  expect(await bought('2027-04-12')).toEqual([]);
  expect((await run('show', mover.id, '--day', '2027-04-12')).exitCode).toBe(1);
});

test('show has the quarter hours, over the hour that is left out', async () => {
  const shown = (await json('show', second, '--day', DAY)) as { points: object[] };
  expect(shown).toMatchObject({
    subscription: second,
    delivery_on: DAY,
    purchase: 'intraday',
    received_at: '2027-03-27T12:00:00.000Z',
  });
  expect(shown.points).toHaveLength(92);
  expect(shown.points[8]).toEqual({ start: '2027-03-28T01:00:00.000Z', kw: 0.8 });
  expect(shown.points.at(-1)).toEqual({ start: '2027-03-28T21:45:00.000Z', kw: 9.1 });
  const early = await run('show', second, '--day', DAY, '--purchase', 'day_ahead');
  expect(early.stdout).toMatch(/^day_ahead, received at 2027-03-26T10:00:00\.000Z\nstart +kw\n/);
});

test.each([
  [['list'], 2, "required option '--day"],
  [['list', '--day', '2027-02-30'], 2, 'A day of the calendar'],
  [['list', '--day', DAY, '--purchase', 'later'], 2, 'Allowed choices are day_ahead, intraday'],
  [['show', 'sub_000000000000000000000000', '--day', DAY], 1, 'There is no forecast of sub_0'],
  [['show', 'x', '--day', DAY], 1, 'There is no forecast of x for 2027-03-28 in org_'],
])('%j is refused', async (args, exitCode, sentence) => {
  const result = await run(...args);
  expect([result.exitCode, result.stdout]).toEqual([exitCode, '']);
  expect(result.stderr).toContain(sentence);
});

test('another organization has no such forecasts', async () => {
  const nowhere = 'org_000000000000000000000000';
  const args = ['load-forecasts', 'list', '--day', DAY, '--organization', nowhere];
  expect(await runCommand(environment, ...args)).toMatchObject({
    exitCode: 1,
    stderr: `There is no organization ${nowhere}\n`,
  });
});
