import { afterAll, beforeAll, expect, test } from 'vitest';
import { createVoltstreamClient, TokenError, type VoltstreamClientOptions } from '../../client/index.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import { fakeClock } from '../setup/clock.ts';
import {
  createClient,
  createHousehold,
  createOrganization,
  createSubscription,
  type TestClient,
} from '../setup/factories.ts';
import { createInvoice } from '../setup/invoice-factories.ts';

const clock = fakeClock('2026-11-20T09:00:00Z');
let api: TestApi;
let organization: string;
let credentials: TestClient;
let household: string;

beforeAll(async () => {
  api = await startApi({ clock });
  organization = await createOrganization(api.deps);
  credentials = await createClient(api.deps, organization);
  ({ household } = await createHousehold(api.deps, organization));
});
afterAll(() => api?.close());

interface Sent {
  /** `POST /assets 200`. */
  line: string;
  headers: Headers;
}

/** The client, and what it sent. */
function recordingClient(options: Partial<VoltstreamClientOptions> = {}) {
  const sent: Sent[] = [];
  const client = createVoltstreamClient({
    baseUrl: api.baseUrl,
    clientId: credentials.client_id,
    clientSecret: credentials.client_secret,
    now: clock.nowMilliseconds,
    fetch: async (request) => {
      const answer = await fetch(request);
      const { method, url, headers } = request;
      sent.push({ line: `${method} ${new URL(url).pathname} ${answer.status}`, headers });
      return answer;
    },
    ...options,
  });
  return { client, sent, lines: () => sent.splice(0).map(({ line }) => line) };
}

const inverter = () =>
  ({ household, type: 'inverter', inverter: { max_power_kw: 10, hybrid: true } }) as const;

test('one token serves all calls, also those that begin at once, and is renewed a minute before its end', async () => {
  const { client, lines } = recordingClient();
  const both = await Promise.all([client.GET('/plans'), client.GET('/households')]);
  expect(both.map(({ response }) => response.status)).toEqual([200, 200]);
  expect(lines().toSorted()).toEqual(['GET /households 200', 'GET /plans 200', 'POST /oauth/token 200']);
  clock.advance(58 * 60_000);
  await client.GET('/plans');
  expect(lines()).toEqual(['GET /plans 200']);
  clock.advance(60_000);
  await client.GET('/plans');
  expect(lines()).toEqual(['POST /oauth/token 200', 'GET /plans 200']);
});

test('a token that ended before its time is asked for again once, and the call with its body is repeated', async () => {
  /* A machine whose clock stands. */
  const standing = clock.nowMilliseconds();
  const { client, lines } = recordingClient({ now: () => standing });
  await client.GET('/plans');
  lines();
  clock.advance(61 * 60_000);
  const { data } = await client.POST('/assets', { body: inverter() });
  expect(data).toMatchObject({ household, inverter: { max_power_kw: 10 } });
  expect(lines()).toEqual(['POST /assets 401', 'POST /oauth/token 200', 'POST /assets 200']);
});

test('a client that may not come in gets a TokenError, and nothing else is sent', async () => {
  const { client, lines } = recordingClient({ clientSecret: 'wrong' });
  const failed = await client.GET('/plans').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(TokenError);
  expect(failed).toMatchObject({ status: 401, code: 'invalid_client' });
  expect(lines()).toEqual(['POST /oauth/token 401']);
});

test('a scope narrows the token, and a refusal is an error with its entries', async () => {
  const { client } = recordingClient({ scope: 'read:*' });
  expect((await client.GET('/plans')).data?.items).toEqual([]);
  const refused = await client.POST('/assets', { body: inverter() });
  expect([refused.response.status, refused.error?.code]).toEqual([403, 'FORBIDDEN']);
  const { client: writing } = recordingClient();
  const bad = await writing.POST('/assets', { body: { ...inverter(), inverter: { max_power_kw: -1 } } });
  expect(bad.error?.errors?.map(({ field }) => field)).toContain('inverter.max_power_kw');
});

test('a 429 is sent again when Retry-After is over, and given back at once where that is too long', async () => {
  const slow = await createClient(api.deps, organization, { rate_per_second: 1, rate_burst: 1 });
  const options = { clientId: slow.client_id, clientSecret: slow.client_secret };
  const { client, lines } = recordingClient(options);
  const first = await client.GET('/plans');
  expect(first.response.status).toBe(200);
  lines();
  const second = await client.GET('/plans');
  expect(second.response.status).toBe(200);
  expect(lines()).toEqual(['GET /plans 429', 'GET /plans 200']);
  const { client: impatient } = recordingClient({ ...options, waitSecondsMax: 0 });
  const refused = await impatient.GET('/plans');
  expect([refused.response.status, refused.error?.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
});

test('who ends a call does not wait for Retry-After', async () => {
  const slow = await createClient(api.deps, organization, { rate_per_second: 1, rate_burst: 1 });
  const controller = new AbortController();
  const { client } = recordingClient({
    clientId: slow.client_id,
    clientSecret: slow.client_secret,
    fetch: async (request) => {
      const answer = await fetch(request);
      if (answer.status === 429) controller.abort(new Error('no longer needed'));
      return answer;
    },
  });
  await client.GET('/plans');
  await expect(client.GET('/plans', { signal: controller.signal })).rejects.toThrow('no longer needed');
});

test('every call names the version, and one that creates has an Idempotency-Key, its own or a new one', async () => {
  const { client, sent } = recordingClient();
  const mine = { 'Idempotency-Key': crypto.randomUUID() };
  const first = await client.POST('/assets', { params: { header: mine }, body: inverter() });
  const again = await client.POST('/assets', { params: { header: mine }, body: inverter() });
  expect(again.data?.id).toBe(first.data?.id);
  const other = await client.POST('/assets', { body: inverter() });
  expect(other.data?.id).not.toBe(first.data?.id);
  await client.GET('/assets');
  const calls = sent.filter(({ line }) => line.includes('/assets')).map(({ headers }) => headers);
  expect(calls.map((headers) => headers.get('x-api-version'))).toEqual(Array(4).fill('2026-09-08.gauss'));
  const keys = calls.map((headers) => headers.get('idempotency-key'));
  expect(keys).toEqual([
    mine['Idempotency-Key'],
    mine['Idempotency-Key'],
    expect.stringMatching(/^[\da-f-]{36}$/),
    null,
  ]);
});

test('the document of a bill is the address of its PDF, which opens without a token', async () => {
  const { client } = recordingClient();
  const place = await createHousehold(api.deps, organization);
  const contract = await createSubscription(api.deps, organization, place, { status: 'active' });
  const of = { customer_id: place.customer, subscription_id: contract.id };
  const bill = await createInvoice(api.deps, organization, of);
  const path = { id: bill.id };
  const { data, error, response } = await client.GET('/invoices/{id}/file', { params: { path } });
  expect([response.status, data, error]).toEqual([302, undefined, undefined]);
  const pdf = await fetch(response.headers.get('location') ?? '');
  expect(pdf.headers.get('content-type')).toBe('application/pdf');
  await pdf.body?.cancel();
});
