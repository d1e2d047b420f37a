import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { logLines, metric } from '../../../platform/counted-requests.ts';
import { startApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { isLongTier, sampled } from '../../../setup/tier.ts';
import type { TestClient } from '../token-requests.ts';
import {
  clientWithCustomer,
  loginPage,
  mailedCode,
  newEmail,
  type Page,
  Visitor,
  wrongFor,
} from '../visitor.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const clock = fakeClock('2026-11-20T10:00:00.000Z');
const lines = logLines();
/** Of addresses: of the known one an account is there. */
const KINDS = ['known', 'unknown'];
const LONG = /^[2-9A-HJ-NP-Z]{10}$/;
let api: Awaited<ReturnType<typeof startApi>>;

beforeAll(async () => {
  api = await startApi({
    clock,
    log: lines.log,
    environment: { TRUSTED_PROXIES: '127.0.0.1', TOKEN_FAILURES_OF_ADDRESS_MAX: '10000' },
  });
});
afterAll(() => api.close());

let host = 0;
/** A browser of somebody else, from a network of its own. */
function browser(): Visitor {
  host += 1;
  return new Visitor('en', { 'x-forwarded-for': `10.11.${host >> 8}.${host & 255}` });
}

async function askForCode(visitor: Visitor, client: TestClient, email: string): Promise<Page> {
  const login = await loginPage(api, visitor, { client_id: client.id });
  const page = await visitor.submit(login, { email });
  /* Mails are written side by side: the newest code is to be in the newest file. */
  await api.deps.mail.idle();
  return page;
}

async function verifyPage(visitor: Visitor, client: TestClient, email: string): Promise<Page> {
  return await visitor.follow(await askForCode(visitor, client, email), api.baseUrl);
}

/** Wrong codes of one account, two from each browser: five would end a code. */
async function guessWrong(client: TestClient, email: string, amount: number): Promise<void> {
  for (let left = amount; left > 0; left -= 5) {
    const visitor = browser();
    const page = await verifyPage(visitor, client, email);
    const code = wrongFor(await mailedCode(api, email));
    for (let guess = 0; guess < Math.min(left, 5); guess += 1) await visitor.submit(page, { code });
  }
}

/** The codes of a client so many times more. */
const storeAgain = (client: TestClient, times: number) =>
  storedRows(
    api,
    `INSERT INTO one_time_codes (organization_id, request_id, address_hash, code_hash, created_at, expires_at,
       client_id, network_hash, signs_up)
     SELECT organization_id, request_id, address_hash, code_hash, created_at, expires_at, client_id, network_hash, signs_up
       FROM one_time_codes, generate_series(1, $2) WHERE client_id = $1`,
    [client.id, times],
  );

describe('ten wrong codes for an account within a day', () => {
  test.each(sampled(KINDS, 2))('%s: further codes have ten letters and digits, for a day', async (kind) => {
    const { client, email } = await clientWithCustomer(api);
    const address = kind === 'known' ? email : newEmail();
    const alarms = await metric(api, 'one_time_code_alarms_total');
    const failures = await metric(api, 'one_time_code_failures_total');
    await guessWrong(client, address, 9);
    expect((await verifyPage(browser(), client, address)).text).toContain('Six-digit code');
    expect(await metric(api, 'one_time_code_alarms_total')).toBe(alarms);
    clock.advance(HOUR);
    await guessWrong(client, address, 1);
    expect(await metric(api, 'one_time_code_alarms_total')).toBe(alarms + 1);
    expect(await metric(api, 'one_time_code_failures_total')).toBe(failures + 10);

    const visitor = browser();
    const page = await verifyPage(visitor, client, address);
    expect(page.text).toContain('ten letters and digits');
    expect(page.text).not.toContain('Six-digit code');
    if (kind === 'unknown') return;
    const code = (await mailedCode(api, address)) ?? '';
    expect(code).toMatch(LONG);
    const typed = ` ${code.slice(0, 5).toLowerCase()}-${code.slice(5)}`;
    expect((await visitor.submit(page, { code: typed })).status).toBe(303);

    clock.advance(23 * HOUR);
    await verifyPage(browser(), client, address);
    expect(await mailedCode(api, address)).toMatch(LONG);
    clock.advance(HOUR);
    await verifyPage(browser(), client, address);
    expect(await mailedCode(api, address)).toMatch(/^\d{6}$/);
  });

  test('are told once by the log, with the client and without the address', async () => {
    const { client, email } = await clientWithCustomer(api);
    await guessWrong(client, email, 12);
    const said = lines
      .text()
      .split('\n')
      .filter((line) => line.includes(client.id));
    const alarms = said.filter((line) => line.includes('many wrong one-time codes for one account'));
    expect(alarms).toHaveLength(1);
    expect(said.join('')).not.toContain(email);
  });

  test('nine of them, and one a day later, leave codes as they are', async () => {
    const { client, email } = await clientWithCustomer(api);
    await guessWrong(client, email, 9);
    clock.advance(24 * HOUR);
    await guessWrong(client, email, 1);
    await verifyPage(browser(), client, email);
    expect(await mailedCode(api, email)).toMatch(/^\d{6}$/);
  });

  test('a code that the customer was sent before stays good', async () => {
    const { client, email } = await clientWithCustomer(api);
    const customer = browser();
    const page = await verifyPage(customer, client, email);
    const code = (await mailedCode(api, email)) ?? '';
    await guessWrong(client, email, 10);
    expect((await customer.submit(page, { code })).status).toBe(303);
  });

  test('another account is not concerned', async () => {
    const { client, email } = await clientWithCustomer(api);
    const other = await clientWithCustomer(api, {}, client.organization);
    await guessWrong(client, email, 10);
    await verifyPage(browser(), client, other.email);
    expect(await mailedCode(api, other.email)).toMatch(/^\d{6}$/);
  });
});

describe('strangers who ask for codes', () => {
  test('from their own networks: the customer is sent a code of its own', async () => {
    const { client, email } = await clientWithCustomer(api);
    const stranger = browser();
    for (let number = 0; number < 5; number += 1) {
      expect((await askForCode(stranger, client, email)).status).toBe(303);
    }
    clock.advance(11 * MINUTE);
    expect((await askForCode(stranger, client, email)).status).toBe(429);
    const customer = browser();
    const page = await verifyPage(customer, client, email);
    const code = (await mailedCode(api, email)) ?? '';
    expect((await customer.submit(page, { code })).status).toBe(303);
  });

  test.each(KINDS)('from its own network: the code that was sent last is good for it (%s)', async (kind) => {
    const { client, email } = await clientWithCustomer(api);
    const address = kind === 'known' ? email : newEmail();
    const [stranger, customer] = [new Visitor(), new Visitor()];
    for (let number = 0; number < 5; number += 1) await askForCode(stranger, client, address);
    const code = (await mailedCode(api, address)) ?? '';
    const page = await verifyPage(customer, client, address);
    expect(page.text).toContain('the newest of them');
    if (kind === 'unknown') return;
    expect(await mailedCode(api, address)).toBe(code);
    for (let guess = 0; guess < 4; guess += 1) await customer.submit(page, { code: wrongFor(code) });
    expect((await customer.submit(page, { code })).status).toBe(303);
    expect((await customer.submit(page, { code })).headers.get('location')).toContain('/auth/consent?');
  });

  test('of the codes of others one is good only while it lives and nobody used it', async () => {
    const { client, email } = await clientWithCustomer(api);
    const [stranger, owner, thief] = [new Visitor(), new Visitor(), new Visitor()];
    for (let number = 0; number < 5; number += 1) await askForCode(stranger, client, email);
    const code = (await mailedCode(api, email)) ?? '';
    const [first, second] = [await verifyPage(owner, client, email), await verifyPage(thief, client, email)];
    expect((await owner.submit(first, { code })).status).toBe(303);
    expect((await thief.submit(second, { code })).status).toBe(400);
    clock.advance(10 * MINUTE);
    expect((await askForCode(thief, client, email)).status).toBe(429);
  });

  test('short codes of others take ten guesses in all, however many browsers make them', async () => {
    const { client, email } = await clientWithCustomer(api);
    for (let number = 0; number < 5; number += 1) await askForCode(new Visitor(), client, email);
    const code = (await mailedCode(api, email)) ?? '';
    const visitor = new Visitor();
    const page = await verifyPage(visitor, client, email);
    const guessers = isLongTier ? 10 : 5;
    for (let number = 0; number < guessers; number += 1) {
      const guesser = new Visitor();
      const verify = await verifyPage(guesser, client, email);
      for (let guess = 0; guess < 10 / guessers; guess += 1) {
        await guesser.submit(verify, { code: wrongFor(code) });
      }
    }
    expect((await askForCode(new Visitor(), client, email)).status).toBe(429);
    const refused = await visitor.submit(page, { code });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('no longer good');
  });

  test('an address is sent twenty codes an hour at most, wherever they are asked for', async () => {
    const { client, email } = await clientWithCustomer(api);
    const amount = isLongTier ? 30 : 5;
    for (let number = 0; number < amount; number += 1) {
      await askForCode(browser(), client, email);
      /* Eighteen then, and two are free: the first is stored so many times as are not asked for. */
      if (number === 0 && !isLongTier) await storeAgain(client, 17);
    }
    const rows = await storedRows<{ codes: number }>(
      api,
      'SELECT count(*)::int AS codes FROM one_time_codes c JOIN authorization_requests r ON r.id = c.request_id WHERE r.client_id = $1',
      [client.id],
    );
    expect(rows).toEqual([{ codes: 20 }]);
  });

  test.each(KINDS)(
    'twenty from many networks keep nobody out: one is sent every ten minutes (%s)',
    async (kind) => {
      const { client, email } = await clientWithCustomer(api);
      const address = kind === 'known' ? email : newEmail();
      for (let number = 0; number < 4; number += 1) await askForCode(browser(), client, address);
      await storeAgain(client, 4);
      clock.advance(10 * MINUTE);

      const customer = browser();
      const page = await verifyPage(customer, client, address);
      const code = (await mailedCode(api, address)) ?? '';
      /* While it lives no other one is sent, and it is good for everybody who reads the mails. */
      expect((await verifyPage(browser(), client, address)).text).toContain('the newest of them');
      const rows = await storedRows<{ codes: number }>(
        api,
        'SELECT count(*)::int AS codes FROM one_time_codes WHERE client_id = $1',
        [client.id],
      );
      expect(rows).toEqual([{ codes: 21 }]);
      if (kind === 'unknown') return expect(code).toBe('');
      expect((await customer.submit(page, { code })).status).toBe(303);
    },
  );
});

describe('mails to people who sign up', () => {
  const names = { type: 'person', first_name: 'Käthe', last_name: 'Voß', company_name: '' };
  const signUp = async (visitor: Visitor, client: TestClient, email = newEmail()) =>
    await visitor.submit(await loginPage(api, visitor, { client_id: client.id, flow_type: 'signup' }), {
      ...names,
      email,
    });

  test.each(sampled(KINDS, 2, 1))('one network has ten an hour sent (%s)', async (kind) => {
    const { client, email } = await clientWithCustomer(api);
    const visitor = browser();
    const amount = isLongTier ? 10 : 2;
    for (let number = 0; number < amount; number += 1) {
      /* The last one is the tenth. */
      if (number === amount - 1) await storeAgain(client, 10 - amount);
      expect((await signUp(visitor, client)).status).toBe(303);
      clock.advance((10 / amount) * MINUTE);
    }
    const address = kind === 'known' ? email : newEmail();
    const refused = await signUp(visitor, client, address);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3000']);
    expect(refused.text).toContain('in 50 minutes');
    expect(await mailedCode(api, address)).toBeUndefined();
    expect((await signUp(browser(), client, address)).status).toBe(303);
    expect(await mailedCode(api, address)).toMatch(/^\d{6}$/);
    clock.advance(50 * MINUTE);
    expect((await signUp(visitor, client)).status).toBe(303);
  });

  test('ten at once are ten, however many are asked for', async () => {
    const { client } = await clientWithCustomer(api);
    const network = browser();
    const pages = await Promise.all(Array.from({ length: 14 }, () => signUp(network.twin(), client)));
    expect(pages.filter((page) => page.status === 303)).toHaveLength(10);
    expect(pages.filter((page) => page.status === 429)).toHaveLength(4);
  });

  test('one client has a hundred an hour sent', async () => {
    const { client } = await clientWithCustomer(api);
    const amount = isLongTier ? 100 : 2;
    for (let number = 0; number < amount; number += 1) {
      /* The last one is the hundredth: the first is stored so many times as are not asked for. */
      if (number === amount - 1) await storeAgain(client, 100 - amount);
      expect([number, (await signUp(browser(), client)).status]).toEqual([number, 303]);
    }
    expect((await signUp(browser(), client)).status).toBe(429);
    const other = await clientWithCustomer(api, {}, client.organization);
    expect((await signUp(browser(), other.client)).status).toBe(303);
    /* Who has an account signs in as before. */
    const { email } = other;
    expect((await askForCode(browser(), client, email)).status).toBe(303);
  });
});
