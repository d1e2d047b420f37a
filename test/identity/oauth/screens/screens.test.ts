import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { startApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import type { TestClient } from '../token-requests.ts';
import {
  answerOf,
  authorizeUrl,
  clientWithCustomer,
  consentPage,
  exchange,
  loginPage,
  mailedCode,
  newEmail,
  REDIRECT_URI,
  signIn,
  Visitor,
} from '../visitor.ts';

const MINUTE = 60_000;
const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: Awaited<ReturnType<typeof startApi>>;
let client: TestClient;
let email: string;

beforeAll(async () => {
  api = await startApi({ clock });
  ({ client, email } = await clientWithCustomer(api));
});
afterAll(() => api.close());

describe('from the sign-in to the callback', () => {
  test('Z02 sign-in and consent lead back with code, state and iss, and nothing else', async () => {
    const visitor = new Visitor();
    const { page } = await consentPage(api, visitor, { state: 'abc' });
    expect(page.text).toContain('Allow');
    const back = await visitor.submit(page, { decision: 'allow' });
    expect(back.status).toBe(303);
    expect(back.headers.get('location')).toMatch(/^https:\/\/app\.example\/callback\?/);
    const answer = answerOf(back);
    expect([...answer.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect(answer.get('state')).toBe('abc');
    expect(answer.get('iss')).toBe(api.baseUrl);
    expect(answer.get('code')).toMatch(/^acd_[A-Za-z0-9_-]{43}$/);
    expect(back.headers.get('cache-control')).toBe('no-store');
    expect(back.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('Z03 a refused consent is told to the client', async () => {
    const visitor = new Visitor();
    const { page } = await consentPage(api, visitor, { state: 's' });
    const back = await visitor.submit(page, { decision: 'deny' });
    expect(back.status).toBe(303);
    const answer = answerOf(back);
    expect(answer.get('error')).toBe('access_denied');
    expect(answer.get('state')).toBe('s');
    expect(answer.get('iss')).toBe(api.baseUrl);
    expect(answer.has('code')).toBe(false);
    const again = await visitor.submit(page, { decision: 'allow' });
    expect([again.status, again.headers.get('location')]).toEqual([400, null]);
    expect(again.text).toContain('This sign-in is over');
  });

  test('who clicks twice gets a code that works, and the first one does not', async () => {
    const visitor = new Visitor();
    const { client, page } = await consentPage(api, visitor);
    const [first, second] = [
      await visitor.submit(page, { decision: 'allow' }),
      await visitor.submit(page, { decision: 'allow' }),
    ].map((back) => answerOf(back).get('code') ?? '');
    expect(first).not.toBe(second);
    expect((await visitor.submit(page, { decision: 'deny' })).text).toContain('This sign-in is over');
    expect((await exchange(api, client, first ?? '')).status).toBe(400);
    expect((await exchange(api, client, second ?? '')).status).toBe(200);
    const third = await visitor.submit(page, { decision: 'allow' });
    expect([third.status, third.headers.get('location')]).toEqual([400, null]);
    clock.advance(60_000);
    const late = await consentPage(api, visitor);
    await visitor.submit(late.page, { decision: 'allow' });
    clock.advance(10_000);
    expect((await visitor.submit(late.page, { decision: 'allow' })).text).toContain('is over');
  });

  test('Z17 without state there is none in the answer', async () => {
    const visitor = new Visitor();
    const { page } = await consentPage(api, visitor);
    const answer = answerOf(await visitor.submit(page, { decision: 'allow' }));
    expect([...answer.keys()].sort()).toEqual(['code', 'iss']);
  });

  test('Z18 any state comes back unchanged', async () => {
    const visitor = new Visitor();
    for (const state of [`+ &=%25#"<>\\\n\0${'😀ä'.repeat(400)}`, 'x'.repeat(2_000)]) {
      const { page } = await consentPage(api, visitor, { state });
      expect(answerOf(await visitor.submit(page, { decision: 'allow' })).get('state')).toBe(state);
    }
  });

  test('Z10 the code is put behind the query of the address', async () => {
    const visitor = new Visitor();
    const { page } = await consentPage(api, visitor, { redirect_uri: `${REDIRECT_URI}?x=1` });
    const back = await visitor.submit(page, { decision: 'allow' });
    expect(back.headers.get('location')).toMatch(/^https:\/\/app\.example\/callback\?x=1&code=acd_/);
  });

  test('Z34 two tabs of one browser get two independent codes', async () => {
    const visitor = new Visitor();
    const consent = await consentPage(api, visitor);
    const two = await consentPage(api, visitor);
    const codes = new Set<string | null>();
    for (const { page } of [consent, two]) {
      codes.add(answerOf(await visitor.submit(page, { decision: 'allow' })).get('code'));
    }
    expect(codes.size).toBe(2);
  });

  test('flow_type=login asks for consent only where the client is a third party', async () => {
    for (const third_party of [false, true]) {
      const made = await clientWithCustomer(api, { third_party });
      const address = authorizeUrl(api, { client_id: made.client.id, flow_type: 'login' });
      const page = await signIn(api, new Visitor(), address, made.email);
      if (third_party) expect(page.text).toContain('Allow');
      else expect(answerOf(page).get('code')).toMatch(/^acd_/);
    }
  });

  test('what a client with read access may do is told without the rest', async () => {
    const made = await clientWithCustomer(api, { read_only: true });
    const page = await signIn(
      api,
      new Visitor('de'),
      authorizeUrl(api, { client_id: made.client.id }),
      made.email,
    );
    expect(page.text).toContain('Rechnungen sehen');
    expect(page.text).not.toContain('Zählerstände');
  });
});

describe('whose sign-in it is', () => {
  test('a HEAD shows whether the screen is there and claims nothing: scanners of links send it first', async () => {
    const sent = await new Visitor().open(authorizeUrl(api, { client_id: client.id }));
    const login = sent.headers.get('location') ?? '';
    const looked = await fetch(login, { method: 'HEAD' });
    expect([looked.status, looked.headers.getSetCookie().join().includes('browser')]).toEqual([200, false]);
    const visitor = new Visitor();
    expect((await visitor.open(login)).status).toBe(200);
    expect((await fetch(login, { method: 'HEAD' })).status).toBe(400);
  });

  test('it belongs to the browser that opened it first', async () => {
    const visitor = new Visitor();
    const login = await loginPage(api, visitor, { client_id: client.id });
    const other = await new Visitor().open(login.url);
    expect([other.status, other.headers.get('set-cookie')]).toEqual([400, null]);
    expect(other.text).toContain('another browser');
    expect((await visitor.open(login.url)).status).toBe(200);
  });

  test('it ends after 15 minutes', async () => {
    const visitor = new Visitor();
    const login = await loginPage(api, visitor, { client_id: client.id });
    clock.advance(15 * MINUTE - 1);
    expect((await visitor.open(login.url)).status).toBe(200);
    clock.advance(1);
    const late = await visitor.open(login.url);
    expect(late.status).toBe(400);
    expect(late.text).toContain('expired');
  });

  test('no screen can be skipped', async () => {
    const visitor = new Visitor();
    const login = await loginPage(api, visitor, { client_id: client.id });
    for (const screen of ['verify', 'consent']) {
      const page = await visitor.open(login.url.replace('/login', `/${screen}`));
      expect([page.status, page.headers.get('location')]).toEqual([303, login.url]);
    }
    const consent = login.url.replace('/login', '/consent');
    const forced = await visitor.submit(
      { ...login, text: login.text.replace('/login', '/consent') },
      {
        decision: 'allow',
      },
    );
    expect([forced.url, forced.status, forced.headers.get('location')]).toEqual([consent, 303, login.url]);
    expect((await visitor.open(login.url.replace('/login', '/signup'))).status).toBe(404);
  });

  test.each([
    '',
    '?transaction=',
    '?transaction=atx_000000000000000000000000',
    '?transaction=a&transaction=b',
  ])('a screen without a request (%s) is an error page', async (query) => {
    const page = await new Visitor().open(`${api.baseUrl}/auth/login${query}`);
    expect(page.status).toBe(400);
    expect(page.text).toContain('role="alert"');
  });

  test('an unknown page below the address is a page that says so', async () => {
    const page = await new Visitor('de').open(`${api.baseUrl}/auth/nothing`);
    expect(page.status).toBe(404);
    expect(page.text).toContain('Diese Seite gibt es nicht');
  });
});

test('a defect behind a form is told to the client, once', async () => {
  const own = await startApi({ alone: true });
  try {
    const made = await clientWithCustomer(own);
    const visitor = new Visitor();
    const address = authorizeUrl(own, { client_id: made.client.id, state: 's' });
    const page = await signIn(own, visitor, address, made.email);
    await withDatabaseClient(own.database.adminUrl, (admin) =>
      admin.query('REVOKE INSERT ON authorization_codes FROM voltstream_app'),
    );
    const back = await visitor.submit(page, { decision: 'allow' });
    expect(back.status).toBe(303);
    expect(Object.fromEntries(answerOf(back))).toMatchObject({ error: 'server_error', state: 's' });
    expect((await visitor.submit(page, { decision: 'allow' })).text).toContain('This sign-in is over');
  } finally {
    await own.close();
  }
});

test('nobody is mailed for a visit', async () => {
  await loginPage(api, new Visitor(), { client_id: client.id });
  expect(await mailedCode(api, email)).toBeUndefined();
  expect(await mailedCode(api, newEmail())).toBeUndefined();
});
