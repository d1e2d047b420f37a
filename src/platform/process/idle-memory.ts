import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Logger } from '../log/logger.ts';

const LOOK_MILLISECONDS = 10_000;
/** Share of the time in which the event loop had something to do. */
const IDLE_SHARE_MAX = 0.1;
/** A process that holds less has nothing worth a collection. */
const HELD_BYTES_MIN = 256 * 1024 * 1024;
/** Beside what stayed after the last collection. */
const GROWTH_MIN = 1.2;

/**
 * Gives memory back to the machine after a burst. V8 keeps the pages of a burst until a collection that nothing asks for
 * while the process is idle: a minute after 8 senders of bad batches 424 MB were resident, of which 101 MB were its heap.
 * One collection of the last resort takes some tens of milliseconds, in a process that has nothing to do.
 */
export function returnMemoryWhenIdle(log: Logger): void {
  let utilization = performance.eventLoopUtilization();
  let stayedBytes = 0;
  setInterval(() => {
    const since = utilization;
    utilization = performance.eventLoopUtilization();
    const share = performance.eventLoopUtilization(utilization, since).utilization;
    const heldBytes = process.memoryUsage.rss();
    if (share > IDLE_SHARE_MAX || heldBytes < Math.max(HELD_BYTES_MIN, stayedBytes * GROWTH_MIN)) return;
    const beganAt = performance.now();
    collect();
    stayedBytes = process.memoryUsage.rss();
    const milliseconds = Math.round(performance.now() - beganAt);
    log.debug({ heldBytes, stayedBytes, milliseconds }, 'memory given back');
  }, LOOK_MILLISECONDS).unref();
}

/** Without the option it has no name in the program. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as NodeJS.GCFunction;
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
