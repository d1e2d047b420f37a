import type { Connection, Database } from '../../platform/database/db.ts';
import { addDays, type DeliveryDay, type Zone } from '../calendar.ts';
import { contentHashOf, insertCapture, type StoredCapture } from './capture.ts';
import { listHourlyHistory, listQuarterHistory } from './history.ts';
import {
  forecastDays,
  HISTORY_DAYS,
  type ModelDay,
  type ModelSource,
  QUARTER_LOOK_BACK_DAYS,
} from './model.ts';

const ZONE: Zone = 'DE-LU';

/** Forecasts of the model for these days, from prices up to the day `knownUntil`; stores nothing. */
export async function modelForecasts(
  database: Database,
  days: readonly DeliveryDay[],
  knownUntil: DeliveryDay,
): Promise<ModelDay[]> {
  const history = await database.asService(async (connection) => ({
    hours: await listHourlyHistory(connection, ZONE, addDays(knownUntil, -HISTORY_DAYS), knownUntil),
    quarters: await listQuarterHistory(
      connection,
      ZONE,
      addDays(knownUntil, -QUARTER_LOOK_BACK_DAYS),
      knownUntil,
    ),
  }));
  return forecastDays(history, days, knownUntil);
}

/** One method's days as one capture. */
export async function insertModelCapture(
  connection: Connection,
  source: ModelSource,
  forecasts: readonly ModelDay[],
  capturedAt: number,
): Promise<StoredCapture> {
  return insertCapture(connection, {
    source,
    zone: ZONE,
    fetchId: null,
    issuedAt: null,
    capturedAt,
    payloadHash: contentHashOf(source, forecasts),
    inputs: inputsOf(source, forecasts),
    days: forecasts,
  });
}

function inputsOf(source: ModelSource, forecasts: readonly ModelDay[]): Record<string, unknown> {
  const [name, version] = source.replace('model:', '').split('@');
  return {
    name,
    version: Number(version),
    days: forecasts.map(({ deliveryOn, daysAhead, training }) => ({
      delivery_on: deliveryOn,
      newest_known_on: addDays(deliveryOn, -daysAhead),
      training,
    })),
  };
}
