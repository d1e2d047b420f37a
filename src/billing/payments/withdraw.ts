import { audit } from '../../platform/audit.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import { WITHDRAWN_REASON } from '../invoices/queries.ts';
import { bookEntries, type PaymentsDeps } from './book.ts';
import { isFileReported, listPaymentsOfFile, updateWithdrawn } from './file-queries.ts';
import { lockInvoices, lockPaymentsOf } from './queries.ts';
import { sumOf } from './sepa/instructions.ts';

export interface WithdrawnFile {
  readonly file: string;
  /** Those that the bank was never asked for. */
  readonly payments: number;
  readonly sum: string;
}

/**
 * The bank never had the file, or refused it as a whole: the next file has its bills. No account has failed to pay, so nobody
 * is told that and no account is asked less often. What staff entered as failed stays as it is. A result that comes all the
 * same is booked as that of any payment. Of a person who was erased the file has payments that nobody sees any more: what the
 * bank said of them counts.
 */
export async function withdrawFile(
  deps: PaymentsDeps,
  organization: string,
  id: string,
  act: StaffAct,
): Promise<WithdrawnFile> {
  /* What an import left that ended early may be a result of the file. */
  await bookEntries(deps, organization);
  return await deps.database.inOrganization({ organization }, async (connection) => {
    await lockPaymentsOf(connection, organization);
    const payments = isId(id) ? await listPaymentsOfFile(connection, organization, id) : [];
    if (payments.length === 0) throw notFound();
    const line = { ...staffOf(act, organization), act: 'payments.withdraw_file', object_id: id };
    const underWay = payments.filter(({ status }) => status === 'requested');
    const withdrawn = payments.filter(({ return_reason }) => return_reason === WITHDRAWN_REASON);
    if (underWay.length === 0 && withdrawn.length > 0) {
      await audit(connection, { ...line, result: 'unchanged' });
      return { file: id, payments: withdrawn.length, sum: sumOf(withdrawn) };
    }
    const bills = underWay.map(({ invoice_id }) => invoice_id);
    if (bills.length > 0) await lockInvoices(connection, organization, bills);
    if (await isFileReported(connection, organization, id, payments)) {
      throw refused(`The bank had ${id}: it reported a part of it. Of a single bill: invoices fail`);
    }
    if (bills.length === 0) throw refused(`Nothing of ${id} is under way`);
    const now = deps.clock.now().toISOString();
    await updateWithdrawn(connection, organization, id, { booked_on: berlinDayOf(now), updated_at: now });
    await audit(connection, line);
    return { file: id, payments: underWay.length, sum: sumOf(underWay) };
  });
}

function refused(message: string): Error {
  return conflict([{ code: 'custom', field: 'file', message }]);
}
