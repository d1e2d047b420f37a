import { Command, InvalidArgumentError, Option } from 'commander';
import { importReadings } from '../../contracts/meter-readings/import.ts';
import type { ReadingRow } from '../../contracts/meter-readings/queries.ts';
import { recordReading } from '../../contracts/meter-readings/record.ts';
import { READING_KWH_MAX, READING_TYPES } from '../../contracts/meter-readings/schema.ts';
import { organizationOfSubscription } from '../../contracts/subscriptions/staff-read.ts';
import { calendarDay } from '../calendar-day.ts';
import { type ChangeOptions, ofOrganization, withOrganization } from '../of-organization.ts';
import { printObject, printTable } from '../output.ts';
import { type ActOptions, inputFile, known, staffAct, withActOptions, withSession } from '../session.ts';

interface AddOptions extends ActOptions {
  date: string;
  value: string;
  type: ReadingRow['type'];
  json?: boolean;
}

export function meterReadingsCommand(): Command {
  return new Command('meter-readings').addCommand(add()).addCommand(importCommand());
}

function add(): Command {
  return withActOptions(new Command('add'), 'reported by the metering operator')
    .description('one reading')
    .argument('<subscription>', 'sub_…')
    .requiredOption('--date <day>', 'day of the reading, YYYY-MM-DD in Berlin', calendarDay)
    .requiredOption('--value <kWh>', 'what the meter showed', kilowattHours)
    .addOption(new Option('--type <type>', 'whose it is').choices(READING_TYPES).default('grid_reading'))
    .option('--json', 'as one JSON object')
    .action((subscription: string, options: AddOptions) =>
      withSession(async (session) => {
        const { database } = session;
        const { date: read_on, value, type } = options;
        const organization = await known(
          `subscription ${subscription}`,
          organizationOfSubscription(database, subscription),
        );
        const act = staffAct(session, options, 'meter-readings add');
        const given = { subscription, read_on, value, type };
        printObject(printed(await recordReading(database, organization, given, act)), options);
      }),
    );
}

function importCommand(): Command {
  return ofOrganization(withActOptions(new Command('import'), 'import of readings'))
    .description('readings from a CSV file, all of it or nothing')
    .argument('<file>', 'columns: subscription, date, value and, where it is no grid_reading, type')
    .action((path: string, options: ChangeOptions) =>
      withOrganization(options, async (session, organization) => {
        const act = staffAct(session, options, 'meter-readings import');
        const rows = await importReadings(session.database, organization, await inputFile(path), act);
        const columns = ['id', 'subscription_id', 'read_on', 'value', 'type'];
        printTable(rows.map(printed), columns, options);
      }),
    );
}

function kilowattHours(text: string): string {
  const value = /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= READING_KWH_MAX) return text;
  throw new InvalidArgumentError(`A number above 0 and at most ${READING_KWH_MAX}, as 18342.7.`);
}

/** As the interface shows it: values are numbers there. */
function printed(row: ReadingRow): Record<string, unknown> {
  return { ...row, value: Number(row.value) };
}
