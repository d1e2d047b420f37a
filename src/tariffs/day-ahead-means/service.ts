import { type Connection, databaseOf } from '../../platform/database/db.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { ReferenceSet } from '../reference-data/reference-set.ts';
import { MissingReferenceError } from '../reference-data/service.ts';
import { currentMean } from './current.ts';
import { figureOf, type MeanFigure } from './figure.ts';

export type { MeanFigure } from './figure.ts';
export { MARK_HEADERS, markedBy } from './mark.ts';

const figures = createShortCache<MeanFigure | undefined>();

/**
 * ct/kWh net with 4 decimals: the mean of the day-ahead prices of the twelve months before a price date. Where less than 90 %
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
