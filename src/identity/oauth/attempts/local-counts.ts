import { BoundedCache } from '../../../platform/bounded-cache.ts';
import type { ProcessGroup } from '../../../platform/process/group/member.ts';
import type { GroupPart } from '../../../platform/process/group/primary.ts';
import { type AttemptRule, type AttemptState, afterFailure } from './counts.ts';

/** Failures that were counted while Redis was away. One name for each rule, in their order. */
interface LocalCounts<States, Counts> {
  find(names: readonly string[]): States;
  countFailure(names: readonly string[], rules: readonly AttemptRule[], nowMilliseconds: number): Counts;
}

type FoundStates = readonly (AttemptState | null)[];
type OwnCounts = LocalCounts<FoundStates, readonly number[]>;

interface CountedFailure {
  names: readonly string[];
  rules: readonly AttemptRule[];
  nowMilliseconds: number;
}

const FIND = 'find-attempts';
const COUNT = 'count-failure';

export function createLocalCounts(entriesMax: number): OwnCounts {
  const states = new BoundedCache<AttemptState>(entriesMax);
  return {
    find: (names) => names.map((name) => states.get(name) ?? null),
    countFailure: (names, rules, nowMilliseconds) =>
      rules.map((rule, index) => {
        const name = names[index] ?? '';
        const state = afterFailure(states.get(name), rule, nowMilliseconds);
        states.set(name, state);
        return state.failures;
      }),
  };
}

/** Those of the primary, which counts for all processes of the group; `own` where it does not answer. */
export function localCountsOfGroup(
  { channel }: ProcessGroup,
  own: OwnCounts,
): LocalCounts<Promise<FoundStates>, Promise<readonly number[]>> {
  return {
    find: async (names) => (await channel.ask<FoundStates>(FIND, names)) ?? own.find(names),
    countFailure: async (names, rules, nowMilliseconds) => {
      const question: CountedFailure = { names, rules, nowMilliseconds };
      const counts = await channel.ask<readonly number[]>(COUNT, question);
      return counts ?? own.countFailure(names, rules, nowMilliseconds);
    },
  };
}

export function attemptsOfPrimary(entriesMax: number): GroupPart {
  const counts = createLocalCounts(entriesMax);
  return {
    join: ({ channel }) => {
      channel.answer<readonly string[]>(FIND, counts.find);
      channel.answer<CountedFailure>(COUNT, ({ names, rules, nowMilliseconds }) =>
        counts.countFailure(names, rules, nowMilliseconds),
      );
    },
  };
}
