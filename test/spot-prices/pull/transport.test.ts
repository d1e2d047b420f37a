import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readCommandLineConfig } from '../../../src/config/config.ts';
import { openHttpClient } from '../../../src/platform/http/client.ts';
import {
  type FeedAnswer,
  type FeedRequest,
  requestFeed,
} from '../../../src/spot-prices/providers/request.ts';
import { fakeClock } from '../../setup/clock.ts';
import { specialServer } from './special-server.ts';

const TOKEN = 'b7e1c2d4-0f3a/4c5d+8e9f a0b1';
const server = await specialServer();
const elsewhere = await specialServer();
const http = openHttpClient();
const clock = fakeClock('2026-11-20T12:30:00Z');
const key = 'k'.repeat(43);
const config = readCommandLineConfig({
  APP_ENV: 'test',
  DATABASE_URL: 'postgres://nobody',
  SECRET_PEPPER: key,
  ENCRYPTION_KEY: key,
  PRICES_CONTACT: 'prices@example.test',
});
afterAll(async () => {
  await http.close();
  await Promise.all([server.close(), elsewhere.close()]);
});
beforeEach(() => {
  server.requests.length = 0;
  elsewhere.requests.length = 0;
});

const url = () => {
  const made = new URL('/api', server.url);
  made.searchParams.set('securityToken', TOKEN);
  return made;
};

const ask = (changes: Partial<FeedRequest> = {}): Promise<FeedAnswer> =>
  requestFeed(
    { http, clock, config },
    {
      source: 'entsoe',
      url: url(),
      tokens: [TOKEN],
      bodyBytesMax: 1000,
      answerMilliseconds: 5_000,
      ...changes,
    },
  );

/** Everything that could reach a log, a record or an error. */
function shown(answer: FeedAnswer): string {
  return JSON.stringify({ ...answer, body: Buffer.from(answer.body ?? []).toString('latin1') });
}

const SPELLINGS = [TOKEN, encodeURIComponent(TOKEN), url().searchParams.toString().split('=')[1] ?? ''];

describe('requests', () => {
  test('a request says who asks, takes gzip, and sends no cookie', async () => {
    server.answer((_request, response) => {
      response.writeHead(200, {
        'content-encoding': 'gzip',
        'content-type': 'application/json',
        'set-cookie': 'a=b',
      });
      response.end(gzipSync('{"a":1}'));
    });
    const answer = await ask();
    expect(answer).toMatchObject({ status: 'answered', httpStatus: 200, contentType: 'application/json' });
    expect(Buffer.from(answer.body ?? []).toString()).toBe('{"a":1}');
    await ask();
    expect(server.requests[1]?.headers).toMatchObject({
      'user-agent': expect.stringMatching(/^voltstream-prices\/\d+\.\d+\.\d+ \(\+prices@example\.test\)$/),
      'accept-encoding': 'gzip',
    });
    expect(server.requests[1]?.headers.cookie).toBeUndefined();
  });

  test('a body over the limit after inflating is rejected while it is read, and its connection closed', async () => {
    let isClosed = false;
    server.answer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.write(gzipSync(Buffer.alloc(2_000_000)));
      response.on('close', () => {
        isClosed = true;
      });
    });
    const answer = await ask();
    expect(answer).toMatchObject({
      status: 'rejected',
      httpStatus: 200,
      reason: 'The body is larger than 1000 bytes',
    });
    await expect.poll(() => isClosed).toBe(true);
    server.answer((_request, response) => response.end('x'.repeat(1001)));
    expect((await ask()).status).toBe('rejected');
    server.answer((_request, response) => response.end('x'.repeat(1000)));
    expect((await ask()).status).toBe('answered');
  });

  test('a redirect to another host is rejected, and the token is not sent there', async () => {
    for (const target of [
      elsewhere.url,
      'https://example.org',
      `http://localhost:${new URL(server.url).port}`,
    ]) {
      server.answer((_request, response) => {
        response.writeHead(302, { location: `${target}/?securityToken=${encodeURIComponent(TOKEN)}` }).end();
      });
      expect((await ask()).status).toBe('rejected');
    }
    expect(elsewhere.requests).toEqual([]);
    expect(server.requests).toHaveLength(3);
  });

  test('two redirects on the same host are followed, a third is not', async () => {
    server.answer((request, response) => {
      const hop = Number(/hop=(\d)/.exec(request.url ?? '')?.[1] ?? 0);
      if (hop === 2) response.end('here');
      else response.writeHead(307, { location: `/api?hop=${hop + 1}` }).end();
    });
    expect(await ask()).toMatchObject({ status: 'answered', maskedUrl: `${server.url}/api?hop=2` });
    server.answer((_request, response) => response.writeHead(301, { location: '/api' }).end());
    server.requests.length = 0;
    expect(await ask()).toMatchObject({ status: 'rejected', reason: 'More than 2 redirects' });
    expect(server.requests).toHaveLength(3);
    server.answer((_request, response) => response.writeHead(302).end());
    expect(await ask()).toMatchObject({ status: 'rejected', httpStatus: 302 });
  });

  test('an answer slower than the limit is a transient failure, and its connection is closed', async () => {
    for (const begin of [false, true]) {
      let isClosed = false;
      server.answer((_request, response) => {
        if (begin) response.write('[');
        response.on('close', () => {
          isClosed = true;
        });
      });
      const answer = await ask({ answerMilliseconds: 150 });
      expect(answer).toMatchObject({ status: 'transient_failure', reason: 'No whole answer within 150 ms' });
      await expect.poll(() => isClosed).toBe(true);
    }
  });

  test('the end of the job ends the request at once, as no outcome of the source', async () => {
    const job = new AbortController();
    server.answer(() => job.abort(new Error('the process is ending')));
    await expect(ask({ signal: job.signal })).rejects.toThrow('the process is ending');
    await expect(ask({ signal: job.signal })).rejects.toThrow('the process is ending');
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, number, Record<string, string>, string | Buffer, FeedAnswer['status']]>([
    ['an HTML page with 200', 200, { 'content-type': 'text/html' }, '<html></html>', 'transient_failure'],
    ['an HTML page with 404', 404, { 'content-type': 'text/html; charset=utf-8' }, 'x', 'transient_failure'],
    ['an empty body', 200, {}, '', 'transient_failure'],
    ['bytes that are no UTF-8', 200, {}, Buffer.from([0x7b, 0xff, 0x7d]), 'transient_failure'],
    [
      'half of a gzip stream',
      200,
      { 'content-encoding': 'gzip' },
      gzipSync('{"a":1}').subarray(0, 15),
      'transient_failure',
    ],
    ['a coding that was not asked for', 200, { 'content-encoding': 'br' }, 'x', 'transient_failure'],
    ['408', 408, {}, 'x', 'transient_failure'],
    ['500', 500, {}, 'x', 'transient_failure'],
    ['400', 400, {}, 'x', 'rejected'],
    ['404', 404, {}, 'x', 'rejected'],
    ['401', 401, { 'content-type': 'text/html' }, 'x', 'denied'],
    ['403', 403, {}, '', 'denied'],
    ['429', 429, {}, '', 'throttled'],
    ['204', 204, {}, '', 'answered'],
    ['a byte order mark', 200, {}, '\ufeff{}', 'answered'],
    ['a wrong content type', 200, { 'content-type': 'image/png' }, '{}', 'answered'],
  ])('%s', async (_name, status, headers, body, expected) => {
    server.answer((_request, response) => response.writeHead(status, headers).end(body));
    expect((await ask()).status).toBe(expected);
  });

  test.each([
    ['120', 120],
    ['Fri, 20 Nov 2026 12:31:30 GMT', 90],
    ['Fri, 20 Nov 2026 12:00:00 GMT', 0],
    ['soon', undefined],
  ])('Retry-After %s is %s seconds', async (header, seconds) => {
    server.answer((_request, response) => response.writeHead(429, { 'retry-after': header }).end());
    const answer = await ask();
    expect('retryAfterSeconds' in answer ? answer.retryAfterSeconds : undefined).toBe(seconds);
  });

  test('whatever fails with the token in the address, no part of the outcome contains it', async () => {
    const answers: FeedAnswer[] = [];
    const outcomes: Parameters<typeof server.answer>[0][] = [
      (request, response) => response.writeHead(400).end(`Unknown: ${request.url} ${TOKEN}`),
      (_request, response) =>
        response.writeHead(401, { 'content-type': `text/plain; x=${TOKEN}` }).end(TOKEN),
      (request, response) =>
        response.writeHead(302, { location: `https://${'a'}.example${request.url}` }).end(),
      (request) => request.socket.resetAndDestroy(),
      (request) => request.socket.end(`HTTP/1.1 200 ${TOKEN}\r\ncontent-length: x\r\n\r\n`),
      (_request, response) => response.writeHead(200, { 'content-encoding': `gzip, ${TOKEN}` }).end('x'),
      (request, response) => response.end(request.url),
    ];
    for (const outcome of outcomes) {
      server.answer(outcome);
      answers.push(await ask());
    }
    answers.push(await ask({ url: new URL(`http://127.0.0.1:1/?token=${encodeURIComponent(TOKEN)}`) }));
    for (const answer of answers) {
      for (const spelling of SPELLINGS) expect(shown(answer)).not.toContain(spelling);
      expect(answer.maskedUrl).toMatch(/\*\*\*/);
    }
    expect(server.requests).toHaveLength(outcomes.length);
  });
});
