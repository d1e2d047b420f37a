import { Argument, type Command } from 'commander';
import type { BillingMode } from '../../../billing/invoices/plan/periods.ts';
import { setBillingMode, setInstalment } from '../../../billing/invoices/prepayments/terms.ts';
import type { CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { calendarDay } from '../../calendar-day.ts';
import { month } from '../../month.ts';
import { acting, type ChangeOptions, withOne } from '../../of-organization.ts';
import { staffAct } from '../../session.ts';

interface ModeOptions extends ChangeOptions {
  from: CalendarDay;
  instalment?: string;
}

const CONTRACT = ['<subscription>', 'sub_…'] as const;

export function modeCommand(): Command {
  return acting('mode', ...CONTRACT)
    .description(
      'how a contract is billed from a month on: each month, or in advance with a bill after twelve',
    )
    .addArgument(new Argument('<mode>', 'none: another system bills').choices(['monthly', 'advance', 'none']))
    .requiredOption('--from <month>', 'YYYY-MM: the first month without a document', month)
    .option('--instalment <EUR>', 'a month with VAT, whole; what a quote comes to where absent')
    .action((id: string, mode: BillingMode, options: ModeOptions) =>
      withOne(`contract ${id}`, options, (session, organization) => {
        const { from, instalment } = options;
        const change = { mode, from, ...(instalment !== undefined && { instalment }) };
        return setBillingMode(session, organization, id, change, staffAct(session, options, 'invoices mode'));
      }),
    );
}

interface InstalmentOptions extends ChangeOptions {
  from: CalendarDay;
}

export function instalmentCommand(): Command {
  return acting('instalment', ...CONTRACT)
    .description('another instalment, on evidence of the customer that the reason names')
    .argument('<EUR>', 'a month with VAT, whole')
    .requiredOption(
      '--from <day>',
      'YYYY-MM-DD: first day of a month that was not asked for yet',
      calendarDay,
    )
    .action((id: string, instalment: string, options: InstalmentOptions) =>
      withOne(`contract ${id}`, options, (session, organization) => {
        const act = staffAct(session, options, 'invoices instalment');
        return setInstalment(session, organization, id, { from: options.from, instalment }, act);
      }),
    );
}
