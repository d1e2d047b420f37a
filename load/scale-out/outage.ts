import type { LedgerAnswer } from './ledger-writers.ts';

/** Instants by the clock of `performance`, milliseconds. */
export interface Instants {
  /** All processes are gone. */
  killed: number;
  /** The command that starts the server was given. */
  started: number;
  /** It takes connections. */
  ready: number;
  /** The first batch after `started` that needs the node was acknowledged; null: none was in time. */
  served: number | null;
}

export interface Outage {
  node: string;
  /** From the kill to the start. */
  seconds: number;
  /** Batches that were acknowledged meanwhile: all, and those of households whose rows lie on other nodes. */
  acknowledged: number;
  acknowledged_of_others: number;
  /** From the kill to the first batch that was served: answers 5xx, and connections that broke. */
  refused: number;
  without_answer: number;
  /** From the start to connections, and from there to the first batch that needs the node. */
  seconds_to_start: number;
  seconds_to_serve: number | null;
}

/** What callers noticed. `needsNode`: whether a batch needs the node that was away. */
export function outageOf(
  node: string,
  { killed, started, ready, served }: Instants,
  answers: readonly LedgerAnswer[],
  needsNode: (number: number) => boolean,
): Outage {
  const meanwhile = answers.filter(({ outcome, at }) => outcome === 'ok' && at > killed && at <= started);
  const open = answers.filter(
    ({ outcome, at }) => outcome === 'unknown' && at > killed && at <= (served ?? Number.POSITIVE_INFINITY),
  );
  return {
    node,
    seconds: (started - killed) / 1000,
    acknowledged: meanwhile.length,
    acknowledged_of_others: meanwhile.filter(({ number }) => !needsNode(number)).length,
    refused: open.filter(({ status }) => status !== null).length,
    without_answer: open.filter(({ status }) => status === null).length,
    seconds_to_start: (ready - started) / 1000,
    /* Where the service was served before the look of this run was. */
    seconds_to_serve: served === null ? null : Math.max(0, served - ready) / 1000,
  };
}
