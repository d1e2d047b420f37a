import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { correctReading } from '../../../src/contracts/meter-readings/correct.ts';
import {
  correctExchange,
  exchangeMeter,
  type MeterExchange,
  withdrawExchange,
} from '../../../src/contracts/meter-readings/exchange.ts';
import { changeMeter, type MeterChange } from '../../../src/contracts/meters/change.ts';
import { listMeterStates } from '../../../src/contracts/meters/queries.ts';
import { findHouseholdByMeter } from '../../../src/identity/households/queries.ts';
import { Failure } from '../../../src/platform/errors.ts';
import { createTenant } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';
import { type Contract, type Metered, startMetered, total } from '../usage/metered.ts';

const NOW = '2026-11-21T16:05:00.000Z';
const ON = '2026-09-15';
const NEW_DEVICE = { on: ON, number: '2abc 0000 0001', closing: '5400', opening: '3' };

let metered: Metered;
beforeAll(async () => {
  metered = await startMetered(NOW);
});
afterAll(() => metered?.close());

const MINUTE_LATER = '2026-11-21T16:06:00.000Z';
const act = (command: string, now = NOW) => ({ staff: 'ada', reason: 'ticket 17', command, now });

function exchange({ meter }: Pick<Contract, 'meter'>, given: MeterExchange, now = NOW) {
  const { database } = metered.api.deps;
  return exchangeMeter(database, metered.organization, meter, given, act('meters exchange', now));
}

const change = ({ meter }: Contract, given: MeterChange) =>
  changeMeter(metered.api.deps.database, metered.organization, meter, given, act('meters change'));

/** `code field: sentence` of each problem. */
async function refusals(work: Promise<unknown>): Promise<string[]> {
  const error = await work.then(
    () => new Error('It was taken'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Failure)) throw error;
  return error.entries.map(({ code, field, message }) => `${code} ${field}: ${message}`);
}

async function states({ meter }: Contract): Promise<string[]> {
  const { organization, api } = metered;
  const rows = await api.deps.database.inOrganization({ organization }, (connection) =>
    listMeterStates(connection, organization, meter),
  );
  return rows.map((state) => `${state.valid_from} ${state.number} ${state.type} ${state.register}`);
}

async function readings({ meter }: Contract): Promise<string[]> {
  const rows = await storedRows<{ text: string }>(
    metered.api,
    `SELECT concat_ws(' ', read_on, register, value, type) AS text FROM meter_readings
      WHERE meter_id = $1 AND withdrawn_at IS NULL ORDER BY read_on, register`,
    [meter],
  );
  return rows.map(({ text }) => text);
}

/** Day, register and value. */
const counted = async (contract: Contract) =>
  (await readings(contract)).map((text) => text.split(' ').slice(0, 3).join(' '));

async function send({ id }: Contract, day: string, value: number) {
  const body = { subscription: id, value, timestamp: `${day}T12:00:00Z` };
  return refusal(await (await metered.client()).post<ErrorBody>('/meter-readings', body));
}

/** Under supply since 2025, read in July 2026. */
async function known(input: Parameters<Metered['contract']>[0] = {}): Promise<Contract> {
  const contract = await metered.contract({ meter_number: 'OLD1', ...input });
  await metered.read(contract, { '2026-07-01': 5000 });
  return contract;
}

describe('an exchange', () => {
  test('closes the old device and opens the new one, both on one day', async () => {
    const contract = await known();
    const done = await exchange(contract, NEW_DEVICE);
    expect(done).toMatchObject({ meter: contract.meter, register: 2 });
    expect(await readings(contract)).toEqual([
      '2026-07-01 1 5000 grid_reading',
      `${ON} 1 5400 grid_reading`,
      `${ON} 2 3 grid_reading`,
    ]);
    expect(await states(contract)).toEqual(['null OLD1 analog 1', `${ON} 2ABC00000001 analog 2`]);
    const lines = await auditRows(metered.api, metered.organization, 'meter');
    const ids = [contract.meter, done.closing, done.opening];
    const kept = lines.filter(({ object_id }) => ids.includes(object_id));
    expect(kept.map(({ act: name, reason, staff }) => [name, reason, staff])).toEqual([
      ['meter_reading.create', 'ticket 17', 'ada'],
      ['meter_reading.create', 'ticket 17', 'ada'],
      ['meter.exchange', 'ticket 17', 'ada'],
    ]);
    const client = await metered.client();
    const { body } = await client.get<{ meter: object }>(`/subscriptions/${contract.id}`);
    expect(body.meter).toMatchObject({ id: contract.meter, number: '2ABC00000001', type: 'analog' });
  });

  test('lets readings of the new device be compared with its own only', async () => {
    const contract = await known();
    await exchange(contract, NEW_DEVICE);
    expect(await send(contract, ON, 3)).toEqual([409, 'duplicate_meter_reading timestamp']);
    expect(await send(contract, '2026-10-15', 2)).toEqual([422, 'implausible_meter_reading value']);
    expect(await send(contract, '2026-10-15', 5500)).toEqual([422, 'implausible_meter_reading value']);
    expect(await send(contract, '2026-10-15', 210)).toEqual([200]);
    /* A forgotten one of the old device lies before its closing reading: for the supplier to enter. */
    expect(await send(contract, '2026-08-15', 5300)).toEqual([422, 'implausible_meter_reading value']);
  });

  test('lets usage be the sum of what both devices counted', async () => {
    const contract = await known();
    await exchange(contract, NEW_DEVICE);
    await metered.read(contract, { '2026-10-15': 210 }, 'grid_reading', 2);
    const answer = await metered.usage(contract.id, 'start=2026-07-01&end=2026-10-15');
    expect(total(answer)).toBeCloseTo(400 + 207, 2);
    expect(new Set(answer.body.data.map(({ type }) => type))).toEqual(new Set(['final']));
  });

  test('lets a new device begin at 0, and another exchange follow', async () => {
    const contract = await known();
    await exchange(contract, { ...NEW_DEVICE, opening: '0' });
    await exchange(contract, { on: '2026-11-21', number: 'THIRD', closing: '400', opening: '0' });
    expect(await states(contract)).toEqual([
      'null OLD1 analog 1',
      `${ON} 2ABC00000001 analog 2`,
      '2026-11-21 THIRD analog 3',
    ]);
    expect(await refusals(exchange(contract, { ...NEW_DEVICE, on: '2026-11-21', number: 'X' }))).toEqual([
      'custom on: The device that is there was mounted on 2026-11-21: later exchanges come later',
    ]);
  });

  test('for a smart device needs no opening reading, and no reading is taken from that day on', async () => {
    const contract = await known();
    const { opening: _, ...closed } = NEW_DEVICE;
    await exchange(contract, { ...closed, type: 'smart' });
    expect(await states(contract)).toEqual(['null OLD1 analog 1', `${ON} 2ABC00000001 smart 2`]);
    const smart = [400, 'unsupported_meter subscription'];
    expect([await send(contract, ON, 5400), await send(contract, '2026-10-01', 9)]).toEqual([smart, smart]);
    /* The old device still counted then, but it has its closing reading. */
    expect(await send(contract, '2026-08-15', 5300)).toEqual([422, 'implausible_meter_reading value']);
  });

  test('takes what was read on the day as the closing reading', async () => {
    const contract = await known();
    expect(await send(contract, ON, 5390)).toEqual([200]);
    expect(await refusals(exchange(contract, NEW_DEVICE))).toEqual([
      'custom closing: The device was read on that day: leave it out',
    ]);
    const { closing: _, ...opened } = NEW_DEVICE;
    await exchange(contract, opened);
    expect((await readings(contract)).slice(1)).toEqual([
      `${ON} 1 5390 customer_report`,
      `${ON} 2 3 grid_reading`,
    ]);
  });

  test('between two contracts closes the first and opens the second', async () => {
    const end = '2026-09-14T22:00:00Z';
    const first = await known({ status: 'ended', end_at: end });
    const second = await metered.contract({ at: first.place, start_at: end });
    const { closing, opening } = await exchange(first, NEW_DEVICE);
    const rows = await storedRows<{ id: string; subscription_id: string }>(
      metered.api,
      'SELECT id, subscription_id FROM meter_readings WHERE id IN ($1, $2)',
      [closing, opening],
    );
    expect(rows).toContainEqual({ id: closing, subscription_id: first.id });
    expect(rows).toContainEqual({ id: opening, subscription_id: second.id });
  });

  test.each<[string, Partial<MeterExchange>, string[]]>([
    ['to come', { on: '2026-11-22' }, ['custom on: The day is still to come']],
    ['of the same device', { number: ' old1 ' }, ['custom number: The device that is there has this number']],
    ['with a closing reading that does not fit', { closing: '4999' }, ['implausible_meter_reading value']],
    ['before the last reading', { on: '2026-06-30' }, ['custom on: The device was still read on 2026-07-01']],
    ['with an opening reading of a smart device', { type: 'smart' }, ['custom opening: No reading is taken']],
  ])('%s is refused, and nothing is stored', async (_title, wrong, expected) => {
    const contract = await known();
    const told = await refusals(exchange(contract, { ...NEW_DEVICE, ...wrong }));
    expect(told).toHaveLength(expected.length);
    for (const [index, text] of expected.entries()) expect(told[index]).toContain(text);
    expect(await states(contract)).toEqual(['null OLD1 analog 1']);
    expect(await readings(contract)).toHaveLength(1);
  });

  test('tells every reading that is missing; a meter that is not supplied needs none', async () => {
    const contract = await known();
    const needed = `Needed: ${contract.id} is supplied by an analog meter`;
    expect(await refusals(exchange(contract, { on: ON, number: 'N' }))).toEqual([
      `custom closing: ${needed}`,
      `custom opening: ${needed}`,
    ]);
    const never = await metered.contract({ status: 'pending', start_at: null, confirmed_at: null });
    expect(await exchange(never, { on: ON, number: 'N' })).toMatchObject({ closing: null, opening: null });
    const both = { closing: '1', opening: '1' };
    expect(await refusals(exchange(never, { on: '2026-09-16', number: 'M', ...both }))).toEqual([
      'custom closing: No contract is supplied before this day: leave it out',
      'custom opening: No contract is supplied from this day on: leave it out',
    ]);
  });

  test('of a meter of another organization is that of one that does not exist', async () => {
    const contract = await known();
    const stranger = await createTenant(metered.api);
    for (const meter of [contract.meter, 'mtr_000000000000000000000000', 'x']) {
      const { database } = metered.api.deps;
      const work = exchangeMeter(database, stranger.organization, meter, NEW_DEVICE, act('meters exchange'));
      await expect(work).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await readings(contract)).toHaveLength(1);
  });

  test('and a reading at the same moment: either comes first, and both fit', async () => {
    const contract = await known();
    await Promise.allSettled([exchange(contract, NEW_DEVICE), send(contract, '2026-10-01', 5450)]);
    const stored = await readings(contract);
    const isExchanged = stored.includes(`${ON} 2 3 grid_reading`);
    expect(stored.some((text) => text.startsWith('2026-10-01'))).toBe(!isExchanged);
  });
});

describe('an exchange that was entered wrongly', () => {
  const correct = ({ meter }: Contract, given: Partial<MeterExchange>) => {
    const { database } = metered.api.deps;
    const by = act('meters correct-exchange', MINUTE_LATER);
    return correctExchange(database, metered.organization, meter, given, by);
  };

  test('on a wrong day is moved with its readings, keeps what was read since, and usage follows', async () => {
    const contract = await known();
    await exchange(contract, NEW_DEVICE);
    await change(contract, { valid_from: ON, metering_operator: 'netz-a' });
    await metered.read(contract, { '2026-11-01': 210 }, 'grid_reading', 2);
    const moved = await correct(contract, { on: '2026-10-01' });
    expect(moved.register).toBe(2);
    expect(await states(contract)).toEqual([
      'null OLD1 analog 1',
      `${ON} OLD1 analog 1`,
      '2026-10-01 2ABC00000001 analog 2',
    ]);
    const kept = ['2026-10-01 1 5400', '2026-10-01 2 3', '2026-11-01 2 210'];
    expect(await counted(contract)).toEqual(['2026-07-01 1 5000', ...kept]);
    const months = await metered.usage(contract.id, 'start=2026-10-01&end=2026-11-01');
    expect(total(months)).toBeCloseTo(207, 2);
    const lines = await auditRows(metered.api, metered.organization, 'meter.correct_exchange');
    expect(lines.filter(({ object_id }) => object_id === contract.meter)).toMatchObject([
      { staff: 'ada', reason: 'ticket 17', result: 'done' },
    ]);
    expect(await refusals(correct(contract, { on: '2026-11-02' }))).toEqual([
      'custom on: The new device was read on 2026-11-01: withdraw that first (meter-readings correct)',
    ]);
    expect(await refusals(correct(contract, { on: '2026-06-30' }))).toEqual([
      'custom on: The device was still read on 2026-07-01',
    ]);
  });

  test('with wrong readings, a wrong number or type gets others; a refused correction changes nothing', async () => {
    const contract = await known();
    await exchange(contract, NEW_DEVICE);
    await correct(contract, { closing: '5300', opening: '0', number: 'right 1' });
    expect(await states(contract)).toEqual(['null OLD1 analog 1', `${ON} RIGHT1 analog 2`]);
    const after = ['2026-07-01 1 5000', `${ON} 1 5300`, `${ON} 2 0`];
    expect(await counted(contract)).toEqual(after);
    expect(await refusals(correct(contract, { closing: '4999' }))).toHaveLength(1);
    expect(await counted(contract)).toEqual(after);
    await correct(contract, { type: 'smart' });
    expect(await states(contract)).toEqual(['null OLD1 analog 1', `${ON} RIGHT1 smart 2`]);
    expect(await counted(contract)).toEqual(after.slice(0, 2));
    const never = await known();
    expect(await refusals(correct(never, { on: ON }))).toEqual([
      'custom meter: No exchange of it was entered',
    ]);
  });

  test('keeps the reading of its day that was known before, also as one of that day that had another operator', async () => {
    const contract = await known();
    await change(contract, { valid_from: ON, metering_operator: 'netz-a' });
    await metered.read(contract, { [ON]: 5390 });
    const { closing: _, ...opened } = NEW_DEVICE;
    await exchange(contract, opened, MINUTE_LATER);
    await correct(contract, { number: 'right 1' });
    expect(await counted(contract)).toEqual(['2026-07-01 1 5000', `${ON} 1 5390`, `${ON} 2 3`]);
    expect(await refusals(correct(contract, { on: '2026-09-20' }))).toEqual([
      `custom closing: Needed: ${contract.id} is supplied by an analog meter`,
    ]);
    await correct(contract, { on: '2026-09-20', closing: '5395' });
    const after = [`${ON} 1 5390`, '2026-09-20 1 5395', '2026-09-20 2 3'];
    expect((await counted(contract)).slice(1)).toEqual(after);
  });
});

describe('an exchange that never was', () => {
  const withdraw = ({ meter }: Contract) => {
    const { database } = metered.api.deps;
    return withdrawExchange(database, metered.organization, meter, act('meters withdraw-exchange'));
  };

  test('is taken back with its readings, and the old device goes on as if nothing had been entered', async () => {
    const contract = await known();
    await exchange(contract, NEW_DEVICE);
    await change(contract, { valid_from: ON, metering_operator: 'netz-a' });
    await metered.read(contract, { '2026-11-01': 210 }, 'grid_reading', 2);
    expect(await refusals(withdraw(contract))).toEqual([
      'custom meter: The new device was read on 2026-11-01: withdraw that first (meter-readings correct)',
    ]);
    expect(await states(contract)).toEqual(['null OLD1 analog 1', `${ON} 2ABC00000001 analog 2`]);
    const ofNew = "SELECT id FROM meter_readings WHERE meter_id = $1 AND read_on = '2026-11-01'";
    const [wrong] = await storedRows<{ id: string }>(metered.api, ofNew, [contract.meter]);
    await correctReading(metered.api.deps.database, metered.organization, wrong?.id ?? '', {}, act('x'));
    const taken = { on: ON, number: '2ABC00000001', closing: '5400', opening: '3' };
    expect(await withdraw(contract)).toMatchObject(taken);
    expect(await states(contract)).toEqual(['null OLD1 analog 1', `${ON} OLD1 analog 1`]);
    expect(await send(contract, '2026-10-01', 5420)).toEqual([200]);
    expect(await counted(contract)).toEqual(['2026-07-01 1 5000', '2026-10-01 1 5420']);
    const lines = await auditRows(metered.api, metered.organization, 'meter.withdraw_exchange');
    expect(lines.map(({ object_id }) => object_id)).toEqual([contract.meter]);
    expect(await refusals(withdraw(contract))).toEqual(['custom meter: No exchange of it was entered']);
    expect((await exchange(contract, { ...NEW_DEVICE, closing: '5430', on: '2026-10-15' })).register).toBe(2);
  });
});

describe('the household', () => {
  test('is found by the number of today, and by no earlier one', async () => {
    const ended = { status: 'ended', end_at: '2026-10-31T23:00:00Z' } as const;
    const { place, ...contract } = await known({ meter_number: 'FIRST7', ...ended });
    await exchange(contract, { ...NEW_DEVICE, number: 'SECOND7' });
    const { database } = metered.api.deps;
    const { organization } = metered;
    const found = (number: string) =>
      database.inOrganization({ organization }, (connection) =>
        findHouseholdByMeter(connection, organization, place.customer, number),
      );
    expect(await found('SECOND7')).toEqual({ id: place.household });
    expect(await found('FIRST7')).toBeUndefined();
  });
});

describe('a type', () => {
  test('holds from its day on, until another one does', async () => {
    const contract = await known();
    await change(contract, { valid_from: '2026-08-01', type: 'smart' });
    await change(contract, { valid_from: '2026-10-01', type: 'analog' });
    expect(await states(contract)).toEqual([
      'null OLD1 analog 1',
      '2026-08-01 OLD1 smart 1',
      '2026-10-01 OLD1 analog 1',
    ]);
    const smart = [400, 'unsupported_meter subscription'];
    expect(await send(contract, '2026-07-20', 5050)).toEqual([200]);
    expect(await send(contract, '2026-08-01', 5100)).toEqual([200]);
    expect([await send(contract, '2026-08-02', 5100), await send(contract, '2026-09-30', 5100)]).toEqual([
      smart,
      smart,
    ]);
    expect(await send(contract, '2026-10-01', 5400)).toEqual([200]);
  });

  test('of the beginning, or of a day that has one, is replaced; saying it again changes nothing', async () => {
    const contract = await known({ meter_type: 'smart' });
    await change(contract, { valid_from: null, type: 'analog' });
    await change(contract, { valid_from: '2026-08-01', type: 'smart' });
    await change(contract, { valid_from: '2026-08-01', type: 'analog', metering_operator: 'netz-a' });
    await change(contract, { valid_from: '2026-08-01', type: 'analog' });
    await change(contract, { valid_from: null, type: 'analog' });
    expect(await states(contract)).toEqual(['null OLD1 analog 1', '2026-08-01 OLD1 analog 1']);
    const lines = await auditRows(metered.api, metered.organization, 'meter.change');
    const results = lines.filter(({ object_id }) => object_id === contract.meter).map(({ result }) => result);
    expect(results).toEqual(['done', 'done', 'done', 'unchanged', 'unchanged']);
  });

  test('stays when the device changes on the same day', async () => {
    const contract = await known();
    await change(contract, { valid_from: ON, type: 'smart' });
    const { opening: _, ...closed } = NEW_DEVICE;
    await exchange(contract, closed);
    expect(await states(contract)).toEqual(['null OLD1 analog 1', `${ON} 2ABC00000001 smart 2`]);
  });

  test('of a metering operator needs its day', async () => {
    const contract = await known();
    const work = async () => change(contract, { valid_from: null, metering_operator: 'netz-a' });
    expect(await refusals(work())).toEqual([
      'custom metering_operator: The first one is the grid operator: give the day from which it is another one',
    ]);
  });
});
