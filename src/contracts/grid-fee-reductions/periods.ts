import { conflict } from '../../platform/errors.ts';
import type { ModuleRow } from './queries.ts';
import { EXCLUDED_BY, MODULE_1, MODULE_3 } from './schema.ts';

/*
 * Which modules of a contract may hold on one day (BNetzA, BK8-22/010-A): none twice, 2 never beside 1 or 3, and 3 only while
 * 1 holds. Every row that has a beginning counts, whatever its status. The first two rules are also held by the exclusion
 * constraint `grid_fee_reductions_periods`; the third by whoever changes a row and holds the contract.
 */

/** Throws a 409 that names the other row where `changed` holds on days on which it must not. */
export function assertMayHold(
  changed: ModuleRow,
  others: readonly ModuleRow[],
  field: 'valid_from' | 'valid_until',
): void {
  const refused = (message: string) => conflict([{ code: 'custom', field, message }]);
  const excluded = [changed.type, ...EXCLUDED_BY[changed.type]];
  const beside = others.find((other) => excluded.includes(other.type) && holdTogether(changed, other));
  if (beside !== undefined) throw refused(`It cannot hold on days of ${beside.id}, ${described(beside)}`);
  if (endWithModule1(changed, others) !== undefined) {
    const newest = others.findLast(({ type }) => type === MODULE_1);
    const found = newest === undefined ? 'there is none' : `${newest.id} is ${described(newest)}`;
    throw refused(`Module 3 holds only on days of module 1: ${found}`);
  }
  if (changed.type === MODULE_1 && field === 'valid_from') {
    const after = [...others, changed];
    const alone = others.find((other) => beginsAlone(other, after));
    if (alone !== undefined) throw refused(`Module 3 would hold alone: ${alone.id}, ${described(alone)}`);
  }
}

/** Module 3 from a day on which module 1 does not hold. */
function beginsAlone(row: ModuleRow, rows: readonly ModuleRow[]): boolean {
  return row.type === MODULE_3 && holds(row) && module1Until(rows, row.valid_from) === row.valid_from;
}

function holdTogether(left: ModuleRow, right: ModuleRow): boolean {
  return holds(left) && holds(right) && !endsBefore(left, right) && !endsBefore(right, left);
}

const endsBefore = ({ valid_until }: ModuleRow, { valid_from }: BegunModule) =>
  valid_until !== null && valid_until <= valid_from;

function described({ type, status, valid_from, valid_until }: ModuleRow): string {
  const until = valid_until === null ? '' : ` until ${valid_until}`;
  return `${type} ${status}${valid_from === null ? '' : ` from ${valid_from}${until}`}`;
}

type BegunModule = ModuleRow & { valid_from: string };

/** On a moment at least: one that never came into force ends as it begins. */
function holds(row: ModuleRow): row is BegunModule {
  const { valid_from, valid_until } = row;
  return valid_from !== null && (valid_until === null || valid_until > valid_from);
}

/** So long module 1 holds without a gap from an instant on; null: without an end. */
function module1Until(rows: readonly ModuleRow[], from: string): string | null {
  let until = from;
  const periods = rows.filter((row) => row.type === MODULE_1).filter(holds);
  for (const period of periods.toSorted((a, b) => (a.valid_from < b.valid_from ? -1 : 1))) {
    if (period.valid_from > until) break;
    if (period.valid_until === null) return null;
    if (period.valid_until > until) until = period.valid_until;
  }
  return until;
}

/** The instant at which module 3 has to end, because module 1 does not go on. */
export function endWithModule1(row: ModuleRow, rows: readonly ModuleRow[]): string | undefined {
  const { type, valid_from, valid_until } = row;
  if (type !== MODULE_3 || valid_from === null) return undefined;
  const until = module1Until(rows, valid_from);
  return until !== null && (valid_until === null || valid_until > until) ? until : undefined;
}
