import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteName } from '../../src/platform/interface/route.ts';
import { sendRaw } from '../platform/wire-app.ts';
import { bodyRouteNames, methodOf, rowOf, smallestBody, versionHeaderOf } from '../routes/table/table.ts';
import { isLongTier, sampled } from '../setup/tier.ts';
import {
  ANSWERED_WITHIN_MILLISECONDS,
  type BadInputService,
  expectRefusal,
  routesOfEachKind,
  startBadInputService,
  untilTaken,
} from './service.ts';

let service: BadInputService;
beforeAll(async () => {
  service = await startBadInputService();
});
afterAll(() => service?.close());

const MEBIBYTE = 1024 * 1024;

const codings: [name: string, encode: (bytes: Buffer | string) => Buffer][] = [
  ['gzip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['br', (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['zstd', (bytes) => zstdCompressSync(bytes)],
];

/** Past the largest limit, and a few kilobytes when coded. */
const bombs = codings.map(([name, encode]): [string, Buffer] => [name, encode(Buffer.alloc(24 * MEBIBYTE))]);

describe.each(isLongTier ? bodyRouteNames : routesOfEachKind)('%s', (name) => {
  const valid = () => JSON.stringify(smallestBody(name, service.home));
  const bytesMax = () => service.routes.get(name)?.bodyBytesMax ?? MEBIBYTE;

  test.each([
    ['B28', 'application/json; charset=utf-16'],
    ['B28', 'application/json; charset=latin1'],
    ['B64', 'text/plain'],
    ['B65', 'text/json'],
    ['B65', 'application/vnd.api+json'],
    ['B65', 'application/x-www-form-urlencoded'],
    ['B65', 'multipart/form-data; boundary=x'],
    ['B66', 'application/json, text/plain'],
    ['B66', 'application/json foo'],
    ['B66', ''],
  ])('%s a body of type "%s" is 415', async (_id, type) => {
    await service.storesNothing(async () => {
      const answer = await service.send(name, valid(), { 'content-type': type });
      expectRefusal(answer, 415);
      expect(answer.headers.get('accept')).toBe('application/json');
    });
  });

  test('B63 a body without a type is 415', async () => {
    await service.storesNothing(async () => {
      const body = valid();
      expect((await raw(name, [`Content-Length: ${Buffer.byteLength(body)}`], body)).status).toBe(415);
    });
  });

  test('B67 the type may be written in capitals', async () => {
    const answer = await service.send(name, valid(), { 'content-type': 'APPLICATION/JSON; charset=UTF-8' });
    expect(answer.status, answer.text).toBe(200);
  });

  test.each(codings)('B68 %s is read like no coding', async (coding, encode) => {
    const answer = await service.send(name, encode(valid()), { 'content-encoding': coding });
    expect(answer.status, answer.text).toBe(200);
    await service.storesNothing(async () => {
      const bad = await service.send(name, encode('{"x":NaN}'), { 'content-encoding': coding });
      expectRefusal(bad, 400);
    });
  });

  test.each(bombs)('B69 %s that inflates past the limit is 413, in no time', async (coding, bomb) => {
    await service.storesNothing(async () => {
      const startedAt = performance.now();
      const [entry] = expectRefusal(await service.send(name, bomb, { 'content-encoding': coding }), 413);
      expect(entry?.message).toContain(`${bytesMax() / MEBIBYTE} MiB`);
      expect(performance.now() - startedAt).toBeLessThan(ANSWERED_WITHIN_MILLISECONDS);
    });
    expect(service.api.deps.bodyRoom.bytesTaken).toBe(0);
  });

  test.each(codings)(
    'B70 %s that is cut off, is something else or is empty is 400',
    async (coding, encode) => {
      const bytes = encode(valid());
      const bad = [
        bytes.subarray(0, -1),
        bytes.subarray(0, bytes.length >> 1),
        Buffer.concat([bytes, Buffer.from('more')]),
        Buffer.from(valid()),
        Buffer.alloc(0),
      ];
      await service.storesNothing(async () => {
        for (const body of bad) {
          expectRefusal(await service.send(name, body, { 'content-encoding': coding }), 400);
        }
      });
    },
  );

  test('B70 deflate without its frame is 400', async () => {
    await service.storesNothing(async () => {
      const body = deflateRawSync(valid());
      expectRefusal(await service.send(name, body, { 'content-encoding': 'deflate' }), 400);
    });
  });

  test.each(['gzip, gzip', 'gzip, br', 'compress', 'x', '*'])('B70 the coding %s is 415', async (coding) => {
    await service.storesNothing(async () => {
      const answer = await service.send(name, gzipSync(valid()), { 'content-encoding': coding });
      expectRefusal(answer, 415);
      expect(answer.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd, identity');
    });
  });

  test('B70 identity is no coding', async () => {
    const answer = await service.send(name, valid(), { 'content-encoding': 'identity' });
    expect(answer.status, answer.text).toBe(200);
  });

  test.each([
    ['B71 a length over the limit', []],
    ['B76 a length over the limit, held back until it is asked for', ['Expect: 100-continue']],
  ])('%s is 413 before anything is read', async (_title, more) => {
    const answer = await raw(name, [JSON_TYPE, `Content-Length: ${bytesMax() + 1}`, ...more]);
    expect(answer).toMatchObject({ status: 413, closed: true, headers: { connection: 'close' } });
    expect(JSON.parse(answer.body).errors[0].message).toContain(`${bytesMax() / MEBIBYTE} MiB`);
  });

  test('B72 a body in chunks that grows over the limit is 413', async () => {
    const chunk = `${MEBIBYTE.toString(16)}\r\n${' '.repeat(MEBIBYTE)}\r\n`;
    const chunks = chunk.repeat(bytesMax() / MEBIBYTE + 1);
    const answer = await raw(name, [JSON_TYPE, 'Transfer-Encoding: chunked'], chunks);
    expect(answer).toMatchObject({ status: 413, closed: true });
  });

  test('B73 a body that is longer than its length ends at its length, and is 400', async () => {
    await service.storesNothing(async () => {
      const body = valid();
      const answer = await raw(name, [JSON_TYPE, `Content-Length: ${body.length - 1}`], body);
      expect(answer.status).toBe(400);
    });
  });

  test('B75 spaces around the body count like everything else', async () => {
    const body = valid();
    const filled = (bytes: number) => ' '.repeat(bytes - Buffer.byteLength(body)) + body;
    const answer = await service.send(name, filled(bytesMax()));
    expect(answer.status, answer.text).toBe(200);
    await service.storesNothing(async () => {
      expectRefusal(await service.send(name, filled(bytesMax() + 1)), 413);
    });
  });

  test('B76 a client that waits to be asked for its body is asked', async () => {
    const body = valid();
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const answer = await raw(name, [JSON_TYPE, length, 'Expect: 100-continue'], body);
    expect(answer.status, answer.body).toBe(200);
  });
});

test('B61 a body on GET is ignored, whatever it is', async () => {
  const names = [...service.routes.keys()].filter((name) => name.startsWith('GET '));
  expect(names.length).toBeGreaterThan(0);
  for (const name of sampled(names, 4)) {
    const path = rowOf(name).path(service.home);
    const version = versionHeaderOf(name)['x-api-version'];
    for (const [type, body] of [
      ['application/json', '{"limit":'],
      ['text/plain', 'x'],
      ['application/json', 'null'],
    ] as const) {
      const lines = [`Content-Type: ${type}`, `Content-Length: ${body.length}`];
      const answer = await rawRequest('GET', path, lines, body, version);
      const expected = rowOf(name).leadsTo === undefined ? 200 : 302;
      expect(answer.status, `${path} ${answer.body}`).toBe(expected);
    }
  }
});

const JSON_TYPE = 'Content-Type: application/json';

function raw(name: RouteName, headers: readonly string[], body = '') {
  return rawRequest(methodOf(name), rowOf(name).path(service.home), headers, body);
}

/** As written: what no HTTP client would send. */
function rawRequest(
  method: string,
  path: string,
  headers: readonly string[],
  body: string,
  version = '2026-09-08.gauss',
) {
  const { port } = new URL(service.api.baseUrl);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${service.token}`,
    `X-API-Version: ${version}`,
    ...headers,
  ];
  return untilTaken(() => sendRaw(Number(port), `${lines.join('\r\n')}\r\n\r\n${body}`));
}
