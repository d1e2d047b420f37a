import { organizationOfSubscription } from '../../contracts/subscriptions/staff-read.ts';
import { importUsage } from '../../contracts/usage/import.ts';
import { usageHistory } from '../../contracts/usage/read.ts';
import type { Database } from '../../platform/database/db.ts';
import { command } from '../engine/command.ts';
import { act, calendarDay, idOption, JSON_LIST, JSON_OBJECT, needed, option } from '../engine/fields.ts';
import { inputFile } from '../engine/session.ts';
import { known } from '../organization.ts';

const SUBSCRIPTION = { subscription: needed(idOption('sub_…')) };

export const commands = {
  import: command({
    words: 'quarter hours of the metering operator from a CSV file, all of it or nothing',
    examples: ['october.csv --subscription sub_…', 'october.csv --subscription sub_… --json'],
    arguments: {
      file: 'columns: start (date-time with time zone), kwh; what was imported before is replaced',
    },
    options: { ...act('import of metered values'), ...SUBSCRIPTION, ...JSON_OBJECT },
    work: async ({ database, act }, { file, subscription }) => {
      const organization = await organizationOf(database, subscription);
      return await importUsage(database, organization, subscription, await inputFile(file), act);
    },
  }),
  history: command({
    words: 'final values that an import of the metering operator replaced',
    examples: [
      '--subscription sub_… --start 2026-10-01 --end 2026-11-01',
      "--subscription sub_… --start 2026-10-01 --end 2026-10-02 --reason 'objection to a bill' --json",
    ],
    options: {
      ...act('look into the history of usage'),
      ...SUBSCRIPTION,
      start: needed(option('<day>', 'first day, YYYY-MM-DD in Berlin', calendarDay)),
      end: needed(option('<day>', 'the day behind the last one, not part of it', calendarDay)),
      ...JSON_LIST,
    },
    work: async ({ database, act }, { subscription, ...days }) => {
      const organization = await organizationOf(database, subscription);
      return await usageHistory(database, organization, subscription, days, act);
    },
    columns: ['interval_start', 'kwh', 'source', 'kept_at', 'replaced_at'],
  }),
};

function organizationOf(database: Database, subscription: string): Promise<string> {
  return known(`subscription ${subscription}`, organizationOfSubscription(database, subscription));
}
