import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCESS_TOKEN_SECONDS } from '../../../src/identity/oauth/access/tokens.ts';
import {
  basic,
  registeredClient,
  requestToken,
  type TestClient,
} from '../../identity/oauth/token-requests.ts';
import {
  consented,
  exchange,
  loginPage,
  mailedCode,
  newEmail,
  REDIRECT_URI,
  Visitor,
} from '../../identity/oauth/visitor.ts';
import { createHousehold, createSubscription } from '../../setup/factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { Portal, words } from './link.ts';

/* Which programs a customer has let in, and the end of it. */

const DAY = 86_400_000;

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.start();
});
afterAll(() => portal.close());

const program = (display_name: string, input: Parameters<typeof registeredClient>[1] = {}) => {
  const settings = { display_name, redirect_uris: [REDIRECT_URI], read_only: true, ...input };
  return registeredClient(portal.api.deps, settings, portal.organization);
};

async function person() {
  const email = newEmail();
  const customer = { type: 'person', first_name: 'Käthe', last_name: 'Voß', email } as const;
  const place = await createHousehold(portal.api.deps, portal.organization, { customer });
  await createSubscription(portal.api.deps, portal.organization, place, { status: 'active' });
  return { email, customer: place.customer };
}

/** Lets the program in; its refresh token. */
async function letIn(client: TestClient, email: string): Promise<string> {
  const back = await consented(portal.api, client, email);
  const { body } = await exchange(portal.api, client, back.get('code') ?? '');
  return String(body.refresh_token);
}

const refreshed = (client: TestClient, refresh_token: string) =>
  requestToken(
    portal.api.baseUrl,
    { grant_type: 'refresh_token', refresh_token },
    { authorization: basic(client) },
  );

const reasons = async ({ id }: TestClient) =>
  (
    await storedRows<{ id: string; reason: string | null }>(
      portal.api,
      'SELECT id, revoked_reason AS reason FROM grants WHERE client_id = $1 ORDER BY created_at',
      [id],
    )
  ).map((row) => row.reason);

/** What the audit log has of the program: whose codes were withdrawn, and how often it was taken for a thief. */
async function actsOf({ id }: TestClient) {
  const of = async (act: string) =>
    (await auditRows(portal.api, portal.organization, act)).filter(({ client_id }) => client_id === id);
  const withdrawn = (await of('authorization.withdraw')).map(({ object_id }) => object_id);
  return { withdrawn, replays: (await of('token.replay')).length };
}

const consents = () => `${portal.url}/overview/consents`;
const NONE = 'Sie haben zurzeit keinem Programm Zugriff erlaubt.';

async function seenBy(customer: string): Promise<string> {
  return words((await (await portal.signedIn(customer)).open(consents())).text);
}

test('a program is named with what it may do; ending it revokes its grant, once', async () => {
  const [{ email, customer }, client] = [await person(), await program('Wallbox <b>')];
  await letIn(client, email);
  const visitor = await portal.signedIn(customer);
  const page = await visitor.open(consents());
  expect(words(page.text)).toContain(
    'Wallbox &lt;b&gt; erlaubt am 20.11.2026, 11:00:00 Ihre Haushalte und Geräte',
  );
  expect(words(page.text)).not.toContain('Zählerstände für Sie melden');
  const heard: unknown[] = [];
  const emitted = portal.api.deps.changed.emit;
  portal.api.deps.changed.emit = (change) => {
    heard.push(change);
    emitted(change);
  };
  for (let press = 0; press < 2; press += 1) {
    const sent = await visitor.submit(page, { consent: client.id });
    expect(sent.status).toBe(303);
  }
  portal.api.deps.changed.emit = emitted;
  expect(await reasons(client)).toEqual(['customer']);
  const [{ id: object } = {}] = await storedRows<{ id: string }>(
    portal.api,
    'SELECT id FROM grants WHERE client_id = $1',
    [client.id],
  );
  expect(heard).toEqual([{ organization: portal.organization, object }]);
  const lines = await auditRows(portal.api, portal.organization, 'grant.revoke');
  expect(lines.filter(({ object_id }) => object_id === object).map(({ route }) => route)).toEqual([
    'POST /portal/overview/consents',
  ]);
  const after = await visitor.open(`${consents()}?ended=1`);
  expect(words(after.text)).toContain(
    `Ein Programm, dessen Zugriff Sie beenden, verliert ihn innerhalb von Sekunden. ${NONE}`,
  );
});

test('a program that was let in several times stands there once, and all that it was given ends together', async () => {
  const [{ email, customer }, client] = [await person(), await program('Doppelt')];
  const first = await letIn(client, email);
  portal.clock.advance(2 * DAY);
  const second = await letIn(client, email);
  const visitor = await portal.signedIn(customer);
  const page = await visitor.open(consents());
  expect(page.text.match(/erlaubt am [^<]+/g)).toEqual(['erlaubt am 22.11.2026, 11:00:00']);
  await visitor.submit(page, { consent: client.id });
  expect(await reasons(client)).toEqual(['customer', 'customer']);
  for (const token of [first, second]) expect((await refreshed(client, token)).status).toBe(401);
});

test('a code that was not exchanged yet ends with the access', async () => {
  const client = await program('Zweimal');
  const { email, customer } = await person();
  await letIn(client, email);
  const again = await consented(portal.api, client, email);
  const visitor = await portal.signedIn(customer);
  await visitor.submit(await visitor.open(consents()), { consent: client.id });
  const late = await exchange(portal.api, client, again.get('code') ?? '');
  expect([late.status, late.body.error]).toEqual([400, 'invalid_grant']);
  expect(await seenBy(customer)).toContain(NONE);
  expect(await actsOf(client)).toEqual({ withdrawn: [customer], replays: 0 });
});

test('a program that has only a code stands there and is ended, and is no thief when it presents the code, once or twice', async () => {
  const client = await program('Nur Code');
  const { email, customer } = await person();
  const back = await consented(portal.api, client, email);
  const visitor = await portal.signedIn(customer);
  const page = await visitor.open(consents());
  expect(words(page.text)).toContain('Nur Code erlaubt am');
  for (let press = 0; press < 2; press += 1) {
    expect((await visitor.submit(page, { consent: client.id })).status).toBe(303);
  }
  expect(await seenBy(customer)).toContain(NONE);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const late = await exchange(portal.api, client, back.get('code') ?? '');
    expect([late.status, late.body.error]).toEqual([400, 'invalid_grant']);
  }
  expect(await reasons(client)).toEqual([]);
  expect(await actsOf(client)).toEqual({ withdrawn: [customer], replays: 0 });
});

test('a program has access as long as a token of it is good: an hour without refresh tokens, 30 days with an idle one', async () => {
  const { email, customer } = await person();
  const brief = await program('Kurz', { grants: ['authorization_code'] });
  const idle = await program('Lang');
  await letIn(brief, email);
  let token = await letIn(idle, email);
  portal.clock.advance(ACCESS_TOKEN_SECONDS * 1000 - 1);
  expect(await seenBy(customer)).toMatch(/Kurz.*Lang|Lang.*Kurz/);
  portal.clock.advance(1);
  expect(await seenBy(customer)).toMatch(/^(?!.*Kurz).*Lang/);
  portal.clock.advance(29 * DAY);
  token = String((await refreshed(idle, token)).body.refresh_token);
  portal.clock.advance(29 * DAY);
  expect(await seenBy(customer)).toContain('Lang');
  portal.clock.advance(DAY);
  expect(await seenBy(customer)).toContain(NONE);
  expect((await refreshed(idle, token)).status).toBe(401);
});

test('who signed up with a program and has no contract comes to it by its address, and elsewhere to the sign-up', async () => {
  const client = await program('Neu');
  const [email, visitor] = [newEmail(), new Visitor('de')];
  const login = await loginPage(portal.api, visitor, { client_id: client.id, flow_type: 'signup' });
  const names = { type: 'person', first_name: 'Ada', last_name: 'Amsel', company_name: '' };
  const verify = await visitor.follow(await visitor.submit(login, { ...names, email }), portal.api.baseUrl);
  const code = async () => (await mailedCode(portal.api, email)) ?? '';
  const consent = await visitor.follow(
    await visitor.submit(verify, { code: await code() }),
    portal.api.baseUrl,
  );
  const back = await visitor.submit(consent, { decision: 'allow' });
  await exchange(
    portal.api,
    client,
    new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '',
  );

  const checkout = `https://${portal.api.deps.config.CHECKOUT_HOST}/`;
  for (const [next, place] of [
    ['/overview/consents', consents()],
    ['/overview', checkout],
  ] as const) {
    portal.clock.advance(61_000);
    const browser = new Visitor('de');
    const first = await browser.open(`${portal.url}/login?next=${encodeURIComponent(next)}`);
    const second = await browser.follow(await browser.submit(first, { email }), portal.api.baseUrl);
    const entered = await browser.submit(second, { code: await code() });
    expect([next, entered.headers.get('location')]).toEqual([next, place]);
    const page = await browser.open(consents());
    expect([page.status, words(page.text).includes('Neu erlaubt am')]).toEqual([200, true]);
  }
});

test("another customer's consents are neither seen nor ended, and typed junk is no program", async () => {
  const [mine, theirs] = [await person(), await person()];
  const [own, foreign] = [await program('Meines'), await program('Fremdes')];
  await letIn(own, mine.email);
  await letIn(foreign, theirs.email);
  const visitor = await portal.signedIn(mine.customer);
  const page = await visitor.open(consents());
  expect(page.text).not.toContain('Fremdes');
  for (const consent of [foreign.id, 'oac_000000000000000000000000', '', '\u0000', 'x'.repeat(9_000)]) {
    expect((await visitor.submit(page, { consent })).status).toBe(404);
  }
  expect(await reasons(foreign)).toEqual([null]);
});
