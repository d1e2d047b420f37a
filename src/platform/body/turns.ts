/** How much of bodies is parsed in one turn of the event loop; one body in any case. */
const BYTES_PER_TURN = 64 * 1024;

/** Undefined: parse it now. */
export type BodyTurns = (bytes: number) => Promise<void> | undefined;

interface WaitingBody {
  readonly bytes: number;
  readonly begin: () => void;
}

/**
 * Spreads bodies that arrive together over turns of the event loop. Sixteen small batches in one turn kept the answer of
 * the database waiting for 2 ms, and the database idle as long.
 */
export function createBodyTurns(bytesPerTurn = BYTES_PER_TURN): BodyTurns {
  const waiting: WaitingBody[] = [];
  let begun = 0;
  let isPlanned = false;

  function planNext(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(next);
  }

  function next(): void {
    isPlanned = false;
    begun = 0;
    while (begun < bytesPerTurn) {
      const first = waiting.shift();
      if (first === undefined) break;
      begun += first.bytes;
      first.begin();
    }
    if (begun > 0) planNext();
  }

  return (bytes) => {
    planNext();
    if (waiting.length > 0 || begun >= bytesPerTurn) {
      return new Promise((resolve) => {
        waiting.push({ bytes, begin: resolve });
      });
    }
    begun += bytes;
    return undefined;
  };
}
