/** Milliseconds of the fastest of five runs: what the rest of the machine takes from one of them does not count. */
export function fastestMilliseconds(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

/**
 * Milliseconds of processor time that this process took until the work was done. What others on the machine take does not
 * count, and neither does waiting.
 */
export async function processorMilliseconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
