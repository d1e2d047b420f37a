import { afterAll, describe, expect, test } from 'vitest';
import { type Outcome, openWebhookRequests } from '../../../src/events/requests/send.ts';
import { HERE, testReceiver } from './receiver.ts';

const requests = openWebhookRequests(HERE);
afterAll(() => requests.close());

const AT_SECONDS = Date.parse('2026-11-22T12:00:00Z') / 1000;

async function outcomeOf(
  status: number,
  headers: Readonly<Record<string, string | string[]>>,
  body: string | Buffer = '',
): Promise<Outcome> {
  await using receiver = await testReceiver((_request, response) => {
    for (const [name, value] of Object.entries(headers)) response.appendHeader(name, value);
    response.writeHead(status);
    response.end(body);
  });
  const message = { id: 'evt_0123456789abcdefghijklmn', body: '{}', atSeconds: AT_SECONDS };
  return await requests.send({ url: receiver.url, secrets: [Buffer.alloc(32, 7)] }, message);
}

test.each([301, 302, 303, 307, 308])('W05 %i is not followed', async (status) => {
  await using inner = await testReceiver();
  const outcome = await outcomeOf(status, { location: inner.url });
  expect(outcome).toMatchObject({ kind: 'answered', status });
  expect([inner.requests, inner.connections]).toEqual([[], 0]);
});

test.each([200, 204, 299, 400, 404, 410, 429, 500, 503])('%i is what the outcome says', async (status) => {
  expect(await outcomeOf(status, {})).toMatchObject({ kind: 'answered', status, retryAfterSeconds: null });
});

describe('W08 Retry-After', () => {
  test.each([
    ['120', 120],
    ['0', 0],
    [' 7 ', 7],
    ['86401', 86_400],
    ['9'.repeat(400), 86_400],
    ['Sun, 22 Nov 2026 12:02:00 GMT', 120],
    ['Sunday, 22-Nov-26 12:02:00 GMT', 120],
    ['Sun Nov 22 12:02:00 2026', 120],
    ['Sun, 22 Nov 2026 11:00:00 GMT', 0],
    ['Mon, 22 Nov 2027 11:00:00 GMT', 86_400],
    ['soon', null],
    ['-5', null],
    ['1.5', null],
    ['1e3', null],
    ['', null],
    ['2026-11-22T12:02:00Z', null],
    [['5', '6'], null],
  ])('%j is %j seconds', async (value, seconds) => {
    const outcome = await outcomeOf(503, { 'retry-after': value });
    expect(outcome).toMatchObject({ status: 503, retryAfterSeconds: seconds });
  });
});

describe('the first kilobyte of an answer as text', () => {
  const answerOf = async (body: string | Buffer) => {
    const outcome = await outcomeOf(500, {}, body);
    return outcome.kind === 'answered' ? outcome.answer : outcome.error;
  };

  test.each([
    ['letters, tabs and lines', 'Größe ✓\tja\nnein', 'Größe ✓\tja\nnein'],
    ['control characters', 'a\0b\u001b[31mc\u007fd\u0085e\r\n', 'a�b�[31mc�d�e�\n'],
    ['what turns the direction of reading', 'a\u202eb\u2066c\u2028d', 'a�b�c�d'],
    ['broken UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]), 'a��(���'],
    ['nothing', '', ''],
  ])('%s', async (_words, body, answer) => {
    expect(await answerOf(body)).toBe(answer);
  });

  test('no half a character stands at its end', async () => {
    expect(await answerOf(`a${'ü'.repeat(2_000)}`)).toBe(`a${'ü'.repeat(511)}`);
    expect(await answerOf('x'.repeat(5_000))).toBe('x'.repeat(1024));
  });
});

test('failed connections have one wording', async () => {
  const gone = await testReceiver();
  await gone[Symbol.asyncDispose]();
  await using rude = await testReceiver((request) => request.socket.destroy());
  await using nonsense = await testReceiver((request) => request.socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
  await using half = await testReceiver((request) =>
    request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'),
  );
  for (const { url } of [gone, rude, nonsense, half]) {
    const message = { id: 'evt_0123456789abcdefghijklmn', body: '{}', atSeconds: AT_SECONDS };
    const outcome = await requests.send({ url, secrets: [Buffer.alloc(32, 7)] }, message);
    expect(outcome).toEqual({
      kind: 'failed',
      error: 'connection',
      milliseconds: expect.any(Number),
    });
  }
});
