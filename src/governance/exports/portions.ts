import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Connection, Database } from '../../platform/database/db.ts';
import {
  addDays,
  addMonths,
  berlinMidnight,
  type CalendarDay,
  firstOfMonth,
} from '../../platform/time/berlin-calendar.ts';
import { cutText, type ExportPaths, type ExportState, writeState } from './progress-file.ts';
import { becomeReader, copyPortion, findLastKey, type Source } from './queries.ts';

/** Rows that one statement is made for: about a second of work, sorted in memory. */
const PORTION_ROWS = 200_000;
/** How many rows a key has is known after the first portion. */
const PORTION_KEYS_FIRST = 10;
const PORTION_KEYS_MAX = 5_000;
/** Behind one row of a month are its quarter hours. */
const PORTION_KEYS_OF_MONTHS = 200;

export interface PortionParts {
  database: Database;
  source: Source;
  paths: ExportPaths;
  /** The day behind the last one. */
  to: CalendarDay;
  isForSpreadsheets: boolean;
  signal?: AbortSignal | undefined;
  /** Called when a portion is on the disk and counted. */
  afterPortion(state: ExportState): Promise<void>;
}

/** The first keys of a day have other numbers of rows than the next: at most twice as many keys as in the portion before. */
export function nextKeysMax(keysMax: number, rows: number, most = PORTION_KEYS_MAX): number {
  const fitting = rows === 0 ? most : Math.floor((keysMax * PORTION_ROWS) / rows);
  return Math.max(1, Math.min(fitting, keysMax * 2, most));
}

/** Day by day, and within a day by keys. False where it was asked to stop before the end. */
export async function writePortions(parts: PortionParts, begun: ExportState): Promise<ExportState> {
  let state = begun;
  let keysMax = PORTION_KEYS_FIRST;
  const most = parts.source.kind.isMonth ? PORTION_KEYS_OF_MONTHS : PORTION_KEYS_MAX;
  while (state.day < parts.to && parts.signal?.aborted !== true) {
    const made = await writePortion(parts, state, keysMax);
    if (made.keys === keysMax) keysMax = nextKeysMax(keysMax, made.state.rows - state.rows, most);
    state = made.state;
    await writeState(parts.paths, state);
    await parts.afterPortion(state);
  }
  return state;
}

async function writePortion(
  { database, source, paths, isForSpreadsheets }: PortionParts,
  state: ExportState,
  keysMax: number,
): Promise<{ state: ExportState; keys: number }> {
  const { made, sink } = await asReader(database, source, async (connection) => {
    const nextDay = source.kind.isMonth ? addMonths(firstOfMonth(state.day), 1) : addDays(state.day, 1);
    const bounds = { since: berlinMidnight(state.day), until: berlinMidnight(nextDay), after: state.after };
    const { last, keys } = await findLastKey(connection, source, { ...bounds, limit: keysMax });
    const isDayWhole = source.kind.key === undefined || keys < keysMax;
    const position = isDayWhole ? { day: nextDay, after: null } : { after: last };
    if (keys === 0) return { made: { state: { ...state, ...position }, keys } };
    /* A transaction that lost a race is done again: each time the file is cut to what counts. */
    await cutText(paths, state.bytes);
    const sink = createWriteStream(paths.text, { flags: 'r+', start: state.bytes, flush: true });
    const rows = await copyPortion(connection, source, { ...bounds, last }, { sink, isForSpreadsheets });
    const counts = { rows: state.rows + rows, bytes: state.bytes + sink.bytesWritten };
    return { made: { state: { ...state, ...position, ...counts }, keys }, sink };
  });
  /* The disk may take long, a transaction may not: the stream writes through before it closes. */
  if (sink?.closed === false) await once(sink, 'close');
  return made;
}

/** A transaction of the owner with the rights of the views' owner. */
export async function asReader<Result>(
  database: Database,
  { organization, signedIn }: Pick<Source, 'organization' | 'signedIn'>,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const reading = async (connection: Connection) => {
    await becomeReader(connection, signedIn);
    return await work(connection);
  };
  return organization === null
    ? await database.asService(reading)
    : await database.inOrganization({ organization }, reading);
}
