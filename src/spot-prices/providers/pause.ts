import { setTimeout as sleep } from 'node:timers/promises';

interface Waiting {
  wait?(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Really waits, unless the parts bring their own way of waiting. */
export async function pause(
  parts: Waiting,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (parts.wait !== undefined) return await parts.wait(milliseconds, signal);
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
}

/** Returns early, without an error, when the signal ends the wait. */
export async function waitFor(parts: Waiting, milliseconds: number, signal?: AbortSignal): Promise<void> {
  await pause(parts, milliseconds, signal).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
}
