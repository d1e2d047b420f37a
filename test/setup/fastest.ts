/** Milliseconds of the fastest of five runs: what the rest of the machine takes from one of them does not count. */
export function fastestMilliseconds(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}
