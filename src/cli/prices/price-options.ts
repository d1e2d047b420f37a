import { InvalidArgumentError } from 'commander';
import { openHttpClient } from '../../platform/http/client.ts';
import { createLogger } from '../../platform/log/logger.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { addDays, type DeliveryDay, dayStart, deliveryDayAt } from '../../spot-prices/calendar.ts';
import type { PriceParts } from '../../spot-prices/parts.ts';
import {
  MARKET_SOURCES,
  PRICE_SOURCES,
  REALIZED_SOURCES,
  type RealizedSource,
} from '../../spot-prices/providers/index.ts';
import { needed, option } from '../engine/fields.ts';
import { commandIo } from '../engine/io.ts';
import { notUnderstood } from '../engine/program.ts';
import { type Session, withSession } from '../engine/session.ts';

/* What the commands about prices read from their options. */

/** How a command about prices ends, besides 2 for wrong use. */
export const PRICE_EXITS = { complete: 0, missing: 1, unreachable: 3 } as const;

export const DATE = option('<day>', 'delivery day, YYYY-MM-DD', deliveryDay);

/** Named in examples. */
export const EXAMPLE_SOURCE: RealizedSource = MARKET_SOURCES[1].name;

/** What `--to` means everywhere. */
export const END_DAY = 'the day behind the last one, not part of it';

/** The days of a command that goes through several. */
export const SPAN = {
  from: needed(option('<day>', 'first delivery day, YYYY-MM-DD', deliveryDay)),
  to: needed(option('<day>', `${END_DAY}, the day after tomorrow at the latest`, deliveryDay)),
};

export function deliveryDay(text: string): DeliveryDay {
  try {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) throw new RangeError(text);
    dayStart(text);
    return text;
  } catch {
    throw new InvalidArgumentError('A calendar day like 2026-11-20.');
  }
}

export function realizedSource(text: string): RealizedSource {
  const found = REALIZED_SOURCES.find((source) => source === text);
  if (found === undefined) throw new InvalidArgumentError(`One of ${REALIZED_SOURCES.join(', ')}.`);
  return found;
}

const FIRST_DAY = PRICE_SOURCES.map(({ firstDay }) => firstDay).sort()[0] ?? '';

/** Ends the command as not understood where no day lies between the two. */
export function assertForward(from: string, to: string): void {
  if (to <= from)
    notUnderstood(`--to ${to} is not behind --from ${from}: it is the first day that is not part of it`);
}

/** Ends the command as not understood where the days are in the wrong order, or no feed can have them. */
export function assertSpan(from: DeliveryDay, to: DeliveryDay, nowMilliseconds: number): void {
  assertForward(from, to);
  if (from < FIRST_DAY) notUnderstood(`no source has prices before ${FIRST_DAY}`);
  const tomorrow = addDays(deliveryDayAt(nowMilliseconds), 1);
  if (to > addDays(tomorrow, 1)) notUnderstood(`prices exist until tomorrow, ${tomorrow}, at most`);
}

/** What a command about prices works with. */
export interface PriceSession extends Session {
  readonly parts: PriceParts;
}

/** Log lines go to standard error: standard output belongs to what the command answers. */
export async function withPriceSession<Result>(
  work: (prices: PriceSession) => Promise<Result>,
): Promise<Result> {
  return await withSession(async (session) => {
    const { config, database, clock } = session;
    const destination = commandIo().stderr;
    const log = createLogger({ level: config.LOG_LEVEL, name: 'cli', destination });
    const http = openHttpClient();
    const metrics = createMetrics({ runtime: false });
    try {
      return await work({ ...session, parts: { database, clock, log, metrics, config, http } });
    } finally {
      await http.close();
    }
  });
}
