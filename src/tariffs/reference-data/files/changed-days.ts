import { earlier, later } from '../../../platform/time/berlin-calendar.ts';
import { canonicalText, type RowDifference } from './difference.ts';
import type { ChangedDays, RowValues } from './rows.ts';
import { columnsOf } from './table-description.ts';

interface BilledTable {
  /** The column by which contracts are found; absent: all of them. */
  readonly scope?: string;
  /**
   * The column by which a new row may replace a stored one; empty: any row. Bills of its days were then made from the
   * stored row. Tables without this member cannot have such bills: without a row no bill is made.
   */
  readonly replaces?: string;
}

/** Tables that bills are made of. */
const BILLED_TABLES: Readonly<Record<string, BilledTable>> = {
  vat_rates: {},
  levies: {},
  concession_fees: { scope: 'class' },
  metering_fees: { scope: 'metering_operator', replaces: '' },
  eeg_rates: {},
  market_values: {},
  grid_fees: { scope: 'operator' },
  grid_fee_schedules: { scope: 'operator' },
  zip_areas: { scope: 'zip', replaces: 'zip' },
  load_profiles: {},
};

/** They say something of the row, and no figure follows from them. */
const NOT_BILLED = [
  ...['valid_from', 'valid_to', 'source', 'checked_on', 'provisional', 'municipality_key', 'city'],
  ...['weight_low', 'weight_standard', 'weight_high', 'share_of_year'],
];

const OPEN = '9999-12-31';

interface Span {
  readonly first: string;
  readonly end: string;
}

const spanOf = ({ valid_from, valid_to }: RowValues): Span => ({
  first: valid_from ?? '',
  end: valid_to ?? OPEN,
});

/** For each table and whom it concerns one span, from the first changed day to the last. */
export function changedDays(differences: readonly RowDifference[]): ChangedDays[] {
  return differences.flatMap((difference) => {
    const billed = BILLED_TABLES[difference.table.name];
    if (billed === undefined) return [];
    const { scope } = billed;
    const keyOf = (values: RowValues) => (scope === undefined ? '' : (values[scope] ?? ''));
    const spans = Map.groupBy(spansOf(difference, billed), ({ values }) => keyOf(values));
    return [...spans].map(([key, ofKey]) => {
      const end = ofKey.map((span) => span.end).reduce(later);
      return {
        ...{ reference_table: difference.table.name, key, end_day: end === OPEN ? null : end },
        first_day: ofKey.map(({ first }) => first).reduce(earlier),
      };
    });
  });
}

function spansOf(
  { table, inserted, changed, before, removed, stored }: RowDifference,
  { replaces }: BilledTable,
): (Span & { readonly values: RowValues })[] {
  const figures = canonicalText(
    table,
    Object.keys(columnsOf(table)).filter((column) => !NOT_BILLED.includes(column)),
  );
  const whole = (values: RowValues) => ({ values, ...spanOf(values) });
  const place = (values: RowValues) => (replaces === undefined || replaces === '' ? '' : values[replaces]);
  const known = new Set(stored.map(place));
  const replacing = inserted.filter((values) => replaces !== undefined && known.has(place(values)));
  const replaced = changed.flatMap((values, index) => {
    const old = before[index] ?? values;
    const [oldSpan, newSpan] = [spanOf(old), spanOf(values)];
    const [ends, ended] = oldSpan.end < newSpan.end ? [oldSpan.end, newSpan.end] : [newSpan.end, oldSpan.end];
    if (figures(old) !== figures(values)) return [{ values, first: oldSpan.first, end: ended }];
    return ends === ended ? [] : [{ values, first: ends, end: ended }];
  });
  return [...[...replacing, ...removed].map(whole), ...replaced];
}
