import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPaymentId } from '../../../src/billing/invoices/service.ts';
import { insertPayments, type NewPayment } from '../../../src/billing/payments/queries.ts';
import { enterPayment } from '../../../src/billing/payments/staff.ts';
import { newId } from '../../../src/platform/ids.ts';
import { runCommand } from '../../cli/command-line.ts';
import type { Visitor } from '../../identity/oauth/visitor.ts';
import { startApi, type TestApi, testEnvironment } from '../../setup/api.ts';
import {
  createHousehold,
  createSubscription,
  createTenant,
  type TestHousehold,
} from '../../setup/factories.ts';
import { createInvoice } from '../../setup/invoice-factories.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { expectSoundPage, signedIn } from './console.ts';

const EMAIL = `k.${crypto.randomUUID()}@example.org`;
const NUMBER = 'KONSOLE1';

let api: TestApi;
let organization: string;
let home: TestHousehold;
let contract: string;
let invoice: { id: string; invoice_number: string };
let visitor: Visitor;
let foreign: Visitor;

beforeAll(async () => {
  api = await startApi();
  ({ organization } = await createTenant(api));
  home = await createHousehold(api.deps, organization, {
    customer: { type: 'person', first_name: 'Käthe', last_name: '<b>Voß</b>', email: EMAIL },
  });
  ({ id: contract } = await createSubscription(api.deps, organization, home, {
    ...{ number: NUMBER, status: 'active', start_at: '2025-12-31T23:00:00Z' },
  }));
  const of = { customer_id: home.customer, subscription_id: contract };
  invoice = await createInvoice(api.deps, organization, { ...of, total: '119.00' });
  await createInvoice(api.deps, organization, { ...of, total: '-20.50', document: null });
  await createInvoice(api.deps, organization, { ...of, status: 'paid', total: '7' });
  const act = { staff: 'ada', reason: 'cash', command: 'test', now: api.deps.clock.now().toISOString() };
  const bank = api.deps as unknown as Parameters<typeof enterPayment>[1];
  await enterPayment({ amount: '100.00' }, bank, organization, invoice.id, act);
  visitor = await signedIn(api, organization);
  foreign = await signedIn(api, (await createTenant(api)).organization, 'de');
});
afterAll(() => api.close());

const open = (path: string, who = visitor) => who.open(`${api.baseUrl}/console${path}`);

test('a contract is found by its number or the beginning of it, a bill, a part of the name, ids of it, and the e-mail address', async () => {
  for (const find of [
    NUMBER,
    NUMBER.toLowerCase(),
    'konso',
    invoice.invoice_number,
    'Käthe',
    'käthe <b>voß',
    'VOß',
    'K',
    contract,
    home.customer,
    home.household,
    EMAIL.toUpperCase(),
    '',
  ]) {
    const query = `/contracts?find=${encodeURIComponent(find)}`;
    const page = await open(query);
    expectSoundPage(page);
    expect([find, page.text.includes(`/console/contracts/${contract}"`)]).toEqual([find, true]);
    expect((await open(query, foreign)).text).not.toContain(`/console/contracts/${contract}`);
  }
  expect((await open('/contracts?status=active')).text).toContain(NUMBER);
  expect((await open('/contracts?status=ended')).text).toContain('There are no such contracts.');
  for (const find of ['Voß&status=ended', 'Käthes', 'ONSOLE1', 'KONSOLE2-001', '%', '_'])
    expect([
      find,
      (await open(`/contracts?find=${find.replace('%', '%25')}`)).text.includes(contract),
    ]).toEqual([find, false]);
});

test('a name is found in whichever form of Unicode it came, and was typed', async () => {
  const decomposed = 'Žofie Çelik'.normalize('NFD');
  const [first_name = '', last_name = ''] = decomposed.split(' ');
  const place = await createHousehold(api.deps, organization, {
    customer: { type: 'person', first_name, last_name, email: `z.${EMAIL}` },
  });
  const { id } = await createSubscription(api.deps, organization, place);
  for (const find of [decomposed, decomposed.normalize('NFC'), 'ŽOFIE ç', 'Ž'])
    expect([find, (await open(`/contracts?find=${encodeURIComponent(find)}`)).text.includes(id)]).toEqual([
      find,
      true,
    ]);
});

test('a search for a part of a name waits for the turn of the console', async () => {
  const { queue } = api.deps;
  const caller = { path: [organization, 'console'], weight: 50 } as const;
  const others = Promise.withResolvers<void>();
  const working = [1, 2].map(() => queue.inTurn(caller, () => others.promise));
  const page = open('/contracts?find=voß');
  await expect.poll(() => queue.account(caller).waiting).toBe(1);
  for (const find of ['', contract, home.customer]) {
    expect((await open(`/contracts?find=${find}`)).text).toContain(contract);
  }
  others.resolve();
  await Promise.all(working);
  expect((await page).text).toContain(contract);
});

test('whoever looks through contracts is kept, with the customers of those that were shown', async () => {
  const line = async () => (await auditRows(api, organization, 'personal_data.read')).at(-1);
  await open(`/contracts?find=${NUMBER}`);
  const route = 'GET /console/contracts';
  expect(await line()).toMatchObject({ object_id: home.customer, route, staff: expect.any(String) });
  await open('/contracts?status=ended');
  expect(await line()).toMatchObject({ object_id: null, route });
});

test('the back office sees a restricted customer, and since when he is', async () => {
  const change = (command: string) =>
    runCommand(
      testEnvironment(api.database, 'redis://127.0.0.1:1'),
      ...['customers', command, home.customer, '--organization', organization, '--reason', 'disputed'],
    );
  const words = 'Processing restricted since (Art. 18 GDPR)</dt><dd>';
  const page = async () => (await open(`/contracts/${contract}`)).text;
  expect(await page()).not.toContain(words);
  expect(await change('restrict')).toMatchObject({ exitCode: 0 });
  expect(await page()).toContain(words);
  expect(await page()).toContain(invoice.invoice_number);
  expect((await open('/contracts?find=käthe')).text).toContain(contract);
  expect(await change('lift-restriction')).toMatchObject({ exitCode: 0 });
  expect(await page()).not.toContain(words);
});

test('the list has the names of customers, but for those who were erased, whom nobody finds by it', async () => {
  const place = await createHousehold(api.deps, organization, {
    customer: {
      type: 'company',
      first_name: 'Ada',
      last_name: 'Berg',
      company_name: 'Bergwerk <Nord>',
      email: `b.${EMAIL}`,
    },
  });
  const { id } = await createSubscription(api.deps, organization, place, {
    status: 'ended',
    end_at: '2025-12-31T23:00:00Z',
    start_at: null,
    confirmed_at: null,
  });
  const list = await open('/contracts?find=werk');
  expectSoundPage(list);
  expect(list.text).toContain('<td data-column="Customer">Bergwerk &lt;Nord&gt;</td>');
  const erased = await runCommand(
    { DATABASE_OWNER_URL: api.database.ownerUrl, SECRET_PEPPER: api.deps.config.SECRET_PEPPER },
    ...['customers', 'erase', place.customer, '--organization', organization, '--reason', 'asked', '--yes'],
  );
  expect(erased).toMatchObject({ exitCode: 0 });
  expect((await open('/contracts?find=werk')).text).not.toContain(id);
  expect((await open('/contracts?find=erased')).text).not.toContain(id);
  expect((await open(`/contracts?find=${id}`)).text).toContain('<td data-column="Customer">(erased)</td>');
  await storedRows(
    api,
    `INSERT INTO customers (organization_id, id, type, first_name, last_name, email)
     SELECT $1, 'cus_' || lpad(n::text, 24, '0'), 'person', 'Max', 'Vielmann', n || '@example.org' FROM generate_series(1, 201) AS n`,
    [organization],
  );
  expect((await open('/contracts?find=vielmann')).text).toContain(
    'Only the newest 200 customers of this name',
  );
});

test('older contracts stand on further pages, each once', async () => {
  const tenant = await createTenant(api);
  const place = await createHousehold(api.deps, tenant.organization);
  let plan: { plan_id?: string } = {};
  for (let count = 0; count < 52; count += 1) {
    const number = `SEITE${String(count).padStart(3, '0')}`;
    const made = await createSubscription(api.deps, tenant.organization, place, {
      ...{ status: 'ended', type: 'feed_in', number, ...plan },
    });
    plan = { plan_id: made.plan };
  }
  const many = await signedIn(api, tenant.organization);
  const first = await open('/contracts?status=ended', many);
  const next = /href="\/console\/contracts(\?[^"]*)">Older/.exec(first.text)?.[1]?.replaceAll('&amp;', '&');
  const second = await open(`/contracts${next}`, many);
  const numbers = [first, second].flatMap(({ text }) => text.match(/SEITE\d+/g) ?? []);
  expect([numbers.length, new Set(numbers).size]).toEqual([52, 52]);
  expect(second.text).not.toContain('>Older');
});

test('its page shows facts, bills with what is missing, payments and the balance', async () => {
  const page = await open(`/contracts/${contract}`);
  expectSoundPage(page);
  for (const words of [
    'Käthe &lt;b&gt;Voß&lt;/b&gt;',
    '1 Jan 2026',
    'Gänsemarkt 12a, 20354 Hamburg',
    'to come in</dt><dd><b>€19.00',
    'to be paid out</dt><dd><b>€20.50',
    'entered by hand',
    '>€100.00<',
    `${invoice.invoice_number} (PDF)`,
  ]) {
    expect(page.text).toContain(words);
  }
  expect(page.text.match(/\(PDF\)/g)).toHaveLength(2);
  expect(page.text).not.toContain('DE89370400440532013000');
  expect((await auditRows(api, organization, 'personal_data.read')).at(-1)).toMatchObject({
    ...{ object_id: contract, route: 'GET /console/contracts/:id', staff: expect.stringMatching(/^usr_/) },
  });
  const german = await signedIn(api, organization, 'de');
  expect((await open(`/contracts/${contract}`, german)).text).toContain('Vertrag KONSOLE1');
});

test('a contract has the last day of supply that the portal shows, and none where supply did not begin', async () => {
  const place = await createHousehold(api.deps, organization);
  const [begins, ends] = ['2025-12-31T23:00:00Z', '2027-01-31T23:00:00Z'];
  const days = async (input: Parameters<typeof createSubscription>[3]) => {
    const { id } = await createSubscription(api.deps, organization, place, { status: 'ended', ...input });
    const { text } = await open(`/contracts?find=${id}`);
    const row = [...text.matchAll(/<td data-column="(?:Begins|Last day)" class="still">([^<]*)/g)];
    const facts = /<dt>Last day<\/dt><dd>([^<]*)/.exec((await open(`/contracts/${id}`)).text)?.[1];
    return [...row.map(([, day]) => day), facts];
  };
  expect(await days({ start_at: begins, end_at: ends })).toEqual([
    '1 Jan 2026',
    '31 Jan 2027',
    '31 Jan 2027',
  ]);
  const never = 'none, the supply does not begin';
  expect(await days({ start_at: null, confirmed_at: null, end_at: ends })).toEqual(['–', '–', never]);
  expect(await days({ start_at: ends, end_at: ends })).toEqual(['–', '–', never]);
});

test('a bill that was given up is owed as the portal says, until a bill takes it over', async () => {
  const place = await createHousehold(api.deps, organization);
  const { id } = await createSubscription(api.deps, organization, place, { status: 'active' });
  const of = { customer_id: place.customer, subscription_id: id };
  const given = { ...of, type: 'prepayment', status: 'uncollectible', total: '109.18' } as const;
  const { id: prepayment } = await createInvoice(api.deps, organization, given);
  const [row, bill] = [
    '>given up</td><td data-column="Still missing" class="number still">€109.18<',
    '<dd>given up</dd>',
  ];
  const page = await open(`/contracts/${id}`);
  expectSoundPage(page);
  expect(page.text).toContain(row);
  expect(page.text).toContain('to come in</dt><dd><b>€109.18');
  expect(page.text).toContain('of that given up</dt><dd><b>€109.18');
  const path = `/contracts/${id}/bills/${prepayment}`;
  const alone = await open(path);
  expect(alone.text).toContain(bill);
  expect(alone.text).toContain('Still missing</dt><dd>€109.18');

  const { invoice_number } = await createInvoice(api.deps, organization, {
    ...{ ...of, total: '109.18', period_start: '2025-12-31T23:00:00Z', period_end: '2027-12-31T23:00:00Z' },
  });
  const after = await open(`/contracts/${id}`);
  expect(after.text).toContain('to come in</dt><dd><b>€109.18');
  expect(after.text).not.toContain('given up');
  const behind = await open(path);
  expect(behind.text).toContain(`<dd>included in invoice ${invoice_number}</dd>`);
  expect(behind.text).toContain('Still missing</dt><dd>€0.00');
});

test('a bill whose debit is credited misses nothing, as the portal says, and nobody is asked to enter it again', async () => {
  const place = await createHousehold(api.deps, organization);
  const { id } = await createSubscription(api.deps, organization, place, { status: 'active' });
  const of = { customer_id: place.customer, subscription_id: id };
  const bill = await createInvoice(api.deps, organization, { ...of, total: '74.34' });
  const now = api.deps.clock.now().toISOString();
  const payment: NewPayment = {
    ...{
      id: newPaymentId(),
      customer_id: place.customer,
      invoice_id: bill.id,
      direction: 'in',
      amount: '74.34',
    },
    ...{ way: 'entered', status: 'credited', final_on: '2099-01-14', booked_on: '2026-11-03' },
    ...{ created_at: now, updated_at: now },
  };
  await api.deps.database.inOrganization({ organization }, (connection) =>
    insertPayments(connection, organization, [payment]),
  );
  const page = await open(`/contracts/${id}`);
  const status = 'open: the amount has come in, the bank may still take it back';
  expect(page.text).toContain(
    `>${status}</td><td data-column="Still missing" class="number still">€0.00</td>`,
  );
  expect(page.text).toContain('to come in</dt><dd><b>€0.00');
  const alone = await open(`/contracts/${id}/bills/${bill.id}`);
  expect(alone.text).toContain(`<dd>${status}</dd>`);
  expect(alone.text).toContain('Still missing</dt><dd>€0.00');
  expect(alone.text).not.toContain('Enter a payment');
});

test('a bill is opened by a link that is made at the click, and that is kept', async () => {
  const page = await open(`/contracts/${contract}/documents/${invoice.id}`);
  expect(page.status).toBe(302);
  const location = page.headers.get('location') ?? '';
  expect(location).toMatch(/\/files\//);
  const file = await fetch(location);
  expect([file.status, await file.text()]).toEqual([200, '%PDF-1.7 tests']);
  expect((await auditRows(api, organization, 'personal_data.read')).at(-1)).toMatchObject({
    object_id: invoice.id,
  });
});

test('nobody of another organization sees a contract or a bill, also not by its id', async () => {
  for (const path of [`/contracts/${contract}`, `/contracts/${contract}/documents/${invoice.id}`]) {
    const page = await open(path, foreign);
    expect([path, page.status, page.text.includes('Voß')]).toEqual([path, 404, false]);
  }
  const rows = await storedRows(api, 'SELECT FROM audit_log WHERE object_id = $1 AND organization_id <> $2', [
    contract,
    organization,
  ]);
  expect(rows).toEqual([]);
});

test('what is typed into an address harms nothing', async () => {
  for (const [path, status] of [
    ['/contracts/x', 404],
    ['/contracts/%00', 404],
    [`/contracts/${newId('sub')}`, 404],
    [`/contracts/${contract}/documents/x`, 404],
    [`/contracts/${contract}/documents/${newId('inv')}`, 404],
    ['/contracts?find=%00<script>@x', 200],
    ['/contracts?find=sub_x', 200],
    ['/contracts?find=cus_<script>&status=<script>&after=x', 200],
  ] as const) {
    const page = await open(path);
    expect([path, page.status, page.text.includes('<script>')]).toEqual([path, status, false]);
  }
});
