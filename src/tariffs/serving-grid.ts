import { Decimal } from 'decimal.js';
import type { Connection } from '../platform/database/db.ts';
import {
  type GridFeeRow,
  type GridOperatorRow,
  listGridFees,
  listGridOperators,
  listZipAreas,
  type ZipAreaRow,
} from './queries.ts';
import { rowsThatApply } from './validity.ts';

/** A row that ran out and counts nevertheless, because no newer one is there. */
export interface CarriedForward {
  readonly table: 'zip_areas' | 'grid_fees' | 'grid_operators';
  readonly key: string;
  readonly endedOn: string;
}

/** Who serves a zip on a day, and by which rows. */
export interface ServingGrid {
  readonly area: ZipAreaRow;
  readonly fee: GridFeeRow;
  /** Undefined where no row of the operator counts on that day: its code is all that is known. */
  readonly details: GridOperatorRow | undefined;
  readonly carriedForward: readonly CarriedForward[];
}

export type ServingAnswer =
  | ServingGrid
  /** The zip is not served: it has no row, or its operator has no grid fees. */
  | { readonly area: ZipAreaRow | undefined; readonly fee: undefined };

/** The operator with the largest share serves a zip, if its grid fees are known; equal shares: the first by code. */
export async function readServingGrid(
  connection: Connection,
  zip: string,
  on: string,
): Promise<ServingAnswer> {
  const areas = rowsThatApply(await listZipAreas(connection, zip), on);
  const area = areas.rows.toSorted(byShare)[0];
  if (area === undefined) return { area, fee: undefined };
  const { operator } = area;
  const fees = rowsThatApply(await listGridFees(connection, operator), on);
  const fee = fees.rows[0];
  if (fee === undefined) return { area, fee };
  const operators = rowsThatApply(await listGridOperators(connection, operator), on);
  return {
    area,
    fee,
    details: operators.rows[0],
    carriedForward: [
      ...carried('zip_areas', zip, areas.endedOn),
      ...carried('grid_fees', operator, fees.endedOn),
      ...carried('grid_operators', operator, operators.endedOn),
    ],
  };
}

function byShare(one: ZipAreaRow, other: ZipAreaRow): number {
  const larger = new Decimal(other.share).comparedTo(one.share);
  return larger === 0 ? (one.operator < other.operator ? -1 : 1) : larger;
}

function carried(table: CarriedForward['table'], key: string, endedOn: string | null): CarriedForward[] {
  return endedOn === null ? [] : [{ table, key, endedOn }];
}
