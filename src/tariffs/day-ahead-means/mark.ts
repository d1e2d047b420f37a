import type { Deps } from '../../platform/deps.ts';
import { AnswerWithHeaders } from '../../platform/interface/answer-with-headers.ts';
import { licenseLink, SYNTHETIC_TITLE } from '../../spot-prices/service.ts';
import type { FigureOrigin } from '../reference-data/figures.ts';
import type { MeanFigure } from './figure.ts';

/** For the description of routes whose answers are marked. */
export const MARK_HEADERS = {
  Link: 'Only where the mean of the day-ahead prices is not made of market prices, as in a demo: `rel="license"` with a `title` that says so; and where a price list of the new year is late: `rel="describedby"` with a `title` that names the tables whose rows have ended and are carried forward.',
};

const TITLES = {
  local: 'local: prices of a feed on this machine, no market prices',
  synthetic: SYNTHETIC_TITLE,
} as const;

/** What an answer was made of. */
export interface MarkedParts {
  /** Null: it used no mean. */
  readonly mean: MeanFigure | null;
  /** With the row behind each; a zip is a row without a figure. */
  readonly origins: Iterable<FigureOrigin>;
}

/** An answer says in its header `Link` which of its parts are no prices of the market, or have ended before its day. */
export function markedBy<Answer>(
  { mean, origins }: MarkedParts,
  answer: Answer,
  config: Deps['config'],
): Answer | AnswerWithHeaders<Answer> {
  const links: string[] = [];
  if (mean !== null && mean.price_kind !== 'market') links.push(licenseLink(config, TITLES[mean.price_kind]));
  const carried = new Set<string>();
  for (const { is_carried_forward, table, valid_to } of origins) {
    if (is_carried_forward) carried.add(`${table} until ${valid_to}`);
  }
  if (carried.size > 0) {
    const title = `carried forward, newer rows are missing: ${[...carried].sort().join(', ')}`;
    links.push(`<${config.docsBase}/quotes#carried-forward>; rel="describedby"; title="${title}"`);
  }
  return links.length === 0 ? answer : new AnswerWithHeaders(answer, { link: links.join(', ') });
}
