import type { Connection } from '../../platform/database/db.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { endWithModule1 } from './periods.ts';
import {
  insertReduction,
  listReductionsOfSubscription,
  updateEnd,
  updateEndsOfReductions,
  updateIntendedReductionsOrdered,
  updateOpenReductionsEnded,
} from './queries.ts';
import { newReductionId } from './schema.ts';

export const MISSING_SMART_METER = ruleCode('missing_smart_meter', 'Module 3 needs a smart meter');
export const DUPLICATE_GRID_REDUCTION = ruleCode(
  'duplicate_grid_reduction',
  'The module of the grid fee reduction is ordered already',
);

/** What is wanted with a sign-up stays intended until the contract is confirmed. */
export async function createIntendedReductions(
  connection: Connection,
  organization: string,
  contract: { id: string; customer_id: string },
  modules: readonly (1 | 2 | 3)[],
  now: string,
): Promise<void> {
  for (const module of modules) {
    await insertReduction(connection, organization, {
      id: newReductionId(),
      customer_id: contract.customer_id,
      subscription_id: contract.id,
      type: `enwg-14a-module-${module}`,
      status: 'intended',
      created_at: now,
      updated_at: now,
    });
  }
}

/**
 * With the confirmation of a contract its reductions go to the grid operator. Those that were asked for later, while it
 * waited for its first day, go when supply begins.
 */
export function orderIntendedReductions(
  connection: Connection,
  organization: string,
  subscriptions: readonly string[],
  now: string,
): Promise<void> {
  return updateIntendedReductionsOrdered(connection, organization, subscriptions, now);
}

/** Contracts that ended take their open reductions with them. */
export function endOpenReductions(
  connection: Connection,
  organization: string,
  subscriptions: readonly string[],
  now: string,
): Promise<void> {
  return updateOpenReductionsEnded(connection, organization, subscriptions, now);
}

/**
 * A contract that ended did so on another day: its reductions end on that day, or before at their own end. Where that is the
 * end of module 1, module 3 ends with it.
 */
export async function moveEndsOfReductions(
  connection: Connection,
  organization: string,
  contract: { id: string },
  end_at: string | null,
  now: string,
): Promise<void> {
  await updateEndsOfReductions(connection, organization, contract, end_at, now);
  const rows = await listReductionsOfSubscription(connection, organization, contract.id);
  for (const row of rows) {
    const valid_until = endWithModule1(row, rows);
    if (valid_until !== undefined) await updateEnd(connection, organization, row.id, valid_until, now);
  }
}
