import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import { type RawAnswer, sendRaw } from '../../platform/wire-app.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createClient, createHousehold, createTenant, tokenFor } from '../../setup/factories.ts';

/*
 * docs/request.md says in which order a request meets its checks. Every request here is wrong in one of them and in all that
 * come later, so that only the right order gives the right answer.
 */

const ORIGIN = 'https://app.example.org';
/** What one client sends at once to have its bucket empty. */
const AT_ONCE = 6;

let api: TestApi;
/** Always overloaded: no process has so little memory. */
let busy: TestApi;
let household: string;
const tokens = { none: '', late: '', empty: '', reader: '', good: '' };

beforeAll(async () => {
  const environment = { CORS_ORIGINS: ORIGIN };
  api = await startApi({ environment });
  busy = await startApi({
    database: api.database,
    environment: { ...environment, OVERLOAD_RESIDENT_MEBIBYTES: '1' },
  });
  await vi.waitFor(async () => expect((await fetch(`${busy.baseUrl}/assets`)).status).toBe(503), 60_000);

  const small = { rate_per_second: 1, rate_burst: 1 };
  const { organization, token } = await createTenant(api);
  const late = await createTenant(api, { read_only: true, ...small });
  await setStanding(api.deps.database, late.organization, 'past_due', {
    staff: 'tests',
    reason: 'test',
    command: 'test',
    now: api.deps.clock.now().toISOString(),
  });
  const clientWith = (input: Parameters<typeof createClient>[2]) =>
    createClient(api.deps, organization, input).then((client) => tokenFor(api, client));
  tokens.late = late.token;
  tokens.reader = await clientWith({ read_only: true, ...small });
  tokens.empty = await clientWith(small);
  tokens.good = token;
  household = (await createHousehold(api.deps, organization)).household;
});
afterAll(async () => {
  await busy?.close();
  await api?.close();
});

interface Sent {
  api: TestApi;
  method: 'OPTIONS' | 'POST';
  hosts: number;
  token: keyof typeof tokens;
  version: string;
  path: string;
  type: string;
  body: string;
  key: string;
}

const GOOD_BODY = () => JSON.stringify({ household, type: 'wallbox', wallbox: { max_power_kw: 11 } });
const STRANGE_BODY = () => GOOD_BODY().replace(household, `dom_${'0'.repeat(24)}`);

/** Mended from step to step: what the request of the step before was refused for. */
const STEPS: readonly { name: string; mend: () => Partial<Sent>; answer: RegExp }[] = [
  { name: 'framing', mend: () => ({}), answer: /^400 .*More than one Host/s },
  { name: 'preflight', mend: () => ({ hosts: 1 }), answer: /^204 / },
  { name: 'overload', mend: () => ({ method: 'POST' }), answer: /^503 / },
  { name: 'token', mend: () => ({ api }), answer: /^401 / },
  { name: 'standing', mend: () => ({ token: 'late' }), answer: /^402 / },
  { name: 'version', mend: () => ({ token: 'reader' }), answer: /^400 .*X-API-Version/s },
  { name: 'route', mend: () => ({ version: '2026-09-08.gauss' }), answer: /^404 / },
  { name: 'scope', mend: () => ({ path: '/assets' }), answer: /^403 / },
  { name: 'rate', mend: () => ({ token: 'empty' }), answer: /^429 / },
  { name: 'content type', mend: () => ({ token: 'good' }), answer: /^415 / },
  { name: 'body', mend: () => ({ type: 'application/json' }), answer: /^400 .*JSON/s },
  { name: 'schema', mend: () => ({ body: '{"household":5}' }), answer: /^400 .*invalid_type/s },
  { name: 'idempotency', mend: () => ({ body: STRANGE_BODY() }), answer: /^400 .*Idempotency-Key/s },
  { name: 'rule', mend: () => ({ key: 'a' }), answer: /^400 .*missing_household/s },
];

/** Wrong in every step. */
const allWrong = (): Sent => ({
  api: busy,
  method: 'OPTIONS',
  hosts: 2,
  token: 'none',
  version: 'nonsense',
  path: '/no-such-path',
  type: 'text/plain',
  body: '{ not json',
  key: 'x'.repeat(256),
});

function send(sent: Sent): Promise<RawAnswer> {
  const lines = [
    `${sent.method} ${sent.path} HTTP/1.1`,
    ...Array.from({ length: sent.hosts }, () => 'Host: localhost'),
    `Origin: ${ORIGIN}`,
    ...(sent.method === 'OPTIONS' ? ['Access-Control-Request-Method: POST'] : []),
    ...(sent.token === 'none' ? [] : [`Authorization: Bearer ${tokens[sent.token]}`]),
    `X-API-Version: ${sent.version}`,
    `Content-Type: ${sent.type}`,
    `Idempotency-Key: ${sent.key}`,
    `Content-Length: ${Buffer.byteLength(sent.body)}`,
    'Connection: close',
  ];
  return sendRaw(Number(new URL(sent.api.baseUrl).port), `${lines.join('\r\n')}\r\n\r\n${sent.body}`);
}

const told = ({ status, body }: RawAnswer) => `${status} ${body}`;

test('docs/request.md names the steps that are tested here, in this order', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/request.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) \| \*\*([a-z ]+)\*\* \|/gm)];
  expect(rows.map(([, number]) => Number(number))).toEqual(STEPS.map((_, index) => index + 1));
  expect(rows.map(([, , name]) => name)).toEqual(STEPS.map(({ name }) => name));
});

test.each(STEPS.map(({ name }, index) => [name, index] as const))(
  'a request that is wrong from %s on is answered there',
  async (name, index) => {
    const mended = STEPS.slice(0, index + 1).map(({ mend }) => mend());
    const request = Object.assign(allWrong(), ...mended) as Sent;
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(request)));
    const expected = STEPS[index]?.answer ?? /^$/;
    /* One of those at once still found a token in the bucket, and came to the next step. */
    const left = name === 'rate' ? answers.filter(({ status }) => status !== 415) : answers;
    expect(left.length).toBeGreaterThan(0);
    for (const answer of left) expect(told(answer)).toMatch(expected);
  },
);

test('a request without a fault passes every step', async () => {
  const mended = STEPS.map(({ mend }) => mend());
  const request = Object.assign(allWrong(), ...mended, { body: GOOD_BODY() }) as Sent;
  expect(told(await send(request))).toMatch(/^200 .*"object":"asset"/s);
});
