import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { median } from '../measure/statistics.ts';
import type { Service } from '../surroundings/service.ts';

/** What one caller asks for, again and again. */
export interface Caller {
  service: Service;
  headers: Record<string, string>;
  pathAt(index: number): string;
}

export interface Beside {
  /** Median of the other organization in milliseconds. */
  before: number;
  during: number;
  after: number;
  /** Answers of the other organization that were none of status 200. */
  refused: number;
  /** What the first caller was answered, by status. */
  answers: Record<string, number>;
}

const PROBE_EVERY_MILLISECONDS = 25;
const CONNECTIONS = 32;
const TIMEOUT_MILLISECONDS = 60_000;

/**
 * One organization asks for something small, 40 times a second, before, while and after a client of another one asks for
 * what it may, as fast as its rate limit lets it.
 */
export async function beside(
  probe: Caller,
  load: Caller & { ratePerSecond: number },
  seconds: number,
): Promise<Beside> {
  const pool = new Pool(load.service.baseUrl, {
    connections: CONNECTIONS,
    headersTimeout: TIMEOUT_MILLISECONDS,
  });
  const own = new Pool(probe.service.baseUrl, { connections: 4, headersTimeout: TIMEOUT_MILLISECONDS });
  const answers: Record<string, number> = {};
  let refused = 0;
  const medianOf = async (): Promise<number> => {
    const { latencies, wrong } = await probeUntil(own, probe, elapsed(seconds));
    refused += wrong;
    return median(latencies);
  };
  try {
    const before = await medianOf();
    const stop = new AbortController();
    const loading = loadUntil(pool, load, stop.signal, answers);
    /* What a second of it allows at once is over. */
    await wait(2_000);
    const during = await medianOf();
    stop.abort();
    await loading;
    const after = await medianOf();
    return { before, during, after, refused, answers };
  } finally {
    await Promise.all([pool.close(), own.close()]);
  }
}

/** The same before, while and after some work that says itself when it is done. */
export async function besideWork<Result>(
  probe: Caller,
  quietSeconds: number,
  work: () => Promise<Result>,
): Promise<Omit<Beside, 'answers'> & { result: Result }> {
  const own = new Pool(probe.service.baseUrl, { connections: 4, headersTimeout: TIMEOUT_MILLISECONDS });
  let refused = 0;
  const medianUntil = async (isOver: () => boolean): Promise<number> => {
    const { latencies, wrong } = await probeUntil(own, probe, isOver);
    refused += wrong;
    return median(latencies);
  };
  try {
    const before = await medianUntil(elapsed(quietSeconds));
    let isDone = false;
    const working = work().finally(() => {
      isDone = true;
    });
    const [result, during] = await Promise.all([working, medianUntil(() => isDone)]);
    const after = await medianUntil(elapsed(quietSeconds));
    return { before, during, after, refused, result };
  } finally {
    await own.close();
  }
}

function elapsed(seconds: number): () => boolean {
  const ends = performance.now() + seconds * 1_000;
  return () => performance.now() >= ends;
}

async function probeUntil(
  pool: Pool,
  { headers, pathAt }: Caller,
  isOver: () => boolean,
): Promise<{ latencies: number[]; wrong: number }> {
  const latencies: number[] = [];
  const underWay: Promise<void>[] = [];
  let wrong = 0;
  const send = async (index: number) => {
    const sentAt = performance.now();
    const { statusCode, body } = await pool.request({ method: 'GET', path: pathAt(index), headers });
    await body.dump();
    latencies.push(performance.now() - sentAt);
    if (statusCode !== 200) wrong += 1;
  };
  for (let index = 0; !isOver(); index += 1) {
    underWay.push(send(index));
    await wait(PROBE_EVERY_MILLISECONDS);
  }
  await Promise.all(underWay);
  return { latencies, wrong };
}

async function loadUntil(
  pool: Pool,
  { headers, pathAt, ratePerSecond }: Caller & { ratePerSecond: number },
  signal: AbortSignal,
  answers: Record<string, number>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const send = async (index: number) => {
    try {
      const request = { method: 'GET', path: pathAt(index), headers, signal } as const;
      const { statusCode, body } = await pool.request(request);
      await body.dump();
      answers[statusCode] = (answers[statusCode] ?? 0) + 1;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  const begunAt = performance.now();
  for (let index = 0; !signal.aborted; index += 1) {
    const early = begunAt + (index * 1_000) / ratePerSecond - performance.now();
    if (early > 0) await wait(early);
    const sending = send(index).finally(() => underWay.delete(sending));
    underWay.add(sending);
  }
  await Promise.all(underWay);
}
