import { composeBatch, instantsFrom } from '../../src/cli/simulation/batch.ts';
import type { Reading } from '../../src/cli/simulation/household.ts';
import { MEASURED_FIELDS, type MeasuredField } from '../../src/telemetry/snapshots/fields.ts';
import { WrongUse } from '../surroundings/failures.ts';
import { ASSETS_PER_HOUSEHOLD, gatewayOf, type SeededHousehold } from '../surroundings/seed.ts';

/**
 * How many rows, and of each measured field the sum in whole thousandths, which does not depend on the order in which they
 * are added, or how often it is true.
 */
export type Sums = Readonly<Record<'rows' | MeasuredField, number>>;

const sumsOf = (of: (name: keyof Sums) => number): Sums =>
  Object.fromEntries(
    (['rows', ...MEASURED_FIELDS.map(({ name }) => name)] as const).map((name) => [name, of(name)]),
  ) as Sums;

export const NO_SUMS = sumsOf(() => 0);

export function addSums(left: Sums, right: Sums): Sums {
  return sumsOf((name) => left[name] + right[name]);
}

function sumsOfRow(reading: Reading): Sums {
  return sumsOf((name) => {
    if (name === 'rows') return 1;
    const value = reading[name] ?? 0;
    return typeof value === 'boolean' ? Number(value) : Math.round(value * 1000);
  });
}

/** Bytes with the places of their timestamps, whose leading characters are written anew for each use. */
interface Template {
  bytes: Buffer;
  timestampPlaces: readonly number[];
}

interface HouseholdTemplates {
  body: Template;
  copyLines: Template;
  sums: Sums;
}

export interface BodiesOptions {
  fleet: readonly SeededHousehold[];
  keys: ReadonlyMap<string, number>;
  /** Rows of one batch: ten assets at a tenth as many instants. */
  rows: number;
  /** Seconds since 1970 of the first rows: a full hour, with milliseconds a full second. */
  beginSeconds: number;
  /** Seconds apart where absent. Milliseconds: all that is sent in a run lies within the minutes before it. */
  apart?: 'seconds' | 'milliseconds';
}

/** How the instants of batches of one household follow each other. */
interface Steps {
  apartSeconds: number;
  /** From a batch to the next one. */
  batchMilliseconds: number;
  /** How many leading characters of a timestamp say which batch it is of. */
  leading: number;
}

function stepsOf({ rows, apart }: Pick<BodiesOptions, 'rows' | 'apart'>): Steps {
  const instants = rows / ASSETS_PER_HOUSEHOLD;
  if (apart === 'milliseconds') {
    const digits = String(instants - 1).length;
    if (digits > 3) throw new WrongUse(`Batches of now have at most 10,000 rows, not ${rows}`);
    return {
      apartSeconds: 0.001,
      batchMilliseconds: 10 ** digits,
      leading: 'YYYY-MM-DDTHH:MM:SS.mmm'.length - digits,
    };
  }
  const isMinute = instants <= 60;
  return {
    apartSeconds: 1,
    batchMilliseconds: isMinute ? 60_000 : 3_600_000,
    leading: (isMinute ? 'YYYY-MM-DDTHH:MM' : 'YYYY-MM-DDTHH').length,
  };
}

export function checkBatchRows(rows: number): void {
  if (rows % ASSETS_PER_HOUSEHOLD !== 0) {
    throw new WrongUse(
      `A batch has ${ASSETS_PER_HOUSEHOLD} assets: its rows are a multiple of that, not ${rows}`,
    );
  }
}

/**
 * Batches without end out of one body per household: batch `index` belongs to household `index % households`, and each
 * time round all its instants move on by one hour (by one minute where a batch fits into one, or by as many milliseconds as it
 * has room for). So a batch is known by its number: the same number is the same bytes, and two numbers have no instant of an
 * asset in common.
 */
export class Bodies {
  readonly rows: number;
  readonly #templates: readonly HouseholdTemplates[];
  readonly #beginMilliseconds: number;
  readonly #steps: Steps;

  constructor(options: BodiesOptions) {
    this.rows = options.rows;
    this.#beginMilliseconds = options.beginSeconds * 1000;
    this.#steps = stepsOf(options);
    const instants = [
      ...instantsFrom(options.beginSeconds, options.rows / ASSETS_PER_HOUSEHOLD, this.#steps.apartSeconds),
    ];
    this.#templates = options.fleet.map((household) => templatesOf(household, options.keys, instants));
  }

  /** The body of batch `index`, a copy of its own. */
  at(index: number): Buffer {
    return this.#write(this.#household(index).body, index);
  }

  /** The same rows as lines for COPY in text format. */
  copyLinesAt(index: number): Buffer {
    return this.#write(this.#household(index).copyLines, index);
  }

  sumsAt(index: number): Sums {
    return this.#household(index).sums;
  }

  /** The last instant of batch `index`, seconds since 1970. */
  endSecondsAt(index: number): number {
    return this.#millisecondsOf(this.#round(index) + 1) / 1000;
  }

  /** The first batch of all households whose instants do not begin before this. */
  numberAt(seconds: number): number {
    const rounds = Math.ceil((seconds * 1000 - this.#beginMilliseconds) / this.#steps.batchMilliseconds);
    return Math.max(0, rounds) * this.#templates.length;
  }

  #millisecondsOf(round: number): number {
    return this.#beginMilliseconds + round * this.#steps.batchMilliseconds;
  }

  #round(index: number): number {
    return Math.floor(index / this.#templates.length);
  }

  #household(index: number): HouseholdTemplates {
    const templates = this.#templates[index % this.#templates.length];
    if (templates === undefined) throw new RangeError('A fleet has at least one household');
    return templates;
  }

  #write(template: Template, index: number): Buffer {
    const begin = new Date(this.#millisecondsOf(this.#round(index))).toISOString();
    const leading = Buffer.from(begin.slice(0, this.#steps.leading));
    const bytes = Buffer.from(template.bytes);
    for (const place of template.timestampPlaces) bytes.set(leading, place);
    return bytes;
  }
}

function templatesOf(
  household: SeededHousehold,
  keys: ReadonlyMap<string, number>,
  instants: readonly number[],
): HouseholdTemplates {
  const gateway = gatewayOf(household);
  const assetKeys = household.assets.map((asset) => {
    const key = keys.get(asset.id);
    if (key === undefined) throw new Error(`Asset ${asset.id} is not in the database`);
    return key;
  });
  let copyText = '';
  let sums = NO_SUMS;
  for (const seconds of instants) {
    const timestamp = new Date(Math.round(seconds * 1000)).toISOString();
    for (const [index, reading] of gateway.readingsAt(seconds).entries()) {
      const cells = [assetKeys[index], timestamp, ...MEASURED_FIELDS.map(({ name }) => reading[name])];
      copyText += `${cells.map((cell) => cell ?? '\\N').join('\t')}\n`;
      sums = addSums(sums, sumsOfRow(reading));
    }
  }
  const body = Buffer.from(composeBatch(gateway, instants));
  const copyLines = Buffer.from(copyText);
  return {
    body: { bytes: body, timestampPlaces: timestampsInJson(body) },
    copyLines: { bytes: copyLines, timestampPlaces: secondColumns(copyLines) },
    sums,
  };
}

const TIMESTAMP_MARK = '"timestamp":"';

function timestampsInJson(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(TIMESTAMP_MARK); at !== -1; at = bytes.indexOf(TIMESTAMP_MARK, at + 1)) {
    places.push(at + TIMESTAMP_MARK.length);
  }
  return places;
}

function secondColumns(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let line = 0; line < bytes.length; line = bytes.indexOf('\n', line) + 1) {
    places.push(bytes.indexOf('\t', line) + 1);
  }
  return places;
}
