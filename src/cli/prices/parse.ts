import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { asksSyntheticOnly } from '../../config/prices.ts';
import { berlinDayOf } from '../../platform/time/berlin-calendar.ts';
import { addDays, type DeliveryDay, deliveryDayAt, startText, zoneOf } from '../../spot-prices/calendar.ts';
import { storeForecastBody } from '../../spot-prices/forecast/store-forecast.ts';
import { isUnusable, type PriceParts, type PullReport } from '../../spot-prices/parts.ts';
import {
  forecastSource,
  READABLE_SOURCES,
  type ReadableSource,
  STORED_SOURCES,
  sources,
  syntheticSource,
} from '../../spot-prices/providers/index.ts';
import { storeBody } from '../../spot-prices/pull/import.ts';
import type { WireAnswer } from '../../spot-prices/series.ts';
import { noteImport } from '../../spot-prices/store/operator-choice.ts';
import { command } from '../engine/command.ts';
import { act, choice, JSON_OBJECT, needed, option } from '../engine/fields.ts';
import { asTyped, endWith } from '../engine/io.ts';
import { fields, type OutputRow, type Part, table } from '../engine/output.ts';
import { notUnderstood } from '../engine/program.ts';
import { withoutSession } from '../engine/session.ts';
import { deliveryDay, EXAMPLE_SOURCE, withPriceSession } from './price-options.ts';

/** What one body says, as far as the body alone can decide. */
export interface ParsedPrices {
  readonly status: 'ok' | 'refused' | 'not_published';
  /** Names what was refused. */
  readonly reason: string | null;
  readonly source: ReadableSource;
  /** Width of the points; null without any. */
  readonly resolution: 'hourly' | '15min' | 'mixed' | null;
  readonly points: readonly { readonly start: string; readonly eur_mwh: string }[];
}

const EXIT_REFUSED = 1;
const REASONS_MAX = 10;

const BODY = { file: 'body of one answer, as the source sent it' };
const DAY = { day: option('<day>', 'only this delivery day, YYYY-MM-DD', deliveryDay), ...JSON_OBJECT };

const sourceFrom = <Name extends string>(described: readonly { readonly name: Name }[]) =>
  needed(
    choice(
      '<source>',
      'whose body it is',
      described.map(({ name }) => name),
    ),
  );

/** Needs no database and no configuration. */
export const parseCommand = command({
  words: 'reads one body of a price feed from a file, and stores nothing',
  examples: [
    `week.json --source ${EXAMPLE_SOURCE}`,
    `week.json --source ${EXAMPLE_SOURCE} --day 2026-11-20 --json`,
  ],
  arguments: BODY,
  options: { source: sourceFrom(READABLE_SOURCES), ...DAY },
  session: withoutSession,
  work: async (_session, { file, source, day = null }) => {
    const parsed = await parseFile(file, source, day).catch(unreadable);
    if (parsed.status === 'refused') endWith(EXIT_REFUSED);
    return parsed;
  },
  print: parsedParts,
});

/** The same answer as `parse`, and what became of it. */
export const importCommand = command({
  words: 'stores one body of a price feed from a file, by the rules of a body that was pulled',
  examples: [
    `week.json --source ${EXAMPLE_SOURCE} --reason 'the source was away'`,
    `week.json --source ${EXAMPLE_SOURCE} --day 2026-11-20 --json`,
  ],
  arguments: BODY,
  options: { ...act('import of prices'), source: sourceFrom(STORED_SOURCES), ...DAY },
  session: withPriceSession,
  work: async ({ parts, act: by }, { file, source, day = null }) => {
    if (source === forecastSource.name && day !== null) {
      notUnderstood('a forecast is stored as a whole: --day is for real prices');
    }
    if (source === syntheticSource.name && !asksSyntheticOnly(parts.config)) {
      notUnderstood(`--source ${source}: invented prices are stored only where PRICES_SOURCES is ${source}`);
    }
    const body = await readFile(file).catch(unreadable);
    const read = parsedBody(body, source, day);
    if (source !== forecastSource.name) assertKnownDays(read, parts.clock.nowMilliseconds());
    await noteImport(parts, source, by);
    const { rows, refused } = await store(parts, { body, name: basename(file) }, source, day);
    /* What only stored prices can tell: a curve whose market rows are not ours. */
    const parsed =
      refused === null || read.status === 'refused'
        ? read
        : { ...read, status: 'refused' as const, reason: refused };
    if (parsed.status === 'refused') endWith(EXIT_REFUSED);
    return { ...parsed, stored: rows };
  },
  print: ({ stored, points, ...head }) => {
    const held = stored.filter(({ state }) => state === 'suspect');
    const rows = stored.map((row) => (held.includes(row) ? { ...row, outcome: 'held back' } : row));
    return [
      fields({ ...head, points: points.length }),
      ...(rows[0] === undefined ? [] : [table(rows, Object.keys(rows[0]))]),
      ...held.map(({ delivery_on: day }) =>
        asTyped(
          `${day} is held back: npm run cli -- prices status --date ${day} says why, prices release --date ${day} --reason TEXT serves it.`,
        ),
      ),
    ];
  },
});

/** A file of the wrong year would be served as the prices of days that have none yet. */
function assertKnownDays({ points }: ParsedPrices, nowMilliseconds: number): void {
  const last = points.at(-1);
  if (last === undefined) return;
  const [day, tomorrow] = [berlinDayOf(last.start), addDays(deliveryDayAt(nowMilliseconds), 1)];
  if (day > tomorrow) {
    notUnderstood(`the file has prices of ${day}: prices exist until tomorrow, ${tomorrow}, at most`);
  }
}

function unreadable(error: unknown): never {
  return notUnderstood(`the file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}

async function parseFile(
  file: string,
  source: ReadableSource,
  day: DeliveryDay | null,
): Promise<ParsedPrices> {
  const { size } = await stat(file);
  return oversized(size, source) ?? parsedPrices(await readFile(file), source, day);
}

function parsedBody(body: Uint8Array, source: ReadableSource, day: DeliveryDay | null): ParsedPrices {
  return oversized(body.byteLength, source) ?? parsedPrices(body, source, day);
}

function oversized(bytes: number, source: ReadableSource): ParsedPrices | undefined {
  const { bodyBytesMax } = sources[source].limits;
  if (bytes <= bodyBytesMax) return undefined;
  const reason = `The body has ${bytes} bytes, more than ${bodyBytesMax}`;
  return { status: 'refused', reason, source, resolution: null, points: [] };
}

interface StoredBody {
  rows: OutputRow[];
  /** Why the store refused a body that can be read. */
  refused: string | null;
}

async function store(
  parts: PriceParts,
  body: { readonly body: Uint8Array; readonly name: string },
  source: (typeof STORED_SOURCES)[number]['name'],
  day: DeliveryDay | null,
): Promise<StoredBody> {
  if (source === forecastSource.name) {
    const { outcome, detail, captureId, intervals } = await storeForecastBody(parts, body);
    const refused = isUnusable(outcome) ? (detail ?? outcome) : null;
    return { rows: [{ capture: captureId, outcome, intervals }], refused };
  }
  const reports = await storeBody(parts, { ...body, source, days: day === null ? null : [day] });
  return { rows: reports.map(storedRow), refused: null };
}

function storedRow(report: PullReport): OutputRow {
  return {
    delivery_on: report.deliveryOn,
    outcome: report.attempts[0]?.outcome,
    intervals: report.attempts[0]?.intervals,
    served_source: report.servedSource,
    state: report.outcome,
    changed: report.changed,
  };
}

/**
 * Values that a request would have fixed count as requested: the zone and the day of each value, or every day of the body.
 */
export function parsedPrices(
  body: Uint8Array,
  source: ReadableSource,
  day: DeliveryDay | null,
): ParsedPrices {
  const request = day === null ? { zone: 'DE-LU' as const, days: null } : { zone: zoneOf(day), days: [day] };
  const answer = sources[source].read(body, request);
  const nothing = { source, resolution: null, points: [] };
  if (answer.status === 'not_published') return { status: 'not_published', reason: null, ...nothing };
  if (answer.status !== 'read') return { status: 'refused', reason: answer.reason, ...nothing };
  const days = answer.days.filter(({ points }) => points.length > 0);
  const points = days
    .flatMap((reading) => reading.points)
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, eurMwh }) => ({ start: startText(start), eur_mwh: eurMwh }));
  const reason = reasonOf(answer, day);
  if (points.length > 0) {
    return { status: 'ok', reason, source, resolution: resolutionOf(days), points };
  }
  return { status: reason === null ? 'not_published' : 'refused', reason, ...nothing };
}

function resolutionOf(days: readonly { readonly minutes: number }[]): ParsedPrices['resolution'] {
  const widths = new Set(days.map(({ minutes }) => minutes));
  if (widths.size > 1) return 'mixed';
  return widths.has(60) ? 'hourly' : '15min';
}

/** Parts of other days were not asked for, so they are no reason. */
function reasonOf(answer: Extract<WireAnswer, { status: 'read' }>, day: DeliveryDay | null): string | null {
  const ofDays = answer.days.flatMap(({ deliveryOn, refused }) =>
    refused.map((sentence) => `${deliveryOn}: ${sentence}`),
  );
  const sentences = day === null ? [...ofDays, ...answer.refused] : ofDays;
  if (sentences.length === 0) return null;
  const more = sentences.length - REASONS_MAX;
  return [...sentences.slice(0, REASONS_MAX), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function parsedParts({ points, ...head }: ParsedPrices): Part[] {
  const shown = points.length === 0 ? [] : [table(points, ['start', 'eur_mwh'])];
  return [fields({ ...head, points: points.length }), ...shown];
}
