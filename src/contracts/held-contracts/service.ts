import { assertCustomerNotErased } from '../../identity/customers/service.ts';
import type { Connection } from '../../platform/database/db.ts';
import { unknownReference } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { berlinDayOf, type CalendarDay, later } from '../../platform/time/berlin-calendar.ts';
import { findTypeEntry, listMeterStates } from '../meters/queries.ts';
import { stateOn } from '../meters/service.ts';
import { type HeldContract, lockContract, updateBillsChanged } from './queries.ts';

export { lockContracts as holdContracts, updateBillsLookedAt as noteBillsLookedAt } from './queries.ts';

/*
 * Orders and messages for a contract are judged by the contract as it stands. The nouns that subscriptions themselves write
 * to (orders, reductions) reach it here: two folders may not import each other.
 */

export const ENDED_SUBSCRIPTION = ruleCode('ended_subscription', 'The subscription has ended');
export const SUBSCRIPTION_NOT_STARTED = ruleCode(
  'subscription_not_started',
  'The start of the subscription is not confirmed yet',
);

/**
 * The contract that a body names, as nobody else changes it until the transaction ends. That of who was erased takes nothing,
 * even where it has not ended: no job ended it while its organization was switched off.
 */
export async function holdContract(
  connection: Connection,
  organization: string,
  id: string,
): Promise<HeldContract> {
  const row = isId(id) ? await lockContract(connection, organization, id) : undefined;
  if (row === undefined) throw unknownReference('subscription', 'subscription');
  await assertCustomerNotErased(connection, organization, row.customer_id, 'subscription');
  return row;
}

/** Notes that bills from a day on are to be calculated anew: something that they depend on came in. */
export function noteChangedBills(
  connection: Connection,
  organization: string,
  contracts: readonly string[],
  from: CalendarDay,
  now: string,
): Promise<void> {
  return updateBillsChanged(connection, organization, contracts, from, now);
}

/**
 * Whether the meter is smart while the contract is supplied: today, or on the first day where that is still to come. Until the
 * start is confirmed the answer of the sign-up counts, and what the back office said after it; then it is one of the meter's
 * states.
 */
export async function isMeterSmart(
  connection: Connection,
  organization: string,
  { meter_id, meter_type, start_at, intended_start_on, created_at }: HeldContract,
  today: CalendarDay,
): Promise<boolean> {
  const startOn = start_at === null ? intended_start_on : berlinDayOf(start_at);
  const on = later(today, startOn);
  const isSignedSmart = start_at === null && meter_type === 'smart';
  if (isSignedSmart && !(await findTypeEntry(connection, organization, meter_id, created_at, on)))
    return true;
  const states = await listMeterStates(connection, organization, meter_id);
  return stateOn(states, on).type === 'smart';
}
