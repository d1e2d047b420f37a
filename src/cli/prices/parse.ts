import { readFile, stat } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type DeliveryDay, dayStart, startText, zoneOf } from '../../spot-prices/calendar.ts';
import { READABLE_SOURCES, type ReadableSource, sources } from '../../spot-prices/providers/index.ts';
import type { WireAnswer } from '../../spot-prices/series.ts';
import { endWith } from '../io.ts';
import { printObject, printTable } from '../output.ts';

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

interface ParseOptions {
  readonly source: ReadableSource;
  readonly day?: DeliveryDay;
  readonly json?: boolean;
}

const EXIT_REFUSED = 1;
const REASONS_MAX = 10;

/** Needs no database and no configuration. */
export function parseCommand(): Command {
  return new Command('parse')
    .description('reads one body of a price feed from a file, and stores nothing')
    .argument('<file>', 'body of one answer, as the source sent it')
    .addOption(
      new Option('--source <source>', 'whose body it is')
        .choices(READABLE_SOURCES.map(({ name }) => name))
        .makeOptionMandatory(),
    )
    .option('--day <day>', 'only this delivery day, YYYY-MM-DD', deliveryDayFrom)
    .option('--json', 'as one JSON object')
    .action(async (file: string, options: ParseOptions, command: Command) => {
      const parsed = await parseFile(file, options).catch((error: unknown) => {
        const sentence = error instanceof Error ? error.message : String(error);
        return command.error(`error: the file cannot be read: ${sentence}`);
      });
      printParsed(parsed, options);
      if (parsed.status === 'refused') endWith(EXIT_REFUSED);
    });
}

export function deliveryDayFrom(text: string): DeliveryDay {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) dayStart(text);
    else throw new RangeError(text);
  } catch {
    throw new InvalidArgumentError('Not a calendar day like 2026-11-21.');
  }
  return text;
}

async function parseFile(file: string, { source, day }: ParseOptions): Promise<ParsedPrices> {
  const { size } = await stat(file);
  if (size > sources[source].limits.bodyBytesMax) {
    const reason = `The body has ${size} bytes, more than ${sources[source].limits.bodyBytesMax}`;
    return { status: 'refused', reason, source, resolution: null, points: [] };
  }
  return parsedPrices(await readFile(file), source, day ?? null);
}

/** What a request would have fixed counts as asked: the zone of the day, and the day, or every day of the body. */
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

function printParsed(parsed: ParsedPrices, options: { json?: boolean }): void {
  if (options.json === true) {
    printObject({ ...parsed }, options);
    return;
  }
  const { points, ...head } = parsed;
  printObject({ ...head, points: points.length }, options);
  if (points.length > 0) printTable(points, ['start', 'eur_mwh'], options);
}
