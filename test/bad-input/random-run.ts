import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { Pool } from 'undici';
import { expect } from 'vitest';
import { type Known, resolved } from './markers.ts';

/* Sends requests that are drawn from a seed, some at a time, and holds every answer against what is promised of all. */

/** What is sent, or drawn with markers in it. */
export interface SentRequest {
  method: string;
  url: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer | null;
}

export interface RandomAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  /** How often it was told to come again before. */
  returns: number;
}

/** A request as it was drawn and as it was sent, with its answer. */
export interface Exchange<Request extends SentRequest> {
  drawn: Request;
  sent: SentRequest;
  answer: RandomAnswer;
}

interface RandomRun<Request extends SentRequest> {
  baseUrl: string;
  requests: number;
  seed: number;
  arbitrary: fc.Arbitrary<Request>;
  known: Known;
  /** What is wrong with an answer. */
  problemOf(exchange: Exchange<Request>): string | undefined;
  /** Now and then, and at the end: what was refused is sent again, and nothing may change in what is stored. */
  isRefused(exchange: Exchange<Request>): boolean;
  stored(): Promise<unknown>;
}

const BATCH = 50;
/** To look at everything that is stored takes as long as some dozens of requests. */
const BATCHES_OF_A_LOOK = 20;
/** Of the processor, for a batch; 100 to 400 alone. */
const BATCH_MILLISECONDS_MAX = 8_000;
/** Alone the slowest takes 2 s; a hang takes longer. */
const ANSWER_MILLISECONDS_MAX = 60_000;
/** A long run goes on behind a problem: each kind is told once. */
const KINDS_TOLD_MAX = 20;
const KIND_CHARACTERS = 80;
const GROWTH_BYTES_MAX = 64 * 1024 * 1024;

/** How many answers had which status. */
export async function runRandom<Request extends SentRequest>(
  run: RandomRun<Request>,
): Promise<Map<number, number>> {
  const seed = Number(process.env.BAD_INPUT_SEED ?? run.seed);
  const pool = new Pool(run.baseUrl, {
    ...{ connections: 6, headersTimeout: ANSWER_MILLISECONDS_MAX, bodyTimeout: ANSWER_MILLISECONDS_MAX },
  });
  const statuses = new Map<number, number>();
  let returns = 0;
  const batches = Math.ceil(run.requests / BATCH);
  let refused: SentRequest[] = [];
  const problems = new Map<string, string>();
  let heap = 0;
  try {
    for (let batch = 0; batch < batches; batch += 1) {
      const about = `BAD_INPUT_SEED=${seed + batch} BAD_INPUT_REQUESTS=${BATCH}`;
      const before = process.cpuUsage();
      const drawn = fc.sample(run.arbitrary, { seed: seed + batch, numRuns: BATCH });
      const exchanges = await Promise.all(drawn.map((request) => exchange(pool, request, run.known, about)));
      for (const answered of exchanges) {
        returns += answered.answer.returns;
        statuses.set(answered.answer.status, (statuses.get(answered.answer.status) ?? 0) + 1);
        const problem = run.problemOf(answered);
        if (problem !== undefined) {
          const kind = `${problem.slice(0, KIND_CHARACTERS)} ${answered.sent.method} ${answered.answer.status}`;
          const lines = [`${about} ${problem}`, shown(answered.sent), told(answered.answer)];
          if (!problems.has(kind)) problems.set(kind, lines.join('\n'));
          if (problems.size >= KINDS_TOLD_MAX) throw new Error([...problems.values()].join('\n\n'));
        }
        if (run.isRefused(answered)) refused.push(answered.sent);
      }
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000, about).toBeLessThan(BATCH_MILLISECONDS_MAX);
      if (batch % BATCHES_OF_A_LOOK === BATCHES_OF_A_LOOK - 1 || batch === batches - 1) {
        await expectNothingStored(pool, refused.slice(0, 2 * BATCH), run.stored, about);
        refused = [];
      }
      if (batch === Math.floor(batches / 4)) heap = usedHeap();
    }
    if (process.env.BAD_INPUT_REQUESTS !== undefined) {
      process.stdout.write(
        `${run.requests} requests from seed ${seed}: ${JSON.stringify([...statuses].sort())}\n`,
      );
    }
    if (problems.size > 0) throw new Error([...problems.values()].join('\n\n'));
    /* One that comes with a kind of request, and not with a busy machine, comes far more often. */
    expect(returns).toBeLessThanOrEqual(RETURNS_MAX + run.requests / 10_000);
    expect(usedHeap() - heap).toBeLessThan(GROWTH_BYTES_MAX);
  } finally {
    await pool.close();
  }
  return statuses;
}

async function exchange<Request extends SentRequest>(
  pool: Pool,
  drawn: Request,
  known: Known,
  about: string,
): Promise<Exchange<Request>> {
  const { method, url, headers, body } = drawn;
  const sent: SentRequest = {
    method,
    url: resolved(url, known),
    headers: headers.map(([name, value]) => [name, resolved(value, known)] as const),
    body: body === null ? null : Buffer.from(resolved(body.toString('latin1'), known), 'latin1'),
  };
  const answer = await send(pool, sent).catch((error: unknown) => {
    throw new Error(`${about} no answer\n${shown(sent)}`, { cause: error });
  });
  return { drawn, sent, answer };
}

/** On a busy machine a lock may be waited for too long. Who is told to come again does so, and is answered then. */
async function send(pool: Pool, request: SentRequest, returns = 0): Promise<RandomAnswer> {
  const { method, url, headers, body } = request;
  const answer = await pool.request({
    method: method as 'GET',
    path: url,
    headers: headers.flat(),
    body,
  });
  const text = await answer.body.text();
  if (answer.statusCode === 503 && 'retry-after' in answer.headers && returns < RETURNS_MAX) {
    await wait(1_000);
    return await send(pool, request, returns + 1);
  }
  return { status: answer.statusCode, headers: answer.headers, text, returns };
}

/** What was refused once is refused again, unless another request made it right meanwhile: that one is left out. */
async function expectNothingStored(
  pool: Pool,
  refused: readonly SentRequest[],
  stored: () => Promise<unknown>,
  about: string,
): Promise<void> {
  const before = await stored();
  const again: SentRequest[] = [];
  for (const request of refused) {
    const { status } = await send(pool, request);
    if (status >= 400 || request.method === 'GET') again.push(request);
  }
  if (again.length < refused.length) return await expectNothingStored(pool, again, stored, about);
  if (isDeepStrictEqual(await stored(), before)) return;
  for (const request of again) {
    const last = await stored();
    await send(pool, request);
    expect(await stored(), `${about} ${shown(request)}`).toEqual(last);
  }
  expect(await stored(), `${about}, which no single request did`).toEqual(before);
}

const CHARACTERS_SHOWN = 600;
/** Of one request. */
const RETURNS_MAX = 2;

function shown({ method, url, headers, body }: SentRequest): string {
  const lines = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  const part = body === null ? [] : [JSON.stringify(body.toString().slice(0, CHARACTERS_SHOWN))];
  return [...lines.map((line) => line.slice(0, CHARACTERS_SHOWN)), ...part].join('\n');
}

const told = ({ status, text }: RandomAnswer) => `${status} ${text.slice(0, CHARACTERS_SHOWN)}`;

function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
