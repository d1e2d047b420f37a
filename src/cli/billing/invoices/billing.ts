import { Command, Option } from 'commander';
import { REFUSALS } from '../../../billing/invoices/refusal.ts';
import { orderBilling } from '../../../billing/invoices/runs/order.ts';
import { billingReport, missingDocuments } from '../../../billing/invoices/runs/report.ts';
import { addDays, berlinDayAt, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { wholeNumber } from '../../identity/client-options.ts';
import { month } from '../../month.ts';
import {
  type ChangeOptions,
  type ListOptions,
  listing,
  type OrganizationOptions,
  ofOrganization,
  withOrganization,
} from '../../of-organization.ts';
import { printObject, printTable } from '../../output.ts';
import { known, staffAct, withActOptions } from '../../session.ts';

interface RunOptions extends ChangeOptions {
  month?: CalendarDay;
  estimateGaps?: boolean;
}

export function runCommand(): Command {
  return ofOrganization(withActOptions(new Command('run')))
    .description('asks workers for all bills that are due; what is billed stays as it is')
    .option('--month <month>', 'YYYY-MM: only periods that end with it or in it', month)
    .option(
      '--estimate-gaps',
      'a deadline is near: missing quarter hours are estimated, and the bill says so',
    )
    .action((options: RunOptions) =>
      withOrganization(options, async (session, organization) => {
        const asked = { month: options.month ?? null, estimateGaps: options.estimateGaps === true };
        const begun = await orderBilling(
          session,
          organization,
          asked,
          staffAct(session, options, 'invoices run'),
        );
        printObject(begun, options, [
          `How far it is: npm run cli -- invoices report --run ${begun.run} --organization ${organization}`,
        ]);
      }),
    );
}

interface ReportOptions extends OrganizationOptions {
  run?: string;
}

export function reportCommand(): Command {
  return ofOrganization(new Command('report'))
    .description('how far a run is, what it issued, and why documents are missing')
    .option('--run <id>', 'brun_…; the newest one where absent')
    .action((options: ReportOptions) =>
      withOrganization(options, async ({ database }, organization) => {
        const what = options.run === undefined ? 'run of billing' : `run ${options.run}`;
        const report = billingReport(database, organization, options.run);
        const { run, progress, refusals } = await known(`${what} in ${organization}`, report);
        if (options.json === true) return printObject({ ...run, ...progress, refusals }, options);
        const { issued, ...counts } = progress;
        printObject({ ...run, ...counts, ...prefixed(issued) }, options);
        printTable(refusals, ['code', 'count', 'meaning'], options);
      }),
    );
}

const prefixed = (issued: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(issued).map(([type, count]) => [`issued ${type}`, count]));

interface DeadlineOptions extends ListOptions {
  days?: number;
  code?: string;
  subscription?: string;
}

/** A letter takes some days, and so does finding what is missing. */
const DAYS_BEFORE = 7;

export function deadlinesCommand(): Command {
  return listing('deadlines')
    .description('documents that are due and missing, with what they wait for; those that are late first')
    .option('--days <number>', `late within so many days; ${DAYS_BEFORE} where absent`, wholeNumber)
    .addOption(
      new Option('--code <code>', 'missing for this cause only, whatever the day').choices(
        Object.keys(REFUSALS),
      ),
    )
    .option('--subscription <id>', 'sub_…: of this contract only, whatever the day')
    .action((options: DeadlineOptions) =>
      withOrganization(options, async ({ database, clock }, organization) => {
        const today = berlinDayAt(clock.nowMilliseconds());
        const { code, subscription } = options;
        const isNamed = code !== undefined || subscription !== undefined;
        const days = options.days ?? (isNamed ? undefined : DAYS_BEFORE);
        const lateBy = days === undefined ? undefined : addDays(today, days);
        const rows = await missingDocuments(
          database,
          organization,
          { code, subscription, lateBy },
          options.limit,
        );
        const shown = rows.map((row) => ({ ...row, state: stateOf(row.deadline, today) }));
        const columns = [
          'deadline',
          'state',
          'subscription_id',
          'type',
          'period_start',
          'period_end',
          'code',
        ];
        printTable(shown, [...columns, 'detail'], options);
      }),
    );
}

function stateOf(deadline: CalendarDay | null, today: CalendarDay): string {
  if (deadline === null) return '-';
  return deadline <= today ? 'late' : 'near';
}
