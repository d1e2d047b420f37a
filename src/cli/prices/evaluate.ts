import type { Database } from '../../platform/database/db.ts';
import { addDays, type DeliveryDay } from '../../spot-prices/calendar.ts';
import { dayNumberOf } from '../../spot-prices/forecast/day-numbers.ts';
import { evaluateForecasts, METHODS, type MethodError } from '../../spot-prices/forecast/evaluate.ts';
import { findNewestKnownDay, listHourlyHistory } from '../../spot-prices/forecast/history.ts';
import { HISTORY_DAYS } from '../../spot-prices/forecast/model.ts';
import { command } from '../engine/command.ts';
import { flag, option, or, wholeNumberFrom } from '../engine/fields.ts';
import { table } from '../engine/output.ts';
import { deliveryDay, END_DAY } from './price-options.ts';

const SPAN_DAYS = 365;
const SPAN_DAYS_MAX = 3_000;
const DAYS_AHEAD_MAX = 7;

export const evaluateCommand = command({
  words: 'errors of the own forecast and of simple methods on stored prices, in EUR/MWh',
  examples: ['', '--from 2026-01-01 --to 2026-11-01 --days-ahead 7 --json'],
  options: {
    from: option(
      '<day>',
      `first delivery day; ${SPAN_DAYS} days up to the last one where absent`,
      deliveryDay,
    ),
    to: option('<day>', `${END_DAY}; behind the newest stored one where absent`, deliveryDay),
    days_ahead: or(
      option('<number>', 'distances from 1 to this many days', wholeNumberFrom(1, DAYS_AHEAD_MAX)),
      3,
    ),
    json: flag('as a list of JSON objects, one per method and distance'),
  },
  work: async ({ database }, { days_ahead, ...days }) => {
    const span = await spanOf(database, days);
    const errors = await evaluate(database, span, days_ahead);
    if (errors.length === 0) {
      throw new Error(
        `No day from ${span.from} until ${span.to} has enough stored prices before it: the ridge needs 270 known days out of 540`,
      );
    }
    return { errors, span };
  },
  json: ({ errors, span }) =>
    errors.map(({ method, daysAhead, days, maeEurMwh, rmseEurMwh }) => ({
      ...{ method, days_ahead: daysAhead, ...span, days },
      ...{ mae_eur_mwh: maeEurMwh, rmse_eur_mwh: rmseEurMwh },
    })),
  print: ({ errors, span }) => {
    const distances = [...new Set(errors.map(({ daysAhead }) => daysAhead))];
    const errorOf = (distance: number, method?: string) =>
      errors.find((error) => error.daysAhead === distance && (method ?? error.method) === error.method);
    const days = distances.map((distance) => errorOf(distance)?.days);
    return [
      `MAE / RMSE in EUR/MWh of hourly means, ${span.from} until ${span.to}, judged on ${days.join(', ')} days`,
      table(
        METHODS.map((method) => ({ method })),
        [
          'method',
          ...distances.map(
            (distance) =>
              [
                `h = ${distance}`,
                ({ method }: { method: string }) => bothOf(errorOf(distance, method)),
              ] as const,
          ),
        ],
      ),
    ];
  },
});

function bothOf(error: MethodError | undefined): string | undefined {
  return error && `${error.maeEurMwh.toFixed(1)} / ${error.rmseEurMwh.toFixed(1)}`;
}

interface Span {
  from: DeliveryDay;
  to: DeliveryDay;
}

async function spanOf(database: Database, given: Partial<Span>): Promise<Span> {
  const newest = await database.asService((connection) => findNewestKnownDay(connection, 'DE-LU'));
  const to = given.to ?? (newest === null ? null : addDays(newest, 1));
  if (to === null) throw new Error('No prices are stored: npm run cli -- prices backfill');
  const from = given.from ?? addDays(to, -SPAN_DAYS);
  const days = dayNumberOf(to) - dayNumberOf(from);
  if (days < 1 || days > SPAN_DAYS_MAX)
    throw new Error(`From ${from} until ${to} are not 1 to ${SPAN_DAYS_MAX} days`);
  return { from, to };
}

async function evaluate(database: Database, span: Span, daysAheadMax: number): Promise<MethodError[]> {
  const history = await database.asService((connection) =>
    listHourlyHistory(connection, 'DE-LU', addDays(span.from, -HISTORY_DAYS), addDays(span.to, -1)),
  );
  return evaluateForecasts(history, { ...span, daysAheadMax });
}
