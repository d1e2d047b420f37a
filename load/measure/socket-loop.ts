import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { AnswerCounts } from './answers.ts';
import type { ClosedLoopOptions, LoopClient, LoopResult } from './closed-loop.ts';
import { Sender } from './sender.ts';

/** Takes less of the machine than autocannon, which a comparison with another server would show as the server's. */
export const SOCKET: LoopClient = { name: 'socket', loop: socketLoop };

/** Who is refused more often than this counts as not served. */
const AGAIN_MAX = 20;

export async function socketLoop(options: ClosedLoopOptions): Promise<LoopResult> {
  const { amount, bodies } = options;
  const { hostname, port } = new URL(options.url);
  const connections = Math.min(options.connections, amount);
  const answers = options.answers ?? new AnswerCounts();
  const latenciesMilliseconds: number[] = [];
  const headFor = requestHeads(options.url, options.headers);
  const senders = Array.from(
    { length: connections },
    () => new Sender({ host: hostname, port: Number(port) }),
  );
  let startedAt = 0;
  let lastAnswerAt = 0;

  /* Request i goes over connection i % connections: a gateway keeps its own, and its batches their order. */
  const sendAll = async (sender: Sender, first: number) => {
    for (let index = first; index < amount; index += connections) {
      const body = bodies?.at(index) ?? Buffer.alloc(0);
      const sentAt = performance.now();
      const send = () =>
        sender.send(headFor(body), body).catch((error: unknown) => {
          answers.addLost(error);
          return null;
        });
      let answer = await send();
      for (let again = 0; again < AGAIN_MAX && options.sendsAgain === true; again += 1) {
        if (answer?.status !== 503 || answer.retryAfterSeconds === null) break;
        answers.refused += 1;
        await wait(answer.retryAfterSeconds * 1000);
        answer = await send();
      }
      if (answer === null) continue;
      lastAnswerAt = performance.now();
      latenciesMilliseconds.push(lastAnswerAt - sentAt);
      answers.add(answer.status, answer.body, index);
    }
  };

  try {
    await Promise.all(senders.map((sender) => sender.open()));
    options.onBegin?.();
    startedAt = performance.now();
    await Promise.all(senders.map(sendAll));
  } finally {
    for (const sender of senders) sender.close();
  }
  answers.expect(amount);
  const seconds = (lastAnswerAt - startedAt) / 1000;
  return { client: SOCKET.name, seconds, latenciesMilliseconds, answers };
}

/** The head of a request, made once for each length of its body. */
export function requestHeads(
  url: string,
  headers: Readonly<Record<string, string>>,
): (body: Buffer) => Buffer {
  const { host, pathname, search } = new URL(url);
  const lines = [
    `POST ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const made = new Map<number, Buffer>();
  return ({ length }) => {
    const head =
      made.get(length) ??
      Buffer.from(`${[...lines, `content-length: ${length}`].join('\r\n')}\r\n\r\n`, 'latin1');
    made.set(length, head);
    return head;
  };
}
