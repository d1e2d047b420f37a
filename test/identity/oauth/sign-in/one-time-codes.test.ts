import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withDatabaseClient } from '../../../../src/platform/database/setup.ts';
import { startApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
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

const SECOND = 1_000;
const MINUTE = 60_000;
const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: Awaited<ReturnType<typeof startApi>>;
let client: TestClient;
let email: string;

beforeAll(async () => {
  api = await startApi({ clock });
});
afterAll(() => api.close());

async function newCustomer(): Promise<void> {
  ({ client, email } = await clientWithCustomer(api));
}

async function toVerify(visitor: Visitor, address = email): Promise<Page> {
  return await visitor.follow(
    await visitor.submit(await loginPage(api, visitor, { client_id: client.id }), { email: address }),
    api.baseUrl,
  );
}

describe('a one-time code', () => {
  test('lives for 10 minutes', async () => {
    await newCustomer();
    for (const [milliseconds, status] of [
      [10 * MINUTE - 1, 303],
      [10 * MINUTE, 400],
    ] as const) {
      const visitor = new Visitor();
      const verify = await toVerify(visitor);
      const code = (await mailedCode(api, email)) ?? '';
      clock.advance(milliseconds);
      expect((await visitor.submit(verify, { code })).status).toBe(status);
    }
  });

  test('works as it is read out: with blanks and hyphens', async () => {
    await newCustomer();
    const visitor = new Visitor();
    const verify = await toVerify(visitor);
    const code = (await mailedCode(api, email)) ?? '';
    expect((await visitor.submit(verify, { code: ` ${code.slice(0, 3)}-${code.slice(3)} ` })).status).toBe(
      303,
    );
  });

  test('is tried five times at most, and what is no code does not count', async () => {
    await newCustomer();
    const visitor = new Visitor();
    const verify = await toVerify(visitor);
    const code = (await mailedCode(api, email)) ?? '';
    for (const noCode of ['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦']) {
      const page = await visitor.submit(verify, { code: noCode });
      expect(page.status).toBe(400);
      expect(page.text).toContain('six digits');
    }
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const page = await visitor.submit(verify, { code: wrongFor(code) });
      expect(page.status).toBe(400);
      expect(page.text).toContain('aria-invalid="true"');
      expect(page.text).toContain(attempt < 5 ? 'This code is not right' : 'no longer good');
    }
    expect((await visitor.submit(verify, { code })).status).toBe(400);
  });

  test('of twenty guesses at once five are counted', async () => {
    await newCustomer();
    const visitor = new Visitor();
    const verify = await toVerify(visitor);
    const code = (await mailedCode(api, email)) ?? '';
    await Promise.all(Array.from({ length: 20 }, () => visitor.submit(verify, { code: wrongFor(code) })));
    const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
      admin.query('SELECT attempts FROM one_time_codes ORDER BY id DESC LIMIT 1'),
    );
    expect(rows).toEqual([{ attempts: 5 }]);
  });

  test('works once', async () => {
    await newCustomer();
    const visitor = new Visitor();
    const verify = await toVerify(visitor);
    const code = (await mailedCode(api, email)) ?? '';
    expect((await visitor.submit(verify, { code })).headers.get('location')).toContain('/auth/consent?');
    expect((await visitor.submit(verify, { code })).headers.get('location')).toContain('/auth/consent?');
    const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
      admin.query('SELECT used_at IS NOT NULL AS used FROM one_time_codes ORDER BY id DESC LIMIT 1'),
    );
    expect(rows).toEqual([{ used: true }]);
  });

  test('belongs to the request that it was sent for', async () => {
    await newCustomer();
    const [visitor, other] = [new Visitor(), new Visitor()];
    await toVerify(visitor);
    const code = (await mailedCode(api, email)) ?? '';
    const verify = await toVerify(other);
    const second = await mailedCode(api, email);
    if (code !== second) expect((await other.submit(verify, { code })).status).toBe(400);
  });

  test('proves the address it was sent to, and no other', async () => {
    await newCustomer();
    const victim = email;
    const own = await clientWithCustomer(api, {}, client.organization);
    const visitor = new Visitor();
    const login = await loginPage(api, visitor, { client_id: client.id });
    await visitor.submit(login, { email: victim });
    await visitor.submit(login, { email: own.email });
    const back = await visitor.submit(login, { email: victim });
    const verify = await visitor.follow(back, api.baseUrl);
    expect(verify.text).toContain(victim);
    const code = (await mailedCode(api, own.email)) ?? '';
    expect((await visitor.submit(verify, { code })).status).toBe(400);
  });
});

describe('new codes', () => {
  test('there is one after 60 seconds, and the one before is no longer good', async () => {
    await newCustomer();
    const visitor = new Visitor();
    const verify = await toVerify(visitor);
    const first = (await mailedCode(api, email)) ?? '';
    clock.advance(59 * SECOND);
    const early = await visitor.submit(verify, { again: '1' });
    expect([early.status, early.headers.get('retry-after')]).toEqual([429, '1']);
    expect(early.text).toContain('another 1 seconds');
    clock.advance(SECOND);
    const renewed = await visitor.submit(verify, { again: '1' });
    expect(renewed.status).toBe(200);
    expect(renewed.text).toContain('on its way');
    const second = (await mailedCode(api, email)) ?? '';
    if (first !== second) expect((await visitor.submit(verify, { code: first })).status).toBe(400);
    expect((await visitor.submit(verify, { code: second })).status).toBe(303);
  });

  test('the same address on the first screen again goes on with the code that was sent', async () => {
    await newCustomer();
    const visitor = new Visitor();
    const login = await loginPage(api, visitor, { client_id: client.id });
    await visitor.submit(login, { email });
    const code = (await mailedCode(api, email)) ?? '';
    const verify = await visitor.follow(await visitor.submit(login, { email }), api.baseUrl);
    expect((await visitor.submit(verify, { code })).status).toBe(303);
  });

  test.each(['known', 'unknown'])('an address that is %s gets five in an hour', async (kind) => {
    await newCustomer();
    const address = kind === 'known' ? email : newEmail();
    const ask = async (as: string) => {
      const visitor = new Visitor();
      return await visitor.submit(await loginPage(api, visitor, { client_id: client.id }), { email: as });
    };
    for (let number = 1; number <= 5; number += 1) {
      expect([number, (await ask(address)).status]).toEqual([number, 303]);
      clock.advance(5 * MINUTE);
    }
    clock.advance(5 * MINUTE);
    const refused = await ask(address.toUpperCase());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1800']);
    expect(refused.text).toContain('in 30 minutes');
    clock.advance(30 * MINUTE);
    expect((await ask(address)).status).toBe(303);
  });
});
