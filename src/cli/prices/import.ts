import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Command, Option } from 'commander';
import type { DeliveryDay } from '../../spot-prices/calendar.ts';
import { storeForecastBody } from '../../spot-prices/forecast/store-forecast.ts';
import { isUnusable, type PriceParts, type PullReport } from '../../spot-prices/parts.ts';
import { forecastSource, STORED_SOURCES, sources } from '../../spot-prices/providers/index.ts';
import { storeBody } from '../../spot-prices/pull/import.ts';
import { endWith } from '../io.ts';
import { type OutputRow, printObject, printTable } from '../output.ts';
import { deliveryDayFrom, type ParsedPrices, parsedPrices } from './parse.ts';
import { withPriceSession } from './session.ts';

interface ImportOptions {
  source: (typeof STORED_SOURCES)[number]['name'];
  day?: DeliveryDay;
  json?: boolean;
}

interface PriceFileBody {
  readonly body: Uint8Array;
  /** Stands in the record in the place of an address. */
  readonly name: string;
}

const EXIT_REFUSED = 1;

/** The same answer as `parse`, and what became of it. */
export function importCommand(): Command {
  return new Command('import')
    .description('stores one body of a price feed from a file, by the rules of a body that was pulled')
    .argument('<file>', 'body of one answer, as the source sent it')
    .addOption(
      new Option('--source <source>', 'whose body it is')
        .choices(STORED_SOURCES.map(({ name }) => name))
        .makeOptionMandatory(),
    )
    .option('--day <day>', 'only this delivery day, YYYY-MM-DD', deliveryDayFrom)
    .option('--json', 'as one JSON object')
    .action(async (file: string, options: ImportOptions, command: Command) => {
      if (options.source === forecastSource.name && options.day !== undefined) {
        command.error('error: a forecast is stored as a whole: --day is for real prices');
      }
      const body = await readFile(file).catch((error: Error) =>
        command.error(`error: the file cannot be read: ${error.message}`),
      );
      const { rows, refused } = await withPriceSession(({ parts }) =>
        store(parts, { body, name: basename(file) }, options),
      );
      const read = parsedBody(body, options);
      /* What only stored prices can tell: a curve whose market rows are not ours. */
      const parsed =
        refused === null || read.status === 'refused'
          ? read
          : { ...read, status: 'refused' as const, reason: refused };
      print(parsed, rows, options);
      if (parsed.status === 'refused') endWith(EXIT_REFUSED);
    });
}

interface StoredBody {
  rows: OutputRow[];
  /** Why the store refused a body that can be read. */
  refused: string | null;
}

async function store(
  parts: PriceParts,
  body: PriceFileBody,
  { source, day }: ImportOptions,
): Promise<StoredBody> {
  if (source === forecastSource.name) {
    const { outcome, detail, captureId, intervals } = await storeForecastBody(parts, body);
    const refused = isUnusable(outcome) ? (detail ?? outcome) : null;
    return { rows: [{ capture: captureId, outcome, intervals }], refused };
  }
  const reports = await storeBody(parts, { ...body, source, days: day === undefined ? null : [day] });
  return { rows: reports.map(shown), refused: null };
}

function shown(report: PullReport): OutputRow {
  return {
    delivery_on: report.deliveryOn,
    outcome: report.attempts[0]?.outcome,
    intervals: report.attempts[0]?.intervals,
    served_source: report.servedSource,
    state: report.outcome,
    changed: report.changed,
  };
}

function parsedBody(body: Uint8Array, { source, day }: ImportOptions): ParsedPrices {
  const bytesMax = sources[source].limits.bodyBytesMax;
  if (body.byteLength <= bytesMax) return parsedPrices(body, source, day ?? null);
  const reason = `The body has ${body.byteLength} bytes, more than ${bytesMax}`;
  return { status: 'refused', reason, source, resolution: null, points: [] };
}

function print(parsed: ParsedPrices, stored: readonly OutputRow[], options: { json?: boolean }): void {
  if (options.json === true) {
    printObject({ ...parsed, stored }, options);
    return;
  }
  const { points, ...head } = parsed;
  printObject({ ...head, points: points.length }, options);
  if (stored[0] !== undefined) printTable(stored, Object.keys(stored[0]), options);
}
