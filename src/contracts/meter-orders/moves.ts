import type { InternalStatus, PublicStatus } from './schema.ts';

/*
 * The life of a meter order as data. `move.ts` asks it what may follow, docs/operating.md is written from it, and tests
 * try every pair of stages.
 */

interface StageOf<Kind extends string> {
  /** `step`: on the way to a meter that delivers. `end`: ends without one. `block`: a mark on top of a step. */
  readonly kind: Kind;
  /** The internal value that is stored. */
  readonly status: InternalStatus;
  readonly meaning: string;
}

interface Step extends StageOf<'step'> {
  readonly public: PublicStatus;
  /** From here on the device is mounted: whoever arrives from before says which one. */
  readonly isMounted?: true;
  /** The instant of this stage; a known one stays. */
  readonly sets?: 'details_received_at' | 'installed_at' | 'activated_at';
  /** Nothing follows. */
  readonly isFinal?: true;
}

interface End extends StageOf<'end'> {
  readonly public: 'cancelled';
  readonly cancelled_reason: 'pre_existing' | 'customer_request';
}

interface Block extends StageOf<'block'> {
  readonly blocked_reason: 'check_missing' | 'grid_operator_registration';
}

export type Stage = Step | End | Block;

/** In their order: an order goes forwards only. */
export const STEPS = {
  intended: {
    kind: 'step',
    status: 'intended',
    public: 'created',
    meaning: 'interest; the order is not complete',
  },
  waiting: {
    kind: 'step',
    status: 'waiting',
    public: 'created',
    meaning: 'ordered; data of the market are missing',
  },
  ordered: { kind: 'step', status: 'ordered', public: 'placed', meaning: 'handed to the partner' },
  details_received: {
    kind: 'step',
    status: 'ordered',
    public: 'check_submitted',
    meaning: 'the customer sent the details for the check',
    sets: 'details_received_at',
  },
  checked: {
    kind: 'step',
    status: 'checked',
    public: 'check_reviewed',
    meaning: "the partner's check was positive",
  },
  installation_planning: {
    kind: 'step',
    status: 'installation_planning',
    public: 'check_reviewed',
    meaning: 'the partner plans the visit',
  },
  installation_scheduled: {
    kind: 'step',
    status: 'installation_scheduled',
    public: 'scheduled',
    meaning: 'the appointment is fixed',
  },
  installation_waiting: {
    kind: 'step',
    status: 'installation_waiting',
    public: 'scheduled',
    meaning: 'waits for the visit',
  },
  installation_finished: {
    kind: 'step',
    status: 'installation_finished',
    public: 'installed',
    meaning: 'mounted; its data are on the way to the grid operator',
    isMounted: true,
    sets: 'installed_at',
  },
  installed: {
    kind: 'step',
    status: 'installed',
    public: 'installed',
    meaning: 'mounted',
    isMounted: true,
    sets: 'installed_at',
  },
  activated: {
    kind: 'step',
    status: 'activated',
    public: 'activated',
    meaning: 'delivers readings',
    isMounted: true,
    sets: 'activated_at',
    isFinal: true,
  },
} as const satisfies Record<string, Step>;

const ENDS = {
  pre_installed: {
    kind: 'end',
    status: 'pre_installed',
    public: 'cancelled',
    meaning: 'a smart meter was there already',
    cancelled_reason: 'pre_existing',
  },
  cancelled: {
    kind: 'end',
    status: 'cancelled',
    public: 'cancelled',
    meaning: 'called off by the customer or by us, or the contract ended',
    cancelled_reason: 'customer_request',
  },
} as const satisfies Record<string, End>;

const BLOCKS = {
  blocked: {
    kind: 'block',
    status: 'blocked',
    meaning: 'held back; waits for an approval',
    blocked_reason: 'check_missing',
  },
  blocked_wim: {
    kind: 'block',
    status: 'blocked_wim',
    meaning: 'held back; waits for the grid operator',
    blocked_reason: 'grid_operator_registration',
  },
} as const satisfies Record<string, Block>;

export const STAGES: Readonly<Record<StageName, Stage>> = { ...STEPS, ...ENDS, ...BLOCKS };

export type StepName = keyof typeof STEPS;
export type StageName = StepName | keyof typeof ENDS | keyof typeof BLOCKS;

export const STAGE_NAMES = Object.keys(STAGES) as readonly StageName[];

const RANKS: ReadonlyMap<string, number> = new Map(Object.keys(STEPS).map((name, rank) => [name, rank]));

/** Where an order stands. */
export interface Position {
  stage: StageName;
  /** The step that it stands at, or the one that a block lies on; an end has none. */
  step: StepName | null;
}

type StoredPosition = {
  status: InternalStatus;
  unblocked_status: string;
  details_received_at: string | null;
};

export function positionOf({ status, unblocked_status, details_received_at }: StoredPosition): Position {
  const isBlocked = STAGES[status].kind === 'block';
  const below = isBlocked ? unblocked_status : status;
  const named = below === 'ordered' && details_received_at !== null ? 'details_received' : below;
  const step = RANKS.has(named) ? (named as StepName) : null;
  return { stage: isBlocked || step === null ? status : step, step };
}

/** Nothing happens to it any more. */
export function isFinal({ stage }: Position): boolean {
  const found = STAGES[stage];
  return found.kind === 'end' || (found.kind === 'step' && found.isFinal === true);
}

/**
 * Whether an order may go from where it stands to another stage: forwards, also over stages and from under a block; from every
 * stage that is not final to an end and to a block. Only `unblocked` goes back to the step that a block lies on.
 */
export function mayFollow(from: Position, to: StageName): boolean {
  if (isFinal(from) || from.stage === to || from.step === null) return false;
  if (STAGES[to].kind !== 'step') return true;
  return (RANKS.get(to) ?? 0) > (RANKS.get(from.step) ?? 0);
}

/** Whether arriving there means that a device was mounted which nobody has entered yet. */
export function mountsMeter(from: Position, to: StageName): boolean {
  const isMounted = (name: StageName) => {
    const stage = STAGES[name];
    return stage.kind === 'step' && stage.isMounted === true;
  };
  return isMounted(to) && from.step !== null && !isMounted(from.step);
}
