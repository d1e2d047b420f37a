import type { Command } from 'commander';
import type { CorrectionOutcome } from '../../invoices/billing/corrections/correct.ts';
import { orderCorrection } from '../../invoices/billing/order.ts';
import { acting, type ChangeOptions, withOne } from '../of-organization.ts';
import { staffAct } from '../session.ts';

const CONTRACT = ['<subscription>', 'sub_…'] as const;

export function correctCommand(): Command {
  return acting('correct', ...CONTRACT)
    .description('calculates the bills of a contract anew, and replaces those whose cents are others')
    .action((id: string, options: ChangeOptions) =>
      withOne(`contract ${id}`, options, (session, organization) => {
        const act = staffAct(session, options, 'invoices correct');
        return ordered(orderCorrection(session, organization, id, { closeNow: false }, act));
      }),
    );
}

export function exitSummaryCommand(): Command {
  return acting('exit-summary', ...CONTRACT)
    .description(
      'settles what changed behind the final bill now; then nothing is issued for the contract any more',
    )
    .action((id: string, options: ChangeOptions) =>
      withOne(`contract ${id}`, options, (session, organization) => {
        const act = staffAct(session, options, 'invoices exit-summary');
        return ordered(orderCorrection(session, organization, id, { closeNow: true }, act));
      }),
    );
}

async function ordered(order: Promise<CorrectionOutcome>): Promise<object> {
  const { replaced, exitSummary, refused } = await order;
  return { replaced, exit_summary: exitSummary, refused };
}
