import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { conflict, type Failure, Findings } from '../../platform/errors.ts';
import { Exact } from '../../platform/money.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { addDays, berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { instantMicroseconds } from '../../platform/time/instant.ts';
import { holdContracts, noteChangedBills } from '../held-contracts/service.ts';
import { listMeterStates, type MeterState } from '../meters/queries.ts';
import {
  type HeldMeter,
  holdMeter,
  meterNumberFault,
  meterNumberOf,
  recordDevice,
  stateOn,
  withdrawDevice,
} from '../meters/service.ts';
import { findSupplyOn, listContractsOfMeter, type SubscriptionRow } from '../subscriptions/queries.ts';
import { assertFits } from './fits.ts';
import { insertReading, listReadingsOfDay, listReadingsOfMeter, updateReadingWithdrawn } from './queries.ts';
import { isReal, type SentReading } from './rules.ts';
import { newMeterReadingId } from './schema.ts';

/** The metering operator took a device down and mounted another one. */
export interface MeterExchange {
  /** The day; both readings are told as of its beginning. */
  on: CalendarDay;
  number: string;
  /** Of the new device; as before where absent. */
  type?: MeterState['type'];
  /** The last counter of the old device and the first of the new one: kWh as decimal texts. */
  closing?: string;
  opening?: string;
}

export interface ExchangeReadings {
  meter: string;
  register: number;
  /** Ids of the readings; null where none was given. */
  closing: string | null;
  opening: string | null;
  states: MeterState[];
}

export interface WithdrawnExchange {
  meter: string;
  on: CalendarDay;
  number: string;
  /** kWh of the readings that count no more: the last of the old device, the first of the new one. */
  closing: string | null;
  opening: string | null;
  states: MeterState[];
}

type ExchangeSupply = Pick<SubscriptionRow, 'id' | 'customer_id' | 'meter_id' | 'estimated_usage'>;

/** The devices before and after the day, and the contracts that are supplied up to it and from it on. */
interface ReadingPlace {
  meter: HeldMeter;
  before: MeterState;
  typeAfter: MeterState['type'];
  supplyBefore: ExchangeSupply | undefined;
  supplyAfter: ExchangeSupply | undefined;
}

/**
 * Enters an exchange. The meter of the household stays one row: the new device has a register of its own, so its readings
 * are compared with its own only, and usage is the sum of both parts.
 */
export function exchangeMeter(
  database: Database,
  organization: string,
  id: string,
  exchange: MeterExchange,
  act: StaffAct,
): Promise<ExchangeReadings> {
  return database.inOrganization({ organization }, async (connection) => {
    const { type } = exchange;
    const asBefore = (before: MeterState) => ({ ...exchange, type: type ?? before.type });
    const entered = await findEntered(connection, organization, id, asBefore);
    if (entered === null) return await exchangeDevice(connection, organization, id, exchange, act);
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'meter.exchange',
      object_id: id,
      result: 'unchanged',
    });
    return entered;
  });
}

/** The last exchange, where it stands as it is said: of what is left out anything does. Null where it does not. */
export async function findEntered(
  connection: Connection,
  organization: string,
  id: string,
  saidAfter: (before: MeterState) => Partial<MeterExchange>,
): Promise<ExchangeReadings | null> {
  const { states } = await holdMeter(connection, organization, id);
  const register = Math.max(...states.map((state) => state.register));
  const device = states.find((state) => state.register === register);
  if (device === undefined || device.valid_from === null) return null;
  const before = stateOn(states, addDays(device.valid_from, -1));
  const { on, number, type, closing, opening } = saidAfter(before);
  const ofDay = await listReadingsOfDay(connection, organization, id, device.valid_from);
  const closed = ofDay.find((reading) => reading.register === before.register && isReal(reading));
  const opened = ofDay.find((reading) => reading.register === register && isReal(reading));
  const isShown = (said: string | undefined, read: { value: string } | undefined) =>
    said === undefined || (read !== undefined && new Exact(read.value).eq(said));
  const stands =
    (on === undefined || on === device.valid_from) &&
    (number === undefined || meterNumberOf({ number }) === device.number) &&
    (type === undefined || type === device.type) &&
    isShown(closing, closed) &&
    isShown(opening, opened);
  return stands
    ? { meter: id, register, closing: closed?.id ?? null, opening: opened?.id ?? null, states }
    : null;
}

/**
 * The last exchange was entered wrongly: what is left out here was right. Its readings are withdrawn and entered anew, so that
 * the counter of the new device keeps what was read of it since, and bills of the days on both sides are corrected.
 */
export function correctExchange(
  database: Database,
  organization: string,
  id: string,
  correction: Partial<MeterExchange>,
  act: StaffAct,
): Promise<ExchangeReadings> {
  return database.inOrganization({ organization }, async (connection) => {
    const line = { ...staffOf(act, organization), act: 'meter.correct_exchange', object_id: id };
    const entered = await findEntered(connection, organization, id, () => correction);
    if (entered !== null) {
      await audit(connection, { ...line, result: 'unchanged' });
      return entered;
    }
    const { exchange, ...taken } = await takeBack(connection, organization, id, act);
    const corrected = { ...exchange, ...correction };
    const early = taken.readOfNew.find(({ read_on }) => read_on < corrected.on);
    if (early !== undefined) throw stillRead('on', early);
    const done = await exchangeDevice(connection, organization, id, corrected, act, taken);
    await audit(connection, line);
    return done;
  });
}

/** The last exchange was entered and never was, perhaps at another meter: the device before it is still there. */
export function withdrawExchange(
  database: Database,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<WithdrawnExchange> {
  return database.inOrganization({ organization }, async (connection) => {
    const contracts = await listContractsOfMeter(connection, organization, id);
    await holdContracts(connection, organization, contracts);
    const { exchange, readOfNew, closing, opening } = await takeBack(connection, organization, id, act);
    const read = readOfNew.at(0);
    if (read !== undefined) throw stillRead('meter', read);
    /* The row of the device is gone, and a bill is not corrected by what is not there. */
    await noteChangedBills(connection, organization, contracts, exchange.on, act.now);
    await audit(connection, { ...staffOf(act, organization), act: 'meter.withdraw_exchange', object_id: id });
    const states = await listMeterStates(connection, organization, id);
    const { on, number } = exchange;
    return { meter: id, on, number, closing: closing ?? null, opening: opening ?? null, states };
  });
}

/** Takes the newest device out of the history, with the readings that were entered with it. */
async function takeBack(connection: Connection, organization: string, id: string, act: StaffAct) {
  const meter = await holdMeter(connection, organization, id);
  const entered = await withdrawDevice(connection, organization, meter, act.now);
  if (entered === null)
    throw conflict([{ code: 'custom', field: 'meter', message: 'No exchange of it was entered' }]);
  const { valid_from, number, type, register, entered_at } = entered;
  const before = stateOn(meter.states, addDays(valid_from, -1)).register;
  const enteredAt = instantMicroseconds(entered_at);
  /* A reading of the day that was known before the exchange is none of its own. */
  const ofDay = (await listReadingsOfDay(connection, organization, id, valid_from)).filter(
    (reading) =>
      reading.type === 'grid_reading' &&
      [before, register].includes(reading.register) &&
      instantMicroseconds(reading.created_at) >= enteredAt,
  );
  for (const reading of ofDay) {
    await updateReadingWithdrawn(connection, organization, reading.id, act.now);
    const line = staffOf(act, organization);
    await audit(connection, { ...line, act: 'meter_reading.withdraw', object_id: reading.id });
  }
  const shown = (of: number) => ofDay.find((reading) => reading.register === of)?.value;
  const left = await listReadingsOfMeter(connection, organization, id);
  return {
    exchange: { on: valid_from, number, ...(type !== null && { type }) },
    closing: shown(before),
    opening: shown(register),
    /** By day. */
    readOfNew: left.filter((reading) => reading.register === register),
  };
}

/** It was read of the device before, or of another one. */
function stillRead(field: string, { read_on }: { read_on: CalendarDay }): Failure {
  const message = `The new device was read on ${read_on}: withdraw that first (meter-readings correct)`;
  return conflict([{ code: 'custom', field, message }]);
}

/** The same in the transaction of something larger. Values that were told before hold where one is needed and none is given. */
export async function exchangeDevice(
  connection: Connection,
  organization: string,
  id: string,
  given: MeterExchange,
  act: StaffAct,
  told: { closing?: string | undefined; opening?: string | undefined } = {},
): Promise<ExchangeReadings> {
  const place = await placeOf(connection, organization, id, given);
  const isClosed = await checkReadings(connection, organization, place, given.on);
  const isRead = place.before.type === 'analog' && place.supplyBefore !== undefined && !isClosed;
  const isReadAfter = place.typeAfter === 'analog' && place.supplyAfter !== undefined;
  const exchange = {
    ...given,
    ...(isRead && told.closing !== undefined && { closing: given.closing ?? told.closing }),
    ...(isReadAfter && told.opening !== undefined && { opening: given.opening ?? told.opening }),
  };
  check(place, exchange, { isClosed, today: berlinDayOf(act.now) });

  const { on, number, type, closing, opening } = exchange;
  const device = { on, number: meterNumberOf({ number }), ...(type !== undefined && { type }) };
  const register = await recordDevice(connection, organization, place.meter, device, act.now);
  const add = (supply: ExchangeSupply | undefined, value: string | undefined, of: number) =>
    value === undefined || supply === undefined
      ? null
      : addReading(
          connection,
          organization,
          supply,
          { value, read_on: on, register: of, type: 'grid_reading' },
          act,
        );
  const readings = {
    closing: await add(place.supplyBefore, closing, place.before.register),
    opening: await add(place.supplyAfter, opening, register),
  };
  await audit(connection, { ...staffOf(act, organization), act: 'meter.exchange', object_id: id });
  return { meter: id, register, ...readings, states: await listMeterStates(connection, organization, id) };
}

async function placeOf(
  connection: Connection,
  organization: string,
  id: string,
  { on, type }: MeterExchange,
): Promise<ReadingPlace> {
  const meter = await holdMeter(connection, organization, id);
  const supply = (day: CalendarDay) => findSupplyOn(connection, organization, meter.household_id, day);
  return {
    meter,
    before: stateOn(meter.states, addDays(on, -1)),
    typeAfter: type ?? stateOn(meter.states, on).type,
    supplyBefore: await supply(addDays(on, -1)),
    supplyAfter: await supply(on),
  };
}

/** Whether the old device was read on the day already. What was read of it later cannot have been. */
async function checkReadings(
  connection: Connection,
  organization: string,
  { meter, before }: ReadingPlace,
  on: CalendarDay,
): Promise<boolean> {
  const all = await listReadingsOfMeter(connection, organization, meter.id);
  const ofDevice = all.filter((reading) => reading.register === before.register && isReal(reading));
  const later = ofDevice.find(({ read_on }) => read_on > on);
  if (later !== undefined) {
    const findings = new Findings();
    findings.conflict('custom', 'on', `The device was still read on ${later.read_on}`);
    findings.throwIfAny();
  }
  return ofDevice.some(({ read_on }) => read_on === on);
}

/** First the day, then every other rule that is broken. */
function check(
  { meter, before, typeAfter, supplyBefore, supplyAfter }: ReadingPlace,
  { on, number, closing, opening }: MeterExchange,
  { isClosed, today }: { isClosed: boolean; today: CalendarDay },
): void {
  const findings = new Findings();
  const refuse = (field: string, message: string) => findings.conflict('custom', field, message);
  if (on > today) refuse('on', 'The day is still to come');
  const newest = meter.states.at(-1)?.register;
  const mountedOn = meter.states.find(({ register }) => register === newest)?.valid_from ?? null;
  if (mountedOn !== null && on <= mountedOn) {
    const isEntered = on === mountedOn && meterNumberOf({ number }) === meter.states.at(-1)?.number;
    if (isEntered) refuse('on', 'It was entered with other readings or another type: correct the exchange');
    else refuse('on', `The device that is there was mounted on ${mountedOn}: later exchanges come later`);
  }
  /* The day decides which device and which contract the rest is about. */
  findings.throwIfAny();
  const fault = meterNumberFault(number);
  if (fault !== null) findings.badRequest('custom', 'number', fault);
  if (meterNumberOf({ number }) === before.number)
    refuse('number', 'The device that is there has this number');

  const unsuppliedBefore = 'No contract is supplied before this day: leave it out';
  const unsuppliedAfter = 'No contract is supplied from this day on: leave it out';
  const sides = [
    ['closing', closing, before.type, supplyBefore, isClosed, unsuppliedBefore],
    ['opening', opening, typeAfter, supplyAfter, false, unsuppliedAfter],
  ] as const;
  for (const [field, value, type, supply, isKnown, unsupplied] of sides) {
    const isNeeded = type === 'analog' && supply !== undefined && !isKnown;
    if (isNeeded && value === undefined) refuse(field, `Needed: ${supply.id} is supplied by an analog meter`);
    if (value === undefined) continue;
    if (type === 'smart') refuse(field, 'No reading is taken of a smart meter');
    else if (supply === undefined) refuse(field, unsupplied);
    else if (isKnown) refuse(field, 'The device was read on that day: leave it out');
  }
  findings.throwIfAny();
}

async function addReading(
  connection: Connection,
  organization: string,
  supply: ExchangeSupply,
  reading: SentReading,
  act: StaffAct,
): Promise<string> {
  await assertFits(connection, organization, supply, reading, 'supplier');
  const { id } = await insertReading(connection, organization, {
    ...reading,
    id: newMeterReadingId(),
    customer_id: supply.customer_id,
    subscription_id: supply.id,
    meter_id: supply.meter_id,
    created_at: act.now,
  });
  await audit(connection, { ...staffOf(act, organization), act: 'meter_reading.create', object_id: id });
  return id;
}
