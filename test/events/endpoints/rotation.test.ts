import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RotationKind, rotateSecret } from '../../../src/events/endpoints/rotate.ts';
import { openSecrets } from '../../../src/events/endpoints/secret.ts';
import { sendTestEvent } from '../../../src/events/endpoints/send-test.ts';
import { openWebhookRequests } from '../../../src/events/requests/send.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createOrganization } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { HERE, type TestReceiver, testReceiver } from '../requests/receiver.ts';
import { actAt, depsOf, makeEndpoint } from './setup.ts';

const HOUR_MILLISECONDS = 3_600_000;

/* Receivers' libraries read the clock of the machine: secrets are rotated in the past, and what is sent is sent now. */
const clock = fakeClock(new Date().toISOString());
const requests = openWebhookRequests(HERE);
let api: TestApi;
let organization: string;
let receiver: TestReceiver;

beforeAll(async () => {
  api = await startApi({ clock });
  organization = await createOrganization(api.deps);
  receiver = await testReceiver();
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await requests.close();
  await api.close();
});

async function hoursAgo<Result>(hours: number, work: () => Promise<Result>): Promise<Result> {
  clock.set(new Date().toISOString());
  clock.advance(-hours * HOUR_MILLISECONDS);
  try {
    return await work();
  } finally {
    clock.set(new Date().toISOString());
  }
}

const rotate = (id: string, kind: RotationKind) =>
  rotateSecret(depsOf(api), organization, id, kind, actAt(api, 'webhooks rotate'));

/** Which of the secrets verify a request that is sent now; both libraries say the same. */
async function verifying(id: string, secrets: readonly string[]): Promise<boolean[]> {
  receiver.requests.length = 0;
  const { outcome } = await sendTestEvent({ ...depsOf(api), requests }, organization, id, actAt(api));
  expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
  const [request] = receiver.requests;
  if (request === undefined) throw new Error('Nothing arrived');
  const headers = request.headers as Record<string, string>;
  return secrets.map((secret) => {
    const verdicts = [new StandardWebhook(secret), new SvixWebhook(secret)].map((library) => {
      try {
        library.verify(request.body, headers);
        return true;
      } catch {
        return false;
      }
    });
    expect(verdicts[0]).toBe(verdicts[1]);
    return verdicts[0] === true;
  });
}

describe('rotation of a secret', () => {
  test('W03 for 24 hours both secrets verify, then only the new one', async () => {
    const { id, secret: old } = await makeEndpoint(api, organization, { url: receiver.url });
    expect(await verifying(id, [old])).toEqual([true]);
    const { secret, previous_until } = await hoursAgo(23.9, () => rotate(id, 'overlap'));
    expect(Date.parse(previous_until ?? '') - Date.now()).toBeLessThan(0.11 * HOUR_MILLISECONDS);
    expect(await verifying(id, [old, secret])).toEqual([true, true]);

    const second = await makeEndpoint(api, organization, { url: receiver.url });
    const rotated = await hoursAgo(24, () => rotate(second.id, 'overlap'));
    expect(await verifying(second.id, [second.secret, rotated.secret])).toEqual([false, true]);
  });

  test('W03 after --compromised the old secret is refused at once', async () => {
    const { id, secret: first } = await makeEndpoint(api, organization, { url: receiver.url });
    const second = await rotate(id, 'overlap');
    const third = await rotate(id, 'compromised');
    expect(third.previous_until).toBeNull();
    expect(await verifying(id, [first, second.secret, third.secret])).toEqual([false, false, true]);
  });

  test('a second rotation within the overlap is refused and says what can be done', async () => {
    const { id, secret: first } = await makeEndpoint(api, organization, { url: receiver.url });
    const second = await rotate(id, 'overlap');
    await expect(rotate(id, 'overlap')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(rotate(id, 'overlap')).rejects.toThrow(
      `An earlier secret signs until ${second.previous_until}`,
    );
    expect(await verifying(id, [first, second.secret])).toEqual([true, true]);
  });

  test('a secret that was lost makes way for another one, and the one that the receiver has signs on', async () => {
    const { id, secret: first } = await makeEndpoint(api, organization, { url: receiver.url });
    const lost = await hoursAgo(20, () => rotate(id, 'overlap'));
    const third = await rotate(id, 'lost');
    expect(Date.parse(third.previous_until ?? '')).toBe(clock.nowMilliseconds() + 24 * HOUR_MILLISECONDS);
    expect(await verifying(id, [first, lost.secret, third.secret])).toEqual([true, false, true]);
  });

  test('of parallel rotations one is done', async () => {
    const { id, secret: first } = await makeEndpoint(api, organization, { url: receiver.url });
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => rotate(id, 'overlap')));
    const done = results.filter((result) => result.status === 'fulfilled');
    expect(done).toHaveLength(1);
    expect(await verifying(id, [first, done[0]?.value.secret ?? ''])).toEqual([true, true]);
  });
});

describe('what is stored of a secret', () => {
  test('32 random bytes are shown once and stored encrypted: a dump of the database holds nothing to sign with', async () => {
    const { id, secret } = await makeEndpoint(api, organization);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(bytes).toHaveLength(32);
    const [row] = await storedRows<{ secret: Buffer }>(
      api,
      'SELECT secret FROM webhook_endpoints WHERE id = $1',
      [id],
    );
    expect(row?.secret.includes(bytes)).toBe(false);
    const dumped = await storedRows<{ row: string }>(
      api,
      `SELECT w::text AS row FROM webhook_endpoints AS w WHERE id = $1
       UNION ALL SELECT a::text FROM audit_log AS a WHERE object_id = $1`,
      [id],
    );
    for (const { row: text } of dumped) {
      expect(text).not.toContain(secret.slice('whsec_'.length));
      expect(text).not.toContain(bytes.toString('hex'));
    }
  });

  test('a secret opens for its own endpoint and under the key of the service only', async () => {
    const [first, second] = [await makeEndpoint(api, organization), await makeEndpoint(api, organization)];
    const [row] = await storedRows<{ secret: Buffer }>(
      api,
      'SELECT secret FROM webhook_endpoints WHERE id = $1',
      [first.id],
    );
    const { ENCRYPTION_KEY } = api.deps.config;
    const sealed = { secret: row?.secret ?? null, previous_secret: null, previous_secret_until: null };
    const open = (key: string, id: string) => openSecrets(key, { ...sealed, id }, clock.now().toISOString());
    expect(open(ENCRYPTION_KEY, first.id).map((bytes) => `whsec_${bytes.toString('base64')}`)).toEqual([
      first.secret,
    ]);
    expect(() => open(ENCRYPTION_KEY, second.id)).toThrow(
      `ENCRYPTION_KEY does not open the secret of ${second.id}`,
    );
    expect(() => open('another key', first.id)).toThrow('ENCRYPTION_KEY does not open');
  });

  test('each rotation leaves an audit row that says of what kind it was', async () => {
    const { id } = await makeEndpoint(api, organization);
    await rotate(id, 'compromised');
    const rows = (await auditRows(api, organization, 'webhook_secret')).filter((row) => row.object_id === id);
    expect(rows).toEqual([
      expect.objectContaining({ act: 'webhook_secret.rotate', staff: 'ada', reason: 'ticket 17' }),
    ]);
  });
});
