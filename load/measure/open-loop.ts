import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { AnswerCounts } from './answers.ts';
import type { LoopResult } from './socket-loop.ts';

export interface OpenLoopOptions {
  url: string;
  headers: Record<string, string>;
  /** Requests a second, whatever the answers do. */
  rate: number;
  amount: number;
  bodyAt(index: number): Buffer;
  /** Ends it before the whole amount is sent. */
  signal?: AbortSignal;
}

export interface OpenLoopResult extends LoopResult {
  achievedRate: number;
}

/** Enough that requests wait in the service and not here. */
const CONNECTIONS = 256;

/**
 * Sends at fixed moments, whether earlier requests are answered or not, and takes each latency from the moment at
 * which the request was meant to leave: a service that falls behind cannot hide its queue.
 */
export async function openLoop(options: OpenLoopOptions): Promise<OpenLoopResult> {
  const { origin, pathname } = new URL(options.url);
  const pool = new Pool(origin, { connections: CONNECTIONS, headersTimeout: 60_000 });
  const answers = new AnswerCounts();
  const latenciesMilliseconds: number[] = [];
  const underWay: Promise<void>[] = [];
  let lastAnswerAt = 0;

  async function send(index: number, meantAt: number): Promise<void> {
    try {
      const response = await pool.request({
        method: 'POST',
        path: pathname,
        headers: options.headers,
        body: options.bodyAt(index),
      });
      const body = await response.body.text();
      lastAnswerAt = performance.now();
      latenciesMilliseconds.push(lastAnswerAt - meantAt);
      answers.add(response.statusCode, body);
    } catch (error) {
      answers.addLost(error);
    }
  }

  try {
    const startedAt = performance.now();
    const { signal } = options;
    let index = 0;
    for (; index < options.amount; index += 1) {
      const meantAt = startedAt + (index * 1000) / options.rate;
      const early = meantAt - performance.now();
      if (early > 0) await wait(early, null, signal && { signal }).catch(() => {});
      if (signal?.aborted === true) break;
      underWay.push(send(index, meantAt));
    }
    await Promise.all(underWay);
    answers.expect(index);
    const seconds = (lastAnswerAt - startedAt) / 1000;
    return { seconds, latenciesMilliseconds, answers, achievedRate: latenciesMilliseconds.length / seconds };
  } finally {
    await pool.close();
  }
}
