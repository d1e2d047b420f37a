import { Command } from 'commander';
import type { CorrectionOutcome } from '../../../billing/invoices/corrections/correct.ts';
import { orderCorrection, orderCorrections, previewCorrections } from '../../../billing/invoices/runs/order.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { calendarDay } from '../../calendar-day.ts';
import {
  acting,
  type ChangeOptions,
  ofOrganization,
  withOne,
  withOrganization,
} from '../../of-organization.ts';
import { printObject, printTable } from '../../output.ts';
import { staffAct, withActOptions } from '../../session.ts';

const CONTRACT = ['<subscription>', 'sub_…'] as const;

interface CorrectOptions extends ChangeOptions {
  all?: boolean;
  since?: CalendarDay;
  issue?: boolean;
}

export function correctCommand(): Command {
  return ofOrganization(withActOptions(new Command('correct')))
    .description('calculates bills anew, and replaces those whose cents are others')
    .argument('[subscription]', 'sub_…: all bills of this contract')
    .option('--all', 'of all contracts: shows what would be replaced, and issues nothing')
    .option('--since <day>', 'with --all: of which something changed since YYYY-MM-DD', calendarDay)
    .option('--issue', 'with --all: issues the documents')
    .action((id: string | undefined, options: CorrectOptions) => {
      const { all = false, since, issue = false } = options;
      if (all && id === undefined && since !== undefined) return correctAll(options, since, issue);
      if (all || id === undefined || since !== undefined || issue)
        throw new Error('Give a contract, or --all with --since, and with --issue where it is to be issued');
      return withOne(`contract ${id}`, options, (session, organization) => {
        const act = staffAct(session, options, 'invoices correct');
        return ordered(orderCorrection(session, organization, id, { closeNow: false }, act));
      });
    });
}

function correctAll(options: CorrectOptions, since: CalendarDay, issue: boolean): Promise<void> {
  return withOrganization(options, async (session, organization) => {
    if (issue) {
      const act = staffAct(session, options, 'invoices correct');
      return printObject(await orderCorrections(session, organization, since, act), options);
    }
    const { bills, refused, ...sums } = await previewCorrections(session, organization, since);
    if (options.json === true) return printObject({ ...sums, bills, refused }, options);
    const columns = ['subscription', 'invoice_number', 'from', 'until', 'before', 'now', 'difference'];
    printTable(
      bills.map((bill) => ({ ...bill })),
      columns,
      options,
    );
    if (refused.length > 0)
      printTable(
        refused.map((one) => ({ ...one })),
        ['subscription', 'code', 'detail'],
        options,
      );
    printObject({ ...sums, bills: bills.length, refused: refused.length }, options, [
      'Nothing was issued: the same command with --issue does it.',
    ]);
  });
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
