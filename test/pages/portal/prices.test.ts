import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takePriced } from '../../contracts/subscription-prices/priced.ts';
import { Visitor } from '../../identity/oauth/visitor.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { Portal, words } from './link.ts';

/* What a kWh costs the customer of a contract today and tomorrow. */

const priced = await takePriced('2026-11-20T10:05:00.000Z');
let portal: Portal;

beforeAll(async () => {
  portal = await Portal.on(priced.api, priced.clock, priced.organization);
  /* Cheap from 2 to 5, dear from 17 to 20. */
  const price = (index: number) => {
    const hour = Math.floor(index / 4);
    return hour >= 2 && hour < 5 ? '-10' : hour >= 17 && hour < 20 ? '310' : String(90 + hour);
  };
  await priced.store('2026-11-20', price);
});
afterAll(() => priced.close());

const rows = (html: string) => [...html.matchAll(/<tr[^>]*>.*?<time datetime="([^"]+)".*?<\/tr>/gs)];

describe('the prices of a contract', () => {
  test('are those of the interface, part by part, for each quarter hour', async () => {
    const contract = await priced.contract();
    const page = await (await portal.signedIn(contract.place.customer)).open(
      portal.page(contract.id, 'prices'),
    );
    expect(page.status).toBe(200);
    const { body } = await priced.prices(contract, '2026-11-20');
    const shown = rows(page.text).map(([row, timestamp]) => ({
      timestamp: timestamp?.replace('.000Z', 'Z'),
      amounts: [...row.matchAll(/<data value="([^"]+)"/g)].map(([, value]) => Number(value)),
    }));
    expect(shown).toEqual(
      body.items?.map(({ timestamp, amount, components }) => ({
        timestamp,
        amounts: [amount, ...components.map((component) => component.amount)],
      })),
    );
    expect(shown).toHaveLength(96);
  });

  test('tell the price of now, and the cheapest and dearest hours in words', async () => {
    priced.clock.set('2026-11-19T23:10:00.000Z');
    const contract = await priced.contract();
    const visitor = await portal.signedIn(contract.place.customer);
    const { text } = await visitor.open(portal.page(contract.id, 'prices'));
    const seen = words(text);
    expect(seen).toMatch(/Jetzt \d\d,\d\d ct\/kWh/);
    expect(seen).toMatch(
      /Ab jetzt am günstigsten 02:00 bis 03:00 Uhr, im Mittel \d\d,\d\d ct\/kWh 03:00 bis 04:00/,
    );
    expect(seen).toMatch(/Ab jetzt am teuersten 17:00 bis 18:00 Uhr, im Mittel \d\d,\d\d ct\/kWh/);
    expect(seen).toContain('Die Preise für morgen kommen gegen 13 Uhr.');
    expect(rows(text).filter(([row]) => row.includes('>günstig<'))).toHaveLength(12);
    expect(rows(text).filter(([row]) => row.includes('>teuer<'))).toHaveLength(12);
    const english = await portal.signedIn(contract.place.customer, 'en');
    const { text: inEnglish } = await english.open(portal.page(contract.id, 'prices'));
    expect(words(inEnglish)).toContain('Dearest from now on 17:00 to 18:00');
    /* Of the source of this service. */
    expect(seen).toContain('Erfundene Zahlen');
    expect(words(inEnglish)).toContain('Made-up numbers');
    priced.clock.set('2026-11-20T10:05:00.000Z');
  });

  test('name no hour that is over, and near the end of the day none twice', async () => {
    const contract = await priced.contract();
    const seenAt = async (instant: string) => {
      priced.clock.set(instant);
      const visitor = await portal.signedIn(contract.place.customer);
      return words((await visitor.open(portal.page(contract.id, 'prices'))).text);
    };
    try {
      expect(await seenAt('2026-11-20T10:05:00.000Z')).toMatch(
        /am günstigsten 11:00 bis 12:00 Uhr, im Mittel \S+ ct\/kWh 12:00 bis 13:00 Uhr, im Mittel \S+ ct\/kWh 13:00 bis/,
      );
      expect(await seenAt('2026-11-20T21:59:00.000Z')).toMatch(
        /am günstigsten 22:00 bis 23:00 Uhr, im Mittel \S+ ct\/kWh Ab jetzt am teuersten 23:00 bis 00:00 Uhr/,
      );
      expect(await seenAt('2026-11-20T22:05:00.000Z')).toContain(
        '20. November 2026 Der Tag ist fast vorbei.',
      );
    } finally {
      priced.clock.set('2026-11-20T10:05:00.000Z');
    }
  });

  test('say that fees of the new year are missing, as the interface does, and only then', async () => {
    const contract = await priced.contract();
    const seen = async (language: 'de' | 'en') => {
      const visitor = await portal.signedIn(contract.place.customer, language);
      return words((await visitor.open(portal.page(contract.id, 'prices'))).text);
    };
    const sentences = { de: /Entgelte oder Umlagen .* abgelaufen/, en: /Fees or levies .* have ended/ };
    expect(await seen('de')).not.toMatch(sentences.de);
    priced.clock.set('2026-12-31T10:05:00.000Z');
    try {
      const { headers } = await priced.prices(contract, '2026-12-31', '2027-01-01');
      expect(headers.get('link')).toContain('carried forward');
      for (const language of ['de', 'en'] as const) expect(await seen(language)).toMatch(sentences[language]);
    } finally {
      priced.clock.set('2026-11-20T10:05:00.000Z');
    }
  });

  test('are drawn by a script of ours from that table, on this page only, and without it by the server', async () => {
    const contract = await priced.contract();
    const visitor = await portal.signedIn(contract.place.customer);
    const page = await visitor.open(portal.page(contract.id, 'prices'));
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(page.text).toMatch(/<noscript><div class="drawn">\s*<svg class="step-curve"[\s\S]*<\/svg>/);
    const script = /<script src="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const file = await new Visitor().open(new URL(script, portal.url).href);
    expect([file.status, file.text.includes('chart-table')]).toEqual([200, true]);
    const overview = await visitor.open(`${portal.url}/overview`);
    expect(overview.headers.get('content-security-policy')).not.toContain('script-src');
    expect(overview.text).toContain(`/overview/contracts/${contract.id}/prices"`);
  });

  test('say when supply is not confirmed, and are none of a feed-in contract', async () => {
    const pending = await priced.contract({ start_at: null, confirmed_at: null, status: 'pending' });
    const visitor = await portal.signedIn(pending.place.customer);
    const { text } = await visitor.open(portal.page(pending.id, 'prices'));
    expect(words(text)).toContain('noch nicht bestätigt');
    const feedIn = await priced.contract({ type: 'feed_in' });
    const other = await portal.signedIn(feedIn.place.customer);
    expect((await other.open(portal.page(feedIn.id, 'prices'))).status).toBe(404);
    expect((await other.open(`${portal.url}/overview`)).text).not.toContain(`${feedIn.id}/prices`);
  });

  test('say when supply begins, and when it ended', async () => {
    const seen = async (input: Parameters<typeof priced.contract>[0]) => {
      const contract = await priced.contract(input);
      const visitor = await portal.signedIn(contract.place.customer);
      return words((await visitor.open(portal.page(contract.id, 'prices'))).text);
    };
    const later = await seen({ start_at: '2026-11-30T23:00:00Z', status: 'pending' });
    expect(later).toContain('Die Belieferung beginnt am 1. Dezember 2026.');
    expect(later).not.toContain('bestätigt');
    expect(await seen({ end_at: '2026-11-20T23:00:00Z' })).toContain(
      'Morgen, 21. November 2026 Letzter Tag der Belieferung: 20. November 2026.',
    );
    expect(await seen({ end_at: '2026-11-18T23:00:00Z' })).toContain(
      'Letzter Tag der Belieferung: 18. November 2026.',
    );
    const withdrawn = { start_at: '2026-11-30T23:00:00Z', end_at: '2026-11-25T23:00:00Z' };
    expect(await seen({ ...withdrawn, status: 'pending' })).toContain('Die Belieferung beginnt nicht.');
  });

  test('on the day on which an hour comes twice carry the offset that tells the two apart', async () => {
    priced.clock.set('2026-10-24T22:30:00.000Z');
    try {
      await priced.store('2026-10-25', (index) =>
        String([2, 3, 4].includes(Math.floor(index / 4)) ? index : 100 + index),
      );
      const contract = await priced.contract();
      const visitor = await portal.signedIn(contract.place.customer);
      const { text } = await visitor.open(portal.page(contract.id, 'prices'));
      expect(words(text)).toMatch(
        /am günstigsten 02:00 \(\+02:00\) bis 02:00 \(\+01:00\) Uhr, im Mittel \S+ ct\/kWh 02:00 \(\+01:00\) bis 03:00 Uhr/,
      );
      const times = rows(text).map(([row]) => /<time[^>]*>([^<]+)</.exec(row)?.[1]);
      expect(times.slice(7, 17)).toEqual([
        ...['So 01:45', 'So 02:00 (+02:00)', 'So 02:15 (+02:00)', 'So 02:30 (+02:00)', 'So 02:45 (+02:00)'],
        ...['So 02:00 (+01:00)', 'So 02:15 (+01:00)', 'So 02:30 (+01:00)', 'So 02:45 (+01:00)', 'So 03:00'],
      ]);
    } finally {
      priced.clock.set('2026-11-20T10:05:00.000Z');
    }
  });

  test('are shown to the customer alone; who looked is kept', async () => {
    const contract = await priced.contract();
    const stranger = await priced.contract();
    const visitor = await portal.signedIn(stranger.place.customer);
    for (const id of [contract.id, 'sub_000000000000000000000000', 'x', '%00', '..%2f']) {
      expect((await visitor.open(portal.page(id, 'prices'))).status).toBe(404);
    }
    const out = await new Visitor('de').open(portal.page(contract.id, 'prices'));
    expect(out.status).toBe(401);
    const next = encodeURIComponent(`/overview/contracts/${contract.id}/prices`);
    expect(out.text).toContain(`href="/portal/login?next=${next}"`);
    await (await portal.signedIn(contract.place.customer)).open(portal.page(contract.id, 'prices'));
    const reads = (await auditRows(priced.api, priced.organization, '')).filter(
      ({ object_id, act }) => object_id === contract.id && act === 'personal_data.read',
    );
    expect(reads.map(({ route }) => route)).toEqual(['GET /portal/overview/contracts/:id/prices']);
    expect(
      await storedRows(priced.api, 'SELECT 1 FROM audit_log WHERE object_id = $1', [stranger.id]),
    ).toEqual([]);
  });

  /* The last two: they store the prices of tomorrow. */
  test('of tomorrow are late from 15:00 on, or held back', async () => {
    const contract = await priced.contract();
    const visitor = await portal.signedIn(contract.place.customer);
    const seen = async () => words((await visitor.open(portal.page(contract.id, 'prices'))).text);
    priced.clock.set('2026-11-20T14:05:00.000Z');
    expect(await seen()).toContain('Morgen, 21. November 2026 Die Preise dieses Tages sind verspätet.');
    await expect(priced.store('2026-11-21', '0')).rejects.toThrow('suspect');
    expect(await seen()).toContain('Die Preise dieses Tages werden zurückgehalten: Sie werden geprüft.');
  });

  test('name no cheapest hour of a day on which every hour costs the same', async () => {
    const contract = await priced.contract();
    await priced.store('2026-11-21', () => '80');
    const visitor = await portal.signedIn(contract.place.customer);
    const seen = words((await visitor.open(portal.page(contract.id, 'prices'))).text);
    expect(seen).toContain('Morgen, 21. November 2026 Jede Stunde kostet gleich viel.');
    expect(seen).not.toContain('kommen gegen 13 Uhr');
  });
});
