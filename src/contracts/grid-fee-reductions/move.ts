import { audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { berlinDayOf, berlinMidnight, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { HeldContract } from '../held-contracts/queries.ts';
import { holdContract } from '../held-contracts/service.ts';
import { DATED_STATUSES, OPEN_STATUSES, REDUCTION_MOVES, type StaffMove } from './moves.ts';
import { assertMayHold, endWithModule1 } from './periods.ts';
import {
  findOwnEnd,
  findReduction,
  listReductionsOfSubscription,
  type ModuleRow,
  type ReductionRow,
  updateReduction,
} from './queries.ts';
import { MODULE_1, MODULE_3 } from './schema.ts';

/*
 * What the back office enters when the grid operator has spoken of a reduction. Days may lie in the past: messages of the
 * market come late.
 */

interface MoveDeps {
  database: Database;
  clock: Clock;
}

/** First day in force, and first day on which it no longer is; in Berlin. */
export interface ReductionDates {
  valid_from?: CalendarDay;
  valid_until?: CalendarDay;
}

/** The grid operator accepts: the reduction holds from a day on. */
export function acceptReduction(
  deps: MoveDeps,
  organization: string,
  id: string,
  given: { valid_from: CalendarDay },
  act: StaffAct,
): Promise<ReductionRow> {
  return change(deps, organization, id, { name: 'accept', given }, act, (held) => {
    const dates = { valid_from: beginning(held, given.valid_from) };
    assertMayHold({ ...held.row, ...dates }, held.others, 'valid_from');
    return dates;
  });
}

/** The grid operator refuses. Module 3 ends with a module 1 that is refused. */
export function rejectReduction(
  deps: MoveDeps,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<ReductionRow> {
  return change(deps, organization, id, { name: 'reject', given: {} }, act, () => ({}));
}

/**
 * It stops while the contract goes on, and module 3 with module 1. One that turns out never to have held ends at the
 * instant it would have begun.
 */
export function endReduction(
  deps: MoveDeps,
  organization: string,
  id: string,
  given: { valid_until: CalendarDay },
  act: StaffAct,
): Promise<ReductionRow> {
  return change(deps, organization, id, { name: 'end', given }, act, ({ row: { valid_from }, now }) => ({
    valid_until: end(given.valid_until, valid_from, now),
  }));
}

/**
 * Corrects days that are there: the beginning, and the end of one that has ended. One that ended before the grid operator spoke
 * of it gets its beginning, and stays ended.
 */
export function setReductionDates(
  deps: MoveDeps,
  organization: string,
  id: string,
  dates: ReductionDates,
  act: StaffAct,
): Promise<ReductionRow> {
  return change(deps, organization, id, { name: 'set_dates', given: dates }, act, (held) => {
    const { row, contract, now } = held;
    if (dates.valid_until !== undefined && row.status !== 'ended') {
      throw refused('valid_until', 'It has not ended: end it first');
    }
    const { end_at } = contract;
    const from = dates.valid_from === undefined ? row.valid_from : beginning(held, dates.valid_from);
    if (from === null) throw refused('valid_from', 'It has not begun: its end needs the beginning, too');
    const until = dates.valid_until === undefined ? row.valid_until : end(dates.valid_until, from, now);
    if (until !== null && from > until)
      throw refused('valid_from', `It must not lie behind the end, ${until}`);
    if (until !== row.valid_until && until !== null && end_at !== null && until > end_at) {
      throw refused('valid_until', `It must not lie behind the end of supply, ${end_at}`);
    }
    const changed = { valid_from: from, valid_until: until };
    const field = dates.valid_from === undefined ? 'valid_until' : 'valid_from';
    assertMayHold({ ...row, ...changed }, held.others, field);
    return dates.valid_until === undefined ? { valid_from: from } : changed;
  });
}

/** Within supply. */
function beginning({ contract }: HeldReduction, valid_from: CalendarDay): string {
  const from = berlinMidnight(valid_from);
  const { start_at, end_at } = contract;
  if (start_at === null || from < start_at) {
    const since = start_at === null ? 'which is not confirmed' : start_at;
    throw refused('valid_from', `It cannot hold before the start of supply, ${since}`);
  }
  if (end_at !== null && from >= end_at) {
    throw refused('valid_from', `It must hold before the end of supply, ${end_at}`);
  }
  return from;
}

/** Today or before, and not before the beginning. */
function end(valid_until: CalendarDay, valid_from: string | null, now: string): string {
  const until = berlinMidnight(valid_until);
  if (valid_from !== null && until < valid_from) {
    throw refused('valid_until', `It must not lie before the beginning, ${valid_from}`);
  }
  /* Else something would be called ended that still lowers the price. */
  if (until > now && until !== valid_from) {
    throw refused('valid_until', 'The day lies in the future: end the reduction when it has come');
  }
  return until;
}

interface HeldReduction {
  row: ReductionRow;
  /** As somebody gave it, wherever its contract came to end. */
  ownUntil: string | null;
  /** The other reductions of the contract. */
  others: ModuleRow[];
  contract: HeldContract;
  /** Read behind the lock. */
  now: string;
}

type Dates = Partial<Pick<ReductionRow, 'valid_from' | 'valid_until'>>;

/** Everybody who changes a reduction holds its contract: days, states and the other reductions stay as they are seen here. */
function change(
  { database, clock }: MoveDeps,
  organization: string,
  id: string,
  { name, given }: { name: StaffMove | 'set_dates'; given: ReductionDates },
  act: StaffAct,
  datesOf: (held: HeldReduction) => Dates,
): Promise<ReductionRow> {
  return database.inOrganization({ organization }, async (connection) => {
    const held = await hold(connection, organization, id, clock);
    const { row, now } = held;
    const line = { ...staffOf(act, organization), act: `grid_fee_reduction.${name}` };
    if (stands(held, name, given)) {
      await audit(connection, { ...line, object_id: id, result: 'unchanged' });
      return row;
    }
    const { done, from, to } =
      name === 'set_dates'
        ? { done: 'given other days', from: DATED_STATUSES, to: row.status }
        : REDUCTION_MOVES[name];
    const allowed: readonly string[] = from;
    if (!allowed.includes(row.status)) {
      const states = allowed.join(' or ');
      throw refused('status', `Only what is ${states} can be ${done}; this reduction is ${row.status}`);
    }
    const changes = { status: to, ...datesOf(held), updated_at: now };
    const changed = await updateReduction(connection, organization, id, changes);
    await audit(connection, { ...line, object_id: id });
    if (changed.type === MODULE_1) {
      for (const { id: module3, valid_until } of endedAlong(held, changed)) {
        const ended = { status: REDUCTION_MOVES.endAlong.to, valid_until, updated_at: now };
        await updateReduction(connection, organization, module3, ended);
        await audit(connection, { ...line, act: 'grid_fee_reduction.end', object_id: module3 });
      }
    }
    return changed;
  });
}

/** Entered before with these days: a file of the back office runs again when one line of it was mended. */
function stands(
  { row, ownUntil }: HeldReduction,
  name: StaffMove | 'set_dates',
  given: ReductionDates,
): boolean {
  const dated: readonly string[] = DATED_STATUSES;
  /* What was accepted may have ended since. */
  const isThere =
    name === 'reject' || name === 'end'
      ? row.status === REDUCTION_MOVES[name].to
      : dated.includes(row.status);
  const { valid_from, valid_until } = given;
  return (
    isThere &&
    (valid_from === undefined || row.valid_from === berlinMidnight(valid_from)) &&
    (valid_until === undefined || ownUntil === berlinMidnight(valid_until))
  );
}

/**
 * Each module 3 with the instant at which it ends now that its module 1 does. One that waits ends when a module 1 does; where
 * days of one that was over are corrected, it waits for another one.
 */
function endedAlong(
  { row: { status: before }, others, now }: HeldReduction,
  module1: ReductionRow,
): { id: string; valid_until: string }[] {
  const rows = [...others, module1];
  const open: readonly string[] = OPEN_STATUSES;
  const isOver = open.includes(before) && !open.includes(module1.status);
  return others.flatMap((row) => {
    const isWaiting = row.type === MODULE_3 && row.valid_from === null && open.includes(row.status);
    const until = isWaiting && isOver ? endOf(module1, now) : endWithModule1(row, rows);
    return until === undefined ? [] : [{ id: row.id, valid_until: until }];
  });
}

/** A refused one has no day: that of the refusal. */
const endOf = ({ valid_until }: ReductionRow, now: string) => valid_until ?? berlinMidnight(berlinDayOf(now));

async function hold(
  connection: Connection,
  organization: string,
  id: string,
  clock: Clock,
): Promise<HeldReduction> {
  const found = isId(id) ? await findReduction(connection, organization, undefined, id) : undefined;
  if (found === undefined) throw notFound();
  const contract = await holdContract(connection, organization, found.subscription_id);
  const row = await findReduction(connection, organization, undefined, id);
  if (row === undefined) throw notFound();
  const all = await listReductionsOfSubscription(connection, organization, contract.id);
  const others = all.filter((other) => other.id !== id);
  const ownUntil = await findOwnEnd(connection, organization, id);
  return { row, ownUntil, others, contract, now: clock.now().toISOString() };
}

function refused(field: string, message: string) {
  return conflict([{ code: 'custom', field, message }]);
}
