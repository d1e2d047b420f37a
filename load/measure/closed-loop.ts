import { performance } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { AnswerCounts } from './answers.ts';

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

const ANSWER_SECONDS_MAX = 60;

/** Each connection sends its next request when the answer to the last one is there. */
export async function closedLoop(options: ClosedLoopOptions): Promise<LoopResult> {
  const { url, amount, bodyAt, headers } = options;
  const { pathname, search } = new URL(url);
  const connections = Math.min(options.connections, amount);
  const answers = options.answers ?? new AnswerCounts();
  const latenciesMilliseconds: number[] = [];
  let startedAt = 0;
  let lastAnswerAt = 0;
  let connection = 0;

  const request: autocannon.Request = {
    method: bodyAt === undefined ? 'GET' : 'POST',
    path: pathname + search,
    headers,
    onResponse: (status, body) => {
      lastAnswerAt = performance.now();
      answers.add(status, body);
    },
  };

  /* Request i goes over connection i % connections: that is how autocannon shares out an amount, too. */
  const requestsOf = (first: number): autocannon.Request[] => {
    if (bodyAt === undefined) return [{ ...request }];
    if (options.isEndless === true) {
      let index = first - connections;
      const setupRequest = (next: autocannon.Request) => {
        index += connections;
        return { ...next, body: bodyAt(index) };
      };
      return [{ ...request, setupRequest }];
    }
    const requests: autocannon.Request[] = [];
    for (let index = first; index < amount; index += connections) {
      requests.push({ ...request, body: bodyAt(index) });
    }
    return requests;
  };

  await new Promise<void>((resolve, reject) => {
    /* Writes every request that it can write, and opens the connections; nothing is sent before it returns. */
    const instance = autocannon(
      {
        url,
        connections,
        amount,
        timeout: ANSWER_SECONDS_MAX,
        /* How often the end is looked for; the figures do not come from these samples. */
        sampleInt: 20,
        setupClient: (client) => {
          client.setRequests(requestsOf(connection));
          connection += 1;
        },
      },
      (error: unknown) => (error ? reject(error) : resolve()),
    );
    options.onBegin?.();
    startedAt = performance.now();
    const hasAnswered = new Set<autocannon.Client>();
    instance.on('response', (client, _status, _bytes, milliseconds) => {
      /* The first request of a connection waited until all were written. */
      const isFirst = !hasAnswered.has(client);
      hasAnswered.add(client);
      latenciesMilliseconds.push(isFirst ? performance.now() - startedAt : milliseconds);
    });
    instance.on('reqError', (error) => answers.addLost(error));
  });
  answers.expect(amount);
  return { seconds: (lastAnswerAt - startedAt) / 1000, latenciesMilliseconds, answers };
}
