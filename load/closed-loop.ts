import { performance } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { AnswerCounts } from './answers.ts';

export interface ClosedLoopOptions {
  url: string;
  headers: Record<string, string>;
  connections: number;
  /** How many requests are sent, all connections together. */
  amount: number;
  /** The body of request `index`, 0 up to `amount`, asked for when its turn comes; without it all are GET. */
  bodyAt?(index: number): Buffer;
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
  const { url, amount, bodyAt } = options;
  const { pathname, search } = new URL(url);
  const connections = Math.min(options.connections, amount);
  const answers = options.answers ?? new AnswerCounts();
  const latenciesMilliseconds: number[] = [];
  let lastAnswerAt = 0;
  let connection = 0;

  /* Request i goes over connection i % connections: that is how autocannon shares out an amount, too. */
  const requestsOf = (first: number): autocannon.Request => {
    let index = first;
    const withBody = (request: autocannon.Request): autocannon.Request => {
      const body = bodyAt?.(index);
      index += connections;
      return { ...request, ...(body && { body }) };
    };
    return {
      method: bodyAt === undefined ? 'GET' : 'POST',
      path: pathname + search,
      headers: options.headers,
      /* Without it the same bytes are sent again and again, and the client stays out of the way. */
      ...(bodyAt && { setupRequest: withBody }),
      onResponse: (status, body) => {
        lastAnswerAt = performance.now();
        answers.add(status, body);
      },
    };
  };

  const startedAt = await new Promise<number>((resolve, reject) => {
    const begin = performance.now();
    const instance = autocannon(
      {
        url,
        connections,
        amount,
        timeout: ANSWER_SECONDS_MAX,
        /* How often the end is looked for; the figures do not come from these samples. */
        sampleInt: 20,
        setupClient: (client) => {
          client.setRequests([requestsOf(connection)]);
          connection += 1;
        },
      },
      (error: unknown) => (error ? reject(error) : resolve(begin)),
    );
    instance.on('response', (_client, _status, _bytes, milliseconds) => {
      latenciesMilliseconds.push(milliseconds);
    });
    instance.on('reqError', (error) => answers.addLost(error));
  });
  answers.expect(amount);
  return { seconds: (lastAnswerAt - startedAt) / 1000, latenciesMilliseconds, answers };
}
