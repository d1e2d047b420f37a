import { Command, Option } from 'commander';
import { forecastOfContract, forecastsOfDay } from '../../contracts/load-forecasts/read.ts';
import { PURCHASES, type Purchase } from '../../contracts/load-forecasts/schema.ts';
import { calendarDay } from '../calendar-day.ts';
import {
  type ListOptions,
  listing,
  type OrganizationOptions,
  ofOrganization,
  withOrganization,
} from '../of-organization.ts';
import { printLines, printObject, printTable } from '../output.ts';
import { known } from '../session.ts';

interface DayOptions {
  day: string;
  purchase: Purchase;
}

const LIMIT = 1_000;

export function loadForecastsCommand(): Command {
  return new Command('load-forecasts').addCommand(list()).addCommand(show());
}

/** A command that looks at what is bought by for one day. */
function ofDay(command: Command): Command {
  return command
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

function list(): Command {
  return ofDay(listing('list', LIMIT))
    .description('what a purchase of a day goes by, contract by contract')
    .option('--subscription <id>', 'sub_…: of this contract only')
    .action((options: ListOptions & DayOptions & { subscription?: string }) =>
      withOrganization(options, async ({ database }, organization) => {
        const { day, purchase, subscription, limit } = options;
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
  return ofDay(ofOrganization(new Command('show')))
    .description('the quarter hours of one contract')
    .argument('<subscription>', 'sub_…')
    .action((subscription: string, options: OrganizationOptions & DayOptions) =>
      withOrganization(options, async ({ database }, organization) => {
        const { day, purchase } = options;
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
