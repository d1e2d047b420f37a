import { availableParallelism, loadavg } from 'node:os';

/**
 * How many times longer than at rest work takes on this machine now: each of those that compute gets its share of a core.
 * 1 at rest. For promises of a time, which hold for a machine that does nothing else.
 */
export const timesLonger = () => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
