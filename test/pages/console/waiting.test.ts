import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBank, type TestBank } from '../../billing/payments/bank.ts';
import { createEntry } from '../../billing/payments/entries.ts';
import type { Page, Visitor } from '../../identity/oauth/visitor.ts';
import { createTenant } from '../../setup/factories.ts';
import type { BilledContract } from '../../setup/invoices.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { expectSoundPage, press, signedIn } from './console.ts';

const NOW = '2027-01-28T08:00:00.000Z';

const WORK = '/work';

let bank: TestBank;

beforeAll(async () => {
  bank = await startBank();
  bank.clock.set(NOW);
});
afterAll(() => bank?.close());

const open = (path: string, who: Visitor) => who.open(`${bank.api.baseUrl}/console${path}`);

const refusal = (deadline: string, code: string, of: BilledContract) =>
  storedRows(
    bank.api,
    `INSERT INTO billing_refusals (organization_id, customer_id, subscription_id, type, period_start, period_end, code, detail,
       deadline, first_at, last_at)
     VALUES ($1, $2, $3, 'usage', '2026-11-01', '2026-12-01', $4, 'tests: a row is missing', $5, $6, $6)`,
    [of.organization, of.customer, of.subscription, code, deadline, NOW],
  );

test('what waits is counted on home, without what ends by itself, and bills that are overdue are told as such, and first', async () => {
  const own = await bank.organization();
  const staff = await signedIn(bank.api, own);
  const countOf = ({ text }: Page) => /Waits for a person<\/dt><dd><b>([^<]*)/.exec(text)?.[1];
  const before = await open('', staff);
  const [late, soon] = [await bank.contract(own), await bank.contract(own)];
  await refusal('2027-01-27', 'missing_price', late);
  await refusal('2027-01-28', 'missing_usage', soon);
  await refusal('2027-01-01', 'not_settled', await bank.contract(own));
  await createEntry(bank.api, own);
  const home = await open('', staff);
  expectSoundPage(home);
  expect(Number(countOf(home)) - (Number(countOf(before)) || 0)).toBe(3);
  expect(home.text).toContain('/console/work/refused">Refused bills: 2, 1 of them overdue</a>');
  expect(home.text).toContain('/console/work/payments">Payments without a bill: 1</a>');
  const work = await open('/work', staff);
  const refused = work.text.slice(0, work.text.indexOf('</section>'));
  expect(/<section aria-label="([^"]*)/.exec(work.text)?.[1]).toBe('Refused bills');
  expect(refused).toContain('27 Jan 2027</span><span class="below">overdue<');
  expect(refused).not.toContain('28 Jan 2027</span><span class="below">overdue<');
  for (let count = 0; count < 101; count += 1) await createEntry(bank.api, own);
  const more = await open('', staff);
  expect(countOf(more)).toMatch(/^at least /);
  expect(more.text).toContain('Payments without a bill: at least 100</a>');
});

test('of overdue bills no more are counted than of all, and where all are, they are the least too', async () => {
  const { organization } = await createTenant(bank.api);
  const own = await bank.contract(organization);
  const staff = await signedIn(bank.api, organization);
  const overdue = async () => /Refused bills: ([^<]*)/.exec((await open('', staff)).text)?.[1];
  const due = (deadline: string, first: number, last: number) =>
    storedRows(
      bank.api,
      `INSERT INTO billing_refusals (organization_id, customer_id, subscription_id, type, period_start, period_end, code, detail,
         deadline, first_at, last_at)
       SELECT $1, $2, $3, 'usage', '2010-01-01'::date + n, '2010-01-02'::date + n, 'missing_price', 'tests: a row is missing',
              $4::date, $5, $5 FROM generate_series($6::int, $7::int) AS n`,
      [organization, own.customer, own.subscription, deadline, NOW, first, last],
    );
  await due('2027-01-01', 1, 60);
  await due('2027-03-01', 61, 120);
  expect(await overdue()).toBe('at least 100, 60 of them overdue');
  await due('2027-01-02', 121, 170);
  expect(await overdue()).toBe('at least 100, at least 100 of them overdue');
});

test('nothing waits in an organization that is new', async () => {
  const { organization: empty } = await createTenant(bank.api);
  expect((await open('', await signedIn(bank.api, empty))).text).toContain(
    '<dt>Waits for a person</dt><dd><b>nothing</b>',
  );
});

test('the page of a movement shows 20 of its bills and says that there are more, and who looked at which is kept', async () => {
  const organization = await bank.organization();
  const staff = await signedIn(bank.api, organization);
  const looked = async () => (await auditRows(bank.api, organization, 'personal_data.read')).at(-1);
  const own = await bank.contract(organization);
  const { id: first, number } = await bank.bill(own, { total: '1.00' });
  const named = await createEntry(bank.api, organization, { amount: '2.00', text: number });
  await open(`${WORK}/payments/${named}`, staff);
  expect((await looked())?.object_id).toBe(`${named} ${first}`);
  const bills = [first];
  for (let month = 1; month < 21; month += 1) bills.push((await bank.bill(own, { month, total: '1.00' })).id);
  const entry = await createEntry(bank.api, organization, { amount: '21.00' });
  const path = `${WORK}/payments/${entry}`;
  const assign = { to: own.number, reason: 'call of the customer' };
  await press(staff, await open(path, staff), `/console${path}/assign`, assign);
  const page = await open(path, staff);
  expectSoundPage(page);
  const shown = [...page.text.matchAll(/\/bills\/(inv_\w+)"/g)].map(([, id]) => id);
  expect([new Set(shown).size, bills]).toEqual([20, expect.arrayContaining(shown)]);
  expect(page.text).toContain('<dt>Assigned to</dt><dd>and more</dd>');
  expect(page.text).toContain(`/console${path}/unassign"`);
  expect(await looked()).toMatchObject({
    ...{ route: 'GET /console/work/payments/:id', object_id: [entry, ...shown].join(' ') },
  });
});
