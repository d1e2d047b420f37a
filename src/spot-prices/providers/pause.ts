import { setTimeout as sleep } from 'node:timers/promises';

/** Really waits, unless the parts bring their own way of waiting. */
export async function pause(
  parts: { wait?(milliseconds: number, signal?: AbortSignal): Promise<void> },
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (parts.wait !== undefined) return await parts.wait(milliseconds, signal);
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
}
