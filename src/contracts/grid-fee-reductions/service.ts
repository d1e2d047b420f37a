import type { Connection } from '../../platform/database/db.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { insertReduction, updateIntendedReductionsOrdered, updateOpenReductionsEnded } from './queries.ts';
import { newReductionId } from './schema.ts';

export { updateEndsOfReductions as moveEndsOfReductions } from './queries.ts';

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
