import { performance } from 'node:perf_hooks';
import { setInterval } from 'node:timers';
import type { Service } from '../surroundings/service.ts';
import { residentBytes } from './processor.ts';
import { median } from './statistics.ts';

export interface MemorySample {
  seconds: number;
  bytes: number;
}

/** Resident memory of a process: from /proc where it is a process of this run, else from its metrics. */
export async function memoryOf(service: Pick<Service, 'baseUrl' | 'pid'>): Promise<number> {
  if (service.pid !== null) return residentBytes(service.pid);
  const response = await fetch(`${service.baseUrl}/metrics`, { signal: AbortSignal.timeout(5000) });
  const value = /^(?:voltstream_)?process_resident_memory_bytes (\S+)$/m.exec(await response.text())?.[1];
  return value === undefined ? Number.NaN : Number(value);
}

/** Takes a sample every second until the function it returns is called. */
export function watchMemory(service: Pick<Service, 'baseUrl' | 'pid'>): () => MemorySample[] {
  const samples: MemorySample[] = [];
  const begin = performance.now();
  const timer = setInterval(() => {
    memoryOf(service).then(
      (bytes) => {
        if (Number.isFinite(bytes)) samples.push({ seconds: (performance.now() - begin) / 1000, bytes });
      },
      () => {},
    );
  }, 1000);
  return () => {
    clearInterval(timer);
    return samples;
  };
}

const FIRST_SECONDS = 60;
const SPAN_SECONDS = 30;

export interface MemoryFindings {
  megabytesMax: number;
  /** Median of the last half minute against the half minute after the first minute; null for shorter runs. */
  growth: number | null;
}

export function judgeMemory(samples: readonly MemorySample[]): MemoryFindings {
  const end = samples.at(-1)?.seconds ?? 0;
  const between = (from: number, to: number) =>
    median(samples.filter(({ seconds }) => seconds > from && seconds <= to).map(({ bytes }) => bytes));
  const isLongEnough = end >= FIRST_SECONDS + 2 * SPAN_SECONDS;
  const growth = isLongEnough
    ? between(end - SPAN_SECONDS, end) / between(FIRST_SECONDS, FIRST_SECONDS + SPAN_SECONDS)
    : null;
  const bytesMax = samples.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  return { megabytesMax: bytesMax / 1e6, growth };
}
