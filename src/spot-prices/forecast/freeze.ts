import type { Clock } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { addDays, type DeliveryDay, dayStart, freezeInstant, zoneOf } from '../calendar.ts';
import type { ModelDay } from './model.ts';
import { insertModelCapture, modelForecasts } from './model-captures.ts';
import { findFrozenForecast, insertFrozenForecast, listForecastChoices } from './queries.ts';

interface FreezeParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

export type FreezeOutcome =
  | 'frozen'
  | 'already_frozen'
  /** Before gate closure: the newest capture is served, and a later one may still replace it. */
  | 'too_early'
  /** Made after the freeze, because nothing was there before it. */
  | 'frozen_late'
  /** Delivery has begun and nothing was there: the day stays without a forecast. */
  | 'nothing_to_freeze'
  /** Delivery has not begun, but the model knows too few days. */
  | 'no_forecast_yet';

/** What became of the freeze; a job's result. */
export type FreezeReport = Readonly<{
  deliveryOn: DeliveryDay;
  outcome: FreezeOutcome;
  captureId: number | null;
}>;

/**
 * Freezes the curve of a delivery day for ever. The time of the captures counts, not that of this run: a run that is late, or
 * comes twice, freezes the same curve. If no capture was made before the freeze, the own model runs once more, until delivery
 * begins. It reads the prices that were known then, and the curve is marked as late.
 */
export async function freezeForecast(
  parts: FreezeParts,
  { deliveryOn }: { deliveryOn: DeliveryDay },
): Promise<FreezeReport> {
  const { database, clock } = parts;
  const report = (outcome: FreezeOutcome, captureId: number | null = null): FreezeReport => ({
    deliveryOn,
    outcome,
    captureId,
  });
  const now = clock.nowMilliseconds();
  if (now < freezeInstant(deliveryOn)) return report('too_early');
  const found = await database.asService((connection) => freezeChosen(connection, deliveryOn, now));
  if (found !== null) return report(found.isNew ? 'frozen' : 'already_frozen', found.captureId);
  if (now >= dayStart(deliveryOn)) return report('nothing_to_freeze');
  /* Auctions of days before this one were over at the freeze; its own comes after it. */
  const [forecast] = await modelForecasts(database, [deliveryOn], addDays(deliveryOn, -1));
  if (forecast === undefined) {
    parts.log.warn({ deliveryOn }, 'no price forecast to freeze: too few known days');
    return report('no_forecast_yet');
  }
  const capturedAt = clock.nowMilliseconds();
  if (capturedAt >= dayStart(deliveryOn)) return report('nothing_to_freeze');
  const { captureId, isNew } = await database.asService((connection) =>
    freezeLate(connection, forecast, capturedAt),
  );
  if (!isNew) return report('already_frozen', captureId);
  parts.log.warn({ deliveryOn }, 'price forecast frozen late: nothing was there before the freeze');
  return report('frozen_late', captureId);
}

interface FrozenForecast {
  readonly captureId: number;
  readonly isNew: boolean;
}

/** Another run may have been faster: its curve stays. */
async function freezeLate(
  connection: Connection,
  forecast: ModelDay,
  capturedAt: number,
): Promise<FrozenForecast> {
  const { deliveryOn, source } = forecast;
  const zone = zoneOf(deliveryOn);
  const { id } = await insertModelCapture(connection, source, [forecast], capturedAt);
  const row = { zone, deliveryOn, captureId: id, frozenAt: capturedAt, late: true };
  if (await insertFrozenForecast(connection, row)) return { captureId: id, isNew: true };
  const frozen = await findFrozenForecast(connection, zone, deliveryOn);
  return { captureId: frozen?.captureId ?? id, isNew: false };
}

/** The frozen row, or a new one for the capture that the rule chooses; null where there is none. */
async function freezeChosen(
  connection: Connection,
  deliveryOn: DeliveryDay,
  now: number,
): Promise<FrozenForecast | null> {
  const zone = zoneOf(deliveryOn);
  const frozen = await findFrozenForecast(connection, zone, deliveryOn);
  if (frozen !== undefined) return { captureId: frozen.captureId, isNew: false };
  const [choice] = await listForecastChoices(connection, zone, [deliveryOn], now);
  if (choice === undefined) return null;
  const row = { zone, deliveryOn, captureId: choice.captureId, frozenAt: now, late: false };
  return { captureId: choice.captureId, isNew: await insertFrozenForecast(connection, row) };
}
