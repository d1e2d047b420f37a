import { afterEach, expect, test, vi } from 'vitest';
import { type Outcome, openWebhookRequests } from '../../../src/events/requests/send.ts';
import { type CertificateWish, testAuthority, tlsReceiver } from './certificates.ts';
import { HERE, testReceiver } from './receiver.ts';

const HOST = 'hooks.example.com';
const authority = testAuthority();
const GOOD: CertificateWish = { host: HOST, days: [-1, 1], signer: 'authority' };

afterEach(() => vi.unstubAllEnvs());

async function sentTo(port: number): Promise<Outcome> {
  const requests = openWebhookRequests({
    ...HERE,
    lookup: async () => ['127.0.0.1'],
    certificateAuthorities: [authority.pem],
  });
  const message = { id: 'evt_0123456789abcdefghijklmn', body: '{}', atSeconds: 1_795_000_000 };
  try {
    return await requests.send(
      { url: `https://${HOST}:${port}/hook`, secrets: [Buffer.alloc(32, 7)] },
      message,
    );
  } finally {
    await requests.close();
  }
}

test('a certificate that is right is accepted', async () => {
  await using receiver = await tlsReceiver(authority.issue(GOOD));
  expect(await sentTo(receiver.port)).toMatchObject({ kind: 'answered', status: 200 });
  expect(receiver.requests).toBe(1);
});

test.each<[string, Partial<CertificateWish>]>([
  ['that has expired', { days: [-3, -1] }],
  ['that is not valid yet', { days: [1, 3] }],
  ['of another host', { host: 'hooks.example.org' }],
  ['that signed itself', { signer: 'itself' }],
])('W21 a certificate %s is a failure of TLS, and nothing is sent', async (_words, changes) => {
  await using receiver = await tlsReceiver(authority.issue({ ...GOOD, ...changes }));
  /* A variable of the environment turns the check off for whoever does not ask for it. */
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  expect(await sentTo(receiver.port)).toMatchObject({ kind: 'failed', error: 'tls' });
  expect(receiver.requests).toBe(0);
});

test('W21 a server that speaks no TLS is a failure of TLS', async () => {
  await using receiver = await testReceiver();
  expect(await sentTo(receiver.port)).toMatchObject({ kind: 'failed', error: 'tls' });
  expect(receiver.requests).toEqual([]);
});
