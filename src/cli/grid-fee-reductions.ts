import { Command, Option } from 'commander';
import { acceptReduction, endReduction, rejectReduction } from '../grid-fee-reductions/move.ts';
import type { ReductionRow } from '../grid-fee-reductions/queries.ts';
import { newestReductions, reductionForStaff } from '../grid-fee-reductions/read.ts';
import { REDUCTION_STATUSES } from '../grid-fee-reductions/schema.ts';
import { organization as findOrganization } from '../organizations/service.ts';
import { calendarDay } from './calendar-day.ts';
import { wholeNumber } from './client-options.ts';
import { printObject, printTable } from './output.ts';
import { type ActOptions, known, type Session, staffAct, withActOptions, withSession } from './session.ts';

interface ReadOptions {
  organization: string;
  json?: boolean;
}

interface ListOptions extends ReadOptions {
  status?: string;
  customer?: string;
  subscription?: string;
  limit: number;
}

const LIMIT = 100;

export function gridFeeReductionsCommand(): Command {
  return new Command('grid-fee-reductions')
    .addCommand(list())
    .addCommand(show())
    .addCommand(accept())
    .addCommand(reject())
    .addCommand(end());
}

function list(): Command {
  return new Command('list')
    .description('grid fee reductions of an organization, newest first')
    .requiredOption('--organization <id>', 'org_…')
    .addOption(new Option('--status <status>', 'in this state only').choices(REDUCTION_STATUSES))
    .option('--customer <id>', 'cus_…: of this customer only')
    .option('--subscription <id>', 'sub_…: of this contract only')
    .option('--limit <number>', 'at most so many', wholeNumber, LIMIT)
    .option('--json', 'as a list of JSON objects')
    .action((options: ListOptions) =>
      withSession(async ({ database }) => {
        const { organization: id, status, customer, subscription, limit } = options;
        await known(`organization ${id}`, findOrganization(database, id));
        const rows = await newestReductions(database, id, { status, customer, subscription }, limit);
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
  return new Command('show')
    .description('one grid fee reduction')
    .argument('<reduction>', 'gfr_…')
    .requiredOption('--organization <id>', 'org_…')
    .option('--json', 'as one JSON object')
    .action((id: string, options: ReadOptions) =>
      withReduction(id, options, ({ database }) => reductionForStaff(database, options.organization, id)),
    );
}

async function withReduction(
  id: string,
  options: ReadOptions,
  work: (session: Session) => Promise<ReductionRow>,
): Promise<void> {
  await withSession(async (session) => {
    const { organization } = options;
    await known(`organization ${organization}`, findOrganization(session.database, organization));
    const row = await known(`grid fee reduction ${id} in ${organization}`, work(session));
    printObject({ ...row }, options);
  });
}

interface MoveOptions extends ReadOptions, ActOptions {}

/** A command that moves one reduction. */
function moving(name: string): Command {
  return withActOptions(new Command(name))
    .argument('<reduction>', 'gfr_…')
    .requiredOption('--organization <id>', 'org_…')
    .option('--json', 'as one JSON object');
}

function accept(): Command {
  return moving('accept')
    .description('the grid operator accepted an ordered reduction')
    .requiredOption('--valid-from <day>', 'first day on which it holds, YYYY-MM-DD in Berlin', calendarDay)
    .action((id: string, options: MoveOptions & { validFrom: string }) =>
      withReduction(id, options, (session) =>
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
    .action((id: string, options: MoveOptions) =>
      withReduction(id, options, (session) =>
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
    .action((id: string, options: MoveOptions & { validUntil: string }) =>
      withReduction(id, options, (session) =>
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
