import { earlier, later } from '../../../platform/time/berlin-calendar.ts';
import { byShare } from '../serving-grid.ts';
import { canonicalText, type RowDifference } from './difference.ts';
import type { ChangedDays, RowValues } from './rows.ts';
import { columnsOf } from './table-description.ts';

interface BilledTable {
  /** The column by which contracts are found; absent: all of them. */
  readonly scope?: string;
  /**
   * A new row may count in the place of a stored one, of which bills of its days were made. Tables without this member
   * cannot have such bills: without a row no bill is made.
   */
  readonly takesPlaces?: true;
  /** Where it is not each changed row that counts. */
  readonly spansOf?: (difference: RowDifference) => ChangedSpan[];
}

/** Tables that bills are made of. */
const BILLED_TABLES: Readonly<Record<string, BilledTable>> = {
  vat_rates: {},
  levies: {},
  concession_fees: { scope: 'class' },
  metering_fees: { scope: 'metering_operator', takesPlaces: true },
  eeg_rates: {},
  market_values: {},
  grid_fees: { scope: 'operator' },
  grid_fee_schedules: { scope: 'operator' },
  zip_areas: { scope: 'zip', spansOf: servedOtherwise },
  load_profiles: {},
};

/** They say something of the row, and no figure follows from them. */
const NOT_BILLED = [
  ...['valid_from', 'valid_to', 'source', 'checked_on', 'provisional'],
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
    const changed = billed.spansOf?.(difference) ?? spansOf(difference, billed);
    const spans = Map.groupBy(changed, ({ values }) => keyOf(values));
    return [...spans].map(([key, ofKey]) => {
      const end = ofKey.map((span) => span.end).reduce(later);
      return {
        ...{ reference_table: difference.table.name, key, end_day: end === OPEN ? null : end },
        first_day: ofKey.map(({ first }) => first).reduce(earlier),
      };
    });
  });
}

interface ChangedSpan extends Span {
  readonly values: RowValues;
}

/** Days on which another operator serves a zip, or another class holds there. Who else has a share of it is on no bill. */
function servedOtherwise({ inserted, changed, removed, stored, after }: RowDifference): ChangedSpan[] {
  const zips = new Set([...inserted, ...changed, ...removed].map(({ zip }) => zip));
  const byZip = (rows: readonly RowValues[]) =>
    Map.groupBy(
      rows.filter(({ zip }) => zips.has(zip)),
      ({ zip }) => zip ?? '',
    );
  const [before, now] = [byZip(stored), byZip(after.map(({ values }) => values))];
  return [...before].flatMap(([zip, old]) => {
    const recent = now.get(zip) ?? [];
    const spans = [...old, ...recent].map(spanOf);
    const days = [...new Set(spans.flatMap(({ first, end }) => [first, end]))].sort();
    return days.flatMap((first, index) => {
      const [was, is] = [servedOn(old, first), servedOn(recent, first)];
      const end = days[index + 1];
      return was === null || was === is || end === undefined ? [] : [{ values: { zip }, first, end }];
    });
  });
}

/** What bills of a day are made of; null: of none. */
function servedOn(rows: readonly RowValues[], day: string): string | null {
  const valid = rows.filter((values) => spanOf(values).first <= day && day < spanOf(values).end);
  const areas = valid.map(({ operator, share, concession_class }) => ({
    ...{ operator: operator ?? '', share: share ?? '0', concession_class },
  }));
  const [area] = areas.toSorted(byShare);
  return area === undefined ? null : `${area.operator} ${area.concession_class}`;
}

function spansOf(
  { table, inserted, changed, before, removed, stored }: RowDifference,
  { takesPlaces }: BilledTable,
): ChangedSpan[] {
  const figures = canonicalText(
    table,
    Object.keys(columnsOf(table)).filter((column) => !NOT_BILLED.includes(column)),
  );
  const whole = (values: RowValues) => ({ values, ...spanOf(values) });
  const replacing = takesPlaces === true && stored.length > 0 ? inserted : [];
  const replaced = changed.flatMap((values, index) => {
    const old = before[index] ?? values;
    const [oldSpan, newSpan] = [spanOf(old), spanOf(values)];
    const [ends, ended] = oldSpan.end < newSpan.end ? [oldSpan.end, newSpan.end] : [newSpan.end, oldSpan.end];
    if (figures(old) !== figures(values)) return [{ values, first: oldSpan.first, end: ended }];
    return ends === ended ? [] : [{ values, first: ends, end: ended }];
  });
  return [...[...replacing, ...removed].map(whole), ...replaced];
}
