import { Command, InvalidArgumentError } from 'commander';
import type { Database } from '../../platform/database/db.ts';
import { addDays, type DeliveryDay } from '../../spot-prices/calendar.ts';
import { dayNumberOf } from '../../spot-prices/forecast/day-numbers.ts';
import { evaluateForecasts, METHODS, type MethodError } from '../../spot-prices/forecast/evaluate.ts';
import { findNewestKnownDay, listHourlyHistory } from '../../spot-prices/forecast/history.ts';
import { HISTORY_DAYS } from '../../spot-prices/forecast/model.ts';
import { printLine, printTable } from '../output.ts';
import { withSession } from '../session.ts';

interface EvaluateOptions {
  from?: DeliveryDay;
  to?: DeliveryDay;
  daysAhead: number;
  json?: boolean;
}

const SPAN_DAYS = 365;
const SPAN_DAYS_MAX = 3_000;
const DAYS_AHEAD_MAX = 7;

export function evaluateCommand(): Command {
  return new Command('evaluate')
    .description('errors of the own forecast and of simple methods on stored prices, in EUR/MWh')
    .option(
      '--from <day>',
      `first delivery day; ${SPAN_DAYS} days up to the last one where absent`,
      deliveryDay,
    )
    .option('--to <day>', 'last delivery day; the newest stored one where absent', deliveryDay)
    .option('--days-ahead <number>', 'distances from 1 to this many days', daysAhead, 3)
    .option('--json', 'as a list of JSON objects, one per method and distance')
    .action((options: EvaluateOptions) =>
      withSession(async ({ database }) => {
        const span = await spanOf(database, options);
        const errors = await evaluate(database, span, options.daysAhead);
        if (errors.length === 0) {
          throw new Error(
            `No day from ${span.from} to ${span.to} has enough stored prices before it: the ridge needs 270 known days out of 540`,
          );
        }
        print(errors, span, options);
      }),
    );
}

interface Span {
  from: DeliveryDay;
  to: DeliveryDay;
}

async function spanOf(database: Database, options: EvaluateOptions): Promise<Span> {
  const newest = await database.asService((connection) => findNewestKnownDay(connection, 'DE-LU'));
  const to = options.to ?? newest;
  if (to === null) throw new Error('No prices are stored: npm run cli -- prices backfill');
  const from = options.from ?? addDays(to, 1 - SPAN_DAYS);
  const days = dayNumberOf(to) - dayNumberOf(from) + 1;
  if (days < 1 || days > SPAN_DAYS_MAX)
    throw new Error(`From ${from} to ${to} are not 1 to ${SPAN_DAYS_MAX} days`);
  return { from, to };
}

async function evaluate(database: Database, span: Span, daysAheadMax: number): Promise<MethodError[]> {
  const history = await database.asService((connection) =>
    listHourlyHistory(connection, 'DE-LU', addDays(span.from, -HISTORY_DAYS), span.to),
  );
  return evaluateForecasts(history, { ...span, daysAheadMax });
}

function print(errors: readonly MethodError[], span: Span, options: EvaluateOptions): void {
  if (options.json === true) {
    const rows = errors.map(({ method, daysAhead: days_ahead, days, maeEurMwh, rmseEurMwh }) => ({
      method,
      days_ahead,
      ...span,
      days,
      mae_eur_mwh: maeEurMwh,
      rmse_eur_mwh: rmseEurMwh,
    }));
    printTable(rows, [], options);
    return;
  }
  const distances = [...new Set(errors.map((error) => error.daysAhead))];
  const column = (distance: number) => `h = ${distance}`;
  const rows = METHODS.map((method) => ({
    method,
    ...Object.fromEntries(
      errors
        .filter((error) => error.method === method)
        .map((error) => [
          column(error.daysAhead),
          `${error.maeEurMwh.toFixed(1)} / ${error.rmseEurMwh.toFixed(1)}`,
        ]),
    ),
  }));
  const days = distances.map((distance) => errors.find((error) => error.daysAhead === distance)?.days);
  printLine(
    `MAE / RMSE in EUR/MWh of hourly means, ${span.from} to ${span.to}, judged on ${days.join(', ')} days`,
  );
  printTable(rows, ['method', ...distances.map(column)], options);
}

function daysAhead(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= DAYS_AHEAD_MAX) return days;
  throw new InvalidArgumentError(`A whole number from 1 to ${DAYS_AHEAD_MAX}.`);
}

function deliveryDay(text: string): DeliveryDay {
  try {
    dayNumberOf(text);
    return text;
  } catch {
    throw new InvalidArgumentError('A calendar day like 2026-11-20.');
  }
}
