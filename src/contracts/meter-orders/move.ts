import { recordEvents } from '../../events/record.ts';
import { audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { badRequest, conflict, Findings, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import {
  addDays,
  berlinDayOf,
  berlinMidnight,
  type CalendarDay,
} from '../../platform/time/berlin-calendar.ts';
import { instantMicroseconds } from '../../platform/time/instant.ts';
import { holdContract } from '../held-contracts/service.ts';
import { mayFollow, mountsMeter, type Position, positionOf, STAGES, type StageName } from './moves.ts';
import { findMeterOrder, type MeterOrderChange, type MeterOrderRow, updateMeterOrder } from './queries.ts';
import { meterOrderTopics } from './topics.ts';

/** The device that the partner mounted. */
export interface MountedMeter {
  /** The day; today where absent. */
  on?: CalendarDay;
  number: string;
  /** The last value of the old device: kWh as decimal text. */
  closing?: string;
}

interface MoveDeps {
  database: Database;
  clock: Clock;
  /**
   * Makes the meter of the household the smart one that was mounted, with the readings that belong to it; false where it is
   * that already. Handed in: readings know contracts, and contracts know their orders.
   */
  installSmartMeter(
    connection: Connection,
    organization: string,
    meter: string,
    mounted: MountedMeter,
    act: StaffAct,
  ): Promise<boolean>;
}

export interface MeterOrderMove {
  /** `unblocked`: back to the stage that a block lies on. */
  to: StageName | 'unblocked';
  /** Instant of the visit, with time zone; needed for `installation_scheduled`. */
  appointment_at?: string;
  /** Needed where the order comes to a mounted meter. */
  mounted?: MountedMeter;
}

/** What was asked for, where the order stands, and when. */
interface StageChange {
  row: MeterOrderRow;
  from: Position;
  to: StageName;
  now: string;
}

/** The market has said how far an order is: only the operator moves one. */
export function moveMeterOrder(
  deps: MoveDeps,
  organization: string,
  id: string,
  move: MeterOrderMove,
  act: StaffAct,
): Promise<MeterOrderRow> {
  return deps.database.inOrganization({ organization }, async (connection) => {
    const { row, meter, now } = await holdOrder(connection, organization, id, deps.clock);
    const from = positionOf(row);
    const line = { ...staffOf(act, organization), act: 'meter_order.move', object_id: id };
    const install = (mounted: MountedMeter) =>
      deps.installSmartMeter(connection, organization, meter, mounted, { ...act, now });
    if (stands(row, from, move)) {
      if (move.mounted !== undefined && (await install(move.mounted)))
        throw refused('meter_number', `The order is ${from.stage}, and another device was mounted`);
      await audit(connection, { ...line, result: 'unchanged' });
      return row;
    }
    const change: StageChange = { row, from, to: targetOf(move.to, from), now };
    check(change, move);
    if (move.mounted !== undefined) await install(move.mounted);
    const moved = await updateMeterOrder(connection, organization, id, changeOf(change, move));
    await tell(connection, organization, change, moved);
    await audit(connection, line);
    return moved;
  });
}

/** Another date for the visit, while the order shows one; nobody is told. */
export function rescheduleMeterOrder(
  { database, clock }: Pick<MoveDeps, 'database' | 'clock'>,
  organization: string,
  id: string,
  appointment_at: string,
  act: StaffAct,
): Promise<MeterOrderRow> {
  return database.inOrganization({ organization }, async (connection) => {
    const { row, now } = await holdOrder(connection, organization, id, clock);
    if (row.public_status !== 'scheduled') {
      throw refused('status', `Only a scheduled order has an appointment; this one is ${row.public_status}`);
    }
    checkAppointment(row, appointment_at, now);
    const isNew =
      row.appointment_at === null ||
      instantMicroseconds(row.appointment_at) !== instantMicroseconds(appointment_at);
    const changed = isNew
      ? await updateMeterOrder(connection, organization, id, { appointment_at, updated_at: now })
      : row;
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'meter_order.reschedule',
      object_id: id,
      result: isNew ? 'done' : 'unchanged',
    });
    return changed;
  });
}

/**
 * The order as nobody else changes it, with the meter of its contract; and the moment, read behind the lock. It is the
 * contract that is held: the end of a contract, which cancels its order, holds it as well, and a meter comes before an
 * order in the order of locks.
 */
async function holdOrder(
  connection: Connection,
  organization: string,
  id: string,
  clock: Clock,
): Promise<{ row: MeterOrderRow; meter: string; now: string }> {
  const found = isId(id) ? await findMeterOrder(connection, organization, undefined, id) : undefined;
  if (found === undefined) throw notFound();
  const contract = await holdContract(connection, organization, found.subscription_id);
  const row = await findMeterOrder(connection, organization, undefined, id);
  if (row === undefined) throw notFound();
  return { row, meter: contract.meter_id, now: clock.now().toISOString() };
}

/**
 * The order is there already, also under a block, or was there before, with this visit; whether with this device, the meter
 * knows. Nothing keeps that there was a block.
 */
function stands(
  row: MeterOrderRow,
  { stage, step }: Position,
  { to, appointment_at }: MeterOrderMove,
): boolean {
  const isVisit =
    appointment_at === undefined ||
    (row.appointment_at !== null &&
      instantMicroseconds(row.appointment_at) === instantMicroseconds(appointment_at));
  return isVisit && (stage === to || step === to || (step !== null && row.entered_steps.includes(to)));
}

function targetOf(to: MeterOrderMove['to'], { stage, step }: Position): StageName {
  if (to !== 'unblocked') return to;
  if (STAGES[stage].kind === 'block' && step !== null) return step;
  throw refused('status', `The order is not blocked; it is ${stage}`);
}

/** First whether the move is one at all, then what it needs. */
function check({ row, from, to, now }: StageChange, move: MeterOrderMove): void {
  const { appointment_at, mounted } = move;
  if (move.to !== 'unblocked' && !mayFollow(from, to)) throw refused('status', sentenceOf(from, to));
  const findings = new Findings();
  const stage = STAGES[to];
  const isVisit = stage.kind === 'step' && stage.public === 'scheduled';
  if (to === 'installation_scheduled' && from.step !== to && appointment_at === undefined) {
    findings.badRequest('custom', 'appointment_at', 'Needed: the date of the visit');
  }
  if (appointment_at !== undefined && !isVisit) {
    findings.badRequest('custom', 'appointment_at', `An order that becomes ${to} gets no appointment`);
  }
  const isMounting = mountsMeter(from, to);
  if (isMounting && mounted === undefined) {
    findings.badRequest('custom', 'meter_number', 'Needed: the number of the smart meter that was mounted');
  }
  if (!isMounting && mounted !== undefined) {
    findings.badRequest(
      'custom',
      'meter_number',
      `An order that goes from ${from.step} to ${to} mounts none`,
    );
  }
  findings.throwIfAny();
  if (appointment_at !== undefined) checkAppointment(row, appointment_at, now);
}

function sentenceOf({ stage, step }: Position, to: StageName): string {
  const block = STAGES[stage].kind === 'block' ? ` on top of ${step}` : '';
  return `The order is ${stage}${block}: ${to} cannot follow`;
}

const DAYS_AHEAD_MAX = 366;

/** A visit that lies before the order, or years away, is a mistake in the typing. */
function checkAppointment({ created_at }: MeterOrderRow, appointment_at: string, now: string): void {
  const latest = berlinMidnight(addDays(berlinDayOf(now), DAYS_AHEAD_MAX));
  const at = instantMicroseconds(appointment_at);
  if (at >= instantMicroseconds(created_at) && at < instantMicroseconds(latest)) return;
  const message = `Not between the order, ${created_at}, and ${latest}`;
  throw badRequest([{ code: 'custom', field: 'appointment_at', message }]);
}

function changeOf({ row, from, to, now }: StageChange, { appointment_at }: MeterOrderMove): MeterOrderChange {
  const stage = STAGES[to];
  const appointment = appointment_at === undefined ? {} : { appointment_at };
  const common = { status: stage.status, updated_at: now, ...appointment };
  if (stage.kind === 'block') {
    const below = from.step === null ? {} : { unblocked_status: STAGES[from.step].status };
    return { ...common, ...below, blocked_at: now, blocked_reason: stage.blocked_reason };
  }
  const unblocked = { ...common, unblocked_status: stage.status, blocked_at: null, blocked_reason: null };
  if (stage.kind === 'end') {
    return { ...unblocked, cancelled_at: now, cancelled_reason: stage.cancelled_reason };
  }
  const left = from.step === null || from.step === to ? [] : [from.step];
  const reached = { ...unblocked, entered_steps: [...row.entered_steps, ...left] };
  return stage.sets === undefined ? reached : { ...reached, [stage.sets]: row[stage.sets] ?? now };
}

/** A block, and every public status that is reached; going back from a block reaches none. */
async function tell(
  connection: Connection,
  organization: string,
  { row, to, now }: StageChange,
  moved: MeterOrderRow,
): Promise<void> {
  const isBlock = STAGES[to].kind === 'block';
  if (!isBlock && moved.public_status === row.public_status) return;
  const topic = meterOrderTopics[isBlock ? 'blocked' : moved.public_status];
  const context = { meter_order: moved.id, subscription: moved.subscription_id };
  await recordEvents(connection, organization, [{ topic, context, now: moved.updated_at, runAt: now }]);
}

function refused(field: string, message: string) {
  return conflict([{ code: 'custom', field, message }]);
}
