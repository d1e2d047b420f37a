import { Exact } from '../../../../platform/money.ts';
import type { InvoiceLine, LineKind } from '../../calculate/types.ts';
import type { Page } from './page.ts';

export type LineGroup = 'supplier' | 'grid' | 'metering' | 'levies' | 'other';

/** What §40(3) EnWG wants to be seen apart: grid fees, metering, tax and levies. */
const GROUP_OF_KIND: Readonly<Record<LineKind, LineGroup>> = {
  base_fee: 'supplier',
  energy: 'supplier',
  margin: 'supplier',
  discount: 'supplier',
  grid_base: 'grid',
  grid_energy: 'grid',
  module_1: 'grid',
  module_1_cap: 'grid',
  metering: 'metering',
  concession_fee: 'levies',
  electricity_tax: 'levies',
  offshore: 'levies',
  special_grid_use: 'levies',
  kwkg: 'levies',
  feed_in: 'other',
  prepayment: 'other',
  correction: 'other',
};

const KINDS = Object.keys(GROUP_OF_KIND);

/** In the order of the groups, of the kinds in them, and of days. */
export function groupedLines(
  lines: readonly InvoiceLine[],
): (readonly [LineGroup, readonly InvoiceLine[]])[] {
  const sorted = lines.toSorted(
    (left, right) =>
      KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind) || (left.from < right.from ? -1 : 1),
  );
  return [...Map.groupBy(sorted, ({ kind }) => GROUP_OF_KIND[kind])];
}

export function netOf(lines: readonly InvoiceLine[]): string {
  return lines.reduce((sum, { net }) => sum.plus(net), new Exact(0)).toFixed(2);
}

/**
 * The amount as it stands on paper. Stored amounts of feed-in are negative where the customer is paid; a credit note shows
 * what he gets as positive.
 */
export function shownAmount({ isFeedIn }: Pick<Page, 'isFeedIn'>, value: string): string {
  return isFeedIn ? new Exact(value).negated().plus(0).toFixed() : value;
}
