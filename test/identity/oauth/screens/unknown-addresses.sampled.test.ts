import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, type Mock, test, vi } from 'vitest';
import { startApi } from '../../../setup/api.ts';
import { fakeClock } from '../../../setup/clock.ts';
import { isLongTier } from '../../../setup/tier.ts';
import type { TestClient } from '../token-requests.ts';
import {
  authorizeUrl,
  clientWithCustomer,
  loginPage,
  mailedCode,
  newEmail,
  Visitor,
  wrongFor,
} from '../visitor.ts';

/* Whether somebody is a customer is told by nothing: not by words, not by the time that an answer takes. */

const MINUTE = 60_000;
const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: Awaited<ReturnType<typeof startApi>>;
let client: TestClient;
let email: string;

beforeAll(async () => {
  api = await startApi({ clock });
});
beforeEach(async () => {
  ({ client, email } = await clientWithCustomer(api));
});
afterAll(() => api.close());

describe('known and unknown addresses', () => {
  test('are answered alike, byte for byte, and only a customer is mailed', async () => {
    const stranger = newEmail();
    const told: string[] = [];
    for (const address of [email, stranger]) {
      const visitor = new Visitor();
      const sent = await visitor.submit(await loginPage(api, visitor, { client_id: client.id }), {
        email: address,
      });
      const verify = await visitor.follow(sent, api.baseUrl);
      const wrong = await visitor.submit(verify, { code: wrongFor(await mailedCode(api, email)) });
      const pages = [verify, wrong].map((page) => `${page.status} ${page.text}`).join('\n');
      told.push(
        pages
          .replaceAll(address, 'ADDRESS')
          .replaceAll(/atx_[0-9a-z]{24}/g, 'REQUEST')
          .replaceAll(/name="_csrf" value="[^"]*"/g, 'FORGERY'),
      );
    }
    expect(told[0]).toBe(told[1]);
    expect(await mailedCode(api, email)).toMatch(/^\d{6}$/);
    expect(await mailedCode(api, stranger)).toBeUndefined();
  });

  test('take the same time', async () => {
    const [rounds, nearlyAll] = isLongTier ? [40, 32] : [20, 18];
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of round % 2 === 0
        ? (['known', 'unknown'] as const)
        : (['unknown', 'known'] as const)) {
        const visitor = new Visitor();
        const login = await loginPage(api, visitor, { client_id: client.id });
        const answer = nextAnswer();
        await visitor.submit(login, { email: kind === 'known' ? email : newEmail() });
        times[kind].push((await answer).milliseconds);
        await api.deps.mail.idle();
      }
      clock.advance(15 * MINUTE);
    }
    /*
     * Two signs together: one kind was slower in nearly all pairs, and by a good part. What else the machine does strikes
     * both kinds of a pair alike, in alternating order, so that a crowded one makes the first sign no likelier: by chance
     * it comes twice in 10,000 times (four times with half of the rounds).
     */
    const slower = times.known.filter((time, round) => time > (times.unknown[round] ?? 0)).length;
    const middle = (all: number[]) => all.toSorted((left, right) => left - right)[rounds / 2] ?? 0;
    const [known, unknown] = [middle(times.known), middle(times.unknown)];
    const isSystematic = Math.max(slower, rounds - slower) >= nearlyAll;
    const ratio = Math.max(known, unknown) / Math.min(known, unknown);
    expect(isSystematic && ratio > 1.25, `slower in ${slower} of ${rounds} pairs, by ${ratio}`).toBe(false);
  });

  test('a message is put together only when the answer has left', async () => {
    const visitor = new Visitor();
    const login = await loginPage(api, visitor, { client_id: client.id });
    const send = vi.spyOn(api.deps.mail, 'send');
    try {
      const answer = nextAnswer();
      expect((await visitor.submit(login, { email })).status).toBe(303);
      expect(await mailedCode(api, email)).toMatch(/^\d{6}$/);
      expect(send).toHaveBeenCalledOnce();
      expect(send).toHaveBeenCalledAfter((await answer).left);
    } finally {
      send.mockRestore();
    }
  });

  test('a message goes out also when the browser does not wait for the answer', async () => {
    const visitor = new Visitor();
    const login = await loginPage(api, visitor, { client_id: client.id });
    const gone = new AbortController();
    api.app.server.prependOnceListener('request', () => gone.abort());
    await expect(visitor.submit(login, { email }, { signal: gone.signal })).rejects.toThrow();
    /* The service works on, for nobody. */
    await expect.poll(() => mailedCode(api, email)).toMatch(/^\d{6}$/);
  });

  test('a mail server that hangs keeps nobody waiting, who would then know that a mail is sent', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen({ host: '127.0.0.1', port: 0 }, resolve));
    const { port } = silent.address() as AddressInfo;
    const own = await startApi({ environment: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
    try {
      const made = await clientWithCustomer(own);
      const visitor = new Visitor();
      const address = authorizeUrl(own, { client_id: made.client.id });
      const login = await visitor.follow(await visitor.open(address), own.baseUrl);
      let isOver = false;
      const begun = once(silent, 'connection') as Promise<[Socket]>;
      const over = begun
        .then(() => own.deps.mail.idle())
        .then(() => {
          isOver = true;
        });
      expect((await visitor.submit(login, { email: made.email })).status).toBe(303);
      expect(isOver).toBe(false);
      const [socket] = await begun;
      /* Refused at last. After a connection that only ends the message would be tried on another one. */
      socket.end('554 closed\r\n');
      await over;
    } finally {
      await own.close();
      silent.close();
    }
  });
});

/** How the service answers the next request: when the answer has left, `left` is called. */
function nextAnswer(): Promise<{ milliseconds: number; left: Mock }> {
  return new Promise((resolve) => {
    api.app.server.prependOnceListener('request', (_request, response) => {
      const begun = performance.now();
      const left = vi.fn();
      response.once('finish', () => {
        left();
        resolve({ milliseconds: performance.now() - begun, left });
      });
    });
  });
}
