import { randomBytes } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { openWebhookRequests } from '../../../src/events/requests/send.ts';
import { signatureHeaders } from '../../../src/events/requests/signature.ts';
import { HERE, type ReceivedRequest, testReceiver } from './receiver.ts';

const requests = openWebhookRequests(HERE);
afterAll(() => requests.close());

const EVENT = 'evt_0123456789abcdefghijklmn';
const BODY = '{"id":"evt_0123456789abcdefghijklmn","topic":"test.event","context":{"ä":"✓"}}';

/** Receivers' own libraries, as their packages are. */
const LIBRARIES = [
  ['standardwebhooks', (secret: Buffer) => new StandardWebhook(printed(secret))],
  ['svix', (secret: Buffer) => new SvixWebhook(printed(secret))],
] as const;

function printed(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

const nowSeconds = () => Math.floor(Date.now() / 1000);

interface Arrived {
  headers: Record<string, string>;
  body: string;
}

/** One real request, as the receiver reads it. */
async function arrived(secrets: readonly Buffer[], atSeconds = nowSeconds()): Promise<Arrived> {
  await using receiver = await testReceiver();
  const outcome = await requests.send({ url: receiver.url, secrets }, { id: EVENT, body: BODY, atSeconds });
  expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
  const [request] = receiver.requests as [ReceivedRequest];
  const headers = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
      name,
      String(request.headers[name]),
    ]),
  );
  return { headers, body: Buffer.from(request.body, 'latin1').toString('utf8') };
}

/** Another character at one place of a text. */
function changed(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === '1' ? '2' : '1') + text.slice(at + 1);
}

describe.each(LIBRARIES)('the package %s', (_name, verifier) => {
  test('W01 accepts what arrives, and refuses it with one byte of body, id or time changed', async () => {
    const secret = randomBytes(32);
    const { headers, body } = await arrived([secret]);
    const webhook = verifier(secret);
    expect(() => webhook.verify(body, headers)).not.toThrow();
    for (let at = 0; at < body.length; at += 7) {
      expect(() => webhook.verify(changed(body, at), headers)).toThrow(/signature/i);
    }
    const id = { ...headers, 'webhook-id': changed(EVENT, 9) };
    expect(() => webhook.verify(body, id)).toThrow(/signature/i);
    const time = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) };
    expect(() => webhook.verify(body, time)).toThrow(/signature/i);
    expect(() => verifier(randomBytes(32)).verify(body, headers)).toThrow(/signature/i);
  });

  test.each([
    ['6 minutes old', -360],
    ['6 minutes ahead', 360],
  ])('W02 refuses a message that is %s', async (_words, seconds) => {
    const secret = randomBytes(32);
    const { headers, body } = await arrived([secret], nowSeconds() + seconds);
    expect(() => verifier(secret).verify(body, headers)).toThrow(/timestamp/i);
  });

  test('W03 accepts with the old and with the new secret while both sign', async () => {
    const [next, before] = [randomBytes(32), randomBytes(32)];
    const { headers, body } = await arrived([next, before]);
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of [next, before]) {
      expect(() => verifier(secret).verify(body, headers)).not.toThrow();
    }
    const alone = await arrived([next]);
    expect(() => verifier(before).verify(alone.body, alone.headers)).toThrow(/signature/i);
  });
});

test('a signature is the one of the published example', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', atSeconds: 1614265330 };
  expect(signatureHeaders(message, [secret])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('a request says what it is, and carries nothing that it was not given', async () => {
  await using receiver = await testReceiver((_request, response) => {
    response.setHeader('set-cookie', 'a=b');
    response.end('thank you');
  });
  const secrets = [randomBytes(32)];
  const message = { id: EVENT, body: BODY, atSeconds: nowSeconds() };
  for (const _time of [1, 2]) await requests.send({ url: receiver.url, secrets }, message);
  for (const { method, path, headers, body } of receiver.requests) {
    expect([method, path, Buffer.from(body, 'latin1').toString()]).toEqual(['POST', '/hook', BODY]);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Voltstream-Webhooks',
    });
    expect(Object.keys(headers).filter((name) => /cookie|authorization|proxy/.test(name))).toEqual([]);
  }
  expect(receiver.requests).toHaveLength(2);
});

test('a proxy that the environment names is not asked', async () => {
  await using receiver = await testReceiver();
  await using proxy = await testReceiver();
  const { origin } = new URL(proxy.url);
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
    vi.stubEnv(name, origin);
    vi.stubEnv(name.toLowerCase(), origin);
  }
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  const own = openWebhookRequests(HERE);
  const message = { id: EVENT, body: BODY, atSeconds: nowSeconds() };
  try {
    const outcome = await own.send({ url: receiver.url, secrets: [randomBytes(32)] }, message);
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
    expect([receiver.requests.length, proxy.connections]).toEqual([1, 0]);
  } finally {
    vi.unstubAllEnvs();
    await own.close();
  }
});
