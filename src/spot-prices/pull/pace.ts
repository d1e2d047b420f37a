import type { PriceParts } from '../parts.ts';
import { pause } from '../providers/pause.ts';

/** Returns early, without an error, when the signal ends the wait. */
export async function waitFor(parts: PriceParts, milliseconds: number, signal?: AbortSignal): Promise<void> {
  await pause(parts, milliseconds, signal).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
}
