import type { Deps } from '../deps.ts';
import { AnswerWithHeaders } from '../platform/interface/answer-with-headers.ts';
import { licenseLink, SYNTHETIC_TITLE } from '../spot-prices/service.ts';
import type { MeanFigure } from './figure.ts';

/** For the description of routes whose answers are marked. */
export const MARK_HEADERS = {
  Link: 'Only where the mean of the day-ahead prices is not made of market prices, as in a demo: `rel="license"` with a `title` that says so.',
};

const TITLES = {
  local: 'local: prices of a feed on this machine, no market prices',
  synthetic: SYNTHETIC_TITLE,
} as const;

/** An answer that was calculated with this mean says so where its prices are none of the market. Null: it used no mean. */
export function markedBy<Answer>(
  mean: MeanFigure | null,
  answer: Answer,
  config: Deps['config'],
): Answer | AnswerWithHeaders<Answer> {
  if (mean === null || mean.price_kind === 'market') return answer;
  return new AnswerWithHeaders(answer, { link: licenseLink(config, TITLES[mean.price_kind]) });
}
