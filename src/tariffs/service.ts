import { type Connection, clientOf } from '../platform/database/db.ts';
import type { Logger } from '../platform/log/logger.ts';
import { ruleCode } from '../platform/rule-codes.ts';
import { createShortCache } from '../platform/short-cache.ts';
import { createCarriedForwardWarnings } from './carried-forward.ts';
import { type LoadProfile, wholeProfile } from './load-profile.ts';
import { type GridFeeRow, listLoadProfile, listVatRates, type ZipAreaRow } from './queries.ts';
import { type CarriedForward, readServingGrid } from './serving-grid.ts';
import { MissingReferenceError, rowsThatApply } from './validity.ts';

export const UNSERVICEABLE_ZIP = ruleCode('unserviceable_zip', 'Nobody is supplied at this ZIP code');

export interface GridOperator {
  /** Code: `stromnetz-berlin`. */
  readonly operator: string;
  readonly name: string;
  readonly concessionClass: ZipAreaRow['concession_class'];
  readonly municipalityKey: string | null;
  readonly city: string | null;
  /** Prices as decimal texts; null where none is published and the formula counts. */
  readonly gridFee: Readonly<
    Pick<
      GridFeeRow,
      | 'base_eur_year_net'
      | 'working_ct_net'
      | 'module_1_eur_year_net'
      | 'module_2_ct_net'
      | 'provisional'
      | 'valid_from'
    >
  >;
  /** Rows that had run out by that day. */
  readonly carriedForward: readonly CarriedForward[];
}

/* What is read here changes by imports only. Days are texts, YYYY-MM-DD in Europe/Berlin. */
const gridOperators = createShortCache<GridOperator | undefined>();
const vatRates = createShortCache<string>();
const loadProfiles = createShortCache<LoadProfile>();
const warnOfCarriedForward = createCarriedForwardWarnings();

/**
 * Who runs the grid of a zip on a day, and at what price. Undefined where the zip cannot be served: no operator is known
 * for it, or the operator with the largest share has no grid fees. Rows that ran out are logged, once a day and key.
 */
export async function findGridOperator(
  connection: Connection,
  zip: string,
  on: string,
  log: Pick<Logger, 'warn'>,
): Promise<GridOperator | undefined> {
  const database = databaseOf(connection);
  const found = await gridOperators(`${database} ${zip} ${on}`, () => readGridOperator(connection, zip, on));
  warnOfCarriedForward(found?.carriedForward ?? [], { database, log, on });
  return found;
}

async function readGridOperator(
  connection: Connection,
  zip: string,
  on: string,
): Promise<GridOperator | undefined> {
  const answer = await readServingGrid(connection, zip, on);
  if (answer.fee === undefined) return undefined;
  const { area, fee, details, carriedForward } = answer;
  return Object.freeze({
    operator: area.operator,
    name: details?.name ?? area.operator,
    concessionClass: area.concession_class,
    municipalityKey: area.municipality_key,
    city: area.city,
    gridFee: Object.freeze(fee),
    carriedForward,
  });
}

/** The share that VAT adds to a net amount, as a decimal text: `0.19`. */
export function vatRate(connection: Connection, on: string): Promise<string> {
  return vatRates(`${databaseOf(connection)} ${on}`, async () => {
    const [row] = rowsThatApply(await listVatRates(connection), on).rows;
    if (row === undefined) throw new MissingReferenceError('vat_rates', '', on);
    return row.rate;
  });
}

/** A standard load profile, `h25` for households, before the correction by the day of the year. */
export function loadProfile(connection: Connection, profile: string, on: string): Promise<LoadProfile> {
  return loadProfiles(`${databaseOf(connection)} ${profile} ${on}`, async () =>
    wholeProfile(await listLoadProfile(connection, profile), profile, on),
  );
}

/** Tests have several databases in one process, and a tool may look into two. */
function databaseOf(connection: Connection): string {
  const { host, port, database } = clientOf(connection);
  return `${host}:${port}/${database}`;
}
