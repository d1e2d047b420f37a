import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processorMilliseconds } from '../../setup/fastest.ts';
import { sendRaw, startWireApp, TOKEN, type WireApp, wholeBody } from '../wire-app.ts';

const MEBIBYTE = 1024 * 1024;

let wire: WireApp;
beforeAll(async () => {
  wire = await startWireApp();
});
afterAll(() => wire.close());

const post = (...sent: Parameters<WireApp['post']>) => wire.post(...sent);

function raw(headers: string, body: string | Buffer = '', path = '/things') {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n${headers}\r\n`;
  return sendRaw(wire.port, head, body);
}

describe('media type', () => {
  test('B01 an empty body counts as {}', async () => {
    const answer = await post('/things', null);
    expect(answer).toMatchObject({
      status: 400,
      json: { errors: [{ code: 'invalid_type', field: 'name', message: 'Required' }] },
    });
    expect(await post('/batches', null)).toMatchObject({ status: 200, json: { rows: 0 } });
    expect((await raw('Content-Length: 0\r\n', '', '/batches')).status).toBe(200);
    expect(
      (await raw('Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n', '/batches'))
        .status,
    ).toBe(200);
  });

  test.each([
    ['B67', 'APPLICATION/JSON; charset=UTF-8'],
    ['B67', 'application/json;charset="utf-8"'],
    ['B67', 'application/json ; profile=x ; charset=utf-8'],
  ])('%s %s is accepted', async (_id, type) => {
    expect((await raw(`Content-Type: ${type}\r\nContent-Length: 12\r\n`, '{"name":"a"}')).status).toBe(200);
  });

  test.each([
    ['B28', 'application/json; charset=utf-16'],
    ['B28', 'application/json; charset=latin1'],
    ['B28', 'application/json; charset=ISO-8859-1; charset=utf-8'],
    ['B64', 'text/plain'],
    ['B65', 'text/json'],
    ['B65', 'application/vnd.api+json'],
    ['B65', 'application/x-www-form-urlencoded'],
    ['B65', 'multipart/form-data; boundary=x'],
    ['B66', 'application/json, text/plain'],
    ['B66', 'application/json foo'],
    ['B66', 'application/json;'.repeat(2)],
    ['B66', ''],
    ['B66', 'json'],
  ])('%s %s is 415 and says what is accepted', async (_id, type) => {
    const answer = await raw(`Content-Type: ${type}\r\nContent-Length: 12\r\n`, '{"name":"a"}');
    expect(answer).toMatchObject({ status: 415, headers: { accept: 'application/json' } });
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'BAD_REQUEST',
      errors: wholeBody(/application\/json/),
    });
  });

  test('B63 no Content-Type is 415', async () => {
    const answer = await raw('Content-Length: 12\r\n', '{"name":"a"}');
    expect(answer).toMatchObject({ status: 415, headers: { accept: 'application/json' } });
    expect(JSON.parse(answer.body)).toMatchObject({
      errors: wholeBody(/^Send the body as application\/json in UTF-8; it came without a Content-Type$/),
    });
  });

  test('415 says how the body was sent', async () => {
    const { json } = await post('/things', '{}', { 'content-type': 'text/plain; charset=utf-8' });
    expect(json).toMatchObject({ errors: wholeBody(/; its Content-Type was "text\/plain; charset=utf-8"$/) });
  });

  test('the token is looked at before the body', async () => {
    const answer = await post('/things', 'not json', {
      authorization: 'Bearer other',
      'content-type': 'text/plain',
    });
    expect(answer.status).toBe(401);
  });
});

describe('content codings', () => {
  const text = JSON.stringify({
    rows: Array.from({ length: 10_000 }, (_, n) => ({ external_id: `battery-${n}`, n })),
  });
  const codings: [name: string, encode: (body: string | Buffer) => Buffer][] = [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
    ['zstd', (body) => zstdCompressSync(body, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })],
  ];

  test.each(codings)('B68 %s gives the same result as no coding', async (name, encode) => {
    const plain = await post('/batches', text);
    expect(plain).toMatchObject({ status: 200, json: { rows: 10_000 } });
    for (const coding of [name, name.toUpperCase()]) {
      const coded = await post('/batches', encode(text), { 'content-encoding': coding });
      expect(coded).toMatchObject({ status: 200, json: plain.json });
    }
  });

  test.each(codings)('%s that arrives in pieces gives the same result', async (name, encode) => {
    const bytes = encode(text);
    const pieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 1_000) controller.enqueue(bytes.subarray(at, at + 1_000));
        controller.close();
      },
    });
    expect(await post('/batches', pieces, { 'content-encoding': name })).toMatchObject({
      json: { rows: 10_000 },
    });
  });

  test.each(codings)(
    'B70 %s cut off, corrupt, followed by garbage, or empty is 400',
    async (name, encode) => {
      const bytes = encode(text);
      const corrupt = Buffer.from(bytes);
      corrupt.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 64);
      const bad = [
        bytes.subarray(0, bytes.length - 5),
        bytes.subarray(0, 3),
        corrupt,
        Buffer.concat([bytes, Buffer.from('garbage')]),
        Buffer.from(text),
        Buffer.alloc(0),
      ];
      for (const body of bad) {
        const answer = await post('/batches', body, { 'content-encoding': name });
        expect([body.length, answer.status]).toEqual([body.length, 400]);
        expect(answer.json.errors).toEqual(wholeBody(new RegExp(`not valid ${name} data`)));
      }
      expect((await post('/batches', bytes, { 'content-encoding': name })).status).toBe(200);
    },
  );

  test('B70 raw deflate is 400', async () => {
    const answer = await post('/batches', deflateRawSync(text), { 'content-encoding': 'deflate' });
    expect(answer.status).toBe(400);
  });

  test('B70 identity is accepted', async () => {
    expect((await post('/batches', text, { 'content-encoding': 'identity' })).status).toBe(200);
  });

  test.each(['gzip, gzip', 'gzip, br', 'compress', 'x', 'identity, gzip', '*'])(
    'B70 Content-Encoding %s is 415 and says what is accepted',
    async (coding) => {
      const answer = await post('/batches', gzipSync(text), { 'content-encoding': coding });
      expect(answer.status).toBe(415);
      expect(answer.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd, identity');
    },
  );

  test('several gzip members are one body', async () => {
    const half = text.length >> 1;
    const members = Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))]);
    expect(await post('/batches', members, { 'content-encoding': 'gzip' })).toMatchObject({
      json: { rows: 10_000 },
    });
  });
});

describe('size', () => {
  test('a body of exactly 1 MiB is read, one byte more is 413 with the limit', async () => {
    const body = (bytes: number) => `{"name":"a"}${' '.repeat(bytes - 12)}`;
    expect((await post('/things', body(MEBIBYTE))).status).toBe(200);
    const answer = await post('/things', body(MEBIBYTE + 1));
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({ code: 'BAD_REQUEST', errors: wholeBody(/1 MiB/) });
    expect(answer.headers.get('connection')).toBe('close');
  });

  test('B71 a Content-Length over the limit is refused before anything is read', async () => {
    const answer = await raw('Content-Type: application/json\r\nContent-Length: 99999999999\r\n');
    expect(answer).toMatchObject({ status: 413, closed: true, headers: { connection: 'close' } });
  });

  test('B72 a chunked body that grows over the limit is refused when it passes it', async () => {
    const chunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`;
    const answer = await raw(
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n',
      chunk.repeat(17),
    );
    expect(answer).toMatchObject({ status: 413, closed: true });
  });

  test('B75 JSON and seven megabytes of spaces', async () => {
    expect((await post('/batches', `{}${' '.repeat(7_000_000)}`)).status).toBe(200);
    expect((await post('/things', `{}${' '.repeat(7_000_000)}`)).status).toBe(413);
  });

  test('B62 five megabytes in a name', async () => {
    expect((await post('/things', JSON.stringify({ name: 'a'.repeat(5_000_000) }))).status).toBe(413);
  });

  test('a body in many chunks is put together in order', async () => {
    const rows = JSON.stringify({ rows: Array.from({ length: 500 }, (_, n) => n) });
    const chunks = [...rows].map((character) => `1\r\n${character}\r\n`).join('');
    const answer = await raw(
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n',
      `${chunks}0\r\n\r\n`,
      '/batches',
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('"rows":500');
  });
});

describe('deep and strange bodies end in an ordinary answer', () => {
  const deepArrays = '['.repeat(100_000) + ']'.repeat(100_000);
  const deepObjects = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;

  test.each([
    ['B49 as the whole body', deepArrays, 'invalid_type', ''],
    ['B49 in a field', `{"name":${deepArrays}}`, 'invalid_type', 'name'],
    ['B50 in a field', `{"name":${deepObjects.slice(0, 900_000)}`, 'custom', ''],
    ['B11 null', 'null', 'invalid_type', ''],
    ['B12 a list', '[]', 'invalid_type', ''],
  ])('%s', async (_title, body, code, field) => {
    const milliseconds = await processorMilliseconds(async () => {
      const answer = await post('/things', body);
      expect(answer).toMatchObject({ status: 400, json: { errors: [{ code, field }] } });
    });
    expect(milliseconds).toBeLessThan(2_000);
  });

  test('B14 B49 deep values in an ignored field do no harm', async () => {
    expect(await post('/things', `{"name":"a","ignored":${deepArrays},"extra":${deepArrays}}`)).toMatchObject(
      {
        status: 200,
        json: { name: 'a' },
      },
    );
  });
});
