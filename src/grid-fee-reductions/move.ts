import type { HeldContract } from '../held-contracts/queries.ts';
import { holdContract } from '../held-contracts/service.ts';
import { audit } from '../platform/audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Connection, Database } from '../platform/database/db.ts';
import { conflict, notFound } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { type StaffAct, staffOf } from '../platform/staff-act.ts';
import { berlinMidnight, type CalendarDay } from '../platform/time/berlin-calendar.ts';
import { REDUCTION_MOVES, type StaffMove } from './moves.ts';
import { findReduction, lockReduction, type ReductionRow, updateReduction } from './queries.ts';

/*
 * What the back office enters when the grid operator has spoken of a reduction. Days may lie in the past: messages of the
 * market come late.
 */

interface MoveDeps {
  database: Database;
  clock: Clock;
}

/** The grid operator accepts: the reduction holds from a day on. */
export function acceptReduction(
  deps: MoveDeps,
  organization: string,
  id: string,
  { valid_from }: { valid_from: CalendarDay },
  act: StaffAct,
): Promise<ReductionRow> {
  return move(deps, organization, id, 'accept', act, ({ contract }) => {
    const from = berlinMidnight(valid_from);
    const { start_at, end_at } = contract;
    if (start_at === null || from < start_at) {
      const since = start_at === null ? 'which is not confirmed' : start_at;
      throw refused('valid_from', `It cannot hold before the start of supply, ${since}`);
    }
    if (end_at !== null && from >= end_at) {
      throw refused('valid_from', `It must hold before the end of supply, ${end_at}`);
    }
    return { valid_from: from };
  });
}

/** The grid operator refuses. */
export function rejectReduction(
  deps: MoveDeps,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<ReductionRow> {
  return move(deps, organization, id, 'reject', act, () => ({}));
}

/** It stops while the contract goes on. One that turns out never to have held ends at the instant it would have begun. */
export function endReduction(
  deps: MoveDeps,
  organization: string,
  id: string,
  { valid_until }: { valid_until: CalendarDay },
  act: StaffAct,
): Promise<ReductionRow> {
  return move(deps, organization, id, 'end', act, ({ row: { valid_from }, now }) => {
    const until = berlinMidnight(valid_until);
    if (valid_from !== null && until < valid_from) {
      throw refused('valid_until', `It must not lie before the beginning, ${valid_from}`);
    }
    /* Else something would be called ended that still lowers the price. */
    if (until > now && until !== valid_from) {
      throw refused('valid_until', 'The day lies in the future: end the reduction when it has come');
    }
    return { valid_until: until };
  });
}

interface HeldReduction {
  row: ReductionRow;
  contract: HeldContract;
  /** Read behind the locks. */
  now: string;
}

/** The contract first, as everybody does who changes both: its dates stay as they are until the reduction has moved. */
function move(
  { database, clock }: MoveDeps,
  organization: string,
  id: string,
  name: StaffMove,
  act: StaffAct,
  datesOf: (held: HeldReduction) => Partial<Pick<ReductionRow, 'valid_from' | 'valid_until'>>,
): Promise<ReductionRow> {
  return database.inOrganization({ organization }, async (connection) => {
    const held = await hold(connection, organization, id, clock);
    const { from, to, done } = REDUCTION_MOVES[name];
    const allowed: readonly string[] = from;
    if (!allowed.includes(held.row.status)) {
      const states = allowed.join(' or ');
      throw refused('status', `Only what is ${states} can be ${done}; this reduction is ${held.row.status}`);
    }
    const moved = await updateReduction(connection, organization, id, {
      status: to,
      ...datesOf(held),
      updated_at: held.now,
    });
    await audit(connection, {
      ...staffOf(act, organization),
      act: `grid_fee_reduction.${name}`,
      object_id: id,
    });
    return moved;
  });
}

async function hold(
  connection: Connection,
  organization: string,
  id: string,
  clock: Clock,
): Promise<HeldReduction> {
  const found = isId(id) ? await findReduction(connection, organization, undefined, id) : undefined;
  if (found === undefined) throw notFound();
  const contract = await holdContract(connection, organization, found.subscription_id);
  const row = await lockReduction(connection, organization, id);
  if (row === undefined) throw notFound();
  return { row, contract, now: clock.now().toISOString() };
}

function refused(field: string, message: string) {
  return conflict([{ code: 'custom', field, message }]);
}
