import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { NEWEST_VERSION } from '../../../config/versions.ts';
import type { Demo } from './demo.ts';

/** A machine with other things to do makes the service answer 503 for a while. */
const PATIENCE_SECONDS = 120;

/**
 * A client of the service like any other: it knows the address and the demo client, nothing else. It asks again as late as
 * `Retry-After` says. A request that is sent again carries the same key, so that nothing is made twice.
 */
export class DemoApi {
  readonly #baseUrl: string;
  readonly #token: string;

  private constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  static async open(baseUrl: string, demo: Demo): Promise<DemoApi> {
    const credentials = Buffer.from(`${demo.client_id}:${demo.client_secret}`).toString('base64');
    const answer = await answered<{ access_token: string }>(() =>
      fetch(`${baseUrl}/oauth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      }),
    );
    return new DemoApi(baseUrl, answer.access_token);
  }

  call<Answer>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    const key = randomUUID();
    return answered<Answer>(() =>
      fetch(this.#baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#token}`,
          'x-api-version': NEWEST_VERSION,
          ...(method === 'POST' ? { 'idempotency-key': key } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  }
}

async function answered<Answer>(ask: () => Promise<Response>): Promise<Answer> {
  const begun = performance.now();
  for (;;) {
    const response = await ask();
    if (response.ok) return (await response.json()) as Answer;
    const retryAfter = response.headers.get('retry-after');
    const failure = `${response.url} answered ${response.status}: ${await response.text()}`;
    if (retryAfter === null) throw new Error(failure);
    const waitedSeconds = (performance.now() - begun) / 1000;
    if (waitedSeconds + Number(retryAfter) > PATIENCE_SECONDS) {
      throw new Error(`${failure} (asked again for ${Math.round(waitedSeconds)} s)`);
    }
    await wait(Number(retryAfter) * 1000);
  }
}
