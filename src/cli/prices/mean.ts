import { berlinDayAt } from '../../platform/time/berlin-calendar.ts';
import { type ExplainedMean, explainDayAheadMean } from '../../tariffs/day-ahead-means/explain.ts';
import { referenceSet } from '../../tariffs/reference-data/service.ts';
import { command } from '../command.ts';
import { JSON_OBJECT, option } from '../fields.ts';
import { fields, type Part, table } from '../output.ts';
import { deliveryDay, withPriceSession } from './price-options.ts';

export const meanCommand = command({
  words: 'what the mean price of the last twelve months is made of, which quotes calculate with',
  examples: ['', '--date 2026-11-01 --json'],
  options: { date: option('<day>', 'price date; today where absent', deliveryDay), ...JSON_OBJECT },
  session: withPriceSession,
  work: ({ parts: { database, clock, log } }, { date = berlinDayAt(clock.nowMilliseconds()) }) =>
    database.asService(async (connection) =>
      explainDayAheadMean(connection, date, await referenceSet(connection, date, log)),
    ),
  print: meanParts,
});

/** A year of missing days would hide what is above them; `--json` has all of them. */
const MISSING_SHOWN_MAX = 40;

function meanParts(mean: ExplainedMean): Part[] {
  const { figure, window } = mean;
  const days = mean.missing_days.slice(0, MISSING_SHOWN_MAX);
  return [
    fields({
      'price date': mean.price_date,
      window: `${window.from} until ${window.until}`,
      'quarter hours': `${mean.priced_quarter_hours} of ${mean.quarter_hours} have a price, ${mean.coverage_percent} %`,
      prices: mean.is_no_market_mean ? `${mean.price_kind}: NO MARKET PRICES` : 'market',
      sources: mean.sources.map(({ source, days: of }) => `${source} (${of} days)`).join(', ') || 'none',
      resolution: `${mean.hourly_days} days of hours, ${mean.quarter_hour_days} days of quarter hours`,
      mean: mean.mean_ct_net === null ? null : `${mean.mean_ct_net} ct/kWh net`,
      kept: keptText(mean.kept),
    }),
    '\nMonths',
    table(mean.months, [
      'month',
      ['quarter hours', (row) => row.quarter_hours],
      'missing',
      ['ct/kWh', (row) => row.mean_ct_net],
    ]),
    `\nDays without all their prices: ${mean.missing_days.length}`,
    ...days.map((day) => `${day.delivery_on}  ${day.missing_quarter_hours} quarter hours`),
    ...(days.length < mean.missing_days.length ? ['and more: --json shows all of them'] : []),
    '\nQuotes of that day',
    fields({
      figure: figure === null ? 'none: they fail' : `${figure.value} ct/kWh net`,
      why: mean.why,
      table: figure?.origin.table,
      source: figure?.origin.source,
      valid:
        figure === null ? null : `from ${figure.origin.valid_from} until ${figure.origin.valid_to ?? 'open'}`,
    }),
  ];
}

function keptText(kept: ExplainedMean['kept']): string {
  if (kept === null) return 'not yet: the next quote computes it';
  const of = kept.is_current
    ? 'of the prices served now'
    : 'prices have changed since: the next quote computes it';
  return `${kept.mean_ct_net ?? 'no price'}, computed at ${kept.computed_at}, ${of}`;
}
