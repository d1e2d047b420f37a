import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeMeter } from '../../../src/contracts/meters/change.ts';
import {
  confirmSubscription,
  rejectSubscription,
  setDates,
} from '../../../src/contracts/subscriptions/back-office.ts';
import { terminateForStaff } from '../../../src/contracts/subscriptions/terminate.ts';
import { sqlFolder } from '../../../src/platform/database/migration-files.ts';
import type { CalendarDay } from '../../../src/platform/time/berlin-calendar.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { createPlan } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Contract, type Metered, shown, startMetered } from '../usage/metered.ts';

const NOW = '2026-11-21T16:05:00.000Z';
/** The first of a month that is at least one month ahead. */
const START = '2027-01-01';
const NUMBER = '1EMH0000000001';
const READINGS = { '2025-01-01': 1000, '2025-07-01': 2500, '2026-07-01': 5000 };
const SMART = [400, 'unsupported_meter subscription'];

let metered: Metered;
let feedIn: string;
let consumption: string;
let contract: Contract;
beforeAll(async () => {
  metered = await startMetered(NOW);
  feedIn = (await createPlan(metered.api.deps, metered.organization, { type: 'feed_in' })).id;
  consumption = (await createPlan(metered.api.deps, metered.organization, {})).id;
});
beforeEach(async () => {
  metered.clock.set(NOW);
  contract = await metered.contract({ meter_number: NUMBER });
  await metered.read(contract, READINGS);
});
afterAll(() => metered?.close());

const act = (command = 'test') => ({
  staff: 'tests',
  reason: 'test',
  command,
  now: metered.clock.now().toISOString(),
});

/** A contract at the meter; feed-in at that of the running one where nothing else is said. */
async function signUp(
  plan = feedIn,
  place: object = contract.place,
  type: 'smart' | 'analog' = 'smart',
): Promise<string> {
  const answer = await (await metered.client()).post<ErrorBody & { id: string }>('/subscriptions', {
    plan,
    ...place,
    address: { street: 'Am Mühlgraben', house_number: '7a', zip: '10115', city: 'Berlin' },
    meter: { number: NUMBER, type, estimated_usage: 4888 },
    payment_method: {
      type: 'sepa_debit',
      sepa_debit: { iban: 'DE89370400440532013000', account_holder: 'Jule Brandt' },
    },
    next_possible_start: true,
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.id;
}

async function send(day: string, value: number) {
  const body = { subscription: contract.id, value, timestamp: `${day}T12:00:00Z` };
  return refusal(await (await metered.client()).post<ErrorBody>('/meter-readings', body));
}

async function usage() {
  const answer = await metered.usage(contract.id, 'start=2025-01-01&end=2026-11-01');
  return { type: answer.body.meter_type, data: shown(answer) };
}

async function shownType(id: string) {
  const client = await metered.client();
  return (await client.get<{ meter: { type: string } }>(`/subscriptions/${id}`)).body.meter.type;
}

/** On each of the days, the reading that the meter would have shown, or why it is refused. */
async function taken(days: readonly string[]) {
  const answers: unknown[] = [];
  for (const [index, day] of days.entries()) answers.push(await send(day, 6100 + index));
  return answers;
}

const back = {
  confirm: (id: string, start_on: string) =>
    confirmSubscription(metered.api.deps, metered.organization, id, { start_on }, act()),
  move: (id: string, start_on: string) =>
    setDates(metered.api.deps, metered.organization, id, { start_on }, act()),
  reject: (id: string) => rejectSubscription(metered.api.deps, metered.organization, id, act()),
  withdraw: (id: string) => {
    const parts = { database: metered.api.deps.database, clock: metered.clock };
    return terminateForStaff(parts, metered.organization, id, { reason: 'WITHDRAWAL' }, act());
  },
};

describe('a feed-in sign-up that says smart, at the meter of a running analog contract', () => {
  test('leaves usage and readings of that contract as they are', async () => {
    const before = await usage();
    expect(before).toMatchObject({ type: 'analog', data: { length: 22 } });
    const id = await signUp();
    expect(await usage()).toEqual(before);
    expect([await shownType(contract.id), await shownType(id)]).toEqual(['analog', 'analog']);
    expect(await send('2026-11-20', 6000)).toEqual([200]);
  });

  test('that is rejected leaves them so for good', async () => {
    const before = await usage();
    const id = await signUp();
    await back.confirm(id, START);
    await back.reject(id);
    expect(await usage()).toEqual(before);
    metered.clock.set('2027-02-10T12:00:00.000Z');
    expect(await shownType(contract.id)).toBe('analog');
    expect(await taken(['2027-01-01', '2027-01-02', '2027-02-09'])).toEqual([[200], [200], [200]]);
    expect(await usage()).toMatchObject({ type: 'analog', data: { length: 22 } });
  });

  test('that is withdrawn from before its start leaves them so for good', async () => {
    const id = await signUp();
    await back.confirm(id, START);
    await back.withdraw(id);
    metered.clock.set('2027-02-10T12:00:00.000Z');
    expect(await shownType(contract.id)).toBe('analog');
    expect(await taken(['2027-01-01', '2027-01-02'])).toEqual([[200], [200]]);
  });

  test('makes the meter smart from the start of its supply, whose first day takes the closing reading', async () => {
    const id = await signUp();
    await back.confirm(id, START);
    expect(await shownType(contract.id)).toBe('analog');
    metered.clock.set('2026-12-31T22:59:59.999Z');
    expect(await shownType(contract.id)).toBe('analog');
    metered.clock.set('2026-12-31T23:00:00.000Z');
    expect([await shownType(contract.id), await shownType(id)]).toEqual(['smart', 'smart']);
    metered.clock.set('2027-02-10T12:00:00.000Z');
    expect(await taken(['2026-12-31', '2027-01-01', '2027-01-02'])).toEqual([[200], [200], SMART]);
  });

  test('moves the day with its start', async () => {
    const id = await signUp();
    await back.confirm(id, START);
    await back.move(id, '2027-03-01');
    metered.clock.set('2027-02-28T22:59:59.999Z');
    expect(await taken(['2027-01-02', '2027-02-28'])).toEqual([[200], [200]]);
    await back.move(id, '2027-02-01');
    expect(await shownType(contract.id)).toBe('smart');
    expect(await taken(['2027-02-02'])).toEqual([SMART]);
  });

  test('at the command line: rejected there, readings are taken there', async () => {
    const id = await signUp();
    const environment = testEnvironment(metered.api.database, 'redis://127.0.0.1:1');
    const why = ['--organization', metered.organization, '--reason', 'ticket 17'];
    const done = await runCommand(environment, 'subscriptions', 'reject', id, ...why);
    expect(done).toMatchObject({ exitCode: 0, stderr: '' });
    const values = ['--date', '2026-10-01', '--value', '5500'];
    const read = await runCommand(environment, 'meter-readings', 'add', contract.id, ...values);
    expect(read).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await usage()).toMatchObject({ type: 'analog', data: { length: 22 } });
  });
});

describe('what the back office says of the type after a sign-up that said smart', () => {
  let selling: string;
  beforeAll(async () => {
    const terms = [{ smart_meter_product: 'smart-meter-partner-b' as const }];
    selling = (await createPlan(metered.api.deps, metered.organization, { terms })).id;
  });

  async function signedSmart() {
    const email = `jule-${randomUUID()}@example.com`;
    const id = await signUp(selling, { customer: { first_name: 'Jule', last_name: 'Brandt', email } });
    const [row] = await storedRows<{ meter: string }>(
      metered.api,
      'SELECT meter_id AS meter FROM subscriptions WHERE id = $1',
      [id],
    );
    contract = { ...contract, id, meter: row?.meter ?? '' };
    metered.clock.advance(1000);
  }

  const change = (valid_from: CalendarDay | null, type: 'smart' | 'analog') =>
    changeMeter(metered.api.deps.database, metered.organization, contract.meter, { valid_from, type }, act());

  async function order() {
    const body = { subscription: contract.id, product: 'smart-meter-partner-b' };
    return refusal(await (await metered.client()).post<ErrorBody>('/meter-orders', body));
  }

  test('of the beginning outweighs it: a smart meter may be ordered, and is analog from the start of supply', async () => {
    await signedSmart();
    expect(await order()).toEqual([400, 'unsupported_meter_order subscription']);
    await change(null, 'analog');
    expect(await order()).toEqual([200]);
    await back.confirm(contract.id, START);
    metered.clock.set('2027-02-10T12:00:00.000Z');
    expect(await shownType(contract.id)).toBe('analog');
    expect(await taken(['2027-01-01', '2027-02-09'])).toEqual([[200], [200]]);
  });

  test('of a day outweighs it where supply begins on that day or later, and else from that day on', async () => {
    await signedSmart();
    await change('2027-01-15', 'analog');
    await back.confirm(contract.id, START);
    metered.clock.set('2027-02-10T12:00:00.000Z');
    expect(await taken(['2027-01-02', '2027-01-20'])).toEqual([SMART, [200]]);
    await back.move(contract.id, '2027-02-01');
    expect(await send('2027-02-09', 6300)).toEqual([200]);
    expect(await shownType(contract.id)).toBe('analog');
  });

  test.each([null, '2026-12-01'] as const)(
    'of %s before an update leaves meters as they were, until it is entered once more',
    async (day) => {
      await signedSmart();
      await change(day, 'analog');
      for (const table of ['meters', 'meter_changes'])
        await storedRows(
          metered.api,
          `UPDATE ${table} SET type_entered_at = NULL WHERE organization_id = $1`,
          [metered.organization],
        );
      const file = await readFile(`${sqlFolder}/migrations/0061-entries-of-meters.sql`, 'utf8');
      for (const [filled] of file.matchAll(/^UPDATE[^;]+/gm)) await storedRows(metered.api, filled);
      await back.confirm(contract.id, START);
      metered.clock.set('2027-02-10T12:00:00.000Z');
      expect(await shownType(contract.id)).toBe('smart');
      await change(day, 'analog');
      expect(await shownType(contract.id)).toBe('analog');
    },
  );

  test('counts as said again after a later sign-up, also where it is the same', async () => {
    await signedSmart();
    for (const day of [null, '2026-12-01']) await change(day, 'analog');
    const [row] = await storedRows<{ household: string; customer: string }>(
      metered.api,
      'SELECT household_id AS household, customer_id AS customer FROM meters WHERE id = $1',
      [contract.meter],
    );
    metered.clock.set('2026-11-22T16:05:00.000Z');
    const fed = await signUp(feedIn, row);
    await back.confirm(fed, START);
    metered.clock.set('2027-02-10T12:00:00.000Z');
    expect(await shownType(fed)).toBe('smart');
    await change('2026-12-01', 'analog');
    expect(await shownType(fed)).toBe('analog');
  });
});

describe('a feed-in sign-up that opened the household, and an analog contract that joined it', () => {
  /** A new customer feeds in; the household that this opened, and its meter. */
  async function feeding() {
    const email = `jule-${randomUUID()}@example.com`;
    const id = await signUp(feedIn, { customer: { first_name: 'Jule', last_name: 'Brandt', email } });
    const [row] = await storedRows<{ customer: string; household: string; meter: string }>(
      metered.api,
      'SELECT customer_id AS customer, household_id AS household, meter_id AS meter FROM subscriptions WHERE id = $1',
      [id],
    );
    if (row === undefined) throw new Error('It is not stored');
    const { meter, ...place } = row;
    return { id, meter, place };
  }

  /** Both; the consumption becomes `contract`. */
  async function both(): Promise<string> {
    const { id, place } = await feeding();
    expect(await shownType(id)).toBe('smart');
    contract = { ...contract, id: await signUp(consumption, place, 'analog') };
    return id;
  }

  test('is smart from the start of the feed-in on, and analog before', async () => {
    const fed = await both();
    await back.confirm(contract.id, '2026-12-01');
    await back.confirm(fed, START);
    metered.clock.set('2026-12-20T12:00:00.000Z');
    expect(await taken(['2026-12-01', '2026-12-19'])).toEqual([[200], [200]]);
    metered.clock.set('2027-01-10T12:00:00.000Z');
    expect(await taken(['2027-01-09'])).toEqual([SMART]);
  });

  test('stays analog where the feed-in is refused', async () => {
    const fed = await both();
    await back.reject(fed);
    await back.confirm(contract.id, '2026-12-01');
    metered.clock.set('2026-12-20T12:00:00.000Z');
    expect(await shownType(contract.id)).toBe('analog');
    expect(await taken(['2026-12-01'])).toEqual([[200]]);
  });

  test('stays smart where the back office said so', async () => {
    const { meter, place } = await feeding();
    const environment = testEnvironment(metered.api.database, 'redis://127.0.0.1:1');
    for (const type of ['analog', 'smart']) {
      const change = [
        'change',
        meter,
        '--type',
        type,
        '--reason',
        'x',
        '--organization',
        metered.organization,
      ];
      await runCommand(environment, 'meters', ...change);
    }
    expect(await shownType(await signUp(consumption, place, 'analog'))).toBe('smart');
  });
});
