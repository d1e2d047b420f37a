import type { Command } from 'commander';
import { voidInvoiceByStaff } from '../../../billing/invoices/issue/void.ts';
import { acting, type ChangeOptions, withOne } from '../../of-organization.ts';
import { staffAct } from '../../session.ts';

export function voidCommand(): Command {
  return acting('void', '<invoice>', 'inv_…')
    .description('reverses a document by another one; its period can be billed again')
    .action((id: string, options: ChangeOptions) =>
      withOne(`invoice ${id}`, options, async (session, organization) => {
        const act = staffAct(session, options, 'invoices void');
        const { voiding } = await voidInvoiceByStaff(session, organization, id, act);
        return {
          id,
          status: 'voided',
          voided_by: voiding.id,
          invoice_number: voiding.invoiceNumber,
          total: voiding.total,
        };
      }),
    );
}
