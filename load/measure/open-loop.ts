import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { AnswerCounts } from './answers.ts';
import type { LoopResult } from './closed-loop.ts';
import { Sender } from './sender.ts';
import { requestHeads, SOCKET } from './socket-loop.ts';

export interface OpenLoopOptions {
  url: string;
  headers: Record<string, string>;
  /** Requests a second, whatever the answers do. */
  rate: number;
  amount: number;
  bodyAt(index: number): Buffer;
  /** Ends it before the whole amount is sent. */
  signal?: AbortSignal;
  /** Takes the answers in; counts them as batches where absent. */
  answers?: AnswerCounts;
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
  const { hostname, port } = new URL(options.url);
  const headFor = requestHeads(options.url, options.headers);
  const senders = Array.from(
    { length: CONNECTIONS },
    () => new Sender({ host: hostname, port: Number(port) }),
  );
  const idle = [...senders];
  const waiting: ((sender: Sender) => void)[] = [];
  const { answers = new AnswerCounts() } = options;
  const latenciesMilliseconds: number[] = [];
  const underWay: Promise<void>[] = [];
  let lastAnswerAt = 0;

  async function send(index: number, meantAt: number): Promise<void> {
    const sender = idle.pop() ?? (await new Promise<Sender>((resolve) => waiting.push(resolve)));
    try {
      const body = options.bodyAt(index);
      const answer = await sender.send(headFor(body), body);
      lastAnswerAt = performance.now();
      latenciesMilliseconds.push(lastAnswerAt - meantAt);
      answers.add(answer.status, answer.body, index);
    } catch (error) {
      answers.addLost(error);
    }
    const next = waiting.shift();
    if (next === undefined) idle.push(sender);
    else next(sender);
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
    const achievedRate = latenciesMilliseconds.length / seconds;
    return { client: SOCKET.name, seconds, latenciesMilliseconds, answers, achievedRate };
  } finally {
    for (const sender of senders) sender.close();
  }
}
