import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { AnswerCounts } from './answers.ts';
import { Sender } from './sender.ts';

export interface ClosedLoopOptions {
  url: string;
  headers: Record<string, string>;
  connections: number;
  /** How many requests are sent, all connections together. */
  amount: number;
  /** The body of request `index`, 0 up to `amount`; without it all are GET. */
  bodyAt?(index: number): Buffer;
  /** Bodies are asked for when their turn comes, for runs that no memory could hold; else before the clock starts. */
  isEndless?: boolean;
  /** Does what a gateway does with a 503: sends the same again when it was told to. The waiting counts. */
  sendsAgain?: boolean;
  /** Called when everything is prepared and the clock starts. */
  onBegin?(): void;
  /** Takes the answers in; counts them as batches where absent. */
  answers?: AnswerCounts;
}

export interface LoopResult {
  /** From the first request to the last answer. */
  seconds: number;
  latenciesMilliseconds: number[];
  answers: AnswerCounts;
}

/** Who is refused more often than this counts as not served. */
const AGAIN_MAX = 20;

/** Each connection sends its next request when the answer to the last one is there. */
export async function socketLoop(options: ClosedLoopOptions): Promise<LoopResult> {
  const { amount, bodyAt } = options;
  const { hostname, port } = new URL(options.url);
  const connections = Math.min(options.connections, amount);
  const answers = options.answers ?? new AnswerCounts();
  const latenciesMilliseconds: number[] = [];
  const headFor = requestHeads(bodyAt === undefined ? 'GET' : 'POST', options.url, options.headers);
  const bodies =
    bodyAt === undefined || options.isEndless === true
      ? null
      : Array.from({ length: amount }, (_, index) => bodyAt(index));
  const senders = Array.from(
    { length: connections },
    () => new Sender({ host: hostname, port: Number(port) }),
  );
  let startedAt = 0;
  let lastAnswerAt = 0;

  /* Request i goes over connection i % connections: a gateway keeps its own, and its batches their order. */
  const sendAll = async (sender: Sender, first: number) => {
    for (let index = first; index < amount; index += connections) {
      const body = bodies?.[index] ?? bodyAt?.(index) ?? null;
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
      answers.add(answer.status, answer.body);
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
  return { seconds: (lastAnswerAt - startedAt) / 1000, latenciesMilliseconds, answers };
}

/** The head of a request, made once for each length of its body. */
export function requestHeads(
  method: 'GET' | 'POST',
  url: string,
  headers: Readonly<Record<string, string>>,
): (body: Buffer | null) => Buffer {
  const { host, pathname, search } = new URL(url);
  const lines = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const made = new Map<number | null, Buffer>();
  return (body) => {
    const length = body === null ? null : body.length;
    const head =
      made.get(length) ??
      Buffer.from(
        `${[...lines, ...(length === null ? [] : [`content-length: ${length}`])].join('\r\n')}\r\n\r\n`,
        'latin1',
      );
    made.set(length, head);
    return head;
  };
}
