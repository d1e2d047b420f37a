import { DateTime } from 'luxon';
import { asksSyntheticOnly } from '../../../config/prices.ts';
import { addDays, daysBetween, freezeInstant, zoneOf } from '../../../spot-prices/calendar.ts';
import { freezeForecast } from '../../../spot-prices/forecast/freeze.ts';
import { findFrozenForecast } from '../../../spot-prices/forecast/queries.ts';
import { runPriceModel } from '../../../spot-prices/forecast/run-model.ts';
import type { PriceParts } from '../../../spot-prices/parts.ts';
import { syntheticSource } from '../../../spot-prices/providers/index.ts';
import { storeBody } from '../../../spot-prices/pull/import.ts';
import { findPriceKind } from '../../../spot-prices/upkeep/day-queries.ts';
import { LEARNING_DAYS, LEARNING_SPAN, standingClock } from './households.ts';

/**
 * Hours of much wind, in UTC: without them no price of an autumn is below zero. The second night has the repeated hour.
 * Each goes down to its lowest price and up again.
 */
const WINDY = [
  { from: '2026-10-18T09:00Z', until: '2026-10-18T13:00Z', lowest: -42.5 },
  { from: '2026-10-24T23:00Z', until: '2026-10-25T04:00Z', lowest: -18.75 },
  { from: '2026-11-01T10:00Z', until: '2026-11-01T13:00Z', lowest: -7.3 },
] as const;
const QUARTER_HOUR_MILLISECONDS = 900_000;
const BODY_BYTES_MAX = 1024 * 1024;
const ANSWER_MILLISECONDS_MAX = 10_000;

const millisecondsOf = (instant: string) => DateTime.fromISO(instant).toMillis();
const minuteText = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 16)}Z`;

/** The feed of invented prices as the learning data ask it: its clock, and the wind. */
export const LEARNING_FEED = {
  now: new Date(LEARNING_SPAN.ends * 1000).toISOString(),
  revision: WINDY.flatMap(({ from, until, lowest }) => {
    const count = (millisecondsOf(until) - millisecondsOf(from)) / QUARTER_HOUR_MILLISECONDS;
    const startOf = (index: number) => millisecondsOf(from) + index * QUARTER_HOUR_MILLISECONDS;
    return Array.from({ length: count }, (_, index) => ({
      interval: minuteText(startOf(index)),
      value: Number((lowest * (1 - Math.abs((2 * index + 1) / count - 1))).toFixed(2)),
    }));
  }),
};

/** A running feed. */
interface OpenFeed {
  readonly url: string;
  close(): Promise<void>;
}

/** How many days are priced by the learning data, or why none is. */
export type LearningPrices = { days: number } | { leftOut: string };

/**
 * Invented prices for the days, by the rules of an imported file. Only where the service's prices are invented anyway:
 * a database holds prices of one kind for good, and those of the market are neither touched nor mixed with others.
 */
export async function importLearningPrices(
  parts: PriceParts,
  openFeed: () => Promise<OpenFeed>,
): Promise<LearningPrices> {
  const kind = await parts.database.asService(findPriceKind);
  if (kind !== null && kind !== 'synthetic') {
    return { leftOut: `this database holds prices of another kind (${kind}), which stay as they are` };
  }
  if (!asksSyntheticOnly(parts.config)) {
    return {
      leftOut: `PRICES_SOURCES is not ${syntheticSource.name}, and invented prices would keep out those of the market`,
    };
  }
  const feed = await openFeed();
  try {
    const body = await askFeed(parts, feed.url);
    const task = { source: syntheticSource.name, body, name: 'learning data', days: null };
    const reports = await storeBody(parts, task);
    return { days: reports.filter(({ servedSource }) => servedSource === syntheticSource.name).length };
  } finally {
    await feed.close();
  }
}

async function askFeed({ http }: PriceParts, feedUrl: string): Promise<Uint8Array> {
  const { first, last } = LEARNING_DAYS;
  const url = new URL(`${feedUrl}/energy-charts/price?bzn=DE-LU&start=${first}&end=${last}`);
  const signal = AbortSignal.timeout(ANSWER_MILLISECONDS_MAX);
  const answer = await http.get({
    pool: 'learning',
    url,
    headers: { 'user-agent': 'voltstream-learn' },
    bodyBytesMax: BODY_BYTES_MAX,
    signal,
  });
  if (answer.status !== 200) throw new Error(`The feed of invented prices answered ${answer.status}`);
  return answer.body;
}

/** The last week: four days of each kind are known before it, as a forecast needs them. */
const FORECAST_FROM = '2026-11-02';
const HOUR_MILLISECONDS = 3_600_000;

/**
 * The own forecast of some days, made with the prices that were known at noon of the day before and frozen then, as a replay of
 * past days does it. The prices are invented: so are its instants.
 */
export async function forecastLearningDays(parts: PriceParts): Promise<void> {
  for (const deliveryOn of daysBetween(FORECAST_FROM, LEARNING_DAYS.last)) {
    const frozen = await parts.database.asService((connection) =>
      findFrozenForecast(connection, zoneOf(deliveryOn), deliveryOn),
    );
    if (frozen !== undefined) continue;
    const noon = freezeInstant(deliveryOn);
    const today = addDays(deliveryOn, -1);
    await runPriceModel({ ...parts, clock: standingClock(noon - HOUR_MILLISECONDS) }, { today });
    await freezeForecast({ ...parts, clock: standingClock(noon + HOUR_MILLISECONDS) }, { deliveryOn });
  }
}
