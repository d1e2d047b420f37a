import { Decimal } from 'decimal.js';
import { type CountingRow, carriedOf, countingRow, originOf } from './counting-rows.ts';
import type { CarriedForward, FigureOrigin } from './figures.ts';
import type { TextRow, ZipRows } from './queries.ts';
import { rowsThatApply } from './validity.ts';

type AreaRow = TextRow<'zip_areas'>;

/** Who serves a zip on a day, and by which rows. */
export interface ServingGrid {
  readonly area: AreaRow;
  readonly zipArea: FigureOrigin;
  readonly fee: CountingRow<TextRow<'grid_fees'>>;
  /** Undefined where no row of the operator counts on that day: its code is all that is known. */
  readonly details: TextRow<'grid_operators'> | undefined;
  /** Undefined: the operator publishes none. */
  readonly schedule: CountingRow<TextRow<'grid_fee_schedules'>> | undefined;
  readonly carriedForward: readonly CarriedForward[];
}

export type ServingAnswer =
  | ServingGrid
  /** The zip is not served: it has no row, or its operator has no grid fees. */
  | { readonly area: AreaRow | undefined; readonly fee: undefined };

type Share = Pick<AreaRow, 'operator' | 'share'>;

/** Why a zip is not served, for a sentence; null where it is. */
export function refusalOf(answer: ServingAnswer): string | null {
  if (answer.fee !== undefined) return null;
  if (answer.area === undefined) return 'no operator is known for it';
  return `its operator ${answer.area.operator} has no grid fees`;
}

/** The operator with the largest share serves a zip, if its grid fees are known; equal shares: the first by code. */
export function servingGrid(rows: ZipRows, on: string): ServingAnswer {
  const areas = rowsThatApply(rows.zip_areas, on);
  const area = areas.rows.toSorted(byShare)[0];
  if (area === undefined) return { area, fee: undefined };
  const { zip, operator } = area;
  const isOfOperator = (row: { operator: string }) => row.operator === operator;
  const fee = countingRow('grid_fees', operator, rows.grid_fees.filter(isOfOperator), on);
  if (fee === undefined) return { area, fee };
  const details = countingRow('grid_operators', operator, rows.grid_operators.filter(isOfOperator), on);
  const schedules = rows.grid_fee_schedules.filter(isOfOperator);
  const schedule = countingRow('grid_fee_schedules', operator, schedules, on);
  return {
    area,
    zipArea: originOf('zip_areas', `${zip} ${operator}`, area, areas.endedOn !== null),
    fee,
    details: details?.row,
    schedule,
    carriedForward: [
      ...(areas.endedOn === null ? [] : [{ table: 'zip_areas', key: zip, endedOn: areas.endedOn }]),
      ...carriedOf([fee.origin, details?.origin, schedule?.origin]),
    ],
  };
}

export function byShare(left: Share, right: Share): number {
  const larger = new Decimal(right.share).comparedTo(left.share);
  return larger === 0 ? (left.operator < right.operator ? -1 : 1) : larger;
}
