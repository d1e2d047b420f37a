import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updateClient } from '../../../../src/identity/oauth/clients/clients.ts';
import { startApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { whileHeld } from '../../../setup/held-row.ts';
import { actAt, registeredClient, type TestClient } from '../token-requests.ts';
import {
  answerOf,
  authorizeUrl,
  clientWithCustomer,
  consentPage,
  loginPage,
  mailedCode,
  newEmail,
  type Page,
  REDIRECT_URI,
  signIn,
  Visitor,
} from '../visitor.ts';

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: Awaited<ReturnType<typeof startApi>>;
let client: TestClient;

beforeAll(async () => {
  api = await startApi({ clock });
  ({ client } = await clientWithCustomer(api));
});
afterAll(() => api.close());

describe('forms', () => {
  test('those that make or take a code lock its address before their request, as an erasure does', async () => {
    const visitor = new Visitor();
    const { client: own, email } = await clientWithCustomer(api);
    const login = await loginPage(api, visitor, { client_id: own.id });
    const row = ['authorization_requests', new URL(login.url).searchParams.get('transaction') ?? ''] as const;
    const named = `SELECT count(*)::int AS locks FROM pg_locks
       WHERE locktype = 'advisory' AND granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`;
    const seen: unknown[] = [];
    const sent = (send: () => Promise<Page>) =>
      whileHeld(api.database, row, send, async (holder) => seen.push(...(await holder.query(named)).rows));
    const verify = await visitor.follow(await sent(() => visitor.submit(login, { email })), api.baseUrl);
    const code = (await mailedCode(api, email)) ?? '';
    expect((await sent(() => visitor.submit(verify, { code }))).status).toBe(303);
    expect(seen).toEqual([{ locks: 1 }, { locks: 1 }]);
  });

  test('Z28 a consent without or with a foreign token against forgery is refused', async () => {
    const visitor = new Visitor();
    const { page } = await consentPage(api, visitor);
    const stranger = await consentPage(api, new Visitor());
    const token = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const otherTab = await consentPage(api, visitor);
    for (const _csrf of ['', 'x-y', token(stranger.page.text), token(otherTab.page.text)]) {
      const answer = await visitor.submit(page, { decision: 'allow', _csrf });
      expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
    }
    expect(answerOf(await visitor.submit(page, { decision: 'allow' })).has('code')).toBe(true);
  });

  test('Z30 what the consent is about cannot be changed by the form', async () => {
    const visitor = new Visitor();
    const { page } = await consentPage(api, visitor);
    for (const field of ['client_id', 'redirect_uri', 'scope', 'customer_id']) {
      const answer = await visitor.submit(page, { decision: 'allow', [field]: 'https://evil.example' });
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    }
    const other = await visitor.submit(page, { decision: 'maybe' });
    expect(other.status).toBe(400);
    expect(answerOf(await visitor.submit(page, { decision: 'allow' })).has('code')).toBe(true);
  });

  test('no code goes to an address that was taken from the client while its customer was asked', async () => {
    const visitor = new Visitor();
    const { page, client: made } = await consentPage(api, visitor);
    const register = (...redirect_uris: string[]) =>
      updateClient(api.deps.database, made.id, { redirect_uris }, actAt(api.deps));
    await register('https://other.example/callback');
    const refused = await visitor.submit(page, { decision: 'allow' });
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
    await register('https://other.example/callback', REDIRECT_URI);
    expect(answerOf(await visitor.submit(page, { decision: 'allow' })).has('code')).toBe(true);
  });

  test('Z31 what others wrote is escaped', async () => {
    const hostile = `"><script>alert('x')</script>`;
    const made = await clientWithCustomer(api, { display_name: hostile });
    const visitor = new Visitor();
    const address = authorizeUrl(api, { client_id: made.client.id, state: hostile, ui_locales: hostile });
    const login = await visitor.follow(await visitor.open(address), api.baseUrl);
    const refused = await visitor.submit(login, { email: hostile });
    const consent = await signIn(api, visitor, address, made.email);
    for (const page of [login, refused, consent]) {
      expect(page.text).not.toContain('<script');
      expect(page.text).toContain('&lt;script&gt;');
    }
  });

  test('a form is small and a form', async () => {
    const visitor = new Visitor();
    const login = await loginPage(api, visitor, { client_id: client.id });
    expect((await visitor.submit(login, { email: 'a'.repeat(20_000) })).status).toBe(413);
    const json = await visitor.open(login.url, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect([json.status, json.headers.get('content-type')]).toEqual([415, 'text/html; charset=utf-8']);
  });

  test('cookies are out of reach of scripts, and of neighbours where the address is https', async () => {
    const page = await loginPage(api, new Visitor(), { client_id: client.id });
    const names = page.headers.getSetCookie().map((line) => line.replace(/=[^;]*/, '=…'));
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
    const secure = await startApi({
      environment: { AUTH_URL: 'https://login.example/customers', TRUSTED_PROXIES: '127.0.0.1' },
    });
    try {
      const own = await registeredClient(secure.deps, { redirect_uris: [REDIRECT_URI] });
      const begun = await new Visitor().open(authorizeUrl(secure, { client_id: own.id }));
      const location = begun.headers.get('location') ?? '';
      expect(location).toMatch(/^https:\/\/login\.example\/customers\/login\?/);
      const local = location.replace('https://login.example', secure.baseUrl);
      const lines = (await new Visitor().open(local)).headers.getSetCookie();
      expect(lines).toHaveLength(2);
      for (const line of lines)
        expect(line).toMatch(/^__Host-[^;]+;.* Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    } finally {
      await secure.close();
    }
  });
});

describe('languages', () => {
  test.each([
    ['', 'de'],
    ['de-DE,de;q=0.9,en;q=0.8', 'de'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en'],
    ['fr,en;q=0.5', 'en'],
    ['fr', 'de'],
    ['de;q=0.2, en;q=0.7', 'en'],
    ['en;q=0', 'de'],
  ])('Accept-Language "%s" is answered in %s', async (header, lang) => {
    const page = await loginPage(api, new Visitor(header), { client_id: client.id });
    expect(page.text).toContain(`<html lang="${lang}">`);
    expect(page.headers.get('content-language')).toBe(lang);
    expect(page.headers.get('vary')).toContain('accept-language');
  });
});

describe('one network', () => {
  test('that asks for too many codes, or guesses too many, waits; others do not', async () => {
    const own = await startApi({
      clock,
      environment: { TOKEN_FAILURES_OF_ADDRESS_MAX: '4', TRUSTED_PROXIES: '127.0.0.1' },
    });
    try {
      const made = await clientWithCustomer(own);
      const from = (address: string) => new Visitor('en', { 'x-forwarded-for': address });
      const login = async (visitor: Visitor) =>
        await visitor.follow(
          await visitor.open(authorizeUrl(own, { client_id: made.client.id })),
          own.baseUrl,
        );
      const visitor = from('192.0.2.7');
      const first = await login(visitor);
      const verify = await visitor.follow(await visitor.submit(first, { email: made.email }), own.baseUrl);
      for (let guess = 0; guess < 3; guess += 1) await visitor.submit(verify, { code: '000000' });
      const refused = await visitor.submit(verify, { code: '000000' });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
      expect(refused.text).toContain('Too many attempts');
      const sameNetwork = from('192.0.2.7');
      expect((await sameNetwork.submit(await login(sameNetwork), { email: newEmail() })).status).toBe(429);
      const elsewhere = from('198.51.100.7');
      expect((await elsewhere.submit(await login(elsewhere), { email: newEmail() })).status).toBe(303);
      clock.advance(60_000);
      expect((await sameNetwork.submit(await login(sameNetwork), { email: newEmail() })).status).toBe(303);
    } finally {
      await own.close();
    }
  });
});
