import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InternalStatus } from '../../../src/contracts/meter-orders/schema.ts';
import { newId } from '../../../src/platform/ids.ts';
import { startBank, type TestBank } from '../../billing/payments/bank.ts';
import { createEntry } from '../../billing/payments/entries.ts';
import type { Page, Visitor } from '../../identity/oauth/visitor.ts';
import type { BilledContract } from '../../setup/invoices.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { attributesOf, expectSoundPage, press, signedIn } from './console.ts';

const WORK = '/work';

const NOW = '2027-01-28T08:00:00.000Z';

let bank: TestBank;
let organization: string;
let contract: BilledContract;
let bill: { id: string; number: string };
let visitor: Visitor;
let foreign: Visitor;

beforeAll(async () => {
  bank = await startBank();
  organization = await bank.organization();
  contract = await bank.contract(organization);
  bill = await bank.bill(contract);
  bank.clock.set(NOW);
  visitor = await signedIn(bank.api, organization);
  foreign = await signedIn(bank.api, await bank.organization(), 'de');
});
afterAll(() => bank?.close());

const open = (path: string, who = visitor) => who.open(`${bank.api.baseUrl}/console${path}`);
const reason = { reason: 'call of the <b>customer</b>' };

/** A form that no page of theirs shows, with what a page of theirs gives. */
async function sendForm(who: Visitor, path: string, fields: Record<string, string>): Promise<Page> {
  const { text } = await open('/keys', who);
  const hidden = [...text.matchAll(/<input type="hidden" name="(_form|_csrf)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value],
  );
  return await who.open(`${bank.api.baseUrl}/console${path}`, {
    method: 'POST',
    body: new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

async function meterOrder(status: InternalStatus, given: { updated_at: string; appointment_at?: string }) {
  const { customer, subscription } = await bank.contract(organization);
  const id = newId('prdo');
  const isBlocked = status.startsWith('blocked');
  await storedRows(
    bank.api,
    `INSERT INTO meter_orders (organization_id, customer_id, subscription_id, id, product, provider, status,
       unblocked_status, blocked_at, blocked_reason, appointment_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'smart-meter-octopus', 'octopus', $5, $6, $7, $8, $9, $10, $10)`,
    [
      ...[organization, customer, subscription, id, status, isBlocked ? 'ordered' : status],
      ...(isBlocked ? [given.updated_at, 'check_missing'] : [null, null]),
      ...[given.appointment_at ?? null, given.updated_at],
    ],
  );
  return id;
}

async function reduction(status = 'ordered') {
  const { customer, subscription } = await bank.contract(organization);
  const id = newId('gfr');
  await storedRows(
    bank.api,
    `INSERT INTO grid_fee_reductions (organization_id, customer_id, subscription_id, id, type, status, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'enwg-14a-module-1', $5, $6, $6)`,
    [organization, customer, subscription, id, status, NOW],
  );
  return { id, subscription };
}

async function refusal(deadline: string | null, code: string, of = contract) {
  await storedRows(
    bank.api,
    `INSERT INTO billing_refusals (organization_id, customer_id, subscription_id, type, period_start, period_end, code, detail,
       deadline, first_at, last_at)
     VALUES ($1, $2, $3, 'usage', '2026-11-01', '2026-12-01', $4, 'tests: <i>a row</i> is missing', $5, $6, $6)`,
    [organization, of.customer, of.subscription, code, deadline, NOW],
  );
}

const sectionOf = (page: Page, title: string) => {
  const from = page.text.indexOf(`<section aria-label="${title}">`);
  if (from < 0) throw new Error(`No list ${title}`);
  return page.text.slice(from, page.text.indexOf('</section>', from));
};

describe('what waits', () => {
  test('meter orders that the supplier has to move stand by how long they wait, and no others', async () => {
    const ids = {
      waiting: await meterOrder('waiting', { updated_at: '2027-01-03T08:00:00Z' }),
      blocked: await meterOrder('blocked', { updated_at: '2027-01-01T08:00:00Z' }),
      visited: await meterOrder('installation_scheduled', {
        ...{ updated_at: '2026-12-01T08:00:00Z', appointment_at: '2027-01-02T08:00:00Z' },
      }),
    };
    const undated = await meterOrder('installation_waiting', { updated_at: '2027-01-04T08:00:00Z' });
    await meterOrder('installation_scheduled', {
      ...{ updated_at: '2026-12-01T08:00:00Z', appointment_at: '2027-02-02T08:00:00Z' },
    });
    await meterOrder('ordered', { updated_at: '2026-12-01T08:00:00Z' });
    const page = await open(`${WORK}/meter-orders`);
    expectSoundPage(page);
    expect(page.text.match(/prdo_\w+/g)).toEqual([ids.blocked, ids.visited, ids.waiting, undated]);
    expect(page.text).toContain('held back: an approval is missing');
  });

  test('refused bills stand by their deadline with the reason, and those that end by themselves are left out', async () => {
    const [late, without, waits] = [
      await bank.contract(organization),
      await bank.contract(organization),
      await bank.contract(organization),
    ];
    await refusal(null, 'missing_price', without);
    await refusal('2027-02-01', 'missing_usage', late);
    await refusal('2027-01-01', 'not_settled', waits);
    const page = await open(`${WORK}/refused`);
    expectSoundPage(page);
    expect(page.text.match(/contracts\/sub_\w+#missing/g)).toEqual(
      [late, without].map(({ subscription }) => `contracts/${subscription}#missing`),
    );
    expect(page.text).toContain('<span class="below">tests: &lt;i&gt;a row&lt;/i&gt; is missing');
    const german = await open(`${WORK}/refused`, await signedIn(bank.api, organization, 'de'));
    expect(german.text).toContain('Viertelstunden fehlen');
    expect(german.text).toContain('auf Englisch: <span lang="en">tests: &lt;i&gt;a row&lt;/i&gt; is missing');
    await storedRows(bank.api, 'UPDATE billing_refusals SET detail = $2 WHERE subscription_id = $1', [
      late.subscription,
      'levies stromsteuer: no row is valid on 2026-11-03. It is entered with "tariffs import".',
    ]);
    expect((await open(`${WORK}/refused`, await signedIn(bank.api, organization, 'de'))).text).toContain(
      '<span class="below">levies stromsteuer: Am 3. Nov. 2026 gilt keine Zeile. Eingetragen wird sie mit',
    );
    const own = await open(`/contracts/${late.subscription}`);
    expectSoundPage(own);
    expect(own.text).toContain('id="missing"');
    const again = await press(visitor, own, `/console/contracts/${late.subscription}/bill`, reason);
    expect(again.status).toBe(303);
    const jobs = await storedRows<{ payload: unknown }>(
      bank.api,
      "SELECT payload FROM job_runs WHERE organization_id = $1 AND job = 'bill-portion'",
      [organization],
    );
    expect(jobs).toEqual([
      { payload: expect.objectContaining({ first: late.subscription, last: late.subscription }) },
    ]);
  });

  test('unmatched payments stand there with bills that they may be for, and who looked is kept', async () => {
    await createEntry(bank.api, organization, {
      ...{ amount: '119.00', name: 'Ole <u>Olsen</u>', text: `bill ${bill.number}` },
    });
    const page = await open('/work');
    expectSoundPage(page);
    const list = sectionOf(page, 'Payments without a bill');
    expect(list).toContain('Ole &lt;u&gt;Olsen&lt;/u&gt;');
    expect(list).toContain(
      `${bill.number}, Käthe Voß, €119.00 missing (names the bill, exactly this amount)`,
    );
    expect((await auditRows(bank.api, organization, 'personal_data.read')).at(-1)).toMatchObject({
      ...{ route: 'GET /console/work', object_id: expect.stringContaining(bill.id) },
      staff: expect.stringMatching(/^usr_/),
    });
  });

  test('who looked at a list or an order is kept, with the contracts of a list', async () => {
    const order = await meterOrder('blocked', { updated_at: '2027-01-01T08:00:00Z' });
    const { id, subscription } = await reduction();
    for (const [path, route, object] of [
      ['/reductions', ':list', expect.stringContaining(subscription)],
      ['/meter-orders', ':list', expect.stringMatching(/^sub_\w+( sub_\w+)*$/)],
      [`/meter-orders/${order}`, 'meter-orders/:id', order],
      [`/reductions/${id}`, 'reductions/:id', id],
    ]) {
      expect((await open(`${WORK}${path}`)).status).toBe(200);
      const line = (await auditRows(bank.api, organization, 'personal_data.read')).at(-1);
      expect(line).toMatchObject({ route: `GET /console/work/${route}`, object_id: object });
    }
  });

  test('the page has five rows of each list; the rest stands on pages of its own, each row once', async () => {
    const own = await bank.organization();
    const many = await signedIn(bank.api, own);
    for (let day = 1; day <= 27; day += 1) {
      const booked_on = `2027-01-${String(day).padStart(2, '0')}`;
      await createEntry(bank.api, own, { booked_on, name: `Payer ${day}.` });
    }
    const payers = ({ text }: Page) => text.match(/Payer \d+\./g) ?? [];
    const nextOf = ({ text }: Page) =>
      /href="\/console(\/work\/payments\?[^"]*)">More/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const home = await open('/work', many);
    expect(payers(home)).toEqual([27, 26, 25, 24, 23].map((day) => `Payer ${day}.`));
    const after = await open(nextOf(home), many);
    const seen = [...payers(home), ...payers(after)];
    expect([seen.length, new Set(seen).size, nextOf(after)]).toEqual([27, 27, '']);
    const first = await open(`${WORK}/payments`, many);
    expect([payers(first).length, payers(await open(nextOf(first), many)).length]).toEqual([25, 2]);
  });

  test('nobody of another organization sees or changes anything of it', async () => {
    const entry = await createEntry(bank.api, organization);
    const order = await meterOrder('waiting', { updated_at: NOW });
    const module1 = await reduction();
    const page = await open('/work', foreign);
    expectSoundPage(page);
    expect(page.text).not.toMatch(/<tbody>/);
    const paths = [`payments/${entry}`, `meter-orders/${order}`, `reductions/${module1.id}`];
    for (const path of paths)
      expect([path, (await open(`${WORK}/${path}`, foreign)).status]).toEqual([path, 404]);
    for (const act of [`${paths[0]}/set-aside`, `${paths[1]}/move`, `${paths[2]}/reject`]) {
      const sent = await sendForm(foreign, `${WORK}/${act}`, { to: 'ordered', ...reason });
      expect([act, sent.status]).toEqual([act, 404]);
    }
    expect((await open(`${WORK}/meter-orders`)).text).toContain(order);
  });

  test('what is typed into an address harms nothing', async () => {
    for (const [path, status] of [
      [`${WORK}/<script>`, 404],
      [`${WORK}/payments/%00`, 404],
      [`${WORK}/payments/x`, 404],
      [`${WORK}/meter-orders/${newId('prdo')}`, 404],
      [`${WORK}/reductions/<script>`, 404],
      [`${WORK}/payments?after=<script>`, 200],
      [`${WORK}/payments?after=2027-02-30~bke_x`, 200],
      [`${WORK}/refused?after=infinity~sub_x~x~2027-01-01`, 200],
      [`${WORK}/corrections?after=%00`, 200],
      [`${WORK}/sign-ups?after=9999-99-99T00:00:00Z~sub_x`, 200],
    ] as const) {
      const page = await open(path);
      expect([path, page.status, page.text.includes('<script>')]).toEqual([path, status, false]);
    }
  });
});

describe('acts', () => {
  test('a movement is assigned by its form to a suggested bill, once, by the user and with the reason', async () => {
    const own = await bank.contract(organization);
    const paid = await bank.bill(own, { total: '61.17' });
    const entry = await createEntry(bank.api, organization, {
      amount: '61.17',
      iban: 'DE89370400440532013000',
      text: paid.number,
    });
    const page = await open(`${WORK}/payments/${entry}`);
    expectSoundPage(page);
    expect(page.text).not.toContain('DE89370400440532013000');
    expect(page.text).toContain(`value="${paid.number}"`);
    expect(page.text.match(/value="[^"]*" checked/g)).toEqual([`value="${paid.number}" checked`]);
    const action = `/console${WORK}/payments/${entry}/assign`;
    const other = await createEntry(bank.api, organization, { amount: '61.16', text: paid.number });
    expect((await open(`${WORK}/payments/${other}`)).text).not.toContain(' checked');
    const refused = await press(visitor, page, action, { bill: '', ...reason });
    const told = '<li>Another number: bill or contract: Needed: the number of a bill';
    expect([refused.status, refused.text.includes(told)]).toEqual([400, true]);
    const unknown = await press(visitor, refused, action, { bill: '', to: 'V-<1>', ...reason });
    expect([unknown.status, unknown.text.includes('There is no bill and no contract V-&lt;1&gt;')]).toEqual([
      409,
      true,
    ]);
    expect(attributesOf(unknown, 'assign', 'to')).toMatch(/ value="V-&lt;1&gt;" .* aria-invalid="true"/);
    expect(attributesOf(unknown, 'assign', 'reason')).toContain(' value="call of the &lt;b&gt;customer');
    expect(attributesOf(unknown, 'aside', 'reason')).toContain(' value=""');
    const both = await press(visitor, page, action, { bill: paid.number, to: 'V-1', ...reason });
    const choose = 'Leave it empty, or choose another one above';
    expect([both.status, both.text.includes(choose)]).toEqual([400, true]);
    expect((await bank.stateOf(paid.id)).payments).toEqual([]);
    for (const notice of ['', '?notice=sent']) {
      const sent = await press(visitor, page, action, { bill: paid.number, ...reason });
      expect([sent.status, sent.headers.get('location')]).toEqual([
        303,
        `${bank.api.baseUrl}/console/work/payments/${entry}${notice}`,
      ]);
    }
    expect((await bank.stateOf(paid.id)).payments).toEqual(['in bank_transfer 61.17 settled']);
    const after = await open(`${WORK}/payments/${entry}`);
    expectSoundPage(after);
    expect(after.text).toContain(`/bills/${paid.id}">${paid.number}, €61.17`);
    expect((await open(`/contracts/${own.subscription}`)).text).toContain(
      `href="/console${WORK}/payments/${entry}"`,
    );
    await press(visitor, after, `/console${WORK}/payments/${entry}/unassign`, reason);
    const back = await open(`${WORK}/payments/${entry}`);
    expectSoundPage(back);
    expect(back.text).toContain('not assigned: its assignment was taken back');
    expect(back.text).not.toContain('/unassign"');
    expect((await bank.stateOf(paid.id)).payments).toEqual(['in bank_transfer 61.17 returned NARR']);
    expect((await auditRows(bank.api, organization, 'payments.assign')).at(-1)).toMatchObject({
      ...{ object_id: entry, route: 'POST /console/work/payments/:id/assign', reason: reason.reason },
      ...{
        staff: expect.stringMatching(/^usr_/),
        request_id: expect.any(String),
        address: expect.any(String),
      },
    });
  });

  test('a movement is assigned to a typed contract, and one that is for no bill is set aside', async () => {
    const own = await bank.contract(organization);
    await bank.bill(own);
    const entry = await createEntry(bank.api, organization, { amount: '119.00' });
    const page = await open(`${WORK}/payments/${entry}`);
    await press(visitor, page, `/console${WORK}/payments/${entry}/assign`, { to: own.number, ...reason });
    expect((await open(`${WORK}/payments/${entry}`)).text).toContain('Assigned to');
    const fee = await createEntry(bank.api, organization, { amount: '-4.90' });
    const feePage = await open(`${WORK}/payments/${fee}`);
    await press(visitor, feePage, `/console${WORK}/payments/${fee}/set-aside`, reason);
    const aside = await open(`${WORK}/payments/${fee}`);
    expectSoundPage(aside);
    expect(aside.text).toContain('for no bill');
    expect(aside.text).not.toContain('/set-aside"');
  });

  test('a meter order is moved, blocked, unblocked and given another visit, by the rules of the command line', async () => {
    const id = await meterOrder('waiting', { updated_at: '2027-01-05T08:00:00Z' });
    const address = `/console${WORK}/meter-orders/${id}`;
    const act = async (name: string, fields: Record<string, string>) =>
      press(visitor, await open(`${WORK}/meter-orders/${id}`), `${address}/${name}`, {
        ...fields,
        ...reason,
      });
    expectSoundPage(await open(`${WORK}/meter-orders/${id}`));
    expect((await act('move', { to: 'blocked' })).status).toBe(303);
    expect((await act('unblock', {})).status).toBe(303);
    const refused = await act('move', { to: 'installation_scheduled' });
    expect([refused.status, refused.text.includes('<li>Visit (time of Berlin): Needed')]).toEqual([
      400,
      true,
    ]);
    const visit = { to: 'installation_scheduled', appointment_at: '2027-07-01T09:30' };
    expect((await act('move', visit)).status).toBe(303);
    const scheduled = await open(`${WORK}/meter-orders/${id}`);
    expectSoundPage(scheduled);
    expect(scheduled.text).toContain('01/07/2027, 09:30:00');
    expect((await act('reschedule', { appointment_at: '2027-07-02T10:00' })).status).toBe(303);
    expect((await act('reschedule', { appointment_at: '2027-07-32T10:00' })).status).toBe(400);
    const [row] = await storedRows<{ status: string; appointment_at: unknown }>(
      bank.api,
      `SELECT status, appointment_at::text FROM meter_orders WHERE id = $1`,
      [id],
    );
    expect(row).toMatchObject({
      status: 'installation_scheduled',
      appointment_at: expect.stringMatching(/07-02 (08|10):00/),
    });
    const kept = (await auditRows(bank.api, organization, 'meter_order.')).filter(
      ({ object_id }) => object_id === id,
    );
    expect(kept.map(({ act: name }) => name)).toEqual([
      ...['meter_order.move', 'meter_order.move', 'meter_order.move', 'meter_order.reschedule'],
    ]);
  });

  test('a module is accepted from a day on, ended, or rejected', async () => {
    const [taken, refused] = [await reduction(), await reduction()];
    const path = (id: string) => `${WORK}/reductions/${id}`;
    const page = await open(path(taken.id));
    expectSoundPage(page);
    const sent = await press(visitor, page, `/console${path(taken.id)}/accept`, {
      ...{ valid_from: '2027-01-01', ...reason },
    });
    expect(sent.status).toBe(303);
    const holds = await open(path(taken.id));
    expectSoundPage(holds);
    expect(holds.text).toContain('holds');
    const wrong = await press(visitor, holds, `/console${path(taken.id)}/end`, {
      valid_until: 'x',
      ...reason,
    });
    expect([wrong.status, wrong.text.includes('First day on which it no longer holds: Not a day')]).toEqual([
      400,
      true,
    ]);
    await press(visitor, holds, `/console${path(taken.id)}/end`, { valid_until: '2027-01-20', ...reason });
    await press(visitor, await open(path(refused.id)), `/console${path(refused.id)}/reject`, reason);
    const rows = await storedRows<{ status: string }>(
      bank.api,
      'SELECT status FROM grid_fee_reductions WHERE id = ANY ($1) ORDER BY status',
      [[taken.id, refused.id]],
    );
    expect(rows).toEqual([{ status: 'ended' }, { status: 'rejected' }]);
  });
});
