import { Command, Option } from 'commander';
import { forecastOfContract, forecastsOfDay } from '../load-forecasts/read.ts';
import { PURCHASES, type Purchase } from '../load-forecasts/schema.ts';
import { organization as findOrganization } from '../organizations/service.ts';
import { calendarDay } from './calendar-day.ts';
import { wholeNumber } from './client-options.ts';
import { printLines, printObject, printTable } from './output.ts';
import { known, type Session, withSession } from './session.ts';

interface ReadOptions {
  organization: string;
  day: string;
  purchase: Purchase;
  json?: boolean;
}

interface ListOptions extends ReadOptions {
  subscription?: string;
  limit: number;
}

const LIMIT = 1_000;

export function loadForecastsCommand(): Command {
  return new Command('load-forecasts').addCommand(list()).addCommand(show());
}

/** A command that looks at what is bought by for one day. */
function reading(name: string): Command {
  return new Command(name)
    .requiredOption('--organization <id>', 'org_…')
    .requiredOption('--day <day>', 'day of delivery, YYYY-MM-DD in Berlin', calendarDay)
    .addOption(
      new Option(
        '--purchase <purchase>',
        'day_ahead: what was there by 09:00 of the day before; intraday: the newest',
      )
        .choices(PURCHASES)
        .default('intraday'),
    );
}

async function inOrganization(
  { organization }: ReadOptions,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  await withSession(async (session) => {
    await known(`organization ${organization}`, findOrganization(session.database, organization));
    await work(session);
  });
}

function list(): Command {
  return reading('list')
    .description('what a purchase of a day goes by, contract by contract')
    .option('--subscription <id>', 'sub_…: of this contract only')
    .option('--limit <number>', 'at most so many', wholeNumber, LIMIT)
    .option('--json', 'as a list of JSON objects')
    .action((options: ListOptions) =>
      inOrganization(options, async ({ database }) => {
        const { organization, day, purchase, subscription, limit } = options;
        const wanted = { delivery_on: day, purchase, subscription };
        const rows = await forecastsOfDay(database, organization, wanted, limit);
        const columns = ['subscription_id', 'delivery_on', 'purchase', 'points', 'kwh', 'received_at'];
        printTable(
          rows.map((row) => ({ ...row, kwh: Number(row.kwh) })),
          columns,
          options,
        );
      }),
    );
}

function show(): Command {
  return reading('show')
    .description('the quarter hours of one contract')
    .argument('<subscription>', 'sub_…')
    .option('--json', 'as one JSON object')
    .action((subscription: string, options: ReadOptions) =>
      inOrganization(options, async ({ database }) => {
        const { organization, day, purchase } = options;
        const found = await known(
          `forecast of ${subscription} for ${day} in ${organization}`,
          forecastOfContract(database, organization, { delivery_on: day, purchase, subscription }),
        );
        if (options.json === true) {
          printObject({ subscription, delivery_on: day, ...found }, options);
          return;
        }
        printLines([`${found.purchase}, received at ${found.received_at}`]);
        printTable(
          found.points.map((point) => ({ ...point })),
          ['start', 'kw'],
          options,
        );
      }),
    );
}
