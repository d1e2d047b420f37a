/** What one source has for a day. */
export interface Candidate {
  readonly source: string;
  readonly state: 'complete' | 'partial' | 'suspect';
  readonly intervalCount: number;
}

export interface ChoiceTask {
  /** Every source that may be served, best first. */
  readonly order: readonly string[];
  readonly candidates: readonly Candidate[];
  /** What is served now. */
  readonly served: {
    readonly source: string;
    readonly complete: boolean;
    readonly intervalCount: number;
  } | null;
  /** The operator's choice. */
  readonly preferred: string | null;
  /** Whether all values of a source agree with those of the served one. */
  readonly agreesWithServed: (source: string) => boolean;
}

/**
 * The source to serve, null where none may be. While no complete day is served: the first complete source in order, else the one
 * with most intervals. A complete day changes hands only to an earlier source that agrees in every value; where they
 * differ the served one stays until the operator decides.
 */
export function chooseSource(task: ChoiceTask): string | null {
  const { order, served, preferred, agreesWithServed } = task;
  const usable = task.candidates
    .filter(
      ({ state, intervalCount, source }) =>
        state !== 'suspect' && intervalCount > 0 && order.includes(source),
    )
    .sort((a, b) => order.indexOf(a.source) - order.indexOf(b.source));
  if (usable.some(({ source }) => source === preferred)) return preferred;

  const complete = usable.filter(({ state }) => state === 'complete');
  if (served?.complete === true) {
    /* A revision of it is held back: who agrees with that, or not, says nothing of what is served. */
    const isHeld = task.candidates.some(
      ({ source, state }) => source === served.source && state === 'suspect',
    );
    if (isHeld) return null;
    const place = order.indexOf(served.source);
    const earlier = complete.find(({ source }) => order.indexOf(source) < place && agreesWithServed(source));
    return earlier?.source ?? served.source;
  }
  if (complete[0] !== undefined) return complete[0].source;
  const most = Math.max(0, ...usable.map(({ intervalCount }) => intervalCount));
  /* The served one has become suspect: what is served of it stays until somebody has more. */
  if (
    served !== null &&
    !usable.some(({ source }) => source === served.source) &&
    most <= served.intervalCount
  ) {
    return null;
  }
  return usable.find(({ intervalCount }) => intervalCount === most)?.source ?? null;
}
