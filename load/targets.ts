/*
 * What is promised, measured side by side in one run on one machine: absolute figures move from run to run, only
 * ratios count. A run below `promised` fails; `goal` is what the work aims at.
 */

export interface Target {
  what: string;
  direction: 'at least' | 'at most';
  promised: number;
  goal: number;
  unit: 'times' | 'MB';
}

export const TARGETS = {
  P1: {
    what: '10,000-row batches against psql \\copy of the same rows',
    direction: 'at least',
    promised: 1,
    goal: 1.25,
    unit: 'times',
  },
  P2: {
    what: '100-row batches, 32 gateways, against one transaction per request',
    direction: 'at least',
    promised: 2,
    goal: 3,
    unit: 'times',
  },
  P3: {
    what: 'batches sent again against new ones',
    direction: 'at least',
    promised: 0.5,
    goal: 0.5,
    unit: 'times',
  },
  'P4 one bad row': {
    what: 'time of a batch with one bad row against a good one',
    direction: 'at most',
    promised: 2,
    goal: 2,
    unit: 'times',
  },
  'P4 all bad': {
    what: 'time of a batch of bad rows against a good one',
    direction: 'at most',
    promised: 10,
    goal: 10,
    unit: 'times',
  },
  'P4 memory': {
    what: 'memory of the API after many bad batches against before the last of them',
    direction: 'at most',
    promised: 1.2,
    goal: 1.1,
    unit: 'times',
  },
  'P8 memory': {
    what: 'largest resident memory of the API',
    direction: 'at most',
    promised: 350,
    goal: 350,
    unit: 'MB',
  },
  'P8 growth': {
    what: 'memory of the API at the end against after the first minute',
    direction: 'at most',
    promised: 1.1,
    goal: 1.05,
    unit: 'times',
  },
} as const satisfies Record<string, Target>;

export type TargetName = keyof typeof TARGETS;

export interface Judgement {
  name: TargetName;
  what: string;
  direction: Target['direction'];
  unit: Target['unit'];
  measured: number;
  promised: number;
  goal: number;
  held: boolean;
  goalHeld: boolean;
}

export function judge(name: TargetName, measured: number): Judgement {
  const target: Target = TARGETS[name];
  const reaches = (limit: number) =>
    target.direction === 'at least' ? measured >= limit : measured <= limit;
  return { name, ...target, measured, held: reaches(target.promised), goalHeld: reaches(target.goal) };
}
