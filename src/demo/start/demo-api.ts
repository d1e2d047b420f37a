import { NEWEST_VERSION } from '../../versions/names.ts';
import type { Demo } from './demo.ts';

/** A client of the service like any other: it knows the address and the demo client, nothing else. */
export class DemoApi {
  readonly #baseUrl: string;
  readonly #token: string;

  private constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  static async open(baseUrl: string, demo: Demo): Promise<DemoApi> {
    const credentials = Buffer.from(`${demo.client_id}:${demo.client_secret}`).toString('base64');
    const answer = await answered<{ access_token: string }>(
      fetch(`${baseUrl}/oauth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      }),
    );
    return new DemoApi(baseUrl, answer.access_token);
  }

  call<Answer>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    return answered<Answer>(
      fetch(this.#baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${this.#token}`,
          'x-api-version': NEWEST_VERSION,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  }
}

async function answered<Answer>(request: Promise<Response>): Promise<Answer> {
  const response = await request;
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
