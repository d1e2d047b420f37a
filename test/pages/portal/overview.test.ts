import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepExpiredRows } from '../../../src/governance/retention/service.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { Visitor } from '../../identity/oauth/visitor.ts';
import { createPlan, createSubscription } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { Portal } from './link.ts';

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.start();
});
afterAll(() => portal.close());

async function overview(customer: string, language: string) {
  const visitor = new Visitor(language);
  await portal.enter(visitor, await portal.link(customer));
  return await visitor.open(`${portal.url}/overview`);
}

/** What a reader sees, without the marks around it. */
const words = (html: string) =>
  html
    .slice(html.indexOf('<main>'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('the overview', () => {
  test('shows every contract of the customer with number, plan, status, address and days, in German', async () => {
    const plan = await createPlan(portal.api.deps, portal.organization, { name: 'Strom <Dynamisch>' });
    const feedIn = await createPlan(portal.api.deps, portal.organization, {
      name: 'Einspeisung Plus',
      type: 'feed_in',
    });
    const { customer } = await portal.customer(
      { status: 'pending', number: 'NEU00001', plan_id: plan.id },
      {
        status: 'ended',
        number: 'ALT00001',
        plan_id: plan.id,
        start_at: '2025-03-30T23:00:00Z',
        end_at: '2026-10-24T22:00:00Z',
      },
      {
        status: 'active',
        type: 'feed_in',
        number: 'EIN00001',
        plan_id: feedIn.id,
        start_at: '2025-12-31T23:00:00Z',
      },
    );
    const { status, text } = await overview(customer, 'de-DE');
    expect(status).toBe(200);
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('Strom &lt;Dynamisch&gt;');
    expect(text).toContain('Voß &lt;b&gt;');
    const seen = words(text);
    expect(seen).toContain(
      'Vertragsnummer NEU00001 Stand in Vorbereitung Lieferadresse Gänsemarkt 12a 20354 Hamburg',
    );
    expect(seen).toContain('Beginn steht noch nicht fest Letzter Tag unbefristet');
    expect(seen).toContain('Vertragsnummer ALT00001 Stand beendet');
    expect(seen).toContain('Beginn 31. März 2025 Letzter Tag 24. Oktober 2026');
    expect(seen).toContain(
      'Einspeisung Plus Einspeisung Vertragsnummer EIN00001 Stand aktiv Adresse der Anlage',
    );
    expect(seen).toContain(
      'Beginn 1. Januar 2026 Letzter Tag unbefristet Einspeisung , Einspeisung Plus EIN00001 Verträge',
    );
    expect(seen.match(/Rechnungen Noch keine Rechnung\./g)).toHaveLength(3);
  });

  test('asks the database as often for thirty contracts as for one', async () => {
    const { pool } = portal.api.deps.database;
    const statementsFor = async (count: number) => {
      const contracts = Array.from({ length: count }, () => ({
        status: 'active' as const,
        type: 'feed_in' as const,
      }));
      const { customer } = await portal.customer(...contracts);
      const visitor = new Visitor('en');
      await portal.enter(visitor, await portal.link(customer));
      let statements = 0;
      const counted = new Set<pg.PoolClient>();
      const countStatements = (client: pg.PoolClient) => {
        if (counted.has(client)) return;
        counted.add(client);
        const query = client.query;
        client.query = ((...parameters: Parameters<typeof query>) => {
          statements += 1;
          return query.apply(client, parameters);
        }) as typeof query;
      };
      pool.on('acquire', countStatements);
      try {
        const { text } = await visitor.open(`${portal.url}/overview`);
        expect(text.match(/Contract number/g)).toHaveLength(count);
      } finally {
        pool.off('acquire', countStatements);
        for (const client of counted) Reflect.deleteProperty(client, 'query');
      }
      return statements;
    };
    /* The log of earlier requests may be written beside one of them. */
    await expect.poll(async () => (await statementsFor(30)) - (await statementsFor(1))).toBe(0);
  });

  test('speaks English to who asks for it', async () => {
    const { customer } = await portal.customer({
      status: 'active',
      number: null,
      start_at: '2025-12-31T23:00:00Z',
    });
    const seen = words((await overview(customer, 'en-GB,de;q=0.5')).text);
    expect(seen).toContain('Contract number not known Status active Delivery address');
    expect(seen).toContain('Start 1 January 2026 Last day open-ended');
  });

  test('shows nothing of anybody else', async () => {
    const [mine, other] = [
      await portal.customer({ status: 'active', number: 'MEIN0001' }),
      await portal.customer({ status: 'active', number: 'DEIN0001' }),
    ];
    await createSubscription(portal.api.deps, portal.organization, other, { status: 'ended' });
    const { text } = await overview(mine.customer, 'de');
    expect(text).toContain('MEIN0001');
    expect(text.match(/<section>/g)).toHaveLength(1);
  });
});

test.each([
  ['en', 'Go to my contracts', 'You are not signed in'],
  ['de', 'Zu meinen Verträgen', 'Sie sind nicht angemeldet'],
] as const)(
  'a page of an error leads to the contracts, or on to the sign-in (%s)',
  async (lang, words, out) => {
    const { customer } = await portal.customer({ status: 'active' });
    const visitor = new Visitor(lang);
    await portal.enter(visitor, await portal.link(customer));
    const link = `<a href="/portal/overview">${words}</a>`;
    const forged = await visitor.open(`${portal.url}/sign-out`, { method: 'POST' });
    expect([forged.status, forged.text.includes(link)]).toEqual([403, true]);
    const nowhere = await visitor.open(`${portal.url}/nowhere`);
    expect([nowhere.status, nowhere.text.includes(link)]).toEqual([404, true]);
    expect((await visitor.open(`${portal.url}/overview`)).status).toBe(200);
    const stranger = await new Visitor(lang).open(`${portal.url}/overview`);
    expect([stranger.text.includes(out), stranger.text.includes('/portal/login?next=')]).toEqual([
      true,
      true,
    ]);
  },
);

describe('every page of the portal', () => {
  test('runs no script, is kept and framed nowhere, and passes no address on', async () => {
    const { customer } = await portal.customer({ status: 'active' });
    const visitor = new Visitor();
    const link = await portal.link(customer);
    const pages = [
      await visitor.open(link),
      await portal.enter(visitor, link),
      await visitor.open(`${portal.url}/overview`),
      await visitor.open(link),
      await visitor.open(`${portal.url}/nowhere`),
      await new Visitor().open(`${portal.url}/overview`),
      await visitor.open(`${portal.url}/overview`, { method: 'HEAD' }),
    ];
    expect(pages.map((page) => page.status)).toEqual([200, 303, 200, 410, 404, 401, 200]);
    for (const { headers, text } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('script');
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('vary')).toContain('accept-language');
      expect(text).not.toMatch(/<script|style=|onclick/);
    }
    for (const file of ['style.css', 'icon.svg']) {
      expect((await visitor.open(`${portal.url}/overview/${file}`)).status).toBe(200);
    }
    const root = await visitor.open(portal.url);
    expect([root.status, root.headers.get('location')]).toEqual([303, `${portal.url}/overview`]);
  });

  test('a form of another kind, too long or torn is refused on a page', async () => {
    const visitor = new Visitor();
    const post = (body: string, type: string) =>
      visitor.open(`${portal.url}/auth/confirm?token_hash=x`, {
        method: 'POST',
        body,
        headers: { 'content-type': type },
      });
    const form = 'application/x-www-form-urlencoded';
    const answers = [await post('{}', 'application/json'), await post(`a=${'x'.repeat(20_000)}`, form)];
    expect(answers.map((answer) => answer.status)).toEqual([415, 413]);
    for (const { text } of answers) expect(text).toContain('This request is not valid');
  });
});

test('links and sessions go a month after they are over', async () => {
  const own = await Portal.start();
  try {
    const { customer } = await own.customer({ status: 'active' });
    await own.enter(new Visitor(), await own.link(customer));
    await own.link(customer);
    const run = {
      signal: new AbortController().signal,
      log: createLogger({ level: 'silent', name: 'retention-test' }),
    };
    const count = async () =>
      (
        await storedRows(
          own.api,
          `SELECT (SELECT count(*)::int FROM magic_links) AS links, (SELECT count(*)::int FROM portal_sessions) AS sessions`,
        )
      )[0];
    own.clock.advance(30 * 86_400_000);
    await sweepExpiredRows(own.api.deps, run);
    expect(await count()).toEqual({ links: 2, sessions: 1 });
    own.clock.advance(15 * 60_000 + 1);
    expect(await sweepExpiredRows(own.api.deps, run)).toMatchObject({ magic_links: 2, portal_sessions: 0 });
    own.clock.advance(12 * 3_600_000);
    expect(await sweepExpiredRows(own.api.deps, run)).toMatchObject({ portal_sessions: 1 });
    expect(await count()).toEqual({ links: 0, sessions: 0 });
  } finally {
    await own.close();
  }
});
