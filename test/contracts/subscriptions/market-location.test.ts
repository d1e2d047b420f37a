import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  confirmSubscription,
  rejectSubscription,
  type SupplyDates,
  setDates,
} from '../../../src/contracts/subscriptions/back-office.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { Contracts } from './contracts.ts';
import { SignUps } from './sign-ups.ts';

let contracts: Contracts;
let signUps: SignUps;
beforeAll(async () => {
  contracts = await Contracts.start('2026-11-23T08:30:00.000Z');
  signUps = await SignUps.start();
});
afterAll(async () => {
  await contracts?.close();
  await signUps?.close();
});

const act = () => ({ staff: 'ada', reason: 'x', command: 'test', now: contracts.clock.now().toISOString() });

function confirm(id: string, start_on: string, malo?: string) {
  const confirmation = { start_on, ...(malo !== undefined && { malo }) };
  return confirmSubscription(contracts.api.deps, contracts.organization, id, confirmation, act());
}

function move(id: string, dates: SupplyDates) {
  return setDates(contracts.api.deps, contracts.organization, id, dates, act());
}

async function change(meter: string, ...options: string[]) {
  const environment = testEnvironment(contracts.api.database, 'redis://127.0.0.1:1');
  const place = ['--organization', contracts.organization, '--reason', 'x', '--staff', 'ada'];
  return runCommand(environment, 'meters', 'change', meter, ...options, ...place);
}

async function exchanged(meter: string, number: string) {
  await storedRows(
    contracts.api,
    `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, number, register)
     SELECT organization_id, customer_id, id, '2026-11-01', $2, 2 FROM meters WHERE id = $1`,
    [meter, number],
  );
}

async function listed(number: string): Promise<unknown> {
  const environment = testEnvironment(contracts.api.database, 'redis://127.0.0.1:1');
  const words = [
    'subscriptions',
    'list',
    '--meter',
    number,
    '--organization',
    contracts.organization,
    '--json',
  ];
  return JSON.parse((await runCommand(environment, ...words)).stdout);
}

let drawn = 4_137_355_924;

/** One that nobody has. */
function newMalo(): string {
  drawn += 1;
  const digits = [...String(drawn)].map(Number);
  const sum = digits.reduce((total, digit, index) => total + digit * (1 + (index % 2)), 0);
  return `${drawn}${(10 - (sum % 10)) % 10}`;
}

const maloOf = async (meter: string) =>
  (
    await storedRows<{ malo: string | null }>(contracts.api, 'SELECT malo FROM meters WHERE id = $1', [meter])
  )[0]?.malo;

const toldOf = (field: string, malo: string, id: string, own = 'sub_') => ({
  status: 409,
  entries: [
    {
      field,
      message: expect.stringContaining(`Market location ${malo} belongs to ${id} in days of ${own}`),
    },
  ],
});

test('of two contracts for one market location the second is not confirmed, and is told which the first is', async () => {
  const malo = newMalo();
  const [first, second] = [await contracts.contract(), await contracts.contract()];
  await confirm(first.id, '2027-01-01', malo);
  await expect(confirm(second.id, '2027-01-01', malo)).rejects.toMatchObject(toldOf('malo', malo, first.id));
  expect(await contracts.row(second.id)).toMatchObject({ start_at: null });
  expect(await maloOf(second.meter)).toBeNull();
  await confirm(second.id, '2027-01-01', newMalo());
});

test('of two confirmations at once one is refused', async () => {
  const malo = newMalo();
  const made = await Promise.all([1, 2, 3, 4].map(() => contracts.contract()));
  const ended = await Promise.allSettled(made.map(({ id }) => confirm(id, '2027-01-01', malo)));
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('who moves in is confirmed from the day on which the contract before has ended, whatever is corrected then', async () => {
  const malo = newMalo();
  const before = await contracts.active({
    ...{
      terminated_at: '2026-11-20T08:00:00Z',
      termination_reason: 'MOVE_OUT',
      end_at: '2027-02-28T23:00:00Z',
    },
  });
  expect(await change(before.meter, '--malo', malo)).toMatchObject({ exitCode: 0, stderr: '' });
  const after = await contracts.contract();
  await expect(confirm(after.id, '2027-02-28', malo)).rejects.toMatchObject(toldOf('malo', malo, before.id));
  await confirm(after.id, '2027-03-01', malo);
  await expect(confirm(after.id, '2027-02-28')).rejects.toMatchObject(toldOf('start_on', malo, before.id));
  await expect(move(after.id, { start_on: '2027-02-28' })).rejects.toMatchObject(
    toldOf('start_on', malo, before.id),
  );
  await expect(move(before.id, { end_on: '2027-03-02' })).rejects.toMatchObject(
    toldOf('end_on', malo, after.id),
  );
  await move(before.id, { end_on: '2027-02-15' });
  await move(after.id, { start_on: '2027-02-15' });
});

test('a confirmation is not refused for days before its start, and otherwise names both contracts and their first day', async () => {
  const malo = newMalo();
  const over = {
    ...{ terminated_at: '2026-11-20T08:00:00Z', termination_reason: 'MOVE_OUT' as const },
    end_at: '2026-12-31T23:00:00Z',
  };
  const [before, other] = [await contracts.active(over), await contracts.active(over)];
  await change(other.meter, '--malo', malo);
  const next = await contracts.contract({ household: before.place });
  expect((await change(next.meter, '--malo', malo)).stderr).toBe(
    `malo: Market location ${malo} belongs to ${other.id} in days of ${before.id}, the first is 2025-01-01\n`,
  );
  await confirm(next.id, '2027-01-01', malo);
  expect(await maloOf(next.meter)).toBe(malo);

  const shared = newMalo();
  const [fed, own] = [
    await contracts.active({ type: 'feed_in' }),
    await contracts.active({ type: 'feed_in' }),
  ];
  await change(fed.meter, '--malo', shared);
  const taken = await contracts.contract({ household: own.place });
  await expect(confirm(taken.id, '2027-01-01', shared)).rejects.toMatchObject(
    toldOf('malo', shared, fed.id, `${own.id}, the first is 2027-01-01`),
  );
});

test('what is never supplied holds no market location', async () => {
  const malo = newMalo();
  const refused = await contracts.contract();
  await confirm(refused.id, '2027-01-01', malo);
  const withdrawn = await contracts.contract({
    ...{ start_at: '2027-01-31T23:00:00Z', confirmed_at: '2026-11-20T08:00:00Z' },
    ...{
      terminated_at: '2026-11-21T08:00:00Z',
      termination_reason: 'WITHDRAWAL',
      end_at: '2026-12-31T23:00:00Z',
    },
  });
  await change(withdrawn.meter, '--malo', malo);
  await rejectSubscription(contracts.api.deps, contracts.organization, refused.id, act());
  const next = await contracts.contract();
  await confirm(next.id, '2026-12-15', malo);
  await expect(confirm(withdrawn.id, '2026-12-01')).rejects.toMatchObject(toldOf('start_on', malo, next.id));
});

test('feed-in has its own: one contract that takes and one that feeds in share the market location, two do not', async () => {
  const malo = newMalo();
  const taken = await contracts.contract();
  await confirm(taken.id, '2027-01-01', malo);
  const fed = await contracts.contract({ type: 'feed_in' });
  await confirm(fed.id, '2027-01-01', malo);
  const other = await contracts.contract({ type: 'feed_in' });
  await expect(confirm(other.id, '2027-01-01', malo)).rejects.toMatchObject(toldOf('malo', malo, fed.id));
  const same = await contracts.contract({ type: 'feed_in', household: fed.place });
  await expect(confirm(same.id, '2027-01-01')).rejects.toMatchObject(toldOf('start_on', malo, fed.id));
});

test('a wrong market location is corrected at its meter, and no day is needed', async () => {
  const malo = newMalo();
  const [mistaken, right] = [await contracts.active(), await contracts.active()];
  await change(mistaken.meter, '--malo', malo);
  expect(await change(right.meter, '--malo', malo)).toMatchObject({
    ...{
      exitCode: 1,
      stderr: `malo: Market location ${malo} belongs to ${mistaken.id} in days of ${right.id}, the first is 2025-01-01\n`,
    },
  });
  expect((await change(right.meter, '--malo', malo, '--from', '2026-11-01')).stderr).toBe(
    'malo: It was so from the beginning: leave the day out\n',
  );
  const other = newMalo();
  expect((await change(mistaken.meter, '--malo', other)).stdout).toContain(other);
  expect(await change(right.meter, '--malo', malo)).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a number with a wrong check digit is no market location: several contracts may have it', async () => {
  const made = [await contracts.contract(), await contracts.contract()];
  for (const { id, meter } of made) {
    await storedRows(contracts.api, "UPDATE meters SET malo = '41234567890' WHERE id = $1", [meter]);
    await confirm(id, '2027-01-01');
  }
});

test('a sign-up in a supplied household does not take the market location of another one', async () => {
  const malo = newMalo();
  const { api } = signUps;
  const of = (meter: string) => storedRows(api, 'SELECT malo FROM meters WHERE id = $1', [meter]);
  const supplied = async (sent: object) => {
    const meter = signUps.meter({ type: 'smart', ...sent });
    const made = await signUps.signUp(signUps.body({ meter }));
    await storedRows(
      api,
      "UPDATE subscriptions SET status = 'active', start_at = $2, confirmed_at = $2 WHERE id = $1",
      [made.id, '2026-01-31T23:00:00Z'],
    );
    return { ...made, sent: meter };
  };
  const first = await supplied({ malo });
  const other = await supplied({});
  const next = (sent: string) =>
    signUps.signUp(signUps.feedIn({ customer: other.customer, meter: { ...other.sent, malo: sent } }));
  await next(malo);
  expect(await of(other.meter)).toEqual([{ malo: null }]);
  /* Nor that of somebody whom the client does not see. */
  await storedRows(api, 'UPDATE customers SET restricted_at = now() WHERE id = $1', [first.customer]);
  await next(malo);
  expect(await of(other.meter)).toEqual([{ malo: null }]);
  const free = newMalo();
  await next(free);
  expect(await of(other.meter)).toEqual([{ malo: free }]);
});

test('messages of the market name a contract by market location, metering location, or a number of its device', async () => {
  const malo = newMalo();
  const melo = `DE00099937073${malo}000000000`.slice(0, 33).padEnd(33, '0');
  const { id, meter } = await contracts.contract({ meter_number: `1EMH${malo}` });
  await contracts.contract();
  await change(meter, '--malo', malo, '--melo', melo);
  await exchanged(meter, `1ITR${malo}`);
  for (const number of [malo, melo, `1emh ${malo}`, `1ITR${malo}`]) {
    expect(await listed(number)).toMatchObject([{ id, meter_id: meter }]);
  }
  expect(await listed(newMalo())).toEqual([]);
});
