import type { Connection } from '../platform/database/db.ts';
import { newId } from '../platform/ids.ts';
import { ruleCode } from '../platform/rule-codes.ts';
import { insertReductions, updateIntendedReductionsOrdered, updateOpenReductionsEnded } from './queries.ts';

export const MISSING_MODULE_1 = ruleCode('missing_module_1', 'Module 3 needs module 1');

/** What is wanted with a sign-up stays intended until the contract is confirmed. */
export async function createIntendedReductions(
  connection: Connection,
  organization: string,
  contract: { id: string; customer_id: string },
  modules: readonly (1 | 2 | 3)[],
  now: string,
): Promise<void> {
  if (modules.length === 0) return;
  const reductions = modules.map((module) => ({
    id: newId('gfr'),
    customer_id: contract.customer_id,
    subscription_id: contract.id,
    type: `enwg-14a-module-${module}` as const,
    status: 'intended' as const,
    created_at: now,
    updated_at: now,
  }));
  await insertReductions(connection, organization, reductions);
}

/** With the confirmation of a contract its reductions go to the grid operator. */
export function orderIntendedReductions(
  connection: Connection,
  organization: string,
  subscription: string,
  now: string,
): Promise<void> {
  return updateIntendedReductionsOrdered(connection, organization, subscription, now);
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
