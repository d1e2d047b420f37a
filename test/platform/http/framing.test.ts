import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HANDLER_TIMEOUT_MILLISECONDS } from '../../../src/platform/interface/register-routes.ts';
import { KILL_AFTER_MILLISECONDS } from '../../../src/platform/process/shutdown.ts';
import { type RawAnswer, sendRaw, startWireApp, TOKEN, type WireApp } from '../wire-app.ts';

let wire: WireApp;
beforeAll(async () => {
  wire = await startWireApp();
});
afterAll(() => wire.close());

const AUTHORIZATION = `Authorization: Bearer ${TOKEN}\r\n`;
const HOST = 'Host: localhost\r\n';

function get(path: string, headers = `${HOST}${AUTHORIZATION}`, version = ' HTTP/1.1'): string {
  return `GET ${path}${version}\r\n${headers}\r\n`;
}

function post(headers: string, body: string, path = '/things'): string {
  return `POST ${path} HTTP/1.1\r\n${HOST}${AUTHORIZATION}Content-Type: application/json\r\n${headers}\r\n${body}`;
}

function expectEnvelope(answer: RawAnswer, status: number, code = 'BAD_REQUEST'): void {
  expect(answer.status).toBe(status);
  const envelope = JSON.parse(answer.body);
  expect(envelope).toMatchObject({ code, docs: `http://127.0.0.1:4300/docs/errors/${code}` });
  expect(envelope.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(answer.headers).toMatchObject({
    'x-request-id': envelope.requestId,
    'x-api-version': expect.stringMatching(/^\d{4}-/),
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
}

describe('malformed requests are refused with the envelope and a closed connection', () => {
  const body = '{"name":"a"}';
  test.each<[title: string, request: string]>([
    [
      'B77 Content-Length and Transfer-Encoding',
      post(`Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n`, body),
    ],
    ['B78 two Content-Length', post('Content-Length: 12\r\nContent-Length: 12\r\n', body)],
    ['B78 two different Content-Length', post('Content-Length: 12\r\nContent-Length: 13\r\n', body)],
    ['B79 unknown transfer coding', post('Transfer-Encoding: xchunked\r\n', `c\r\n${body}\r\n0\r\n\r\n`)],
    [
      'B79 chunked is not the last one',
      post('Transfer-Encoding: chunked, identity\r\n', `c\r\n${body}\r\n0\r\n\r\n`),
    ],
    ['B79 space before the colon', post('Content-Length : 12\r\n', body)],
    ['B80 folded header', get('/things', `${HOST}X-Folded: a\r\n b\r\n${AUTHORIZATION}`)],
    ['B80 bare LF', get('/things', `${HOST}X-Bare: a\nX-Other: b\r\n`)],
    ['B80 NUL in a header', get('/things', `${HOST}X-Nul: a\0b\r\n`)],
    ['B81 bad chunk size', post('Transfer-Encoding: chunked\r\n', `xyz\r\n${body}\r\n0\r\n\r\n`)],
    ['B81 LF in a chunk extension', post('Transfer-Encoding: chunked\r\n', `c;a\nb\r\n${body}\r\n0\r\n\r\n`)],
    ['B83 two Host headers', get('/things', `${HOST}Host: other\r\n${AUTHORIZATION}`)],
    ['B83 the same Host twice', get('/things', `${HOST}${HOST}${AUTHORIZATION}`)],
    ['B84 request line without version', 'GET /things\r\n\r\n'],
    ['B85 HTTP/1.2', get('/things', undefined, ' HTTP/1.2')],
    ['B85 HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['B85 unknown method', 'BREW /things HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('%s', async (_title, request) => {
    const answer = await sendRaw(wire.port, request);
    expectEnvelope(answer, 400);
    expect(answer.closed).toBe(true);
  });

  test('B73 what follows a body beyond its Content-Length is a malformed request of its own', async () => {
    const first = '{"name":"first"}';
    const sent = `${post(`Content-Length: ${first.length}\r\n`, first)}, "rest": 1}\r\n\r\n`;
    const answer = await sendRaw(wire.port, sent);
    expectEnvelope(answer, 400);
    expect(answer.closed).toBe(true);
  });

  test('B82 no Host', async () => {
    const answer = await sendRaw(wire.port, get('/things', AUTHORIZATION));
    expect(answer).toMatchObject({ status: 400, closed: true });
  });

  test('B86 CONNECT is closed without a byte', async () => {
    const answer = await sendRaw(wire.port, 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(answer).toMatchObject({ status: 0, closed: true });
  });

  test.each<[title: string, request: string]>([
    ['a header of 20 kB', get('/things', `${HOST}X-Long: ${'a'.repeat(20_000)}\r\n`)],
    [
      '3,000 headers',
      get('/things', HOST + Array.from({ length: 3_000 }, (_, n) => `X-${n}: a\r\n`).join('')),
    ],
    ['an address of 20 kB', get(`/things?${'a'.repeat(20_000)}`)],
    ['B97 10,000 values of a filter', get(`/things?filter[name][in]=${Array(10_000).fill('ab').join(',')}`)],
  ])('B87 %s', async (_title, request) => {
    const answer = await sendRaw(wire.port, request);
    expectEnvelope(answer, 431);
    expect(answer.closed).toBe(true);
  });

  test('B89 an expectation that nobody knows', async () => {
    const answer = await sendRaw(wire.port, post('Expect: foo\r\nContent-Length: 12\r\n', body));
    expectEnvelope(answer, 417);
    expect(answer.closed).toBe(true);
  });

  test('B90 a path that cannot be decoded', async () => {
    expectEnvelope(await sendRaw(wire.port, get('/%zz')), 400);
    expectEnvelope(await sendRaw(wire.port, get('/things/%ff')), 400);
  });

  test('B91 a parameter that cannot be decoded is named', async () => {
    const answer = await sendRaw(wire.port, get('/things?limit=%zz'));
    expectEnvelope(answer, 400);
    expect(JSON.parse(answer.body).errors).toMatchObject([{ field: 'limit' }]);
  });
});

describe('well-formed requests in unusual dress', () => {
  test('HTTP/1.0 is answered', async () => {
    expect((await sendRaw(wire.port, get('/things', undefined, ' HTTP/1.0'))).status).toBe(200);
  });

  test('HEAD is answered like GET without a body', async () => {
    const answer = await sendRaw(
      wire.port,
      `HEAD /things HTTP/1.1\r\n${HOST}${AUTHORIZATION}Connection: close\r\n\r\n`,
    );
    expect(answer).toMatchObject({ status: 200, body: '' });
  });

  test('B61 a body on GET is ignored', async () => {
    const answer = await sendRaw(
      wire.port,
      get('/things', `${HOST}${AUTHORIZATION}Content-Length: 3\r\n`),
      '{x}',
    );
    expect(answer.status).toBe(200);
  });

  test.each(['TRACE', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'OPTIONS'])(
    'B88 %s on a known path is 405 and names the methods',
    async (method) => {
      const answer = await sendRaw(wire.port, `${method} /things HTTP/1.1\r\n${HOST}${AUTHORIZATION}\r\n`);
      expectEnvelope(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.allow).toBe('GET, HEAD, POST');
    },
  );

  test.each<[path: string, status: number]>([
    ['//things', 404],
    ['/things/', 404],
    ['/Things', 404],
    ['/things;a=b', 404],
    ['/%74hings', 200],
    ['http://localhost/things', 200],
    ['/things/../things', 404],
  ])('B92 %s with a token is %i, without one 401', async (path, status) => {
    const answer = await sendRaw(wire.port, get(path));
    if (status === 404) expectEnvelope(answer, 404, 'NOT_FOUND');
    else expect(answer.status).toBe(status);
    expectEnvelope(await sendRaw(wire.port, get(path, HOST)), 401, 'UNAUTHORIZED');
  });

  test('B93 forwarding and overriding headers change nothing', async () => {
    const headers =
      'X-Forwarded-For: 10.0.0.1\r\nX-Forwarded-Proto: https\r\nX-Original-URL: /things/thing_000000000000000000000001\r\n';
    const answer = await sendRaw(
      wire.port,
      get('/things', `${HOST}${AUTHORIZATION}${headers}X-HTTP-Method-Override: DELETE\r\n`),
    );
    expect(JSON.parse(answer.body)).toMatchObject({ object: 'list' });
  });

  test('a request id that is sent is not taken over', async () => {
    const answer = await sendRaw(wire.port, get('/nothing', `${HOST}${AUTHORIZATION}X-Request-Id: mine\r\n`));
    expectEnvelope(answer, 404, 'NOT_FOUND');
  });

  test('an id of any length in a path is 404', async () => {
    expectEnvelope(await sendRaw(wire.port, get(`/things/${'a'.repeat(12_000)}`)), 404, 'NOT_FOUND');
  });
});

describe('bodies that a client holds back until it is asked (Expect: 100-continue)', () => {
  const offer = (path: string, headers: Record<string, string | number>) =>
    new Promise<{ continued: boolean; status: number | undefined; connection: string | undefined }>(
      (resolve, reject) => {
        let continued = false;
        const request = httpRequest(
          { port: wire.port, method: 'POST', path, headers: { expect: '100-continue', ...headers } },
          (response) => {
            response.resume();
            resolve({ continued, status: response.statusCode, connection: response.headers.connection });
            if (!continued) request.destroy();
          },
        );
        request.on('continue', () => {
          continued = true;
          request.end('{"name":"a"}');
        });
        request.on('error', reject);
        request.flushHeaders();
      },
    );
  const good = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'content-length': 12 };

  test('is asked for and read when everything before it is in order', async () => {
    expect(await offer('/things', good)).toMatchObject({ continued: true, status: 200 });
  });

  test.each<[title: string, path: string, headers: Record<string, string | number>, status: number]>([
    ['B76 over the limit', '/things', { ...good, 'content-length': 2_000_000 }, 413],
    ['without a token', '/things', { ...good, authorization: 'Bearer other' }, 401],
    ['of a foreign media type', '/things', { ...good, 'content-type': 'text/plain' }, 415],
    ['on an unknown path', '/nothing', good, 404],
  ])('%s is never asked for, and the connection ends', async (_title, path, headers, status) => {
    expect(await offer(path, headers)).toEqual({ continued: false, status, connection: 'close' });
  });
});

describe('an https service', () => {
  test.each(['127.0.0.1', '10.0.0.1,127.0.0.0/24'])(
    'answers plain HTTP with 400, but for the health routes; a proxy of %s vouches for https',
    async (proxies) => {
      const secure = await startWireApp({
        environment: { BASE_URL: 'https://api.example.org', TRUSTED_PROXIES: proxies },
      });
      try {
        const plain = await sendRaw(secure.port, get('/things'));
        expect(plain.status).toBe(400);
        const { message, errors } = JSON.parse(plain.body);
        expect(message).toMatch(/^This service answers over https only\. .* TRUSTED_PROXIES /);
        expect(errors).toBeUndefined();
        for (const path of ['/health', '/livez', '/readyz']) {
          expect((await sendRaw(secure.port, get(path, HOST))).status).toBe(200);
        }
        expect((await sendRaw(secure.port, get('/metrics', HOST))).status).toBe(401);
        const forwarded = await sendRaw(
          secure.port,
          get('/things', `${HOST}${AUTHORIZATION}X-Forwarded-Proto: https\r\n`),
        );
        expect(forwarded.status).toBe(200);
      } finally {
        await secure.close();
      }
    },
  );

  test('asks browsers for https with each answer, also where no route answers; BASE_URL says so, not DOCS_BASE', async () => {
    const headersWith = async (environment: Record<string, string>) => {
      const small = await startWireApp({ environment });
      try {
        const answers = [get('/things'), get('/%zz'), 'no request\r\n\r\n'].map((text) =>
          sendRaw(small.port, text),
        );
        return (await Promise.all(answers)).map(({ headers }) => headers['strict-transport-security']);
      } finally {
        await small.close();
      }
    };
    const year = 'max-age=31536000';
    expect(
      await headersWith({ BASE_URL: 'https://api.example.org', DOCS_BASE: 'http://docs.example.org' }),
    ).toEqual([year, year, year]);
    expect(await headersWith({ DOCS_BASE: 'https://docs.example.org' })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('limits of time', () => {
  test('the whole request has 30 seconds, looked at every 5, its headers no longer than that, an idle connection 72', () => {
    expect(wire.app.server).toMatchObject({
      requestTimeout: 30_000,
      headersTimeout: 30_000,
      keepAliveTimeout: 72_000,
      connectionsCheckingInterval: 5_000,
    });
  });

  test('F25 a reader who takes nothing has 60 seconds; a handler has 20, and the end of a process 25', () => {
    expect(wire.app.server.timeout).toBe(60_000);
    expect([HANDLER_TIMEOUT_MILLISECONDS, KILL_AFTER_MILLISECONDS]).toEqual([20_000, 25_000]);
  });

  test('headers that do not end are 408 with the envelope', async () => {
    const impatient = await startWireApp({ patience: 100 });
    try {
      const answer = await sendRaw(impatient.port, 'GET /things HTTP/1.1\r\nHost: loc');
      expectEnvelope(answer, 408);
      expect(answer.closed).toBe(true);
    } finally {
      await impatient.close();
    }
  });
});
