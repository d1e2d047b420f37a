import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryDay, Zone } from '../calendar.ts';
import type { PriceParts } from '../parts.ts';
import type { RealizedSource } from '../series.ts';
import type { Asked } from './exchange.ts';

export type ProviderParts = Pick<PriceParts, 'http' | 'clock' | 'config' | 'wait'>;

export interface Question {
  readonly zone: Zone;
  /** Ascending, all of the zone. */
  readonly days: readonly DeliveryDay[];
  readonly signal?: AbortSignal | undefined;
}

/** How one feed is asked for days: its addresses, its files, its pages. */
export interface Provider {
  readonly source: RealizedSource;
  readonly zones: readonly Zone[];
  /** More days take more than one request. */
  readonly daysMax: number;
  readonly ask: (parts: ProviderParts, question: Question) => Promise<Asked>;
}

/** Really waits, unless the parts bring their own way of waiting. */
export async function pause(
  parts: Pick<PriceParts, 'wait'>,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (parts.wait !== undefined) return await parts.wait(milliseconds, signal);
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal });
}

/** The address of a configured feed with a path and parameters behind it. */
export function feedUrl(base: string, path: string, parameters: Readonly<Record<string, string>> = {}): URL {
  const url = new URL(`${base}${path}`);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

export const ANSWER_MILLISECONDS = 30_000;
