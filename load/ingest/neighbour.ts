import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { median } from '../measure/statistics.ts';
import type { SeededHousehold } from '../surroundings/seed.ts';
import type { Service } from '../surroundings/service.ts';

const PAUSE_MILLISECONDS = 20;

/**
 * Another household beside a load: one new row after the other, with a short pause. What it waits for its answers says
 * whether the load leaves room for others. Its rows are counted nowhere else.
 */
export class Neighbour {
  readonly #service: Service;
  readonly #household: SeededHousehold;
  #seconds: number;
  readonly problems: string[] = [];

  constructor(service: Service, household: SeededHousehold, beginSeconds: number) {
    this.#service = service;
    this.#household = household;
    this.#seconds = beginSeconds;
  }

  /** Sends until `work` is done; the median in milliseconds, with its result. What was before `begin` is not counted. */
  async beside<Result>(
    work: (begin: () => void) => Promise<Result>,
  ): Promise<{ result: Result; milliseconds: number }> {
    const latencies: number[] = [];
    let isDone = false;
    const pool = new Pool(new URL(this.#service.baseUrl).origin, { connections: 1, headersTimeout: 60_000 });
    const headers = await this.#service.headers();
    const sending = (async () => {
      while (!isDone) {
        latencies.push(await this.#sendOne(pool, headers));
        await wait(PAUSE_MILLISECONDS);
      }
    })();
    /* Its error is thrown below, after the work. */
    sending.catch(() => {});
    try {
      const result = await work(() => latencies.splice(0));
      isDone = true;
      await sending;
      return { result, milliseconds: median(latencies) };
    } finally {
      isDone = true;
      await pool.close();
    }
  }

  async #sendOne(pool: Pool, headers: Record<string, string>): Promise<number> {
    this.#seconds += 1;
    const snapshot = {
      asset: this.#household.assets.at(-1)?.id,
      timestamp: new Date(this.#seconds * 1000).toISOString(),
      power_kw: 1,
    };
    const started = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/asset-snapshots',
      headers,
      body: JSON.stringify({ household: this.#household.id, snapshots: [snapshot] }),
    });
    const text = await body.text();
    if (statusCode !== 200) this.problems.push(`neighbour: ${statusCode} ${text.slice(0, 300)}`);
    return performance.now() - started;
  }
}
