import type { ReductionStatus } from './schema.ts';

/** One way from a status to another. */
interface ReductionMove {
  /** For sentences: what is done to it. */
  readonly done: string;
  readonly from: readonly ReductionStatus[];
  readonly to: ReductionStatus;
}

/** Every move that there is. What has none that begins with it is final: `rejected` and `ended`. No move tells an event. */
export const REDUCTION_MOVES = {
  /** Comes with the confirmation of the contract. */
  order: { done: 'ordered', from: ['intended'], to: 'ordered' },
  /** The grid operator accepts: sets `valid_from`. */
  accept: { done: 'accepted', from: ['ordered'], to: 'activated' },
  /** The grid operator refuses. */
  reject: { done: 'rejected', from: ['ordered'], to: 'rejected' },
  /** It stops while the contract goes on: sets `valid_until`. */
  end: { done: 'ended', from: ['activated'], to: 'ended' },
  /** Comes with the end of the contract, and for module 3 with the end or rejection of module 1: sets `valid_until`. */
  endAlong: {
    done: 'ended along with another',
    from: ['intended', 'ordered', 'activated'],
    to: 'ended',
  },
} as const satisfies Record<string, ReductionMove>;

/** Those that a member of staff makes, on the word of the grid operator. */
export type StaffMove = 'accept' | 'reject' | 'end';

/** Days of a reduction that has begun or ended can be corrected; its status stays. */
export const DATED_STATUSES = ['activated', 'ended'] as const satisfies readonly ReductionStatus[];

/** Nothing moves them any more. */
export const OPEN_STATUSES = REDUCTION_MOVES.endAlong.from;
