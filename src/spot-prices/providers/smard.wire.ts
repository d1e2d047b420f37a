import { type IntervalMinutes, minutesOf } from '../calendar.ts';
import type { WireAnswer, WireRequest } from '../series.ts';
import { answerOf, rejected, sha256 } from './body.ts';
import { DayReadings } from './day-readings.ts';
import {
  amountOf,
  isObject,
  type Json,
  JsonNumber,
  listOf,
  objectOf,
  parseJsonBody,
  timeOf,
} from './json-body.ts';
import { assertTimesOnce, smallestStepMinutes } from './row-times.ts';

interface ChunkRow {
  readonly start: number;
  /** Null: not yet published. */
  readonly eurMwh: string | null;
}

/** One file: a week of the zone, in quarter hours or in hours. */
export function readSmard(body: Uint8Array, request: WireRequest): WireAnswer {
  return answerOf(() => {
    const document = objectOf(parseJsonBody(body), 'The body');
    const rows = listOf(document.series, 'series').map(readRow);
    if (rows.length === 0) return { status: 'not_published', detail: 'series is empty' };
    assertTimesOnce(rows.map(({ start }) => start));
    const minutes = widthOf(rows);
    const readings = new DayReadings({ days: request.days });
    for (const { start, eurMwh } of rows) {
      const { deliveryOn, from } = readings.gridAt(start);
      if ((start - from) % (minutes * 60_000) !== 0) {
        throw rejected(`series has the start ${start}, which lies between the intervals of its day`);
      }
      readings.see(deliveryOn);
      const expected = minutesOf(deliveryOn);
      if (minutes !== expected) {
        readings.refuse(deliveryOn, `series has rows of ${minutes} minutes, the day has ${expected}`);
      } else if (eurMwh !== null) {
        readings.add(deliveryOn, start, eurMwh);
      }
    }
    readings.refuseHours();
    return {
      status: 'read',
      ...readings.read(),
      contentHash: sha256(JSON.stringify(contentOf(document))),
      sourceStamp: stampOf(document.meta_data),
      licence: null,
    };
  });
}

/** Starts of the files in milliseconds since 1970, ascending. */
export function readSmardIndex(
  body: Uint8Array,
): { status: 'read'; starts: number[] } | Extract<WireAnswer, { status: 'failed' | 'rejected' }> {
  return answerOf(() => {
    const document = objectOf(parseJsonBody(body), 'The body');
    const starts = listOf(document.timestamps, 'timestamps').map((value, index) =>
      timeOf(value, `timestamps[${index}]`),
    );
    assertTimesOnce(starts);
    return { status: 'read' as const, starts: starts.toSorted((a, b) => a - b) };
  });
}

function readRow(value: Json, index: number): ChunkRow {
  const name = `series[${index}]`;
  const row = listOf(value, name);
  /* A decimal comma makes three of two. */
  if (row.length !== 2) throw rejected(`${name} has ${row.length} entries, not a start and a price`);
  return {
    start: timeOf(row[0], `${name}[0]`),
    eurMwh: row[1] === null ? null : amountOf(row[1], `${name}[1]`),
  };
}

/** A file does not name its width: it is the step between its starts. */
function widthOf(rows: readonly ChunkRow[]): IntervalMinutes {
  const step = smallestStepMinutes(rows.map(({ start }) => start));
  if (step === 15 || step === 60) return step;
  const found = step === undefined ? 'a single row, which has no width' : `steps of ${step} minutes`;
  throw rejected(`series has ${found}, not steps of 15 or 60 minutes`);
}

/** When the file was built changes without any change of a value. */
function contentOf(document: { [name: string]: Json }): Json {
  const { meta_data, ...content } = document;
  if (!isObject(meta_data)) return document;
  const { created: _, ...lasting } = meta_data;
  return { ...content, meta_data: lasting };
}

function stampOf(metaData: Json | undefined): string | null {
  const created = isObject(metaData) ? metaData.created : undefined;
  return created instanceof JsonNumber ? created.source : null;
}
