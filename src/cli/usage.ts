import { Command } from 'commander';
import { organizationOfSubscription } from '../subscriptions/staff-read.ts';
import { importUsage } from '../usage/import.ts';
import { printObject } from './output.ts';
import { type ActOptions, inputFile, known, staffAct, withActOptions, withSession } from './session.ts';

interface ImportOptions extends ActOptions {
  subscription: string;
  json?: boolean;
}

export function usageCommand(): Command {
  return new Command('usage').addCommand(importCommand());
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
