import { setTimeout as wait } from 'node:timers/promises';
import type { PriceParts } from '../parts.ts';
import type { RealizedSource } from '../series.ts';

/** How much of a feed one request may ask for, and how long after the last one it may begin. */
export interface Pace {
  readonly daysMax: number;
  readonly milliseconds: number;
}

/**
 * What the feeds bear. ENTSO-E cuts an answer at 100 series without a word: two auctions a day reach that with 50 days.
 * SMARD has a file per week, found through an index: two requests a second are one file.
 */
export const PACES: Readonly<Record<RealizedSource, Pace>> = {
  entsoe: { daysMax: 45, milliseconds: 1_000 },
  smard: { daysMax: 7, milliseconds: 1_000 },
  'energy-charts': { daysMax: 90, milliseconds: 5_000 },
  synthetic: { daysMax: 45, milliseconds: 500 },
};

/** Returns early, without an error, when the signal ends the wait. */
export async function waitFor(parts: PriceParts, milliseconds: number, signal?: AbortSignal): Promise<void> {
  const waiting =
    parts.wait?.(milliseconds, signal) ??
    wait(milliseconds, undefined, signal === undefined ? {} : { signal });
  await waiting.catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
  });
}
