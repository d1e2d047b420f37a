import { sql } from 'kysely';
import type { Connection } from '../../platform/database/db.ts';
import { berlinMidnight, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { MeanWindow } from './mean.ts';

export type PriceKind = 'market' | 'local' | 'synthetic';

export interface KeptMean {
  readonly price_date: CalendarDay;
  readonly quarter_hours: number;
  readonly priced_quarter_hours: number;
  /** ct/kWh net with 4 decimals; null without any price. */
  readonly mean_ct_net: string | null;
  /** Another number means other prices. */
  readonly price_changes: number;
  /** Which prices the database holds; null: files only, or none. */
  readonly price_kind: PriceKind | null;
  readonly sources: readonly string[];
  readonly computed_at: string;
}

const COLUMNS = sql`price_date, quarter_hours, priced_quarter_hours, mean_ct_net, price_changes, price_kind, sources,
                    computed_at`;

/**
 * One at a time may write means and the sums they are made of. Nobody waits here: the caller may hold rows that others
 * wait for. Who comes second computes for himself and writes nothing.
 */
export async function lockMeans(connection: Connection): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended('day-ahead means', 0)) AS locked`.execute(connection);
  return rows[0]?.locked === true;
}

export async function findMean(
  connection: Connection,
  priceDate: CalendarDay,
): Promise<KeptMean | undefined> {
  const { rows } = await sql<KeptMean>`
    SELECT ${COLUMNS} FROM day_ahead_means WHERE price_date = ${priceDate}`.execute(connection);
  return rows[0];
}

/** Instant: of the database, because who asks for a price hands in no clock. It decides nothing. */
export async function findPriceKindNow(
  connection: Connection,
): Promise<{ price_kind: PriceKind | null; now: string }> {
  const { rows } = await sql<{ price_kind: PriceKind | null; now: string }>`
    SELECT (SELECT kind FROM price_kind) AS price_kind, statement_timestamp() AS now`.execute(connection);
  return rows[0] ?? { price_kind: null, now: '' };
}

/** A mean of older prices never replaces one of newer prices. */
export async function upsertMean(connection: Connection, window: MeanWindow, mean: KeptMean): Promise<void> {
  await sql`
    INSERT INTO day_ahead_means AS kept (price_date, window_start, window_end, quarter_hours, priced_quarter_hours,
                                         mean_ct_net, price_changes, price_kind, sources, computed_at)
    VALUES (${mean.price_date}, ${berlinMidnight(window.first)}, ${berlinMidnight(window.end)}, ${mean.quarter_hours},
            ${mean.priced_quarter_hours}, ${mean.mean_ct_net}, ${mean.price_changes}, ${mean.price_kind},
            ${[...mean.sources]}, ${mean.computed_at})
        ON CONFLICT (price_date) DO UPDATE
       SET priced_quarter_hours = excluded.priced_quarter_hours, mean_ct_net = excluded.mean_ct_net,
           price_changes = excluded.price_changes, price_kind = excluded.price_kind, sources = excluded.sources,
           computed_at = excluded.computed_at
     WHERE excluded.price_changes > kept.price_changes`.execute(connection);
}
