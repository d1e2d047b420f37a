import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setRestriction } from '../../../src/identity/customers/restrict.ts';
import { GERMAN_SENTENCES, toldProblem, toldSentence } from '../../../src/pages/console/refusals.ts';
import { textsIn } from '../../../src/pages/console/texts.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startBank, type TestBank } from '../../billing/payments/bank.ts';
import type { Visitor } from '../../identity/oauth/visitor.ts';
import { createFailedDelivery, createHousehold, createSubscription } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { attributesOf, press, signedIn } from './console.ts';

const WORK = '/work';

let bank: TestBank;
let organization: string;
let visitor: Visitor;

beforeAll(async () => {
  bank = await startBank();
  organization = await bank.organization();
  bank.clock.set('2027-01-28T08:00:00.000Z');
  visitor = await signedIn(bank.api, organization, 'de');
});
afterAll(() => bank?.close());

/** What the page says was wrong, with the language where it is another one. */
async function refusedBy(path: string, action: string, fields: Record<string, string>) {
  const page = await visitor.open(`${bank.api.baseUrl}/console${path}`);
  const { status, text } = await press(visitor, page, `/console${action}`, { reason: 'Brief', ...fields });
  expect([action, status < 500 && status >= 400, text.includes('Das wurde abgelehnt')]).toEqual([
    action,
    true,
    true,
  ]);
  const list = text.slice(text.indexOf('role="alert"'));
  const problems = list.slice(0, list.indexOf('</ul>')).matchAll(/<li>(.*?)<\/li>/g);
  return [...problems].map(([, words]) => words);
}

async function contract(status: 'pending' | 'active') {
  const place = await createHousehold(bank.api.deps, organization);
  return (await createSubscription(bank.api.deps, organization, place, { status })).id;
}

/** An order whose visit is over. */
async function meterOrder(subscription: string) {
  const id = newId('prdo');
  await storedRows(
    bank.api,
    `INSERT INTO meter_orders (organization_id, customer_id, subscription_id, id, product, provider, status,
       unblocked_status, created_at, updated_at)
     SELECT organization_id, customer_id, id, $2, 'smart-meter-octopus', 'octopus', 'installation_waiting',
       'installation_waiting', $3, $3 FROM subscriptions WHERE id = $1`,
    [subscription, id, '2027-01-05T08:00:00Z'],
  );
  return id;
}

test('a German reads in German why the console refused a form', async () => {
  const [active, pending] = [await contract('active'), await contract('pending')];
  const of = (id: string, act: string, fields: Record<string, string>) =>
    refusedBy(`/contracts/${id}`, `/contracts/${id}/${act}`, fields);
  expect(await of(active, 'terminate', { why: 'MOVE_OUT' })).toEqual([
    'Erster Tag ohne Belieferung: Zu einem Auszug gehört sein Tag',
  ]);
  expect(await of(active, 'terminate', { why: 'MOVE_OUT', end_on: '2026-12-01' })).toEqual([
    'Erster Tag ohne Belieferung: An diesem Tag kann der Vertrag nicht enden: frühestens 3. Feb. 2027',
  ]);
  expect(await of(active, 'terminate', { why: 'ORDINARY', reason: ' ' })).toEqual([
    'Grund: Nötig ist eine Zeile mit höchstens 500 Zeichen',
  ]);
  expect(await of(active, 'payment-method', { iban: 'DE1', account_holder: 'x' })).toEqual([
    'IBAN: Diese IBAN gibt es nicht',
  ]);
  expect(await of(pending, 'terminate', { why: 'ORDINARY' })).toEqual([
    'Vertrag: Der Beginn der Belieferung ist nicht bestätigt',
  ]);
  expect(await of(pending, 'confirm', { start_on: '2027-03-01', malo: '41234567890' })).toEqual([
    'Marktlokation: Die Prüfziffer stimmt nicht',
  ]);
  expect(await refusedBy('/keys', '/keys', { display_name: '\u202Eabc' })).toEqual([
    'Name: Zeichen, die die Schreibrichtung umkehren, sind nicht erlaubt',
  ]);
  expect(await refusedBy('/keys', '/keys', { display_name: '' })).toEqual([
    'Name: Nötig ist mindestens 1 Zeichen',
  ]);
  expect(await refusedBy('/webhooks', '/webhooks', { url: 'http://127.0.0.1/', contact_email: 'x' })).toEqual(
    ['E-Mail-Adresse: Keine vollständige E-Mail-Adresse', 'Adresse: Die Adresse muss mit https:// beginnen'],
  );
  const { endpoint } = await createFailedDelivery(bank.api, organization, { attempts: 1, description: 'x' });
  const rotate = { kind: 'overlap' };
  await storedRows(
    bank.api,
    "UPDATE webhook_endpoints SET previous_secret = '\\x00', previous_secret_until = $2 WHERE id = $1",
    [endpoint, '2027-01-29T08:00:00.000Z'],
  );
  expect(await refusedBy(`/webhooks/${endpoint}`, `/webhooks/${endpoint}/rotate`, rotate)).toEqual([
    'Empfänger: Ein früheres Geheimnis gilt noch bis 29.1.2027, 09:00:00, und mehr als zwei gehen nicht: ' +
      'Warten Sie so lange, oder wählen Sie, was mit den bisherigen geschieht',
  ]);
});

test('a delivery of a restricted customer is not sent again, and a German reads why', async () => {
  const { database } = bank.api.deps;
  const place = await createHousehold(bank.api.deps, organization);
  const { id } = await createSubscription(bank.api.deps, organization, place, { status: 'active' });
  const { endpoint, event } = await createFailedDelivery(bank.api, organization, {
    attempts: 1,
    description: 'x',
  });
  const happened = "UPDATE events SET context = jsonb_build_object('subscription', $2::text) WHERE id = $1";
  await storedRows(bank.api, happened, [event, id]);
  const act = { staff: 'tests', reason: 'disputed', command: 'test', now: bank.clock.now().toISOString() };
  await setRestriction(database, { organization, customer: place.customer }, true, act);
  const path = `/webhooks/${endpoint}/${event}`;
  expect(await refusedBy(path, `${path}/resend`, {})).toEqual([
    'Ereignis: Die Verarbeitung der Daten des Kunden ist eingeschränkt (Art. 18 DSGVO): ' +
      'Gesendet wird erst wieder, wenn der Betreiber das mit customers lift-restriction aufhebt',
  ]);
});

test('an act that came too late is refused in German with the state of the contract', async () => {
  const id = await contract('pending');
  const page = await visitor.open(`${bank.api.baseUrl}/console/contracts/${id}`);
  const sent = (act: string) =>
    press(visitor, page, `/console/contracts/${id}/${act}`, { reason: 'Brief', start_on: '2027-03-01' });
  expect((await sent('reject')).status).toBe(303);
  const refused = await sent('confirm');
  expect([refused.status, refused.text]).toEqual([
    409,
    expect.stringContaining(
      '<li>Vertrag: Bestätigt wird nur ein Vertrag, der auf den Netzbetreiber wartet; dieser ist: beendet</li>',
    ),
  ]);
});

test('a refusal stands at the field of the form that the rule means, which has another name there', async () => {
  const id = await contract('active');
  const sent = async (path: string, act: string, fields: Record<string, string>) => {
    const page = await visitor.open(`${bank.api.baseUrl}/console${path}`);
    return await press(visitor, page, `/console${path}/${act}`, { reason: 'Brief', ...fields });
  };
  const withdrawn = await sent(`/contracts/${id}`, 'terminate', { why: 'WITHDRAWAL' });
  expect([withdrawn.status, withdrawn.text]).toEqual([
    409,
    expect.stringContaining('<li>Art: Der Vertrag kann nicht widerrufen werden</li>'),
  ]);
  expect(attributesOf(withdrawn, 'terminate', 'why')).toContain('aria-invalid="true"');
  expect(attributesOf(withdrawn, 'terminate', 'reason')).not.toContain('aria-invalid');
  const silent = await sent(`/contracts/${id}`, 'terminate', { why: 'ORDINARY', reason: ' ' });
  expect(attributesOf(silent, 'terminate', 'reason')).toContain('aria-invalid="true"');

  const order = `${WORK}/meter-orders/${await meterOrder(id)}`;
  for (const [number, words] of [
    ['', 'Nötig ist die Nummer des Zählers, der eingebaut wurde'],
    ['1SMA\u0007', 'Steuerzeichen sind nicht erlaubt'],
  ] as const) {
    const refused = await sent(order, 'move', { to: 'installation_finished', number });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining(`<li>Nummer des Zählers: ${words}</li>`),
    ]);
    expect(attributesOf(refused, 'move', 'number')).toContain('aria-invalid="true"');
  }
});

test('a German reads that another device was mounted than the order has, or on another day', async () => {
  const order = `${WORK}/meter-orders/${await meterOrder(await contract('pending'))}`;
  const sent = async (fields: Record<string, string>) => {
    const page = await visitor.open(`${bank.api.baseUrl}/console${order}`);
    const to = 'installed';
    return await press(visitor, page, `/console${order}/move`, { reason: 'Brief', to, ...fields });
  };
  const mounted = { number: '1SMA0000000001', on: '2027-01-20' };
  expect((await sent(mounted)).status).toBe(303);
  expect((await sent(mounted)).status).toBe(303);
  const later = await sent({ ...mounted, on: '2027-01-27' });
  expect([later.status, later.text]).toEqual([
    409,
    expect.stringContaining(
      '<li>Tag: Intelligent ist der Zähler seit dem 20. Jan. 2027: Lassen Sie den Tag weg, oder lassen Sie jenen korrigieren (meters correct-exchange)</li>',
    ),
  ]);
  const other = await sent({ number: '1SMA0000000002', on: '2027-01-27' });
  expect([other.status, other.text]).toEqual([
    409,
    expect.stringContaining(
      '<li>Nummer des Zählers: Der Auftrag ist: eingebaut. Eingebaut wurde aber ein anderes Gerät</li>',
    ),
  ]);
});

/** Made of two parts where they are said; the tests above send for them. */
const COMPOSED =
  /^(?:The end date is not possible|Only a pending subscription can be confirmed|The address (?:must use|is this|needs)|The order is|The organization has|Invalid email|Only what is|Too small|Too big|No row of|\{\}: |The exit summary waits|usage_quarter_hours: \{\}|spot_prices: )/;

test.each([
  ['Database: no answer within 1 s', 'Database: keine Antwort in 1 s'],
  ['Database: not reachable (ECONNREFUSED)', 'Database: nicht erreichbar (ECONNREFUSED)'],
  [
    'levies stromsteuer: no row is valid on 2027-01-01; the last one ended on 2026-12-31. It is entered with "tariffs import".',
    'levies stromsteuer: Am 1. Jan. 2027 gilt keine Zeile; die letzte endete am 31. Dez. 2026. Eingetragen wird sie mit "tariffs import".',
  ],
  [
    'usage_quarter_hours: 3 of 2976 quarter hours of sub_x are missing, the first 2026-10-01T00:00; cli usage import takes them in',
    'usage_quarter_hours: 3 von 2976 Viertelstunden von sub_x fehlen, die erste 2026-10-01T00:00; cli usage import liest sie ein',
  ],
  [
    'The bill from 2026-10-01 to 2026-11-01 comes first, and it is refused: missing_price.',
    'Erst kommt die Rechnung vom 1. Okt. 2026 bis zum 1. Nov. 2026, und sie ist abgelehnt: ein Börsenpreis fehlt.',
  ],
])('a German reads why there is no bill, and what disturbs the service: %s', (said, told) => {
  expect(toldSentence(said, textsIn.de)).toEqual({ words: told, lang: null });
  expect(toldSentence(said, textsIn.en)).toEqual({ words: said, lang: null });
});

test('a sentence that the console has no German words for is told as English', () => {
  expect(toldProblem({ field: 'status', message: 'Later <1>' }, textsIn.de)).toEqual({
    ...{ field: 'status', name: 'Stand', words: 'Later <1>', lang: 'en' },
  });
});

test('whatever an act on receivers is refused for has German words', async () => {
  const events = join(import.meta.dirname, '../../../src/events');
  const unsaid: string[] = [];
  let sentences = 0;
  for await (const file of glob('{deliveries,endpoints,requests}/*.ts', { cwd: events })) {
    const text = (await readFile(join(events, file), 'utf8')).replaceAll(/\$\{[^}]*\}/g, '{}');
    for (const [, , message = ''] of text.matchAll(/\bmessage(?: =|:)\s+(['"`])(.*?)\1[;,]?$/gms)) {
      sentences += 1;
      if (!COMPOSED.test(message) && GERMAN_SENTENCES[message] === undefined) unsaid.push(message);
    }
  }
  expect(sentences).toBeGreaterThan(3);
  expect(unsaid).toEqual([]);
});

test('the console translates no sentence that nobody says', async () => {
  const src = join(import.meta.dirname, '../../../src');
  const files: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: src, exclude: ['pages/console/refusals.ts'] })) {
    files.push(await readFile(join(src, file), 'utf8'));
  }
  const said = files.join('\n').replaceAll(/\$\{[^}]*\}/g, '{}');
  const unsaid = Object.keys(GERMAN_SENTENCES).filter(
    (sentence) => !COMPOSED.test(sentence) && !said.includes(sentence),
  );
  expect(unsaid).toEqual([]);
});
