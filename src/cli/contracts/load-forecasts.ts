import { forecastOfContract, forecastsOfDay } from '../../contracts/load-forecasts/read.ts';
import { PURCHASES } from '../../contracts/load-forecasts/schema.ts';
import { command } from '../engine/command.ts';
import {
  calendarDay,
  choice,
  idOption,
  LISTING,
  needed,
  OF_ORGANIZATION,
  option,
  or,
} from '../engine/fields.ts';
import { table } from '../engine/output.ts';
import { known } from '../organization.ts';

/** What is bought by for one day. */
const OF_DAY = {
  day: needed(option('<day>', 'day of delivery, YYYY-MM-DD in Berlin', calendarDay)),
  purchase: or(
    choice(
      '<purchase>',
      'day_ahead: what was there by 09:00 of the day before; intraday: the newest',
      PURCHASES,
    ),
    'intraday',
  ),
};

export const commands = {
  list: command({
    words: 'what a purchase of a day goes by, contract by contract',
    examples: ['--day 2026-11-27', '--day 2026-11-27 --purchase day_ahead --json'],
    options: {
      ...LISTING,
      limit: { ...LISTING.limit, fallback: 1_000 },
      ...OF_DAY,
      subscription: idOption('sub_…: of this contract only'),
    },
    work: async ({ database, organization }, { day: delivery_on, purchase, subscription, limit }) => {
      const rows = await forecastsOfDay(
        database,
        organization,
        { delivery_on, purchase, subscription },
        limit,
      );
      return rows.map((row) => ({ ...row, kwh: Number(row.kwh) }));
    },
    columns: ['subscription_id', 'delivery_on', 'purchase', 'points', 'kwh', 'received_at'],
    least: ['delivery_on', 'received_at', 'points', 'purchase'],
  }),
  show: command({
    words: 'the quarter hours of one contract',
    examples: ['sub_… --day 2026-11-27', 'sub_… --day 2026-11-27 --purchase day_ahead --json'],
    arguments: { subscription: 'sub_…' },
    options: { ...OF_ORGANIZATION, ...OF_DAY },
    work: async ({ database, organization }, { day: delivery_on, purchase, subscription }) => {
      const found = await known(
        `forecast of ${subscription} for ${delivery_on} in ${organization}`,
        forecastOfContract(database, organization, { delivery_on, purchase, subscription }),
      );
      return { subscription, delivery_on, ...found };
    },
    print: ({ purchase, received_at, points }) => [
      `${purchase}, received at ${received_at}`,
      table(points, ['start', 'kw']),
    ],
  }),
};
