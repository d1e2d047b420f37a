import { Command, InvalidArgumentError, Option } from 'commander';
import type { DeliveryDay } from '../../spot-prices/calendar.ts';
import { REALIZED_SOURCES, type RealizedSource } from '../../spot-prices/providers/index.ts';
import {
  type ChosenDay,
  preferSource,
  releaseDay,
  resolveAlarm,
} from '../../spot-prices/store/operator-choice.ts';
import { printObject } from '../output.ts';
import { type ActOptions, staffAct, withActOptions } from '../session.ts';
import { deliveryDayFrom } from './parse.ts';
import { withPriceSession } from './session.ts';

interface ChoiceOptions extends ActOptions {
  date: DeliveryDay;
  json?: boolean;
}

export function preferCommand(): Command {
  return forDay(new Command('prefer'))
    .description('serves the prices of this source for one delivery day, whatever the others say')
    .addOption(
      new Option('--source <source>', 'whose prices').choices(REALIZED_SOURCES).makeOptionMandatory(),
    )
    .action((options: ChoiceOptions & { source: RealizedSource }) =>
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
    .action((options: ChoiceOptions) =>
      withPriceSession(async ({ session, parts }) => {
        const act = staffAct(session, options, 'prices release');
        show(await releaseDay(parts, options.date, act), options);
      }),
    );
}

export function resolveCommand(): Command {
  return withActOptions(new Command('resolve'))
    .description('ends an alarm by hand, where its cause is over and nothing else can tell')
    .requiredOption('--alarm <id>', 'its number in prices status', alarmId)
    .option('--json', 'as one JSON object')
    .action((options: ActOptions & { alarm: number; json?: boolean }) =>
      withPriceSession(async ({ session, parts }) => {
        const act = staffAct(session, options, 'prices resolve');
        const { kind, source, delivery_on } = await resolveAlarm(parts, options.alarm, act);
        printObject({ alarm: options.alarm, kind, source, delivery_on }, options);
      }),
    );
}

function alarmId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A whole number like 12.');
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
