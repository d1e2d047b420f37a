import { Command, Option } from 'commander';
import type { DeliveryDay } from '../spot-prices/calendar.ts';
import { REALIZED_SOURCES, type RealizedSource } from '../spot-prices/series.ts';
import { type ChosenDay, preferSource, releaseDay } from '../spot-prices/store/operator-choice.ts';
import { printObject } from './output.ts';
import { withPriceSession } from './price-session.ts';
import { deliveryDayFrom } from './prices-parse.ts';
import { type ActOptions, staffAct, withActOptions } from './session.ts';

interface Options extends ActOptions {
  date: DeliveryDay;
  json?: boolean;
}

export function preferCommand(): Command {
  return forDay(new Command('prefer'))
    .description('serves the prices of this source for one delivery day, whatever the others say')
    .addOption(
      new Option('--source <source>', 'whose prices').choices(REALIZED_SOURCES).makeOptionMandatory(),
    )
    .action((options: Options & { source: RealizedSource }) =>
      withPriceSession(async ({ session, parts }) => {
        const act = staffAct(session, options, 'prices prefer');
        const task = { deliveryOn: options.date, source: options.source };
        show(await preferSource(parts, task, act), options);
      }),
    );
}

export function releaseCommand(): Command {
  return forDay(new Command('release'))
    .description('serves a day that is held back because its prices look like none')
    .action((options: Options) =>
      withPriceSession(async ({ session, parts }) => {
        const act = staffAct(session, options, 'prices release');
        show(await releaseDay(parts, options.date, act), options);
      }),
    );
}

function forDay(command: Command): Command {
  return withActOptions(command)
    .requiredOption('--date <day>', 'delivery day, YYYY-MM-DD', deliveryDayFrom)
    .option('--json', 'as one JSON object');
}

function show(chosen: ChosenDay, options: { json?: boolean }): void {
  printObject(
    {
      delivery_on: chosen.deliveryOn,
      served_source: chosen.servedSource,
      state: chosen.state,
      version: chosen.version,
      changed: chosen.changed,
    },
    options,
  );
}
