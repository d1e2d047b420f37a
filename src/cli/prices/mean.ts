import { Command } from 'commander';
import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import type { DeliveryDay } from '../../spot-prices/calendar.ts';
import { type ExplainedMean, explainDayAheadMean } from '../../tariffs/day-ahead-means/explain.ts';
import { referenceSet } from '../../tariffs/reference-data/service.ts';
import { printLine, printObject, printTable } from '../output.ts';
import { deliveryDay } from './days.ts';
import { withPriceSession } from './session.ts';

interface MeanOptions {
  date?: DeliveryDay;
  json?: boolean;
}

export function meanCommand(): Command {
  return new Command('mean')
    .description('what the mean price of the last twelve months is made of, which quotes calculate with')
    .option('--date <day>', 'price date; today where absent', deliveryDay)
    .option('--json', 'as one JSON object')
    .action((options: MeanOptions) =>
      withPriceSession(async ({ parts: { database, clock, log } }) => {
        const day = options.date ?? berlinDayAt(clock.nowMilliseconds());
        const mean = await database.asService(async (connection) =>
          explainDayAheadMean(connection, day, await referenceSet(connection, day, log)),
        );
        if (options.json === true) printObject({ ...mean }, options);
        else printMean(mean);
      }),
    );
}

/** A year of missing days would hide what is above them; `--json` has all of them. */
const MISSING_SHOWN_MAX = 40;

function printMean(mean: ExplainedMean): void {
  const { figure, kept, window } = mean;
  printObject(
    {
      'price date': mean.price_date,
      window: `${window.from} until ${window.until}`,
      'quarter hours': `${mean.priced_quarter_hours} of ${mean.quarter_hours} have a price, ${mean.coverage_percent} %`,
      prices: mean.is_no_market_mean ? `${mean.price_kind}: NO MARKET PRICES` : 'market',
      sources: mean.sources.map(({ source, days }) => `${source} (${days} days)`).join(', ') || 'none',
      resolution: `${mean.hourly_days} days of hours, ${mean.quarter_hour_days} days of quarter hours`,
      mean: mean.mean_ct_net === null ? null : `${mean.mean_ct_net} ct/kWh net`,
      kept: keptText(kept),
    },
    {},
  );
  printLine('\nMonths');
  printTable(
    mean.months.map((month) => ({
      ...month,
      'quarter hours': month.quarter_hours,
      'ct/kWh': month.mean_ct_net,
    })),
    ['month', 'quarter hours', 'missing', 'ct/kWh'],
    {},
  );
  printLine(`\nDays without all their prices: ${mean.missing_days.length}`);
  const shown = mean.missing_days.slice(0, MISSING_SHOWN_MAX);
  for (const { delivery_on, missing_quarter_hours } of shown)
    printLine(`${delivery_on}  ${missing_quarter_hours} quarter hours`);
  if (shown.length < mean.missing_days.length) printLine('and more: --json shows all of them');
  printLine('\nQuotes of that day');
  printObject(
    {
      figure: figure === null ? 'none: they fail' : `${figure.value} ct/kWh net`,
      why: mean.why,
      table: figure?.origin.table,
      source: figure?.origin.source,
      valid:
        figure === null ? null : `from ${figure.origin.valid_from} until ${figure.origin.valid_to ?? 'open'}`,
    },
    {},
  );
}

function keptText(kept: ExplainedMean['kept']): string {
  if (kept === null) return 'not yet: the next quote computes it';
  const of = kept.is_current
    ? 'of the prices served now'
    : 'prices have changed since: the next quote computes it';
  return `${kept.mean_ct_net ?? 'no price'}, computed at ${kept.computed_at}, ${of}`;
}
