import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Bodies, NO_SUMS } from '../../load/ingest/bodies.ts';
import { requireAnswers, requireStored, SentBatches } from '../../load/ingest/run.ts';
import { AUTOCANNON, closedLoop } from '../../load/measure/closed-loop.ts';
import { Report } from '../../load/measure/report.ts';
import { AnswerReader } from '../../load/measure/sender.ts';
import { SOCKET, socketLoop } from '../../load/measure/socket-loop.ts';
import { Pages, walk } from '../../load/reads/lists.ts';
import { FACTS } from './facts.ts';

const BODY = '{"stored":3,"duplicates":1}';
const ANSWER = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

/** A server that reads whole requests and answers request `number` of connection `connection` as it is told. */
async function serve(answer: (socket: Socket, request: string, number: number, connection: number) => void) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = connections++;
    let number = 0;
    let text = '';
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end === -1 || text.length < end + 4 + length) return;
      const request = text;
      text = '';
      answer(socket, request, number++, connection);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return { url: `http://127.0.0.1:${address.port}/asset-snapshots?a=b`, connections: () => connections };
}

const bodies = ['a', 'bb', 'ccc', 'dd', 'e'].map((text) => Buffer.from(text));
const bodyOf = (request: string) => request.slice(request.indexOf('\r\n\r\n') + 4);

describe.each([AUTOCANNON, SOCKET])('a closed loop by $name', ({ name, loop }) => {
  test('sends each body once, with its length and the headers, a connection its own in their order', async () => {
    const seen: string[][] = [[], []];
    const server = await serve((socket, request, _number, connection) => {
      seen[connection]?.push(request);
      socket.write(ANSWER);
    });
    const headers = { authorization: 'Bearer x' };
    const result = await loop({ url: server.url, headers, connections: 2, amount: bodies.length, bodies });
    expect(seen.map((requests) => requests.map(bodyOf)).sort()).toEqual([
      ['a', 'ccc', 'e'],
      ['bb', 'dd'],
    ]);
    for (const request of seen.flat()) {
      expect(request).toMatch(/^POST \/asset-snapshots\?a=b HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/i);
      expect(request).toContain('\r\nauthorization: Bearer x\r\n');
    }
    expect(result.client).toBe(name);
    expect(result.answers).toMatchObject({ stored: 15, duplicates: 5, lost: 0, byStatus: { 200: 5 } });
    expect(result.latenciesMilliseconds).toHaveLength(5);
    expect(Math.max(...result.latenciesMilliseconds) / 1000).toBeLessThanOrEqual(result.seconds);
  });

  test('a server that is gone loses what was not answered, and the run ends', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(ANSWER);
        socket.once('data', () => {
          server.close();
          socket.destroy();
        });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const { answers } = await loop({
      ...{ url: `http://127.0.0.1:${port}/`, headers: {}, connections: 1, amount: 20 },
    });
    expect(answers).toMatchObject({ lost: 19, byStatus: { 200: 1 } });
  });

  test.each([
    ['another status', 'HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno', '1 × 500'],
    ['a limit', 'HTTP/1.1 429 Slow\r\nContent-Length: 4\r\n\r\nlate', '1 × 429'],
    ['fewer rows', ANSWER.replace(':3', ':2'), '19 of 20 rows acknowledged'],
    ['no batch', ANSWER.replace('{', '['), '1 × 0'],
    ['no whole answer', null, '1 without an answer'],
  ])('a wrong answer among right ones fails the run: %s', async (_what, bytes, problem) => {
    const server = await serve((socket, _request, number, connection) => {
      if (connection > 0 || number !== 1) socket.write(ANSWER);
      else if (bytes === null) socket.end(ANSWER.slice(0, -5));
      else socket.write(bytes);
    });
    const { answers } = await loop({ url: server.url, headers: {}, connections: 1, amount: 5, bodies });
    const report = new Report('ingest', FACTS, {});
    const sent = new SentBatches({ rows: 4, sumsAt: () => NO_SUMS } as unknown as Bodies);
    requireStored({ report, sent }, 'batches', answers, [0, 1, 2, 3, 4]);
    expect(report.problems.join()).toContain(problem);
    expect(report.exit.code).toBe(1);
  });
});

describe('pages that autocannon reads', () => {
  const rows = Array.from({ length: 25 }, (_, index) => ({
    ...{ id: `cus_${index}`, type: 'person', created_at: `2026-11-26T10:00:${59 - index}.000Z` },
  }));
  /** Ten rows from the cursor on, without the last one of the second page where that is to be wrong. */
  const pageAt = (begin: number, isShort: boolean) => {
    const items = rows.slice(begin, begin + (isShort && begin === 10 ? 9 : 10));
    return JSON.stringify({ items, next_page: begin + 10 < rows.length ? String(begin + 10) : null });
  };
  const read = async (isShort: boolean) => {
    const paths: string[] = [];
    const server = await serve((socket, request) => {
      const path = request.split(' ')[1] ?? '';
      paths.push(path);
      const body = pageAt(Number(path.split('cursor=')[1] ?? 0), isShort);
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
    const answers = new Pages({ name: 'all', reading: () => walk('') }, 2);
    await closedLoop({
      ...{ url: server.url, headers: {}, connections: 2, amount: 8, answers },
      pathAt: (index) => `/customers${answers.queryAt(index)}`,
    });
    return { answers, paths };
  };

  test('follow the cursor of the answer before, each reader for itself, and begin again at the end', async () => {
    const { answers, paths } = await read(false);
    expect(answers.allWere(200)).toBe(true);
    expect(answers.rows).toBe(2 * (10 + 10 + 5 + 10));
    expect(paths.filter((path) => path === '/customers')).toHaveLength(4);
    expect(paths.filter((path) => path === '/customers?cursor=10')).toHaveLength(2);
  });

  test('with fewer rows fail the run', async () => {
    const { answers } = await read(true);
    expect(answers.byStatus).toEqual({ 200: 6, 0: 2 });
    expect(answers.problems[0]).toBe('a page that is not full');
    const report = new Report('lists', FACTS, {});
    requireAnswers(report, 'pages', answers, 200);
    expect(report.exit.code).toBe(1);
  });
});

describe('the socket client', () => {
  test('an answer may be cut anywhere', () => {
    const both = Buffer.from(`HTTP/1.1 204 No Content\r\nX: y\r\n\r\n${ANSWER}`);
    for (let cut = 1; cut < both.length; cut += 1) {
      const reader = new AnswerReader();
      const first = 'HTTP/1.1 204 No Content\r\nX: y\r\n\r\n'.length;
      const pieces = [...new Set([0, cut, first, both.length])].sort((left, right) => left - right);
      const answers = pieces.slice(1).flatMap((end, index) => {
        /* The buffer of a piece is used again at once. */
        const piece = Buffer.from(both.subarray(pieces[index], end));
        const answer = reader.take(piece);
        piece.fill(0);
        return answer === null ? [] : [answer];
      });
      expect(answers, `cut at ${cut}`).toEqual([
        { status: 204, body: '', isLast: false, retryAfterSeconds: null },
        { status: 200, body: BODY, isLast: false, retryAfterSeconds: null },
      ]);
    }
  });

  test.each([
    ['more bytes than announced', `${ANSWER}x`, 'bytes more'],
    ['no length', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'without Content-Length'],
    ['another protocol', 'SSH-2.0\r\n\r\n', 'No answer of HTTP/1.1'],
    ['an end in the middle', null, 'The connection was closed'],
  ])('is no answer and counts as lost: %s', async (_what, bytes, problem) => {
    const server = await serve((socket, _request, number, connection) => {
      if (connection > 0 || number > 0) socket.write(ANSWER);
      else if (bytes === null) socket.end(ANSWER.slice(0, -5));
      else socket.write(bytes);
    });
    const { answers } = await socketLoop({ url: server.url, headers: {}, connections: 1, amount: 3 });
    expect(answers).toMatchObject({ lost: 1, byStatus: { 200: 2 } });
    expect(answers.problems[0]).toContain(problem);
    expect(answers.allWere(200)).toBe(false);
    expect(server.connections()).toBe(2);
  });

  test('a server that ends a connection behind an answer loses none', async () => {
    const server = await serve((socket) => {
      socket.end(ANSWER.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    });
    const { answers } = await socketLoop({ url: server.url, headers: {}, connections: 2, amount: 6 });
    expect(answers).toMatchObject({ lost: 0, byStatus: { 200: 6 } });
    expect(server.connections()).toBe(6);
  });

  test('what is refused with 503 is sent again when the answer says so, as gateways do, and counted apart', async () => {
    const refusal = 'HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n';
    const serveRefusing = (times: number) =>
      serve((socket, _request, number) => void socket.write(number < times ? refusal : ANSWER));
    const common = { headers: {}, connections: 1, amount: 2 };
    const patient = await socketLoop({ ...common, url: (await serveRefusing(1)).url, sendsAgain: true });
    expect(patient.answers).toMatchObject({ refused: 1, lost: 0, byStatus: { 200: 2 }, stored: 6 });
    expect(patient.answers.allWere(200)).toBe(true);
    expect(Math.max(...patient.latenciesMilliseconds)).toBeGreaterThan(950);
    const impatient = await socketLoop({ ...common, url: (await serveRefusing(1)).url });
    expect(impatient.answers).toMatchObject({ refused: 0, byStatus: { 200: 1, 503: 1 } });
  });
});
