import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Demo } from '../../../src/cli/demo/start/demo.ts';
import { DemoApi } from '../../../src/cli/demo/start/demo-api.ts';

/* What `npm start` asks of its own service, against a service that is busy at first. */

const DEMO = { client_id: 'oac_demo', client_secret: 'secret' } as Demo;

interface Answer {
  status: number;
  retryAfter?: string;
}

let server: Server;
let baseUrl: string;
let answers: Answer[];
const requests: { path: string; key: string | undefined }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push({
      path: `${request.method} ${request.url}`,
      key: request.headers['idempotency-key'] as string | undefined,
    });
    const { status, retryAfter } = answers.shift() ?? { status: 200 };
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(status === 200 ? { access_token: 'token', id: 'ast_1' } : { message: 'busy' }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
});

beforeEach(() => {
  answers = [];
  requests.length = 0;
});

test('a 503 is asked again as late as Retry-After says, at the token endpoint as well', async () => {
  answers = [{ status: 503, retryAfter: '1' }];
  const began = performance.now();
  const api = await DemoApi.open(baseUrl, DEMO);
  answers = [
    { status: 503, retryAfter: '1' },
    { status: 429, retryAfter: '1' },
  ];
  expect(await api.call('POST', '/assets', {})).toMatchObject({ id: 'ast_1' });
  expect(performance.now() - began).toBeGreaterThan(2_900);
  expect(requests.map(({ path }) => path)).toEqual([
    ...['POST /oauth/token', 'POST /oauth/token'],
    ...['POST /assets', 'POST /assets', 'POST /assets'],
  ]);
});

test('a request that is sent again carries the key of the first, the next request another', async () => {
  const api = await DemoApi.open(baseUrl, DEMO);
  answers = [{ status: 503, retryAfter: '0' }];
  await api.call('POST', '/leads', {});
  await api.call('POST', '/leads', {});
  const [first, again, next] = requests.slice(1).map(({ key }) => key);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(again).toBe(first);
  expect(next).not.toBe(first);
});

test('what is busy for longer than two minutes is said with its answer', async () => {
  const api = await DemoApi.open(baseUrl, DEMO);
  answers = [{ status: 503, retryAfter: '121' }];
  await expect(api.call('GET', '/assets')).rejects.toThrow(
    `${baseUrl}/assets answered 503: {"message":"busy"} (asked again for 0 s)`,
  );
});

test('what is no matter of time is not asked again', async () => {
  const api = await DemoApi.open(baseUrl, DEMO);
  answers = [{ status: 400 }];
  await expect(api.call('GET', '/assets')).rejects.toThrow(/answered 400/);
  expect(requests).toHaveLength(2);
});
