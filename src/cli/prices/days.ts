import { type Command, InvalidArgumentError } from 'commander';
import { addDays, type DeliveryDay, dayStart, deliveryDayAt } from '../../spot-prices/calendar.ts';
import { PRICE_SOURCES, REALIZED_SOURCES, type RealizedSource } from '../../spot-prices/providers/index.ts';

/* What the commands about prices read from their options. */

/** How a command about prices ends, besides 2 for wrong use. */
export const PRICE_EXITS = { complete: 0, missing: 1, unreachable: 3 } as const;

export function deliveryDay(text: string): DeliveryDay {
  try {
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

/** Ends the command as not understood where the days are in the wrong order, or no feed can have them. */
export function assertSpan(
  command: Command,
  from: DeliveryDay,
  to: DeliveryDay,
  nowMilliseconds: number,
): void {
  if (to < from) command.error(`error: --to ${to} lies before --from ${from}`);
  if (from < FIRST_DAY) command.error(`error: no source has prices before ${FIRST_DAY}`);
  const last = addDays(deliveryDayAt(nowMilliseconds), 1);
  if (to > last) command.error(`error: prices exist until tomorrow, ${last}, at most`);
}
