import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeConsoleUser } from '../../../src/identity/console-users/service.ts';
import { issueCode } from '../../../src/identity/oauth/sign-in/sign-in.ts';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import { newId } from '../../../src/platform/ids.ts';
import { mailedCode, newEmail, submitTwice, Visitor, wrongFor } from '../../identity/oauth/visitor.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import { createClient, createHousehold, createOrganization } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { codePage, consoleUser, expectSoundPage, press, signedIn } from './console.ts';

const MINUTE = 60_000;
const NOWHERE = { route: 'test', request_id: null, address: null };

let api: TestApi;
let clock: FakeClock;
let organization: string;
let email: string;

beforeAll(async () => {
  clock = fakeClock('2026-11-20T10:00:00.000Z');
  api = await startApi({ clock });
  organization = await createOrganization(api.deps);
});
beforeEach(async () => {
  clock.advance(61 * MINUTE);
  email = await consoleUser(api, organization);
});
afterAll(() => api.close());

const codeFor = async (address = email) => (await mailedCode(api, address)) ?? '';
const act = () => ({ staff: 'ada', reason: 'test', command: 'test', now: clock.now().toISOString() });

test.each(['de', 'en'])('a mailed code leads on to the page that one came for (%s)', async (language) => {
  const visitor = new Visitor(language);
  const opened = await visitor.open(`${api.baseUrl}/console?from=mail`);
  expect([opened.status, opened.headers.get('location')]).toEqual([
    303,
    `${api.baseUrl}/console/login?next=%3Ffrom%3Dmail`,
  ]);
  const verify = await codePage(api, visitor, email.replace('kunde', 'Kunde'), '?next=/login');
  expect(verify.text).toContain(language === 'de' ? 'mit Voltstream-Konsole' : 'Voltstream console');
  clock.advance(10 * MINUTE - 1);
  const entered = await visitor.submit(verify, { code: await codeFor(email.replace('kunde', 'Kunde')) });
  expect(entered.status).toBe(303);
  expect(entered.headers.getSetCookie().join('\n')).toMatch(
    /^voltstream-console=cse_[A-Za-z0-9_-]{43}\.[\w/+]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/m,
  );
  const home = await visitor.open(`${api.baseUrl}/console`);
  expectSoundPage(home);
  expect(home.text).toContain(`<html lang="${language}">`);
  expect(home.text).toContain(email);
  const acts = (await auditRows(api, organization, '')).map((row) => [row.act, row.route]);
  expect(acts).toContainEqual(['console.sign_in', 'POST /console/login/code']);
  expect(acts).toContainEqual(['console_user.sign_in', 'POST /console/login/code']);
});

test.each(['https://evil.example/', '//evil.example', '/../docs', '@evil.example'])(
  'leads to no page that is none of the console (next=%s)',
  async (next) => {
    const visitor = new Visitor();
    const verify = await codePage(api, visitor, email, `?next=${encodeURIComponent(next)}`);
    const entered = await visitor.submit(verify, { code: await codeFor() });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, `${api.baseUrl}/console`]);
  },
);

test.each(['at once', 'one by one'] as const)(
  'a double click on each form is as good as one (%s)',
  async (order) => {
    const visitor = new Visitor();
    const login = await visitor.open(`${api.baseUrl}/console/login`);
    const verify = await visitor.follow(await submitTwice(visitor, login, { email }, order), api.baseUrl);
    const entered = await submitTwice(visitor, verify, { code: await codeFor() }, order);
    expect([entered.status, entered.headers.get('location')]).toEqual([303, `${api.baseUrl}/console`]);
    expect((await visitor.open(`${api.baseUrl}/console`)).text).toContain(email);
    const sessions = await storedRows(
      api,
      'SELECT 1 FROM console_sessions JOIN console_users USING (organization_id) WHERE user_id = id AND email = $1',
      [email],
    );
    expect(sessions).toHaveLength(1);
  },
);

test('a form that is open while another user signs in beside it leads nobody into that session', async () => {
  const other = await consoleUser(api, organization);
  const visitor = new Visitor();
  const login = await visitor.open(`${api.baseUrl}/console/login`);
  const verify = await codePage(api, visitor, email);
  const beside = await codePage(api, visitor, other);
  expect((await visitor.submit(beside, { code: await codeFor(other) })).status).toBe(303);
  for (const refused of [
    await visitor.submit(login, { email }),
    await visitor.submit(verify, { code: await codeFor() }),
  ]) {
    expect([refused.status, refused.headers.get('location')]).toEqual([409, null]);
    expect(refused.text).toContain('Somebody is signed in with this browser already');
  }
  expect((await visitor.open(`${api.baseUrl}/console`)).text).toContain(other);
});

test('a session ends after twelve hours, by signing out, and with its user or organization', async () => {
  const other = await createOrganization(api.deps);
  const visitors = [await signedIn(api, organization), await signedIn(api, organization)];
  const [leaving, staying] = visitors as [Visitor, Visitor];
  const open = async (visitor: Visitor) => (await visitor.open(`${api.baseUrl}/console`)).status;
  const cookies = new Map(leaving.cookies);
  const home = await leaving.open(`${api.baseUrl}/console`);
  expect((await leaving.submit(home, {})).headers.get('location')).toBe(`${api.baseUrl}/console/login`);
  for (const [name, value] of cookies) leaving.cookies.set(name, value);
  expect([await open(leaving), await open(staying)]).toEqual([303, 200]);
  clock.advance(12 * 60 * MINUTE);
  expect(await open(staying)).toBe(303);

  const removed = new Visitor();
  await removed.submit(await codePage(api, removed, email), { code: await codeFor() });
  expect(await open(removed)).toBe(200);
  const [user] = await storedRows<{ id: string }>(api, 'SELECT id FROM console_users WHERE email = $1', [
    email,
  ]);
  await expect(removeConsoleUser(api.deps.database, other, user?.id ?? '', act())).rejects.toThrow();
  await removeConsoleUser(api.deps.database, organization, user?.id ?? '', act());
  expect(await open(removed)).toBe(303);

  const suspended = await signedIn(api, other);
  await setStanding(api.deps.database, other, 'suspended', act());
  expect(await open(suspended)).toBe(303);
});

test('who signs out once more, from another tab or too late, is led to the sign-in', async () => {
  const visitor = await signedIn(api, organization);
  const home = () => visitor.open(`${api.baseUrl}/console`);
  const [first, other] = [await home(), await home()];
  const kept = new Map(visitor.cookies);
  await visitor.submit(first, {});
  for (const cookies of [new Map(visitor.cookies), kept]) {
    for (const [name, value] of cookies) visitor.cookies.set(name, value);
    const again = await visitor.submit(other, {});
    expect([again.status, again.headers.get('location')]).toEqual([303, `${api.baseUrl}/console/login`]);
    expect(again.headers.getSetCookie().join()).toContain('voltstream-console=;');
  }
});

test.each(['with its cookie', 'without'])(
  'who sends a form after the end of the session signs in and comes back to its page (%s)',
  async (cookie) => {
    const visitor = await signedIn(api, organization);
    const key = await createClient(api.deps, organization, { display_name: 'Own' });
    const address = `/console/keys/${key.client_id}`;
    const page = await visitor.open(api.baseUrl + address);
    clock.advance(12 * 60 * MINUTE);
    if (cookie === 'without') visitor.cookies.delete('voltstream-console');
    const sent = await press(visitor, page, `${address}/disable`, { reason: 'test' });
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      `${api.baseUrl}/console/login?next=${encodeURIComponent(`/keys/${key.client_id}`)}`,
    ]);
    expect(await auditRows(api, organization, 'client.disable')).toEqual([]);
  },
);

describe('the code', () => {
  test('is counted when it is wrong: the sixth guess is none, even the right one', async () => {
    const visitor = new Visitor();
    let page = await codePage(api, visitor, email);
    const code = await codeFor();
    for (let guess = 1; guess <= 5; guess += 1) {
      page = await visitor.submit(page, { code: wrongFor(code) });
      expect(page.status).toBe(400);
    }
    expect((await visitor.submit(page, { code })).status).toBe(400);
    expect((await visitor.open(`${api.baseUrl}/console`)).status).toBe(303);
  });

  test('comes again after 60 seconds, and five times an hour', async () => {
    const visitor = new Visitor();
    let page = await codePage(api, visitor, email);
    expect((await visitor.submit(page, { again: '1' })).status).toBe(429);
    for (let more = 1; more <= 4; more += 1) {
      clock.advance(MINUTE);
      page = await visitor.submit(page, { again: '1' });
      expect(page.status).toBe(200);
    }
    clock.advance(MINUTE);
    expect((await visitor.submit(page, { again: '1' })).status).toBe(429);
  });

  test('of a customer with the same address opens no console', async () => {
    await createHousehold(api.deps, organization, {
      customer: { type: 'person', first_name: 'Käthe', last_name: 'Voß', email },
    });
    const parts = { pepper: api.deps.config.SECRET_PEPPER, network: '192.0.2.1', trace: NOWHERE };
    const nowMilliseconds = clock.nowMilliseconds();
    const started = await api.deps.database.inOrganization({ organization }, (connection) => {
      const request = { organization_id: organization, id: newId('psi'), client_id: null };
      const options = { signsUp: false, atOnce: false };
      return issueCode({ ...parts, connection, nowMilliseconds, request }, email, options);
    });
    const visitor = new Visitor();
    const verify = await codePage(api, visitor, email);
    expect((await visitor.submit(verify, { code: 'code' in started ? started.code : '' })).status).toBe(400);
    expect((await visitor.submit(verify, { code: await codeFor() })).status).toBe(303);
  });
});

test('strangers see the same as users, byte for byte, and are not mailed', async () => {
  const stranger = newEmail();
  const told: string[] = [];
  for (const address of [email, stranger]) {
    const visitor = new Visitor();
    const verify = await codePage(api, visitor, address);
    const wrong = await visitor.submit(verify, { code: wrongFor(await codeFor(address)) });
    const kept = visitor.cookies.get('voltstream-console-sign-in') ?? '';
    const {
      id: _,
      expires: __,
      ...signIn
    } = JSON.parse(
      Buffer.from(decodeURIComponent(kept).split('.')[0] ?? '', 'base64url').toString(),
    ) as Record<string, unknown>;
    told.push(
      [verify, wrong, { status: 0, text: JSON.stringify(signIn) }]
        .map((page) => `${page.status} ${page.text}`)
        .join('\n')
        .replaceAll(address, 'ADDRESS')
        .replaceAll(/name="_csrf" value="[^"]*"/g, 'FORGERY'),
    );
  }
  expect(told[0]).toBe(told[1]);
  expect(await mailedCode(api, stranger)).toBeUndefined();
});

test('forms from another origin or without their protection are not accepted', async () => {
  const visitor = new Visitor();
  const login = await visitor.open(`${api.baseUrl}/console/login`);
  const headers = { origin: 'https://evil.example' };
  expect((await visitor.submit(login, { email }, { headers })).status).toBe(403);
  expect((await visitor.submit(login, { email, _csrf: 'x' })).status).toBe(403);
  expect(await mailedCode(api, email)).toBeUndefined();
  const inside = await signedIn(api, organization);
  const home = await inside.open(`${api.baseUrl}/console`);
  expect((await inside.submit(home, {}, { headers })).status).toBe(403);
  expect((await inside.submit(home, { _csrf: 'x' })).status).toBe(403);
  const foreign = await signedIn(api, organization);
  const theirs = /name="_csrf" value="([^"]+)"/.exec(
    (await foreign.open(`${api.baseUrl}/console`)).text,
  )?.[1];
  expect((await inside.submit(home, { _csrf: theirs ?? '' })).status).toBe(403);
  expect((await inside.open(`${api.baseUrl}/console`)).status).toBe(200);
});

test('cookies are secure, of this host alone, and scripts are forbidden where the service is reached by https', async () => {
  const environment = { BASE_URL: 'https://api.example', TRUSTED_PROXIES: '127.0.0.1' };
  const secure = await startApi({ alone: true, environment });
  try {
    await createOrganization(secure.deps);
    const { port } = secure.app.server.address() as AddressInfo;
    const headers = { 'x-forwarded-proto': 'https' };
    const login = await fetch(`http://127.0.0.1:${port}/console/login`, { headers });
    expect([login.status, login.headers.getSetCookie().join()]).toEqual([
      200,
      expect.stringMatching(
        /^__Host-voltstream-console-form=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    expect(login.headers.get('content-security-policy')).not.toContain('script-src');
  } finally {
    await secure.close();
  }
});

test('an address that the console does not have is a page that says so', async () => {
  const page = await new Visitor().open(`${api.baseUrl}/console/nothing`);
  expect([page.status, page.text.includes('There is no such page')]).toEqual([404, true]);
});
