import { Command, Option } from 'commander';
import {
  acceptReduction,
  endReduction,
  rejectReduction,
  setReductionDates,
} from '../../contracts/grid-fee-reductions/move.ts';
import { newestReductions, reductionForStaff } from '../../contracts/grid-fee-reductions/read.ts';
import { REDUCTION_STATUSES } from '../../contracts/grid-fee-reductions/schema.ts';
import { calendarDay } from '../calendar-day.ts';
import {
  acting,
  type ChangeOptions,
  type ListOptions,
  listing,
  type OrganizationOptions,
  ofOrganization,
  withOne,
  withOrganization,
} from '../of-organization.ts';
import { printTable } from '../output.ts';
import { staffAct } from '../session.ts';

interface Wanted extends ListOptions {
  status?: string;
  customer?: string;
  subscription?: string;
}

export function gridFeeReductionsCommand(): Command {
  return new Command('grid-fee-reductions')
    .addCommand(list())
    .addCommand(show())
    .addCommand(accept())
    .addCommand(reject())
    .addCommand(end())
    .addCommand(dates());
}

function list(): Command {
  return listing('list')
    .description('grid fee reductions of an organization, newest first')
    .addOption(new Option('--status <status>', 'in this state only').choices(REDUCTION_STATUSES))
    .option('--customer <id>', 'cus_…: of this customer only')
    .option('--subscription <id>', 'sub_…: of this contract only')
    .action((options: Wanted) =>
      withOrganization(options, async ({ database }, organization) => {
        const { status, customer, subscription, limit } = options;
        const rows = await newestReductions(
          database,
          organization,
          { status, customer, subscription },
          limit,
        );
        const columns = ['id', 'type', 'status', 'valid_from', 'valid_until', 'subscription_id'];
        printTable(
          rows.map((row) => ({ ...row })),
          columns,
          options,
        );
      }),
    );
}

function show(): Command {
  return ofOrganization(new Command('show'))
    .description('one grid fee reduction')
    .argument('<reduction>', 'gfr_…')
    .action((id: string, options: OrganizationOptions) =>
      withOne(named(id), options, ({ database }, organization) =>
        reductionForStaff(database, organization, id),
      ),
    );
}

const named = (id: string) => `grid fee reduction ${id}`;

/** A command that moves one reduction. */
const moving = (name: string) => acting(name, '<reduction>', 'gfr_…');

function accept(): Command {
  return moving('accept')
    .description('the grid operator accepted an ordered reduction')
    .requiredOption('--valid-from <day>', 'first day on which it holds, YYYY-MM-DD in Berlin', calendarDay)
    .action((id: string, options: ChangeOptions & { validFrom: string }) =>
      withOne(named(id), options, (session) =>
        acceptReduction(
          session,
          options.organization,
          id,
          { valid_from: options.validFrom },
          staffAct(session, options, 'grid-fee-reductions accept'),
        ),
      ),
    );
}

function reject(): Command {
  return moving('reject')
    .description('the grid operator refused an ordered reduction')
    .action((id: string, options: ChangeOptions) =>
      withOne(named(id), options, (session) =>
        rejectReduction(
          session,
          options.organization,
          id,
          staffAct(session, options, 'grid-fee-reductions reject'),
        ),
      ),
    );
}

function end(): Command {
  return moving('end')
    .description('an activated reduction stopped while its contract goes on')
    .requiredOption(
      '--valid-until <day>',
      'first day on which it no longer holds, YYYY-MM-DD in Berlin; today or before',
      calendarDay,
    )
    .action((id: string, options: ChangeOptions & { validUntil: string }) =>
      withOne(named(id), options, (session) =>
        endReduction(
          session,
          options.organization,
          id,
          { valid_until: options.validUntil },
          staffAct(session, options, 'grid-fee-reductions end'),
        ),
      ),
    );
}

function dates(): Command {
  return moving('set-dates')
    .description('corrects the first day of a reduction that has begun, or the end of an ended one')
    .option('--valid-from <day>', 'first day on which it holds, YYYY-MM-DD in Berlin', calendarDay)
    .option(
      '--valid-until <day>',
      'first day on which it no longer holds, YYYY-MM-DD in Berlin; today or before',
      calendarDay,
    )
    .action((id: string, options: ChangeOptions & { validFrom?: string; validUntil?: string }) => {
      const { validFrom, validUntil } = options;
      if (validFrom === undefined && validUntil === undefined) {
        throw new Error('Give --valid-from, --valid-until or both');
      }
      const wanted = {
        ...(validFrom !== undefined && { valid_from: validFrom }),
        ...(validUntil !== undefined && { valid_until: validUntil }),
      };
      return withOne(named(id), options, (session) =>
        setReductionDates(
          session,
          options.organization,
          id,
          wanted,
          staffAct(session, options, 'grid-fee-reductions set-dates'),
        ),
      );
    });
}
