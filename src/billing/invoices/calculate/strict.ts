import type { Figure, FigureOrigin, GridFigures } from '../../../tariffs/reference-data/figures.ts';
import { MissingReferenceError } from '../../../tariffs/reference-data/validity.ts';
import { BillingRefused } from '../refusal.ts';

/*
 * A bill goes by rows that are valid on the day itself. Quotes count a row that ran out for a while when none follows; a bill
 * waits until somebody enters the new one.
 */

/** The figure, or a refusal where its row had ended by that day. */
export function validFigure(figure: Figure, day: string): Figure {
  const { table, key, valid_to, is_carried_forward } = figure.origin;
  if (is_carried_forward) throw missingRow({ table, key, endedOn: valid_to }, day);
  return figure;
}

/** What is read from a price list; a refusal where it has no row. */
export function required<Value>(day: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof MissingReferenceError) throw missingRow(error, day);
    throw error;
  }
}

/** Refuses a grid of which any row had ended; prices by the clock count for those only who are billed by them. */
export function refuseEndedRows(grid: GridFigures, day: string, withSchedule: boolean): void {
  const ended = grid.carriedForward.find(({ table }) => withSchedule || table !== 'grid_fee_schedules');
  if (ended !== undefined) throw missingRow(ended, day);
}

export function missingRow(
  { table, key, endedOn }: { table: string; key: string; endedOn?: string | null },
  day: string,
): BillingRefused {
  const row = key === '' ? table : `${table} ${key}`;
  const ended = endedOn ? `; the last one ended on ${endedOn}` : '';
  return new BillingRefused(
    'missing_reference',
    `${row}: no row is valid on ${day}${ended}. It is entered with "tariffs import".`,
  );
}

/** Another text for another row, and for another value of the same row. */
export function rowName({ value, origin }: { value: string; origin: FigureOrigin }): string {
  return `${origin.table} ${origin.key} ${origin.valid_from} ${value}`;
}
