import { type Connection, databaseOf } from '../../platform/database/db.ts';
import type { Logger } from '../../platform/log/logger.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { createShortCache } from '../../platform/short-cache.ts';
import type { CarriedForward, GridFigures } from './figures.ts';
import { gridFiguresOf } from './grid-figures.ts';
import { isWholeOn, type LoadProfile, wholeProfile } from './load-profile.ts';
import {
  findNationalRows,
  findReferenceRevision,
  findZipRows,
  type LoadProfileRow,
  listLoadProfile,
  type NationalRows,
  type ZipRows,
} from './queries.ts';
import { type NationalFigures, nationalFigures, type ReferenceSet } from './reference-set.ts';
import { refusalOf, type ServingAnswer, servingGrid } from './serving-grid.ts';

export { HOUSEHOLD_PROFILE } from './profile-weights.ts';
export { MissingReferenceError } from './validity.ts';

export const UNSERVICEABLE_ZIP = ruleCode(
  'unserviceable_zip',
  'Nobody is supplied at this ZIP code; the page `/docs/served-zips` says why',
);

/** Null: who asks for many days, of other years maybe, does not ask on behalf of today, and nobody is told. */
type WarningLog = Pick<Logger, 'warn'> | null;

/*
 * What is read here changes by imports only. Days are texts, YYYY-MM-DD in Europe/Berlin. Results made from the rows of a
 * day are kept with the rows themselves and go when they go, so nothing is older than one cache allows.
 */
const revisions = createShortCache<string>();
const nationalRows = createShortCache<NationalRows>();
const zipRows = createShortCache<ZipRows>();
const profileRows = createShortCache<readonly LoadProfileRow[]>();
const nationalOfDay = createMemo<NationalRows, string, NationalFigures>();
const servingOfDay = createMemo<ZipRows, string, ServingAnswer>();
const gridOfDay = createMemo<ServingAnswer, NationalFigures, GridFigures>();
const profileOfDay = createMemo<readonly LoadProfileRow[], string, LoadProfile>();
const warnOfCarriedForward = createCarriedForwardWarnings();

/**
 * Another text after every change of reference data, within seconds. Rows are read after it and kept under it: figures of the
 * same seconds are as new as it says, or newer. Who keeps figures for longer may keep them under it.
 */
export function referenceRevision(connection: Connection): Promise<string> {
  return revisions(databaseOf(connection), () => findReferenceRevision(connection));
}

/** Rows read from now on are as new as the last import: a bill is not made of figures that were replaced seconds ago. */
export function forgetReferenceRevisions(): void {
  revisions.forget();
}

export interface FiguresOfZip {
  readonly revision: string;
  readonly reference: ReferenceSet;
  /** Undefined where the zip is not served. */
  readonly grid: GridFigures | undefined;
}

/** All figures of a zip on a day, of one import: where another one came between two looks, all of them are read anew. */
export async function figuresOfZip(
  connection: Connection,
  zip: string,
  on: string,
  log: WarningLog,
): Promise<FiguresOfZip> {
  for (;;) {
    const revision = await referenceRevision(connection);
    const reference = await referenceSet(connection, on, log);
    const grid = await gridFigures(connection, zip, on, log);
    if ((await findReferenceRevision(connection)) === revision) return { revision, reference, grid };
    forgetReferenceRevisions();
  }
}

/** The figures of the whole country that count on a day. Rows that ran out are logged, once a day and key. */
export async function referenceSet(
  connection: Connection,
  on: string,
  log: WarningLog,
): Promise<ReferenceSet> {
  const { reference, carriedForward } = await nationalOn(connection, on);
  warnOfCarriedForward(carriedForward, { database: databaseOf(connection), log, on });
  return reference;
}

/** What the grid of a zip costs on a day. Undefined where the zip is not served. */
export async function gridFigures(
  connection: Connection,
  zip: string,
  on: string,
  log: WarningLog,
): Promise<GridFigures | undefined> {
  const answer = await servingOn(connection, zip, on);
  if (answer.fee === undefined) return undefined;
  const national = await nationalOn(connection, on);
  const grid = gridOfDay(answer, national, () => gridFiguresOf(answer, national));
  warnOfCarriedForward(grid.carriedForward, { database: databaseOf(connection), log, on });
  return grid;
}

/**
 * Whether a zip is served on a day: an operator is known for it, and the one with the largest share has grid fees. Rows that
 * ran out are logged, once a day and key.
 */
export async function isServed(
  connection: Connection,
  zip: string,
  on: string,
  log: WarningLog,
): Promise<boolean> {
  const answer = await servingOn(connection, zip, on);
  if (answer.fee === undefined) return false;
  warnOfCarriedForward(answer.carriedForward, { database: databaseOf(connection), log, on });
  return true;
}

/** Whether a zip is served on a day: by whom, or why not. */
export interface ZipService {
  zip: string;
  is_served: boolean;
  operator: string | null;
  name: string | null;
  city: string | null;
  /** Null where it is served. */
  reason: string | null;
}

export async function zipService(connection: Connection, zip: string, on: string): Promise<ZipService> {
  const answer = await servingOn(connection, zip, on);
  const { area, fee } = answer;
  const operator = area?.operator ?? null;
  const name = fee === undefined ? operator : (answer.details?.name ?? operator);
  const reason = refusalOf(answer);
  return { zip, is_served: reason === null, operator, name, city: area?.city ?? null, reason };
}

/** The share that VAT adds to a net amount, as a decimal text: `0.19`. */
export async function vatRate(connection: Connection, on: string): Promise<string> {
  return (await nationalOn(connection, on)).reference.vatRate.value;
}

/** A standard load profile, `h25` for households, before the correction by the day of the year. */
export async function loadProfile(connection: Connection, profile: string, on: string): Promise<LoadProfile> {
  const rows = await rowsOfProfile(connection, profile);
  return profileOfDay(rows, on, () => wholeProfile(rows, profile, on));
}

/** Whether a profile is valid on a day by itself: what ran out still counts for `loadProfile`, and for no bill. */
export async function isProfileValid(connection: Connection, profile: string, on: string): Promise<boolean> {
  return isWholeOn(await rowsOfProfile(connection, profile), on);
}

async function rowsOfProfile(connection: Connection, profile: string): Promise<readonly LoadProfileRow[]> {
  const key = `${await keyOfRows(connection)} ${profile}`;
  return profileRows(key, () => listLoadProfile(connection, profile));
}

async function nationalOn(connection: Connection, on: string): Promise<NationalFigures> {
  const rows = await nationalRows(await keyOfRows(connection), () => findNationalRows(connection));
  return nationalOfDay(rows, on, () => nationalFigures(rows, on));
}

async function servingOn(connection: Connection, zip: string, on: string): Promise<ServingAnswer> {
  const rows = await zipRows(`${await keyOfRows(connection)} ${zip}`, () => findZipRows(connection, zip));
  return servingOfDay(rows, on, () => servingGrid(rows, on));
}

async function keyOfRows(connection: Connection): Promise<string> {
  return `${databaseOf(connection)} ${await referenceRevision(connection)}`;
}

/** The database of the rows, the log for the warning, and the day of the query. */
interface CarryOccasion {
  database: string;
  log: WarningLog;
  on: string;
}

/**
 * Warns of rows that ran out and count nevertheless, once a day and key: the figures of the new year are late, and somebody
 * has to hear of it. It remembers one day for each key of the reference data, the latest.
 */
function createCarriedForwardWarnings(): (rows: readonly CarriedForward[], occasion: CarryOccasion) => void {
  const toldFor = new Map<string, string>();
  return (rows, { database, log, on }) => {
    if (log === null) return;
    for (const { table, key, endedOn } of rows) {
      const name = `${database} ${table} ${key}`;
      if ((toldFor.get(name) ?? '') >= on) continue;
      toldFor.set(name, on);
      log.warn(
        { table, key, ended_on: endedOn, on },
        'reference row carried forward: it ended, and none follows',
      );
    }
  };
}

/** Makes the result of an object and a key once, for as long as the object lives. */
function createMemo<Owner extends object, Key, Value>() {
  const known = new WeakMap<Owner, Map<Key, Value>>();
  return (owner: Owner, key: Key, make: () => Value): Value => {
    const ofOwner = known.get(owner) ?? new Map<Key, Value>();
    known.set(owner, ofOwner);
    const value = ofOwner.get(key) ?? make();
    ofOwner.set(key, value);
    return value;
  };
}
