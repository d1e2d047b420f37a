import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDunning } from '../../../src/billing/dunning/run.ts';
import { startBank, type TestBank } from '../../billing/payments/bank.ts';
import type { Page, Visitor } from '../../identity/oauth/visitor.ts';
import { createHousehold, createSubscription } from '../../setup/factories.ts';
import { whileHeld } from '../../setup/held-row.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { attributesOf, expectSoundPage, press, signedIn } from './console.ts';

const WORK = '/work';

const NOW = '2027-01-28T08:00:00.000Z';

let bank: TestBank;
let organization: string;
let visitor: Visitor;

beforeAll(async () => {
  bank = await startBank();
  organization = await bank.organization();
  bank.clock.set(NOW);
  visitor = await signedIn(bank.api, organization);
});
afterAll(() => bank?.close());

const open = (path: string) => visitor.open(`${bank.api.baseUrl}/console${path}`);
const reason = { reason: 'letter of the customer' };

/** Presses a form of a page as it stands now. */
async function act(path: string, name: string, fields: Record<string, string> = {}) {
  const page = await open(path);
  expectSoundPage(page);
  return await press(visitor, page, `/console${path}/${name}`, { ...reason, ...fields });
}

async function contract(status: 'pending' | 'active' = 'active') {
  const place = await createHousehold(bank.api.deps, organization);
  const { id } = await createSubscription(bank.api.deps, organization, place, { status });
  return id;
}

const rowOf = async (id: string) =>
  (
    await storedRows<Record<string, unknown>>(
      bank.api,
      `SELECT status, (start_at AT TIME ZONE 'Europe/Berlin')::date::text AS start,
              (end_at AT TIME ZONE 'Europe/Berlin')::date::text AS end, termination_reason
         FROM subscriptions WHERE id = $1`,
      [id],
    )
  )[0];

const lastAct = async (object: string) =>
  (await auditRows(bank.api, organization, '')).findLast(
    ({ object_id, act: name }) => object_id === object && name !== 'personal_data.read',
  );

test('a sign-up waits on the page of work until it is confirmed, or rejected, on its contract', async () => {
  const [confirmed, rejected] = [await contract('pending'), await contract('pending')];
  const list = await open(`${WORK}/sign-ups`);
  expectSoundPage(list);
  for (const id of [confirmed, rejected]) expect(list.text).toContain(`/console/contracts/${id}"`);
  const wrong = await act(`/contracts/${confirmed}`, 'confirm', {
    start_on: '2027-03-01',
    malo: '41234567890',
  });
  expect([
    wrong.status,
    wrong.text.includes('<li>Market location (11 digits): The check digit is wrong'),
  ]).toEqual([400, true]);
  expect(attributesOf(wrong, 'confirm', 'malo')).toMatch(
    / value="41234567890" .* aria-invalid="true" aria-describedby="confirm-malo-wrong" autofocus$/,
  );
  expect(attributesOf(wrong, 'confirm', 'start_on')).toMatch(/ value="2027-03-01" (?!.*aria-invalid)/);
  expect(wrong.text.match(/<details open>/g)).toHaveLength(1);
  expect((await act(`/contracts/${confirmed}`, 'confirm', { start_on: '2027-03-01' })).status).toBe(303);
  expect(await rowOf(confirmed)).toMatchObject({ status: 'pending', start: '2027-03-01' });
  /* Sent again as it stands, for another number of the meter, it moves nothing. */
  const again = await open(`/contracts/${confirmed}`);
  expect(attributesOf(again, 'confirm', 'start_on')).toContain(' value="2027-03-01"');
  expect((await act(`/contracts/${rejected}`, 'reject')).status).toBe(303);
  expect(await rowOf(rejected)).toMatchObject({ status: 'ended', start: null });
  expect((await open(`${WORK}/sign-ups`)).text).not.toContain(confirmed);
  expect(await lastAct(confirmed)).toMatchObject({
    ...{ act: 'subscription.confirm', route: 'POST /console/contracts/:id/confirm', reason: reason.reason },
    ...{ staff: expect.stringMatching(/^usr_/), request_id: expect.any(String) },
  });
});

test('a termination is entered for the customer by the rules of the interface', async () => {
  const id = await contract();
  const path = `/contracts/${id}`;
  for (const [fields, status, words] of [
    [{ why: 'MOVE_OUT' }, 400, 'First day without supply: A move-out needs its day'],
    [{ why: 'CANCEL' }, 400, 'Kind: One of: ORDINARY'],
    [{ why: 'MOVE_OUT', end_on: '2026-02-30' }, 400, 'First day without supply: Not a day'],
    [{ why: 'MOVE_OUT', end_on: '2026-12-01' }, 409, 'The end date is not possible'],
  ] as const) {
    const refused = await act(path, 'terminate', fields);
    expect([fields, refused.status, refused.text.includes(words)]).toEqual([fields, status, true]);
    const wrong = words.startsWith('Kind') ? 'why' : 'end_on';
    expect(attributesOf(refused, 'terminate', wrong)).toContain(
      `aria-describedby="terminate-${wrong}-wrong"`,
    );
  }
  expect((await act(path, 'terminate', { why: 'MOVE_OUT', end_on: '2099-07-01' })).status).toBe(303);
  expect(await rowOf(id)).toMatchObject({ end: '2099-07-01', termination_reason: 'MOVE_OUT' });
  expect(await lastAct(id)).toMatchObject({ act: 'subscription.terminate' });
});

test('a button that is pressed again waits for the first time, and tells what became of that; a third press is told at once', async () => {
  const id = await contract();
  const pressedTwice = async (fields: Record<string, string>) => {
    const page = await open(`/contracts/${id}`);
    const send = () => press(visitor, page, `/console/contracts/${id}/terminate`, { ...reason, ...fields });
    let second: Promise<Page> | undefined;
    const first = await whileHeld(bank.api.database, ['subscriptions', id], send, async (holder) => {
      second = send();
      const answers = second.then(({ status }) => status);
      expect(await Promise.race([answers, holder.query('SELECT pg_sleep(0.3)')])).not.toBe(303);
      const third = await visitor.follow(await send(), bank.api.baseUrl);
      expect(third.text).toContain('If you do not see yet what became of it, load the page again');
    });
    return [first, await second] as [Page, Page];
  };
  const early = await pressedTwice({ why: 'MOVE_OUT', end_on: '2026-12-01' });
  expect(early.map(({ status }) => status)).toEqual([409, 409]);
  expect(early[1].text).toContain('The end date is not possible');
  const [first, second] = await pressedTwice({ why: 'MOVE_OUT', end_on: '2099-07-01' });
  expect(first.headers.get('location')).toBe(`${bank.api.baseUrl}/console/contracts/${id}`);
  const after = await visitor.follow(second, bank.api.baseUrl);
  expectSoundPage(after);
  expect(after.text).toContain('A form that comes in twice is carried out once');
  expect(
    (await auditRows(bank.api, organization, 'subscription.terminate')).filter(
      ({ object_id }) => object_id === id,
    ),
  ).toHaveLength(1);
});

test('the account to debit is changed as customers write it, as a mandate of its own, and of an ended contract for what is paid back', async () => {
  const id = await contract();
  const path = `/contracts/${id}`;
  const accountOf = () =>
    storedRows(
      bank.api,
      `SELECT m.iban, m.account_holder, m.mandate_signed_on::text AS signed
         FROM subscriptions s JOIN payment_methods m ON m.organization_id = s.organization_id AND m.id = s.payment_method_id
        WHERE s.id = $1`,
      [id],
    );
  const before = await accountOf();
  for (const [fields, words] of [
    [{ iban: 'DE89370400440532013001', account_holder: 'Käthe Voß' }, 'IBAN: The IBAN is not valid'],
    [{ account_holder: 'Käthe Voß' }, 'IBAN: The IBAN is not valid'],
    [{ iban: 'DE89370400440532013000', account_holder: ' ' }, 'Account holder: '],
  ] as const) {
    const refused = await act(path, 'payment-method', fields);
    expect([fields, refused.status, refused.text.includes(words)]).toEqual([fields, 400, true]);
  }
  expect(await accountOf()).toEqual(before);
  const typed = { iban: 'nl91 abna 0417 1643 00', account_holder: 'Käthe Voß' };
  expect((await act(path, 'payment-method', typed)).status).toBe(303);
  expect(await accountOf()).toEqual([
    { iban: 'NL91ABNA0417164300', account_holder: 'Käthe Voß', signed: '2027-01-28' },
  ]);
  expect((await open(path)).text).toContain('NL************4300, Käthe Voß');
  expect(await lastAct(id)).toMatchObject({
    ...{ act: 'subscription.update', result: 'done', route: 'POST /console/contracts/:id/payment-method' },
  });
  expect((await act(path, 'payment-method', typed)).status).toBe(303);
  expect(await lastAct(id)).toMatchObject({ act: 'subscription.update', result: 'unchanged' });
  await storedRows(bank.api, `UPDATE subscriptions SET status = 'ended', end_at = $2 WHERE id = $1`, [
    id,
    NOW,
  ]);
  const late = { iban: 'DE89370400440532013000', account_holder: 'Käthe Voß' };
  expect((await act(path, 'payment-method', late)).status).toBe(303);
  expect(await accountOf()).toMatchObject([{ iban: late.iban }]);
});

test('the instalment of a contract in advance is changed from a month on; of others there is no such form', async () => {
  const id = await contract();
  expect((await open(`/contracts/${id}`)).text).not.toContain('/instalment"');
  await storedRows(
    bank.api,
    `INSERT INTO billing_terms (organization_id, customer_id, subscription_id, valid_from, mode, instalment, basis, created_at)
     SELECT organization_id, customer_id, id, '2027-01-01', 'advance', 50, 'evidence', $2 FROM subscriptions WHERE id = $1`,
    [id, NOW],
  );
  const wrong = await act(`/contracts/${id}`, 'instalment', { instalment: '0', from: '2027-03' });
  expect([wrong.status, wrong.text.includes('Whole euros a month, with VAT: ')]).toEqual([400, true]);
  const sent = await act(`/contracts/${id}`, 'instalment', { instalment: '80', from: '2027-03' });
  expect(sent.status).toBe(303);
  const terms = await storedRows(
    bank.api,
    'SELECT valid_from::text, instalment::float8 FROM billing_terms WHERE subscription_id = $1 ORDER BY 1',
    [id],
  );
  expect(terms).toEqual([
    { valid_from: '2027-01-01', instalment: 50 },
    { valid_from: '2027-03-01', instalment: 80 },
  ]);
});

test('on its page a bill is paid in parts, refunded what was too much, and reminders are stopped and go on', async () => {
  const own = await bank.contract(organization);
  const bill = await bank.bill(own);
  const path = `/contracts/${own.subscription}/bills/${bill.id}`;
  expect((await open(`/contracts/${own.subscription}`)).text).toContain(`href="/console${path}"`);
  expect((await act(path, 'stop', { cause: 'disputed' })).status).toBe(303);
  const stopped = await open(path);
  expect(stopped.text).toContain('Reminders are stopped</dt><dd>disputed');
  expect(stopped.text).not.toContain('/stop"');
  expect((await act(path, 'resume')).status).toBe(303);
  expect((await act(path, 'pay', { amount: '19,00', on: '2027-01-20' })).status).toBe(303);
  expect((await open(path)).text).toContain('Still missing</dt><dd>€100.00');
  const wrong = await act(path, 'pay', { amount: '1.000,00' });
  expect([wrong.status, wrong.text.includes('Amount in euros: More than zero')]).toEqual([409, true]);
  expect((await act(path, 'pay', { amount: '101' })).status).toBe(303);
  const refund = await act(path, 'refund', { amount: '1.01' });
  expect([refund.status, refund.text.includes('Amount in euros: At most 1.00')]).toEqual([409, true]);
  expect((await act(path, 'refund')).status).toBe(303);
  expect((await bank.stateOf(bill.id)).payments).toEqual([
    ...['in entered 101.00 settled', 'in entered 19.00 settled', 'out entered 1.00 settled'],
  ]);
  const done = await open(path);
  expectSoundPage(done);
  expect(done.text).not.toContain('<form class="act"');
  expect((await auditRows(bank.api, organization, 'dunning.')).map(({ act: name }) => name)).toEqual([
    ...['dunning.stop', 'dunning.resume'],
  ]);
  const elsewhere = `/contracts/${await contract()}/bills/${bill.id}`;
  expect((await open(elsewhere)).status).toBe(404);
});

/* The last one: it sets the clock. */
test('the page of a bill says of a reminder whether its mail left', async () => {
  const of = await bank.organization();
  const own = await bank.contract(of);
  const bill = await bank.bill(own);
  bank.clock.set('2027-02-02T08:00:00.000Z');
  const { deps } = bank.api;
  const run = { organization: of, signal: new AbortController().signal, log: deps.log };
  const shown = async () => {
    const staff = await signedIn(bank.api, of);
    return await staff.open(`${bank.api.baseUrl}/console/contracts/${own.subscription}/bills/${bill.id}`);
  };
  await runDunning({ ...deps, mail: { ...deps.mail, isOn: false } }, run);
  expect((await shown()).text).toContain('1 on 2 Feb 2027 (planned, its mail waits)');
  await runDunning(deps, run);
  expect((await shown()).text).toMatch(/1 on 2 Feb 2027</);
});
