import type { WireAnswer, WireRequest } from '../series.ts';
import { answerOf, quoted, rejected, sha256 } from './body.ts';
import { DayReadings } from './day-readings.ts';
import {
  amountOf,
  assertLiteral,
  type Json,
  listOf,
  objectOf,
  parseJsonBody,
  textOf,
  timeOf,
} from './json-body.ts';
import { assertTimesOnce } from './row-times.ts';

const HOUR_MILLISECONDS = 3_600_000;

/** Hourly means, also of quarter-hourly days: they confirm and are never served. */
export function readAwattar(body: Uint8Array, request: WireRequest): WireAnswer {
  return answerOf(() => {
    const document = objectOf(parseJsonBody(body), 'The body');
    /* The body does not name its zone otherwise: /at/ is Austria with other prices. */
    const url = textOf(document.url, 'url');
    if (!url.startsWith('/de/')) throw rejected(`url is ${quoted(url)}, which is not below /de/`);
    const rows = listOf(document.data, 'data').map(readRow);
    if (rows.length === 0) return { status: 'not_published', detail: 'data is empty' };
    assertTimesOnce(rows.map(({ start }) => start));
    const readings = new DayReadings({ days: request.days, minutesOn: () => 60 });
    for (const { start, eurMwh } of rows) {
      const { deliveryOn } = readings.gridAt(start);
      readings.see(deliveryOn);
      readings.add(deliveryOn, start, eurMwh);
    }
    return {
      status: 'read',
      ...readings.read(),
      contentHash: sha256(body),
      sourceStamp: null,
      licence: null,
    };
  });
}

function readRow(value: Json, index: number): { start: number; eurMwh: string } {
  const name = `data[${index}]`;
  const row = objectOf(value, name);
  assertLiteral(row.unit, `${name}.unit`, 'Eur/MWh');
  const start = timeOf(row.start_timestamp, `${name}.start_timestamp`);
  const end = timeOf(row.end_timestamp, `${name}.end_timestamp`);
  if (end - start !== HOUR_MILLISECONDS) {
    throw rejected(`${name} is ${(end - start) / 60_000} minutes wide, not 60`);
  }
  /* Berlin's offset is whole hours, so its hours begin where those of UTC do. */
  if (start % HOUR_MILLISECONDS !== 0) {
    throw rejected(`${name}.start_timestamp is ${start}, which is not a full hour`);
  }
  return { start, eurMwh: amountOf(row.marketprice, `${name}.marketprice`) };
}
