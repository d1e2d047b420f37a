import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { Pool } from 'undici';
import { connect } from '../surroundings/connect.ts';

/** One answer, or what came in its place. */
export interface Call {
  readonly kind: string;
  /** When it was sent, by the clock of `performance`. */
  readonly at: number;
  readonly milliseconds: number;
  /** Null: none came. Of a question to the database 200 or null. */
  readonly status: number | null;
}

/** What a caller sends, one after the other. */
export interface Kind {
  readonly name: string;
  /** Between an answer and the next request. */
  readonly pauseMilliseconds: number;
  readonly status: number;
  readonly method: 'GET' | 'POST';
  readonly path: (index: number) => string;
  readonly body?: (index: number) => string;
}

const TIMEOUT_MILLISECONDS = 40_000;
/** After an answer that says to come again later: callers do, and not as late as they should. */
const AGAIN_MILLISECONDS = 500;
const LOOK_MILLISECONDS = 100;

/** Said of answers that mean: the same again later. */
export const isLater = (status: number | null): boolean => status === 429 || status === 503 || status === 409;

/** Callers of some kinds, each alone on its connection, until they are stopped. */
export class Callers {
  readonly calls: Call[] = [];
  /** The first answers that no caller should get. */
  readonly complaints: string[] = [];
  /** Ids of what was acknowledged as made. */
  readonly made: string[] = [];
  readonly #baseUrl: string;
  readonly #headers: Record<string, string>;
  readonly #underWay: Promise<void>[] = [];
  #stopping = false;

  constructor(baseUrl: string, headers: Record<string, string>) {
    this.#baseUrl = baseUrl;
    this.#headers = headers;
  }

  /** Reads over and over. */
  read(kind: Kind): void {
    this.#loop(async (pool, index) => {
      await this.#call(pool, kind, index, {});
      await wait(kind.pauseMilliseconds);
    });
  }

  /** Makes one thing after the other, and asks for each with its own key until it is acknowledged. */
  make(kind: Kind): void {
    this.#loop(async (pool, index) => {
      const key = { 'idempotency-key': randomUUID() };
      for (;;) {
        const { status, body } = await this.#call(pool, kind, index, key);
        if (status === kind.status) this.made.push((JSON.parse(body) as { id: string }).id);
        if (this.#stopping || (status !== null && !isLater(status))) break;
        await wait(AGAIN_MILLISECONDS);
      }
      await wait(kind.pauseMilliseconds);
    });
  }

  /** Asks the database as an analyst, with a new connection where the last one broke. */
  ask(name: string, address: string, questions: readonly string[], pauseMilliseconds: number): void {
    let client: pg.Client | null = null;
    const asking = async () => {
      for (let index = 0; !this.#stopping; index += 1) {
        const at = performance.now();
        let status: number | null = 200;
        try {
          client ??= await connect(address, 'The analyst cannot sign in');
          await client.query(questions[index % questions.length] ?? '');
        } catch {
          status = null;
          await client?.end().catch(() => {});
          client = null;
        }
        this.calls.push({ kind: name, at, milliseconds: performance.now() - at, status });
        await wait(status === null ? AGAIN_MILLISECONDS : pauseMilliseconds);
      }
      await client?.end();
    };
    this.#underWay.push(asking());
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#underWay);
  }

  #loop(step: (pool: Pool, index: number) => Promise<void>): void {
    const pool = new Pool(this.#baseUrl, { connections: 1, headersTimeout: TIMEOUT_MILLISECONDS });
    const looping = async () => {
      for (let index = 0; !this.#stopping; index += 1) await step(pool, index);
      await pool.destroy();
    };
    this.#underWay.push(looping());
  }

  async #call(
    pool: Pool,
    { name, method, path, body, status: expected }: Kind,
    index: number,
    more: Record<string, string>,
  ): Promise<{ status: number | null; body: string }> {
    const at = performance.now();
    let status: number | null = null;
    let text = '';
    try {
      const answer = await pool.request({
        ...{ method, path: path(index), headers: { ...this.#headers, ...more } },
        ...(body && { body: body(index) }),
      });
      text = await answer.body.text();
      status = answer.statusCode;
      if (status === 503 && answer.headers['retry-after'] === undefined)
        this.complaints.push(`${name}: 503 that does not say when to come again`);
    } catch {
      await wait(LOOK_MILLISECONDS);
    }
    this.calls.push({ kind: name, at, milliseconds: performance.now() - at, status });
    if (status !== null && status !== expected && !isLater(status))
      this.complaints.push(`${name}: ${status} ${text.slice(0, 300)}`);
    return { status, body: text };
  }
}
