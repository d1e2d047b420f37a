import { startText } from '../calendar.ts';
import { rejected } from './body.ts';

const HOUR_MILLISECONDS = 3_600_000;

/** The order of rows means nothing, but of two rows for one time one is wrong. */
export function assertTimesOnce(starts: readonly number[]): void {
  const seen = new Set<number>();
  for (const start of starts) {
    if (seen.has(start)) throw rejected(`The start ${startText(start)} occurs twice`);
    seen.add(start);
  }
}

/** Minutes between neighbours, where they lie closest; rows may be absent. Undefined with fewer than two rows. */
export function smallestStepMinutes(starts: readonly number[]): number | undefined {
  let smallest: number | undefined;
  let before: number | undefined;
  for (const start of starts.toSorted((a, b) => a - b)) {
    if (before !== undefined) smallest = Math.min(smallest ?? Number.POSITIVE_INFINITY, start - before);
    before = start;
  }
  return smallest === undefined ? undefined : smallest / 60_000;
}

/** The first start that lies an hour from the one before and from the one behind it; undefined where none does. */
export function firstOfHours(starts: readonly number[]): number | undefined {
  const ascending = starts.toSorted((a, b) => a - b);
  return ascending.find(
    (start, index) =>
      start - (ascending[index - 1] ?? start) === HOUR_MILLISECONDS &&
      (ascending[index + 1] ?? start) - start === HOUR_MILLISECONDS,
  );
}
