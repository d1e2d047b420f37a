import { afterAll, beforeAll, expect, test } from 'vitest';
import { voidInvoiceByStaff } from '../../../src/billing/invoices/issue/void.ts';
import { assignEntry, setEntryAside, unassignEntry } from '../../../src/billing/payments/assign.ts';
import { listOfPayments } from '../../../src/billing/payments/list.ts';
import { enterPayment, enterRefund } from '../../../src/billing/payments/staff.ts';
import { suggestionsFor } from '../../../src/billing/payments/suggest.ts';
import { runCommand } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { startBank, type TestBank } from './bank.ts';
import { createEntry } from './entries.ts';

const NOW = '2027-01-28T08:00:00.000Z';

let bank: TestBank;
let organization: string;
beforeAll(async () => {
  bank = await startBank();
  organization = await bank.organization();
  bank.clock.set(NOW);
});
afterAll(() => bank?.close());

const unmatched = (given: Parameters<typeof createEntry>[2] = {}) =>
  createEntry(bank.api, organization, given);
const assign = (entry: string, to: string, of = organization) =>
  assignEntry(to, bank.api.deps, of, entry, bank.act());
const unassign = (entry: string) => unassignEntry(bank.api.deps, organization, entry, bank.act());
const aside = (entry: string) => setEntryAside(bank.api.deps, organization, entry, bank.act());

async function stateOf(entry: string): Promise<string | undefined> {
  const [row] = await storedRows<{ state: string }>(
    bank.api,
    'SELECT state FROM bank_entries WHERE id = $1',
    [entry],
  );
  return row?.state;
}

test('an unmatched movement pays the bill that staff name, once, and keeps the movement with the payment', async () => {
  const bill = await bank.bill(await bank.contract(organization));
  const entry = await unmatched({ amount: '119.00', text: 'a wrong number' });
  const answers = await Promise.all([assign(entry, bill.number), assign(entry, bill.id)]);
  expect(answers[0]).toEqual({ entry, parts: [{ invoice: bill.number, amount: '119.00' }] });
  expect(answers[1]).toEqual(answers[0]);
  expect(await bank.stateOf(bill.id)).toEqual({
    ...{ status: 'paid', told: ['invoice.created', 'invoice.paid'] },
    payments: ['in bank_transfer 119.00 settled'],
  });
  expect(await stateOf(entry)).toBe('booked');
  const [payment] = await storedRows(
    bank.api,
    'SELECT bank_entry_id, booked_on::text FROM payments WHERE invoice_id = $1',
    [bill.id],
  );
  expect(payment).toEqual({ bank_entry_id: entry, booked_on: '2027-01-27' });
  expect(await auditRows(bank.api, organization, 'payments.assign')).toMatchObject([
    { object_id: entry, staff: 'tests', reason: 'test', result: 'done' },
    { object_id: entry, result: 'unchanged' },
  ]);
  await expect(assign(entry, (await bank.bill(await bank.contract(organization))).number)).rejects.toThrow(
    'It is booked: only an unmatched movement',
  );
});

test('money for a contract pays its open bills, those due first first, and the rest is paid too much', async () => {
  const contract = await bank.contract(organization);
  const later = await bank.bill(contract, { month: 1, dueOn: '2027-02-20' });
  const first = await bank.bill(contract);
  await enterPayment({ amount: '19' }, bank.api.deps, organization, first.id, bank.act());
  /* Part payments are no longer missing, for analysts as well. */
  expect(
    await storedRows(
      bank.api,
      'SELECT total_eur::text, missing_eur::text, taken_over_by FROM analytics.invoices WHERE invoice = $1',
      [first.id],
    ),
  ).toEqual([{ total_eur: '119.00', missing_eur: '100.00', taken_over_by: null }]);
  const part = await unmatched({ amount: '120.00' });
  expect((await assign(part, contract.number.toLowerCase())).parts).toEqual([
    { invoice: first.number, amount: '100.00' },
    { invoice: later.number, amount: '20.00' },
  ]);
  expect((await assign(part, contract.subscription)).parts).toHaveLength(2);
  await expect(assign(part, later.number)).rejects.toThrow('It is booked');
  await expect(assign(part, (await bank.contract(organization)).number)).rejects.toThrow('It is booked');
  const rest = await unmatched({ amount: '100.00' });
  expect((await assign(rest, contract.subscription)).parts).toEqual([
    { invoice: later.number, amount: '100.00' },
  ]);
  const overpaid = await listOfPayments(bank.api.deps.database, organization, 'overpaid', 100);
  expect(overpaid).toContainEqual(expect.objectContaining({ invoice_id: later.id, overpaid: '1.00' }));
  const none = await unmatched();
  await expect(assign(none, contract.number)).rejects.toMatchObject({
    entries: [expect.objectContaining({ field: 'to', message: expect.stringContaining('No bill') })],
  });
  expect(await stateOf(none)).toBe('unmatched');
});

test('money that went out settles an amount in favour of the customer, and never more than that', async () => {
  const contract = await bank.contract(organization);
  const credit = await bank.bill(contract, { total: '-30.00' });
  const tooMuch = await unmatched({ amount: '-30.01' });
  await expect(assign(tooMuch, credit.number)).rejects.toMatchObject({
    entries: [expect.objectContaining({ message: 'At most 30.00 is to be paid back' })],
  });
  await expect(assign(tooMuch, contract.number)).rejects.toMatchObject({ code: 'CONFLICT' });
  const paidOut = await unmatched({ amount: '-30.00' });
  await assign(paidOut, credit.number);
  expect(await bank.stateOf(credit.id)).toMatchObject({
    ...{ status: 'paid', payments: ['out entered 30.00 settled'] },
  });
  const wrongWay = await bank.bill(contract, { month: 1, total: '-5.00' });
  await expect(assign(await unmatched({ amount: '5.00' }), wrongWay.number)).rejects.toThrow();
});

test('a movement that is for no bill is set aside, listed as such, and may be assigned later', async () => {
  const entry = await unmatched({ amount: '119.00', name: 'Bank' });
  await aside(entry);
  const listed = async (list: 'unmatched' | 'set_aside') =>
    (await listOfPayments(bank.api.deps.database, organization, list, 100)).some(({ id }) => id === entry);
  expect([await listed('unmatched'), await listed('set_aside')]).toEqual([false, true]);
  await aside(entry);
  const results = (await auditRows(bank.api, organization, 'payments.set_aside')).map(({ result }) => result);
  expect(results).toEqual(['done', 'unchanged']);
  const bill = await bank.bill(await bank.contract(organization));
  await assign(entry, bill.number);
  await expect(aside(entry)).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('a movement that says that a payment came back is assigned to nothing, nor is one of another organization', async () => {
  const bill = await bank.bill(await bank.contract(organization));
  const returned = await unmatched({ amount: '-119.00', return_reason: 'AC04' });
  await expect(assign(returned, bill.number)).rejects.toMatchObject({ code: 'CONFLICT' });
  const entry = await unmatched();
  const other = await bank.organization();
  await expect(assign(entry, bill.number, other)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  for (const nothing of ['bke_x', bill.id]) {
    await expect(assign(nothing, bill.number)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
  await expect(assign(entry, 'NOTHING1-001')).rejects.toMatchObject({
    entries: [expect.objectContaining({ field: 'to' })],
  });
});

test('what an assignment did is undone with it: what is missing, what is too much, what a reversal owes', async () => {
  const contract = await bank.contract(organization);
  const [part, over] = [await bank.bill(contract), await bank.bill(contract, { month: 1, total: '20.00' })];
  const reversed = await bank.bill(contract, { month: 2, total: '50.00' });
  const entry = await unmatched({ amount: '30.00' });
  await assign(entry, part.number);
  expect((await unassign(entry)).parts).toEqual([
    { invoice: part.number, amount: '30.00', status: 'open', missing: '119.00' },
  ]);
  const [kept] = await storedRows(bank.api, 'SELECT state, note FROM bank_entries WHERE id = $1', [entry]);
  expect(kept).toEqual({ state: 'unmatched', note: 'taken_back' });
  /* Nothing tells whose money it was by mistake. */
  expect(
    await storedRows(bank.api, 'SELECT bank_entry_id, status FROM payments WHERE invoice_id = $1', [part.id]),
  ).toEqual([{ bank_entry_id: null, status: 'returned' }]);
  expect(await unassign(entry)).toEqual({ entry, parts: [] });
  const untouched = await unmatched();
  await expect(unassign(untouched)).rejects.toMatchObject({
    entries: [expect.objectContaining({ message: expect.stringContaining('It is unmatched') })],
  });
  await assign(entry, over.number);
  expect((await unassign(entry)).parts).toMatchObject([{ status: 'paid', missing: '20.00' }]);
  const overpaid = await listOfPayments(bank.api.deps.database, organization, 'overpaid', 100);
  expect(overpaid.map(({ invoice_id }) => invoice_id)).not.toContain(over.id);
  /* Its own money is assigned to it: nothing has to be reversed. */
  const own = await unmatched({ amount: '20.00' });
  await assign(own, over.number);
  expect((await bank.stateOf(over.id)).payments).toEqual([
    'in bank_transfer 20.00 settled',
    'in bank_transfer 30.00 returned NARR',
  ]);
  const paid = await unmatched({ amount: '50.00' });
  await assign(paid, reversed.number);
  const { voiding } = await voidInvoiceByStaff(bank.api.deps, organization, reversed.id, bank.act());
  await unassign(paid);
  expect(await bank.stateOf(voiding.id)).toEqual({
    ...{ status: 'paid', told: ['invoice.created', 'invoice.paid'], payments: ['out entered 50.00 settled'] },
  });
});

test('money of a contract that lies on a reversed bill is not there: it is taken back from it first', async () => {
  const contract = await bank.contract(organization);
  const reversed = await bank.bill(contract);
  const entry = await unmatched({ amount: '119.00' });
  await assign(entry, reversed.number);
  await assign(entry, contract.subscription);
  await voidInvoiceByStaff(bank.api.deps, organization, reversed.id, bank.act());
  await bank.bill(contract, { month: 1 });
  await expect(assign(entry, contract.subscription)).rejects.toMatchObject({
    entries: [expect.objectContaining({ field: 'entry', message: expect.stringContaining('It is booked') })],
  });
});

test('an assignment stays where money left because of it, and where a payment file made it', async () => {
  const contract = await bank.contract(organization);
  const [over, reversed] = [await bank.bill(contract), await bank.bill(contract, { month: 1 })];
  const both = await unmatched({ amount: '200.00' });
  await assign(both, over.number);
  const refund = [bank.api.deps, organization, over.id, bank.act()] as const;
  await enterRefund({}, ...refund);
  const leftBy = (message: string) => ({ entries: [expect.objectContaining({ field: 'entry', message })] });
  await expect(unassign(both)).rejects.toMatchObject(
    leftBy(
      `81.00 EUR of it were paid out by ${over.number}, or are in a file for the bank: assign what the customer gives back to ${over.number} first`,
    ),
  );
  await assign(await unmatched({ amount: '81.00' }), over.number);
  await expect(unassign(both)).rejects.toMatchObject({ code: 'CONFLICT' });
  await assign(await unmatched({ amount: '119.00' }), over.number);
  expect((await unassign(both)).parts).toMatchObject([{ status: 'paid', missing: '0.00' }]);
  const paid = await unmatched({ amount: '119.00' });
  await assign(paid, reversed.number);
  const { voiding } = await voidInvoiceByStaff(bank.api.deps, organization, reversed.id, bank.act());
  await enterRefund({ amount: '19' }, bank.api.deps, organization, voiding.id, bank.act());
  await expect(unassign(paid)).rejects.toMatchObject(
    leftBy(expect.stringContaining(`19.00 EUR of it were paid out by ${voiding.invoiceNumber}`)),
  );
  expect(await stateOf(paid)).toBe('booked');
  expect((await bank.stateOf(voiding.id)).status).toBe('open');
  /* Money that went out goes back to where it came from: the customer is owed it again. */
  const credit = await bank.bill(contract, { month: 2, total: '-30.00' });
  const out = await unmatched({ amount: '-30.00' });
  await assign(out, credit.number);
  expect((await unassign(out)).parts).toMatchObject([{ status: 'paid', missing: '-30.00' }]);
  const owed = await listOfPayments(bank.api.deps.database, organization, 'overpaid', 100);
  expect(owed).toContainEqual(expect.objectContaining({ invoice_id: credit.id, overpaid: '30.00' }));
  const executed = await unmatched({ state: 'booked', note: null });
  await expect(unassign(executed)).rejects.toMatchObject(leftBy(expect.stringContaining('payment file')));
  const other = await bank.organization();
  await expect(unassignEntry(bank.api.deps, other, paid, bank.act())).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('bills are suggested by number, contract, account, exact amount and name, the best first', async () => {
  const own = await bank.organization();
  const [named, ofContract, ofAmount] = [
    await bank.contract(own),
    await bank.contract(own),
    await bank.contract(own),
  ];
  await storedRows(
    bank.api,
    `UPDATE payment_methods SET iban = 'DE02120300000000202051' WHERE customer_id = $1`,
    [named.customer],
  );
  await storedRows(
    bank.api,
    `UPDATE customers SET first_name = 'Ole', last_name = 'Größe' WHERE organization_id = $1 AND id <> $2`,
    [own, ofAmount.customer],
  );
  const [first, second, third] = [
    await bank.bill(named, { total: '50.00' }),
    await bank.bill(ofContract, { total: '70.00' }),
    await bank.bill(ofAmount, { total: '33.33' }),
  ];
  const suggested = async (given: Parameters<typeof createEntry>[2]) => {
    const entry = await createEntry(bank.api, own, given);
    const found = await suggestionsFor(bank.api.deps.database, own, entry, bank.act());
    return found.map(({ invoice_number, reasons }) => [invoice_number, ...reasons]);
  };
  expect(
    await suggested({
      ...{ amount: '33.33', iban: 'DE02120300000000202051' },
      text: `bill ${first.number.toLowerCase()}, contract ${ofContract.number}.`,
    }),
  ).toEqual([
    [first.number, 'bill_number', 'account'],
    [second.number, 'contract_number'],
    [third.number, 'amount'],
  ]);
  expect(await suggested({ amount: '1.00', name: 'GRÖSSE,  OLE' })).toEqual([]);
  const byName = [first, second].map(({ number }) => [number, 'name']).toSorted();
  expect((await suggested({ amount: '1.00', name: 'GRÖßE,  OLE' })).toSorted()).toEqual(byName);
  const decomposed = 'Größe'.normalize('NFD');
  await storedRows(bank.api, `UPDATE customers SET last_name = $2 WHERE organization_id = $1 AND id = $3`, [
    own,
    decomposed,
    named.customer,
  ]);
  for (const name of ['Ole Größe', `${decomposed}, Ole`])
    expect((await suggested({ amount: '1.00', name })).toSorted()).toEqual(byName);
  expect(await suggested({ amount: '-33.33', name: 'Käthe Voß' })).toEqual([]);
  const other = await bank.organization();
  const foreign = await createEntry(bank.api, other, { amount: '33.33', text: first.number });
  expect(await suggestionsFor(bank.api.deps.database, other, foreign, bank.act())).toEqual([]);
});

test('the command line suggests, assigns, takes back and sets aside', async () => {
  const bill = await bank.bill(await bank.contract(organization));
  const environment = testEnvironment(bank.api.database, 'redis://127.0.0.1:1');
  const run = (...args: string[]) =>
    runCommand(environment, 'payments', ...args, '--organization', organization);
  const why = ['--reason', 'ticket 17', '--staff', 'ada'];
  const entry = await unmatched({ amount: '119.00', text: bill.number });
  expect((await run('suggest', entry, '--staff', 'ada')).stdout).toContain(bill.number);
  const looked = async () => (await auditRows(bank.api, organization, 'personal_data.read')).at(-1);
  expect(await looked()).toMatchObject({
    ...{ route: 'payments suggest', staff: 'ada', reason: 'looked at by the back office' },
    object_id: expect.stringContaining(`${entry} ${bill.id}`),
  });
  const assigned = await run('assign', entry, bill.number, ...why);
  expect([assigned.exitCode, assigned.stderr]).toEqual([0, '']);
  expect(assigned.stdout).toContain('119.00');
  const again = await run('assign', entry, bill.number, ...why);
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('Already entered')]);
  expect((await run('list', '--json')).stdout).toContain(`"bank_entry_id": "${entry}"`);
  const back = await run('unassign', entry, ...why);
  expect([back.exitCode, back.stderr]).toEqual([0, '']);
  expect(back.stdout).toContain(`${bill.number} stays paid: assign its own money to it, or reverse it`);
  expect(await auditRows(bank.api, organization, 'payments.unassign')).toContainEqual(
    expect.objectContaining({ object_id: entry, staff: 'ada', reason: 'ticket 17', result: 'done' }),
  );
  const untaken = await run('unassign', entry, ...why);
  expect([untaken.exitCode, untaken.stdout]).toEqual([0, expect.stringContaining('Already entered')]);
  const right = await bank.bill(await bank.contract(organization));
  expect((await run('list', '--what', 'unmatched')).stdout).toContain('taken_back');
  expect((await run('assign', entry, right.number, ...why)).exitCode).toBe(0);
  expect((await run('list', '--what', 'returned')).stdout).toContain(bill.number);
  const seen = await storedRows(
    bank.api,
    `SELECT invoice, status, amount_eur::text FROM analytics.payments WHERE invoice = ANY ($1) ORDER BY status`,
    [[bill.id, right.id]],
  );
  expect(seen).toEqual([
    { invoice: bill.id, status: 'returned', amount_eur: '119.00' },
    { invoice: right.id, status: 'settled', amount_eur: '119.00' },
  ]);
  const fee = await unmatched({ amount: '-4.90' });
  expect((await run('set-aside', fee, ...why)).exitCode).toBe(0);
  expect((await run('list', '--what', 'set_aside', '--reason', 'ticket 18')).stdout).toContain(fee);
  expect(await looked()).toMatchObject({
    ...{ route: 'payments list', object_id: expect.stringContaining(fee), reason: 'ticket 18' },
  });
  await run('list', '--what', 'returned', '--reason', 'ticket 19');
  expect(await looked()).toMatchObject({ reason: 'ticket 18' });
});
