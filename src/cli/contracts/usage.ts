import { Command } from 'commander';
import { organizationOfSubscription } from '../../contracts/subscriptions/staff-read.ts';
import { usageHistory } from '../../contracts/usage/history.ts';
import { importUsage } from '../../contracts/usage/import.ts';
import { calendarDay } from '../calendar-day.ts';
import { printObject, printTable } from '../output.ts';
import { type ActOptions, inputFile, known, staffAct, withActOptions, withSession } from '../session.ts';

interface ImportOptions extends ActOptions {
  subscription: string;
  json?: boolean;
}

interface HistoryOptions extends ActOptions {
  subscription: string;
  start: string;
  end: string;
  json?: boolean;
}

export function usageCommand(): Command {
  return new Command('usage').addCommand(importCommand()).addCommand(history());
}

function history(): Command {
  return withActOptions(new Command('history'), 'look into the history of usage')
    .description('final values that an import of the metering operator replaced')
    .requiredOption('--subscription <id>', 'sub_…')
    .requiredOption('--start <day>', 'first day, YYYY-MM-DD in Berlin', calendarDay)
    .requiredOption('--end <day>', 'the day behind the last one', calendarDay)
    .option('--json', 'as a list of JSON objects')
    .action((options: HistoryOptions) =>
      withSession(async (session) => {
        const { subscription: id, start, end } = options;
        const { database } = session;
        const organization = await known(`subscription ${id}`, organizationOfSubscription(database, id));
        const act = staffAct(session, options, 'usage history');
        const rows = await usageHistory(database, organization, id, { start, end }, act);
        const columns = ['interval_start', 'kwh', 'source', 'kept_at', 'replaced_at'];
        printTable(
          rows.map((row) => ({ ...row })),
          columns,
          options,
        );
      }),
    );
}

function importCommand(): Command {
  return withActOptions(new Command('import'), 'import of metered values')
    .description('quarter hours of the metering operator from a CSV file, all of it or nothing')
    .argument(
      '<file>',
      'columns: start (date-time with time zone), kwh; what was imported before is replaced',
    )
    .requiredOption('--subscription <id>', 'sub_…')
    .option('--json', 'as one JSON object')
    .action((path: string, options: ImportOptions) =>
      withSession(async (session) => {
        const { subscription: id } = options;
        const { database } = session;
        const organization = await known(`subscription ${id}`, organizationOfSubscription(database, id));
        const act = staffAct(session, options, 'usage import');
        const imported = await importUsage(database, organization, id, await inputFile(path), act);
        printObject({ ...imported }, options);
      }),
    );
}
