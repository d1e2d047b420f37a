import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stopDunning } from '../../../src/billing/dunning/staff.ts';
import { newPaymentId } from '../../../src/billing/invoices/schema.ts';
import { setIssuer } from '../../../src/billing/issuers/service.ts';
import { insertPayments, type NewPayment } from '../../../src/billing/payments/queries.ts';
import { Visitor } from '../../identity/oauth/visitor.ts';
import { createSubscription, type TestHousehold } from '../../setup/factories.ts';
import { createInvoice } from '../../setup/invoice-factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { Portal } from './link.ts';

const ISSUER = {
  ...{
    name: 'Nordlicht Strom GmbH',
    street: 'Elbchaussee',
    house_number: '1',
    zip: '22765',
    city: 'Hamburg',
  },
  ...{
    contact_name: 'Kundendienst',
    email: 'hallo@example.org',
    phone: '+49 40 123456',
    vat_id: 'DE136695976',
  },
  ...{
    supplier_code: '9907248000001',
    iban: 'DE02120300000000202051',
    account_holder: 'Nordlicht Strom GmbH',
  },
  ...{ creditor_id: 'DE98ZZZ09999999999' },
};

let portal: Portal;
beforeAll(async () => {
  portal = await Portal.start();
});
afterAll(() => portal.close());

async function signedIn(customer: string, language = 'de-DE') {
  const visitor = new Visitor(language);
  await portal.enter(visitor, await portal.link(customer));
  return visitor;
}

type Input = Omit<Parameters<typeof createInvoice>[2], 'customer_id' | 'subscription_id'>;

async function contract(place: TestHousehold, number: string) {
  const { id } = await createSubscription(portal.api.deps, portal.organization, place, {
    number,
    status: 'active',
    type: 'feed_in',
  });
  return (input: Input = {}) => {
    portal.clock.advance(1);
    const of = { customer_id: place.customer, subscription_id: id };
    return createInvoice(portal.api.deps, portal.organization, { ...of, ...input });
  };
}

const words = (html: string) =>
  html
    .slice(html.indexOf('<main>'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');

const linksIn = (html: string) =>
  [...html.matchAll(/href="([^"]*\/overview\/invoices\/[^"]*)"/g)].map(([, to]) => to);

describe('the invoices of a contract', () => {
  test('stand on its page with number, month, amount and state, newest first, in German', async () => {
    const place = await portal.customer();
    const issue = await contract(place, 'RECHNUNG');
    await issue({ status: 'paid', total: '1234.5' });
    await issue({ total: '-80.25' });
    await issue({ type: 'prepayment', status: 'uncollectible' });
    await issue({ type: 'exit_summary', document: null });
    const { text } = await (await signedIn(place.customer)).open(`${portal.url}/overview`);
    const seen = words(text).replaceAll('\u00a0', ' ');
    expect(seen).toContain(
      'Rechnungen Schlussabrechnung RECHNUNG-004 April 2026, 119,00 € , offen ' +
        'Fällig am 31. Januar 2027, noch zu zahlen: 119,00 €. ' +
        'Wir buchen den Betrag von Ihrem Konto ab. Sie brauchen nichts zu tun. Das PDF wird gerade erstellt. ' +
        'Abschlag RECHNUNG-003 (PDF) März 2026, 119,00 € , uneinbringlich ' +
        'Fällig am 31. Januar 2027, noch zu zahlen: 119,00 €. ' +
        'Bitte überweisen Sie den Betrag mit dem Verwendungszweck RECHNUNG-003 auf das Konto, das im PDF steht. ' +
        'Abgebucht wird er nicht mehr. ' +
        'Gutschrift RECHNUNG-002 (PDF) Februar 2026, -80,25 € , wird ausgezahlt ' +
        'Rechnung RECHNUNG-001 (PDF) Januar 2026, 1.234,50 € , bezahlt',
    );
    expect(linksIn(text)).toHaveLength(3);
  });

  test('say of a bill that staff hold that nobody reminds of it and nothing is collected, in both languages', async () => {
    const place = await portal.customer();
    const issue = await contract(place, 'STRITTIG');
    const { id } = await issue();
    const now = portal.clock.now().toISOString();
    const act = { staff: 'ada', reason: 'ticket 17', command: 'invoices dunning stop', now };
    const { database, clock } = portal.api.deps;
    await stopDunning('disputed', { database, clock }, portal.organization, id, act);
    const seen = async (language: string) => {
      const { text } = await (await signedIn(place.customer, language)).open(`${portal.url}/overview`);
      return words(text).replaceAll('\u00a0', ' ');
    };
    expect(await seen('de-DE')).toContain(
      'noch zu zahlen: 119,00 €. Bis wir uns bei Ihnen melden, mahnen wir diese Rechnung nicht an und buchen nichts dafür ab. ',
    );
    expect(await seen('en-GB')).toContain(
      'Until you hear from us we neither remind you of this invoice nor collect anything for it. ',
    );
    expect(await seen('en-GB')).not.toMatch(/Please transfer|We collect the amount/);
  });

  test('say of an instalment that was not paid which bill it is in', async () => {
    const place = await portal.customer();
    const issue = await contract(place, 'ABSCHLAG');
    const { period_start, period_end } = {
      period_start: '2025-12-31T23:00:00Z',
      period_end: '2026-03-31T22:00:00Z',
    };
    await issue({ type: 'prepayment', status: 'uncollectible' });
    await issue({ period_start, period_end });
    const { text } = await (await signedIn(place.customer)).open(`${portal.url}/overview`);
    const seen = words(text).replaceAll('\u00a0', ' ');
    expect(seen).toContain('Rechnung ABSCHLAG-002 (PDF) Februar 2026, 119,00 € , offen');
    expect(seen).toContain(
      'Abschlag ABSCHLAG-001 (PDF) Januar 2026, 119,00 € , in Rechnung ABSCHLAG-002 enthalten',
    );
    expect(seen).not.toContain('überweisen');
  });

  test('are written in English for who asks for it', async () => {
    const place = await portal.customer();
    const issue = await contract(place, 'ENGLISCH');
    const { id } = await issue({ status: 'voided' });
    await issue({ type: 'void', voids: id, total: '-119' });
    const unpaid = await issue({ status: 'voided' });
    await issue({ type: 'void', voids: unpaid.id, total: '-119', status: 'paid' });
    const { text } = await (await signedIn(place.customer, 'en')).open(`${portal.url}/overview`);
    expect(words(text)).toContain(
      'Invoices Cancellation ENGLISCH-004 (PDF) April 2026, -€119.00 , settled ' +
        'Invoice ENGLISCH-003 (PDF) March 2026, €119.00 , cancelled ' +
        'Cancellation ENGLISCH-002 (PDF) February 2026, -€119.00 , to be paid out ' +
        'Invoice ENGLISCH-001 (PDF) January 2026, €119.00 , cancelled',
    );
  });

  test('older than a year are opened with a click', async () => {
    const place = await portal.customer();
    const issue = await contract(place, 'VIELE123');
    for (let month = 1; month <= 15; month += 1) await issue();
    const { text } = await (await signedIn(place.customer)).open(`${portal.url}/overview`);
    const [newest = '', older = ''] = text.split('<details>');
    expect([linksIn(newest).length, linksIn(older).length]).toEqual([12, 3]);
    expect(words(`<main>${older}`)).toContain('Ältere anzeigen (3) Rechnung VIELE123-003');
    expect(text).not.toContain('Noch ältere');
  });

  test('are left out beyond what a page holds, and the page says so', async () => {
    const place = await portal.customer();
    const issue = await contract(place, 'MENGE123');
    for (let month = 1; month <= 13; month += 1) await issue();
    for (let other = 1; other < 100; other += 1) await contract(place, `AN${String(other).padStart(6, '0')}`);
    const { text } = await (await signedIn(place.customer)).open(`${portal.url}/overview`);
    expect(linksIn(text)).toHaveLength(12);
    expect(text).toContain('Noch ältere schickt Ihnen Ihr Anbieter.');
  });
});

/** What a page says of whom to ask. */
const supplierIn = (text: string) => />(Ihr Anbieter:.*?)<\/p>/.exec(text)?.[1] ?? '';

describe('what is open of a bill', () => {
  test('is what did not come in, with the account and the reference where it is not collected, and what came in is said, beside whom to ask', async () => {
    const { deps } = portal.api;
    const before = await portal.customer({ status: 'active' });
    const { text: unknown } = await (await signedIn(before.customer)).open(`${portal.url}/overview`);
    expect(supplierIn(unknown)).toMatch(/^Ihr Anbieter: \S[^@]*$/);
    await setIssuer(deps.database, portal.organization, ISSUER, {
      ...{ staff: 'tests', reason: 'test', command: 'test', now: portal.clock.now().toISOString() },
    });
    const place = await portal.customer();
    const issue = await contract(place, 'ZAHLEN01');
    const [partly, returned] = [await issue(), await issue({ total: '80' })];
    const credited = await issue({ total: '90' });
    const paid = (invoice_id: string, amount: string, more: Partial<NewPayment>) => ({
      ...{ id: newPaymentId(), customer_id: place.customer, invoice_id, direction: 'in' as const, amount },
      ...{ created_at: '2026-11-20T10:00:00Z', updated_at: '2026-11-20T10:00:00Z', booked_on: '2026-11-19' },
      ...{ way: 'entered' as const, status: 'settled' as const, ...more },
    });
    const [method] = await storedRows<{ id: string }>(
      portal.api,
      'SELECT id FROM payment_methods WHERE customer_id = $1',
      [place.customer],
    );
    const gone = {
      status: 'returned' as const,
      return_reason: 'AC04',
      payment_method_id: method?.id ?? null,
    };
    const mayComeBack = { status: 'credited' as const, final_on: '2027-01-14' };
    for (const payment of [
      paid(partly.id, '19', {}),
      paid(returned.id, '80', gone),
      paid(credited.id, '90', mayComeBack),
    ]) {
      await deps.database.inOrganization({ organization: portal.organization }, (connection) =>
        insertPayments(connection, portal.organization, [payment]),
      );
    }
    const { text } = await (await signedIn(place.customer)).open(`${portal.url}/overview`);
    const seen = words(text).replaceAll('\u00a0', ' ');
    expect(seen).toContain('noch zu zahlen: 100,00 €. Wir buchen den Betrag von Ihrem Konto ab.');
    expect(seen).toContain(
      'noch zu zahlen: 80,00 €. Bitte überweisen Sie 80,00 € an Nordlicht Strom GmbH, ' +
        'IBAN DE02 1203 0000 0000 2020 51, Verwendungszweck ZAHLEN01-002.',
    );
    expect(seen).toContain('90,00 € , offen Der Betrag ist eingegangen. Sie brauchen nichts zu tun.');
    expect(supplierIn(text)).toBe(
      'Ihr Anbieter: Nordlicht Strom GmbH, <a href="mailto:hallo@example.org">hallo@example.org</a>, <a href="tel:+4940123456">+49 40 123456</a>',
    );
  });
});

describe('the link to a document', () => {
  test('leads who is signed in to the PDF, by a link made at the click', async () => {
    const place = await portal.customer();
    const issue = await contract(place, 'PDF00001');
    const { invoice_number } = await issue({ document: '%PDF-1.7 mine' });
    const visitor = await signedIn(place.customer);
    const { text } = await visitor.open(`${portal.url}/overview`);
    const address = new URL(linksIn(text)[0] ?? '', portal.url).href;
    /* Longer than a signed link works. */
    portal.clock.advance(2 * 3_600_000);
    const led = await visitor.open(address);
    expect(led.status).toBe(302);
    const location = led.headers.get('location') ?? '';
    expect(location.startsWith(`${portal.api.baseUrl}/files/`)).toBe(true);
    const file = await new Visitor().open(location);
    expect([file.status, file.text]).toEqual([200, '%PDF-1.7 mine']);
    expect(file.headers.get('content-disposition')).toContain(`${invoice_number}.pdf`);
  });

  test('leads nobody else, and nowhere without a document', async () => {
    const place = await portal.customer();
    const issue = await contract(place, 'MEINS001');
    const mine = await issue();
    const unmade = await issue({ document: null });
    const restricted = await (await contract(place, 'MEINS002'))();
    await storedRows(portal.api, 'UPDATE invoices SET restricted_at = now() WHERE id = $1', [restricted.id]);
    const other = await portal.customer({ status: 'active' });
    const [owner, stranger] = [await signedIn(place.customer), await signedIn(other.customer)];
    const open = async (visitor: Visitor, id: string) => {
      const { status, headers } = await visitor.open(`${portal.url}/overview/invoices/${id}`);
      return [status, headers.get('location')];
    };
    expect((await open(owner, mine.id))[0]).toBe(302);
    expect(await open(stranger, mine.id)).toEqual([404, null]);
    expect(await open(new Visitor(), mine.id)).toEqual([401, null]);
    for (const id of [unmade.id, restricted.id, 'inv_000000000000000000000000', 'x', '%00']) {
      expect(await open(owner, id)).toEqual([404, null]);
    }
    expect((await owner.open(`${portal.url}/overview`)).text).not.toContain(restricted.invoice_number);
  });
});
