import { holdContract } from '../../held-contracts/service.ts';
import { audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import { conflict } from '../../platform/errors.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import type { BillingDeps } from './batch.ts';
import { type CorrectionOutcome, correctContract } from './corrections/correct.ts';
import { isClosed, listBillsOfContract } from './corrections/correction-queries.ts';
import { type AskedBilling, askForBilling } from './runs/run.ts';

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

/** The back office has the bills of a contract calculated anew now; with `closeNow` its exit summary does not wait. */
export async function orderCorrection(
  deps: BillingDeps,
  organization: string,
  id: string,
  { closeNow }: { closeNow: boolean },
  act: StaffAct,
): Promise<CorrectionOutcome> {
  await deps.database.inOrganization({ organization }, async (connection) => {
    await holdContract(connection, organization, id);
    await refuseMisplaced(connection, organization, id, closeNow);
    const name = closeNow ? 'invoices.exit_summary' : 'invoices.correct';
    await audit(connection, { ...staffOf(act, organization), act: name, object_id: id });
  });
  return await correctContract(deps, organization, id, { run: null, all: true, closeNow });
}

/** Behind the exit summary nothing is issued, and before the final bill there is nothing that it could settle. */
async function refuseMisplaced(
  connection: Connection,
  organization: string,
  id: string,
  closeNow: boolean,
): Promise<void> {
  const refused = (message: string) => conflict([{ code: 'custom', field: 'subscription', message }]);
  if (await isClosed(connection, organization, id))
    throw refused(`${id} has its exit summary: nothing is issued after it`);
  if (!closeNow) return;
  const bills = await listBillsOfContract(connection, organization, id);
  if (!bills.some(({ is_final }) => is_final))
    throw refused(`${id} has no final bill yet: the exit summary settles what changed behind it`);
}
