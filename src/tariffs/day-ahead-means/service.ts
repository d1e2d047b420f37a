import { type Connection, databaseOf } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { AnswerWithHeaders } from '../../platform/interface/answer-with-headers.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import { licenseLink } from '../../spot-prices/service.ts';
import type { FigureOrigin } from '../reference-data/figures.ts';
import type { ReferenceSet } from '../reference-data/reference-set.ts';
import { MissingReferenceError } from '../reference-data/service.ts';
import { currentMean } from './current.ts';
import { figureOf, type MeanFigure } from './figure.ts';

export type { MeanFigure } from './figure.ts';

const figures = createShortCache<MeanFigure | undefined>();

/**
 * ct/kWh net with 4 decimals: the mean of the day-ahead prices of the twelve months before a price date. If less than 90 %
 * of them are stored, the published mean of the reference data counts. A changed price is in it within 5 seconds.
 */
export async function dayAheadMean(
  connection: Connection,
  on: CalendarDay,
  reference: Pick<ReferenceSet, 'publishedDayAheadMean'>,
): Promise<MeanFigure> {
  const key = `${databaseOf(connection)} ${on}`;
  const figure = await figures(key, () =>
    shared(key, async () => figureOf(await currentMean(connection, on))),
  );
  if (figure !== undefined) return figure;
  const published = reference.publishedDayAheadMean();
  if (published === undefined) throw new MissingReferenceError('market_values', 'day_ahead_mean', on);
  return { ...published, price_kind: 'market' };
}

const underWay = new Map<string, Promise<MeanFigure | undefined>>();

/**
 * A thousand quotes in the second after midnight would each compute the same mean: one does, the others take what it found.
 * It waits for nobody, so no two can wait for each other; when it fails, the next one tries for itself.
 */
async function shared(key: string, compute: () => Promise<MeanFigure | undefined>) {
  for (let other = underWay.get(key); other !== undefined; other = underWay.get(key)) {
    try {
      return await other;
    } catch {
      /* The failure is told to whoever computed. */
    }
  }
  const own = compute();
  underWay.set(key, own);
  try {
    return await own;
  } finally {
    underWay.delete(key);
  }
}

/** For the description of routes whose answers are marked. */
export const MARK_HEADERS = {
  Link: 'Only where the mean of the day-ahead prices is not made of market prices, as in a demo: `rel="license"` with a `title` that says so; and where a price list of the new year is late: `rel="describedby"` with a `title` that names the tables whose rows have ended and are carried forward.',
};

/** What an answer was made of. */
interface MarkedParts {
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
  if (mean !== null && mean.price_kind !== 'market') links.push(licenseLink(config, mean.price_kind));
  links.push(...carriedForwardLinks(origins, config));
  return links.length === 0 ? answer : new AnswerWithHeaders(answer, { link: links.join(', ') });
}

/** For the header `Link`: which tables had ended before the day and count all the same; none where none had. */
export function carriedForwardLinks(origins: Iterable<FigureOrigin>, config: Deps['config']): string[] {
  const carried = new Set<string>();
  for (const { is_carried_forward, table, valid_to } of origins) {
    if (is_carried_forward) carried.add(`${table} until ${valid_to}`);
  }
  if (carried.size === 0) return [];
  const title = `carried forward, newer rows are missing: ${[...carried].sort().join(', ')}`;
  return [`<${config.docsBase}/quotes#carried-forward>; rel="describedby"; title="${title}"`];
}
