import { createHash } from 'node:crypto';
import type { Connection } from '../../platform/database/db.ts';
import { addDays, type DeliveryDay, dayStart, deliveryDayAt } from '../calendar.ts';
import { isUnusable, type PriceParts } from '../parts.ts';
import type { FetchOutcome } from '../providers/exchange.ts';
import { type ReadExchange, readFileBody, type SourceExchange } from '../providers/exchange.ts';
import { forecastSource } from '../providers/index.ts';
import { instantFrom } from '../providers/instants.ts';
import type { MarketRow } from '../providers/price-source.ts';
import { listServedPrices } from '../queries.ts';
import { raiseAlarm, resolveAlarms } from '../store/alarms.ts';
import { recordFailure, recordSuccess } from '../store/sources.ts';
import { storeExchange } from '../store/store.ts';
import { insertCapture } from './capture.ts';
import { compareMarketRows, type QuarterPrices, surchargeProblem } from './surcharge.ts';

const SOURCE = forecastSource.name;
const ZONE = 'DE-LU';
const QUARTER_MILLISECONDS = 15 * 60_000;

type StoreParts = Pick<PriceParts, 'database' | 'clock' | 'log' | 'metrics' | 'config'>;

/** What became of one answer. */
export interface StoredForecast {
  readonly outcome: FetchOutcome;
  readonly detail: string | null;
  /** Null: refused, empty, or equal to the last one. */
  readonly captureId: number | null;
  /** Forecast intervals in the answer. */
  readonly intervals: number;
}

/** A body that did not come by the network: the same steps, and a fetch record that names the file. */
export async function storeForecastBody(
  parts: StoreParts,
  file: { body: Uint8Array; name: string },
): Promise<StoredForecast> {
  const now = parts.clock.nowMilliseconds();
  const read = readFileBody(file, now, forecastSource, { zone: ZONE, days: null });
  return storeForecastExchange(parts, read, { byNetwork: false });
}

/**
 * Keeps an answer that passes the guards as a capture. Its real prices are compared with ours, which are read in a
 * statement of their own, and go nowhere. A refused answer is a record with its body and, where it came by the network, an
 * alarm: a file says nothing about how the feed does.
 */
export async function storeForecastExchange(
  parts: StoreParts,
  read: ReadExchange,
  { byNetwork }: { byNetwork: boolean },
): Promise<StoredForecast> {
  const days = (read.days ?? []).filter((day) => day.points.length > 0);
  const exchange: GuardedExchange = days.length === 0 ? read.exchange : await guarded(parts, read.exchange);
  return parts.database.asService(async (connection) => {
    const about = { zone: ZONE, source: SOURCE, days: spanOf(parts, days) } as const;
    const fetchId = await storeExchange(connection, parts, about, exchange);
    const { outcome, detail, intervalCount: intervals } = exchange;
    if (byNetwork) await storeStanding(connection, parts, exchange, fetchId);
    if (isUnusable(outcome)) return { outcome, detail, captureId: null, intervals: 0 };
    if (days.length === 0) return { outcome, detail, captureId: null, intervals };
    const capture = await insertCapture(connection, {
      source: SOURCE,
      zone: ZONE,
      fetchId,
      issuedAt: exchange.sourceStamp,
      capturedAt: exchange.capturedAt,
      payloadHash: exchange.contentHash ?? bodyHash(exchange),
      inputs: null,
      days,
    });
    return { outcome, detail, captureId: capture.isNew ? capture.id : null, intervals };
  });
}

/** How the feed does. */
async function storeStanding(
  connection: Connection,
  parts: StoreParts,
  exchange: GuardedExchange,
  fetchId: number,
): Promise<void> {
  const { outcome, detail, retryAfterSeconds } = exchange;
  if (!isUnusable(outcome)) {
    await recordSuccess(connection, parts, SOURCE, []);
    for (const kind of ['surcharge', 'rejected'] as const) {
      await resolveAlarms(connection, parts, { kind, source: SOURCE });
    }
    return;
  }
  const failed = { zone: ZONE, source: SOURCE, outcome, detail: detail ?? outcome, fetchId } as const;
  await recordFailure(connection, parts, { ...failed, retryAfterSeconds });
  if (outcome !== 'rejected') return;
  const kind = exchange.surcharge === true ? 'surcharge' : 'rejected';
  await raiseAlarm(connection, parts, { ...failed, kind, detail: `${SOURCE}: ${failed.detail}` });
}

type GuardedExchange = SourceExchange & { readonly surcharge?: true };

/** Refuses the forecast of an account whose settings are in its prices. */
async function guarded(parts: StoreParts, exchange: SourceExchange): Promise<GuardedExchange> {
  const market = forecastSource.marketRows(exchange.body ?? new Uint8Array());
  if (market.status !== 'read')
    throw new Error(`A body that was read before is not readable: ${market.reason}`);
  const comparison = compareMarketRows(market.rows, await ownPrices(parts, market.rows));
  const problem = surchargeProblem(comparison, market.statesTotal);
  if (problem === null) return exchange;
  return { ...exchange, outcome: 'rejected', detail: problem, intervalCount: 0, surcharge: true };
}

/** Our realized prices of the time that the rows cover. */
async function ownPrices(parts: StoreParts, rows: readonly MarketRow[]): Promise<QuarterPrices> {
  const prices = new Map<number, string>();
  if (rows.length === 0) return prices;
  const starts = rows.map(({ start }) => start);
  const served = await parts.database.asService((connection) =>
    listServedPrices(
      connection,
      ZONE,
      dayStart(deliveryDayAt(Math.min(...starts))),
      dayStart(addDays(deliveryDayAt(Math.max(...starts)), 1)),
    ),
  );
  for (const { interval_start, minutes, amount } of served) {
    const start = instantFrom(interval_start)?.milliseconds ?? Number.NaN;
    for (let quarter = 0; quarter < minutes / 15; quarter += 1) {
      prices.set(start + quarter * QUARTER_MILLISECONDS, amount);
    }
  }
  return prices;
}

/** The days that an answer is about; tomorrow where it has none. */
function spanOf(parts: StoreParts, days: readonly { deliveryOn: DeliveryDay }[]): DeliveryDay[] {
  if (days.length > 0) return days.map(({ deliveryOn }) => deliveryOn);
  return [addDays(deliveryDayAt(parts.clock.nowMilliseconds()), 1)];
}

function bodyHash({ body }: SourceExchange): string {
  return createHash('sha256')
    .update(body ?? new Uint8Array())
    .digest('hex');
}
