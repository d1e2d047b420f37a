import type { ErrorEntry } from '../errors.ts';
import { type FilterFields, isFilterName, operatorsOf } from './filters.ts';
import type { QueryPair } from './query.ts';

/*
 * Parameters that a route does not know are ignored. One is refused all the same: the one that is meant for a parameter
 * that the route does know. `?strat=2026-11-01` asked for a day, and the answer would hold other days.
 */

/** What other interfaces call it. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  start: ['from', 'since', 'begin', 'after', 'date', 'day'],
  end: ['to', 'until', 'till', 'before'],
  resolution: ['interval', 'granularity'],
  limit: ['count', 'size', 'pagesize', 'perpage', 'take'],
  cursor: ['page', 'pagetoken', 'nextpage', 'offset', 'skip', 'after', 'startingafter'],
};

const NAME_CHARACTERS_MAX = 40;

/** One entry for each parameter that was sent under a name that only looks like a known one. */
export function lostParameters(
  pairs: readonly QueryPair[],
  known: ReadonlySet<string>,
  fields: FilterFields = {},
): ErrorEntry[] {
  if (pairs.length === 0) return [];
  const entries: ErrorEntry[] = [];
  for (const { name } of pairs) {
    if (known.has(name) || isFilterName(name) || name.length > NAME_CHARACTERS_MAX) continue;
    const meant = meantBy(name, known, fields);
    if (meant === undefined) continue;
    entries.push({
      code: 'unrecognized_keys',
      field: name,
      message: `Unknown parameter. Did you mean ${meant}?`,
    });
  }
  return entries;
}

function meantBy(name: string, known: ReadonlySet<string>, fields: FilterFields): string | undefined {
  const letters = lettersOf(name);
  for (const candidate of known) {
    if (isMeant(letters, candidate)) return candidate;
  }
  for (const [field, type] of Object.entries(fields)) {
    if (letters === lettersOf(field)) return `filter[${field}][${operatorsOf(type)[0]}]`;
  }
  return undefined;
}

/** Case, hyphens and underscores aside: `Start`, `start_date`, `startDate`, `strat`, `from`. */
function isMeant(letters: string, known: string): boolean {
  const knownLetters = lettersOf(known);
  if (letters.startsWith(knownLetters) || OTHER_NAMES[known]?.includes(letters) === true) return true;
  return (
    letters.length > 1 &&
    digitsOf(letters) === digitsOf(knownLetters) &&
    areOneMistakeApart(letters, knownLetters)
  );
}

/** Names that are counted, as `module_1` and `module_2`, are no slips of one another. */
function digitsOf(letters: string): string {
  return letters.replaceAll(/\D/g, '');
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** One letter too many, too few or another, or two neighbours in the wrong order. */
function areOneMistakeApart(left: string, right: string): boolean {
  if (Math.abs(left.length - right.length) > 1) return false;
  let head = 0;
  while (head < left.length && left[head] === right[head]) head++;
  const [rest, otherRest] = [left.slice(head), right.slice(head)];
  if (rest.slice(1) === otherRest.slice(1) || rest.slice(1) === otherRest || rest === otherRest.slice(1)) {
    return true;
  }
  const swapped = rest.slice(1, 2) + rest.slice(0, 1);
  return swapped === otherRest.slice(0, 2) && rest.slice(2) === otherRest.slice(2);
}
