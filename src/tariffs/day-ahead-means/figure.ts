import { addDays, berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import type { Figure } from '../reference-data/figures.ts';
import { coveragePercent, isCovered, windowOf } from './mean.ts';
import type { KeptMean, PriceKind } from './queries.ts';

/** Invented prices may be calculated with where there are no others, and never pass for those of the market. */
const KINDS: Readonly<Record<PriceKind, string>> = {
  market: 'mean of realized day-ahead prices',
  local: 'mean of prices of a feed on this machine, no market prices',
  synthetic: 'mean of synthetic prices: invented numbers, no market prices',
};

/** A mean, and whose prices it was made of. */
export interface MeanFigure extends Figure {
  readonly price_kind: PriceKind;
}

/** What prices calculate with; undefined where too little of the window has a price. */
export function figureOf(mean: KeptMean): MeanFigure | undefined {
  const { mean_ct_net, price_date, priced_quarter_hours, quarter_hours } = mean;
  if (mean_ct_net === null || !isCovered(priced_quarter_hours, quarter_hours)) return undefined;
  const { first } = windowOf(price_date);
  const price_kind = mean.price_kind ?? 'market';
  const source = [
    `${KINDS[price_kind]}, ${first} to ${addDays(price_date, -1)}`,
    `${coveragePercent(priced_quarter_hours, quarter_hours)} % of the quarter hours`,
    mean.sources.join(', '),
  ].join('; ');
  return Object.freeze({
    value: mean_ct_net,
    unit: 'ct/kWh net',
    price_kind,
    origin: Object.freeze({
      table: 'day_ahead_means',
      key: '',
      valid_from: price_date,
      valid_to: addDays(price_date, 1),
      source,
      checked_on: berlinDayOf(mean.computed_at),
      is_carried_forward: false,
    }),
  });
}

/** Whether the prices behind it are invented or a test's. */
export function isNoMarketMean({ price_kind }: Pick<KeptMean, 'price_kind'>): boolean {
  return price_kind === 'synthetic' || price_kind === 'local';
}
