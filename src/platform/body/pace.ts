import { performance } from 'node:perf_hooks';

/** A body that is not complete by then must have brought so much; a shorter one has to be complete. */
const BEGINNING_MILLISECONDS = 2_000;
const BEGINNING_BYTES = 64 * 1024;
/** What it must bring after that. A gateway on a poor mobile line sends three times as fast. */
const BYTES_PER_SECOND = 16 * 1024;
const LOOK_MILLISECONDS = 250;

export const PACE_IN_WORDS = 'at least 64 KiB in the first 2 seconds, and 16 KiB in each second after';

/** A body on its way: how much of it is there, and how long it has been coming. */
export class BodyArrival {
  bytes = 0;
  /** It is not read at present, because it waits for room: that time is not the sender's. */
  isHeld = false;
  /* The first look may come at once after the beginning. */
  #milliseconds = -LOOK_MILLISECONDS;
  readonly #tooSlow: () => void;

  constructor(tooSlow: () => void) {
    this.#tooSlow = tooSlow;
  }

  pass(milliseconds: number): void {
    if (this.isHeld) return;
    this.#milliseconds += milliseconds;
    if (this.bytes < bytesDue(this.#milliseconds)) this.#tooSlow();
  }
}

function bytesDue(milliseconds: number): number {
  if (milliseconds < BEGINNING_MILLISECONDS) return 0;
  return BEGINNING_BYTES + ((milliseconds - BEGINNING_MILLISECONDS) / 1000) * BYTES_PER_SECOND;
}

const arriving = new Set<BodyArrival>();
let timer: NodeJS.Timeout | undefined;
let lookedAt = 0;

/** One look at all of them: a timer for each body would cost more than most bodies do. */
function look(): void {
  const now = performance.now();
  /* While this process was busy it read nothing, however much was sent. */
  const passed = Math.min(now - lookedAt, 2 * LOOK_MILLISECONDS);
  lookedAt = now;
  for (const arrival of arriving) arrival.pass(passed);
  if (arriving.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/**
 * Watches a body until `leave` is called. `tooSlow` is called when it comes slower than the service waits for: a body
 * that hardly comes holds a connection and memory as long as a whole one, at no cost for its sender.
 */
export function watchArrival(tooSlow: () => void): BodyArrival {
  const arrival = new BodyArrival(tooSlow);
  arriving.add(arrival);
  if (timer === undefined) {
    lookedAt = performance.now();
    timer = setInterval(look, LOOK_MILLISECONDS).unref();
  }
  return arrival;
}

export function leave(arrival: BodyArrival): void {
  arriving.delete(arrival);
}
