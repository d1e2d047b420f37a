import { TARGETS, type Target, type TargetName } from '../targets.ts';

/**
 * Share of the machine's processor time that may go to other programs. If all of a tenth falls into the turns of one side, a
 * ratio is off by a tenth; promise and goal lie a fifth apart. More than that says nothing of a promise.
 */
export const OTHERS_SHARE_MAX = 0.1;

export type Outcome = 'goal held' | 'held' | 'missed' | 'not judged';

export interface Judgement {
  name: TargetName;
  what: string;
  direction: Target['direction'];
  unit: Target['unit'];
  measured: number;
  promised: number;
  goal: number;
  outcome: Outcome;
  /** Which client sent what was measured; null where nothing was sent. */
  client: string | null;
  /** The share of the machine's processor time that other programs used until then; null where nothing tells. */
  others_share: number | null;
}

/** A figure that is not there is missed on a busy machine as well. */
export function judge(
  name: TargetName,
  measured: number,
  othersShare: number | null = null,
  client: string | null = null,
): Judgement {
  const target: Target = TARGETS[name];
  const { evenWhenBusy, ...shown } = target;
  const reaches = (limit: number) =>
    target.direction === 'at least' ? measured >= limit : measured <= limit;
  const isBusy = evenWhenBusy !== true && othersShare !== null && othersShare > OTHERS_SHARE_MAX;
  const below = isBusy && !Number.isNaN(measured) ? 'not judged' : 'missed';
  const outcome = reaches(target.goal) ? 'goal held' : reaches(target.promised) ? 'held' : below;
  return { name, ...shown, measured, outcome, client, others_share: othersShare };
}
