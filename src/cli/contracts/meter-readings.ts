import { InvalidArgumentError } from 'commander';
import { correctReading } from '../../contracts/meter-readings/correct.ts';
import { importReadings } from '../../contracts/meter-readings/import.ts';
import type { ReadingRow } from '../../contracts/meter-readings/queries.ts';
import { newestReadings } from '../../contracts/meter-readings/read.ts';
import { recordReading } from '../../contracts/meter-readings/record.ts';
import { READING_KWH_MAX, READING_TYPES } from '../../contracts/meter-readings/schema.ts';
import { organizationOfSubscription } from '../../contracts/subscriptions/staff-read.ts';
import { command } from '../engine/command.ts';
import {
  act,
  CHANGE,
  calendarDay,
  choice,
  idOption,
  JSON_OBJECT,
  LISTING,
  needed,
  OF_ORGANIZATION,
  option,
  or,
} from '../engine/fields.ts';
import { inputFile } from '../engine/session.ts';
import { known } from '../organization.ts';
import { kilowattHours } from './meters.ts';

const COLUMNS = ['id', 'subscription_id', 'read_on', 'value', 'type'] as const;

export const commands = {
  list: command({
    words: 'readings of a contract with their ids, newest first; those that were taken back are left out',
    examples: ['--subscription sub_…', '--subscription sub_… --limit 10 --json'],
    options: { ...LISTING, subscription: needed(idOption('sub_…: the contract')) },
    work: async ({ database, organization }, { subscription, limit }) =>
      (await newestReadings(database, organization, subscription, limit)).map(printed),
    columns: COLUMNS,
  }),
  add: command({
    words: 'one reading',
    examples: [
      'sub_… --date 2026-10-01 --value 18342.7',
      "sub_… --date 2026-10-01 --value 18342.7 --type grid_estimation --reason 'no reading came'",
    ],
    arguments: { subscription: 'sub_…' },
    options: {
      ...act('reported by the metering operator'),
      date: needed(option('<day>', 'day of the reading, YYYY-MM-DD in Berlin', calendarDay)),
      value: needed(option('<kWh>', 'what the meter showed', kilowattHoursAboveZero)),
      type: or(choice('<type>', 'whose it is', READING_TYPES), 'grid_reading'),
      ...JSON_OBJECT,
    },
    work: async ({ database, act }, { subscription, date: read_on, value, type }) => {
      const organization = await known(
        `subscription ${subscription}`,
        organizationOfSubscription(database, subscription),
      );
      const reading = { subscription, read_on, value, type };
      return printed(await recordReading(database, organization, reading, act));
    },
  }),
  import: command({
    words: 'readings from a CSV file, all of it or nothing',
    examples: ['readings.csv', 'readings.csv --organization org_… --json'],
    arguments: { file: 'columns: subscription, date, value and, where it is no grid_reading, type' },
    options: { ...act('import of readings'), ...OF_ORGANIZATION },
    work: async ({ database, organization, act }, { file }) =>
      (await importReadings(database, organization, await inputFile(file), act)).map(printed),
    columns: COLUMNS,
  }),
  correct: command({
    words: 'a reading was wrong: another value in its place, or none',
    examples: [
      "mr_… --value 14832 --reason 'photo of the customer'",
      "mr_… --reason 'read at another meter' --json",
    ],
    thing: 'meter reading',
    arguments: { reading: 'mr_…, from meter-readings list' },
    options: {
      ...CHANGE,
      value: option('<kWh>', 'what the meter showed on that day; not read where absent', kilowattHours),
    },
    work: async ({ database, organization, act }, { reading: id, ...given }) => {
      const { withdrawn, reading } = await correctReading(database, organization, id, given, act);
      return { withdrawn, ...(reading !== null && printed(reading)) };
    },
  }),
};

/** A reading as the interface takes it; what a device showed at first, or is corrected to, may be 0. */
function kilowattHoursAboveZero(text: string): string {
  const value = /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= READING_KWH_MAX) return text;
  throw new InvalidArgumentError(`A number above 0 and at most ${READING_KWH_MAX}, as 18342.7.`);
}

/** As the interface shows it: values are numbers there. */
function printed(row: ReadingRow) {
  return { ...row, value: Number(row.value) };
}
