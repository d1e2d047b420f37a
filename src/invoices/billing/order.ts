import { audit } from '../../platform/audit.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import type { BillingDeps } from './batch.ts';
import { type AskedBilling, askForBilling } from './run.ts';

/** The back office asks for what is due, before the daily run does or in another way. */
export function orderBilling(
  { database }: Pick<BillingDeps, 'database'>,
  organization: string,
  asked: Omit<AskedBilling, 'dueAt'>,
  act: StaffAct,
): Promise<{ run: string; portions: number }> {
  return database.inOrganization({ organization }, async (connection) => {
    const begun = await askForBilling(connection, organization, { ...asked, dueAt: null }, act.now);
    if (begun === null) throw new Error('A run without a tick is always a new one');
    await audit(connection, {
      ...staffOf(act, organization),
      act: asked.estimateGaps ? 'invoices.run_with_estimates' : 'invoices.run',
      object_id: begun.run,
    });
    return begun;
  });
}
