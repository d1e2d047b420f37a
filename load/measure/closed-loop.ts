import { performance } from 'node:perf_hooks';
import autocannon from 'autocannon';
import packageOfAutocannon from 'autocannon/package.json' with { type: 'json' };
import { AnswerCounts } from './answers.ts';

export interface ClosedLoopOptions {
  url: string;
  headers: Record<string, string>;
  connections: number;
  /** How many requests are sent, all connections together. */
  amount: number;
  /** The body of request `index`, 0 up to `amount`: from a list that was made before, or made in its turn. Absent: GET. */
  bodies?: readonly Buffer[] | { at(index: number): Buffer | undefined };
  /** Does what a gateway does with a 503: sends the same again when it was told to. The socket client alone can do that. */
  sendsAgain?: boolean;
  /** Called when everything is prepared and the clock starts. */
  onBegin?(): void;
  /** Takes the answers in; counts them as batches where absent. */
  answers?: AnswerCounts;
}

export interface LoopResult {
  /** Name of the client that sent. */
  client: string;
  /** From the first request to the last answer. */
  seconds: number;
  latenciesMilliseconds: number[];
  answers: AnswerCounts;
}

/** Sends in a closed loop: each connection sends its next request when the answer to the last one is there. */
export interface LoopClient {
  name: string;
  loop(options: ClosedLoopOptions): Promise<LoopResult>;
}

export const AUTOCANNON: LoopClient = { name: `autocannon ${packageOfAutocannon.version}`, loop: closedLoop };

const SILENT_SECONDS_MAX = 60;
/** How often autocannon looks whether all is answered. */
const LOOK_MILLISECONDS = 10;

/**
 * By autocannon. Its own histogram knows whole milliseconds only, so that each time is kept here. The first one of a connection
 * holds the connecting. A connection that breaks loses the request that was under way.
 */
export async function closedLoop(
  options: ClosedLoopOptions & { pathAt?(index: number): string },
): Promise<LoopResult> {
  const { url, headers, amount, bodies, pathAt, answers = new AnswerCounts() } = options;
  const connections = Math.min(options.connections, amount);
  const latenciesMilliseconds: number[] = [];
  let clients = 0;
  let startedAt = 0;
  let lastAnswerAt = 0;

  /* Request i goes over connection i % connections: a gateway keeps its own, and its batches their order. */
  const setupClient = (client: autocannon.Client) => {
    const first = clients;
    clients += 1;
    let [next, answered] = [first, first];
    const onResponse = (status: number, body: string) => {
      answers.add(status, body, answered);
      answered += connections;
    };
    const setupRequest = (request: autocannon.Request) => {
      request.body = bodies?.at(next);
      if (pathAt !== undefined) request.path = pathAt(next);
      next += connections;
      return request;
    };
    /* A request is made whole, body and all, and takes 1 to 3 ms with 10,000 rows: of a list all are made here. */
    client.setRequests(
      bodies !== undefined && 'length' in bodies
        ? bodies.filter((_, index) => index % connections === first).map((body) => ({ body, onResponse }))
        : [{ setupRequest, onResponse }],
    );
    let isFirst = true;
    client.on('response', (_status, _bytes, milliseconds) => {
      lastAnswerAt = performance.now();
      latenciesMilliseconds.push(isFirst ? lastAnswerAt - startedAt : milliseconds);
      isFirst = false;
    });
  };

  const sending = Promise.withResolvers<void>();
  const run = autocannon(
    {
      ...{ url, headers, connections, amount, setupClient },
      ...{ timeout: SILENT_SECONDS_MAX, sampleInt: LOOK_MILLISECONDS },
      method: bodies === undefined ? 'GET' : 'POST',
    },
    (error) => (error === null ? sending.resolve() : sending.reject(error)),
  );
  run.on('reqError', (error) => answers.addLost(error));
  /* All requests are made by now, and none has left. */
  options.onBegin?.();
  startedAt = performance.now();
  await sending.promise;
  answers.expect(amount);
  const seconds = (lastAnswerAt - startedAt) / 1000;
  return { client: AUTOCANNON.name, seconds, latenciesMilliseconds, answers };
}
