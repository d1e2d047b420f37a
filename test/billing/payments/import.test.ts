import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { voidInvoiceByStaff } from '../../../src/billing/invoices/issue/void.ts';
import { setIssuer } from '../../../src/billing/issuers/service.ts';
import { bankFiles } from '../../../src/billing/payments/bank-files.ts';
import { settleDebits } from '../../../src/billing/payments/book.ts';
import { listOfPayments } from '../../../src/billing/payments/list.ts';
import { makeDebitFile, makeRefundFile } from '../../../src/billing/payments/make-file.ts';
import { enterFailure } from '../../../src/billing/payments/staff.ts';
import { runCommandAt } from '../../cli/command-line.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { camt, OWN_IBAN, startBank, type TestBank } from './bank.ts';

/** Two settlement days before the collection on the due day, a Tuesday. */
const DEBITED = '2027-01-22T08:00:00.000Z';
const REPORTED = '2027-01-27T08:00:00.000Z';
/** Behind the five settlement days after 2027-01-26. */
const FINAL = '2027-02-03T08:00:00.000Z';

let bank: TestBank;
beforeAll(async () => {
  bank = await startBank();
});
afterAll(() => bank?.close());

/** Bills that are in a debit file. */
async function debited(count: number) {
  const organization = await bank.organization();
  const contract = await bank.contract(organization);
  const bills = [];
  for (let month = 0; month < count; month += 1) bills.push(await bank.bill(contract, { month }));
  bank.clock.set(DEBITED);
  const file = await makeDebitFile(bank.api.deps, organization, { provider: bankFiles }, bank.act());
  expect(file).toMatchObject({ payments: count, execute_on: '2027-01-26', left_out: [] });
  bank.clock.set(REPORTED);
  const [bill] = bills;
  if (bill === undefined) throw new Error('No bill');
  return { organization, contract, bills, bill, file };
}

describe('a debit', () => {
  test('is paid when its bank can no longer return it, five settlement days after it was credited', async () => {
    const { organization, bill } = await debited(1);
    const credit = { amount: '119.00', on: '2027-01-26', endToEndId: bill.number };
    expect(await bank.import(organization, camt([credit]))).toEqual({
      ...{ entries: 1, new: 1, known: [], pending: 0, booked: 1, unmatched: 0, settled: 0 },
    });
    expect(await bank.stateOf(bill.id)).toEqual({
      status: 'open',
      told: ['invoice.created'],
      payments: ['in direct_debit 119.00 credited'],
    });
    bank.clock.set('2027-02-01T22:59:59.000Z');
    expect(await bank.daily(organization)).toBe(0);
    bank.clock.set(FINAL);
    expect(await bank.daily(organization)).toBe(1);
    expect(await bank.daily(organization)).toBe(0);
    expect(await bank.stateOf(bill.id)).toEqual({
      status: 'paid',
      told: ['invoice.created', 'invoice.paid'],
      payments: ['in direct_debit 119.00 settled'],
    });
  });

  test('of an account that the issuer has no longer is reported by its bank all the same, and nothing else is', async () => {
    const { organization, bill } = await debited(1);
    const { database } = bank.api.deps;
    await setIssuer(database, organization, { iban: 'DE89370400440532013000' }, bank.act());
    const credit = { amount: '119.00', on: '2027-01-26', endToEndId: bill.number };
    expect(await bank.import(organization, camt([credit]))).toMatchObject({ booked: 1, unmatched: 0 });
    const mine = camt([{ amount: '1.00' }], { iban: 'DE89370400440532013000' });
    expect(await bank.import(organization, mine)).toMatchObject({ new: 1 });
    const other = camt([{ amount: '1.00' }], { iban: 'DE75512108001245126199' });
    await expect(bank.import(organization, other)).rejects.toThrow('Not the account of the issuer');
    const back = await setIssuer(database, organization, { iban: OWN_IBAN }, bank.act());
    expect(back.earlier_ibans).toEqual(['DE89370400440532013000']);
  });

  test('that came back is never paid, however late and in how many files the days are read', async () => {
    const { organization, bill } = await debited(1);
    const debit = { amount: '119.00', endToEndId: bill.number };
    const credit = { ...debit, on: '2027-01-26' };
    const back = { ...debit, amount: '-119.00', on: '2027-02-02', reason: 'AM04' };
    bank.clock.set('2027-02-10T08:00:00.000Z');
    for (const movement of [credit, { amount: '1.00', on: '2027-02-02', text: 'of nobody' }, back]) {
      expect(await bank.import(organization, camt([movement]))).toMatchObject({ new: 1, settled: 0 });
    }
    expect(await bank.daily(organization)).toBe(0);
    expect(await bank.stateOf(bill.id)).toMatchObject({
      status: 'open',
      told: ['invoice.created', 'invoice.payment_failed'],
    });
  });

  test('is paid without a later statement when nobody can have it given back, eight weeks after it was entered', async () => {
    const { organization, bill } = await debited(1);
    await bank.import(organization, camt([{ amount: '119.00', on: '2027-01-26', endToEndId: bill.number }]));
    bank.clock.set('2027-03-24T08:00:00.000Z');
    expect(await settleDebits(bank.api.deps, organization)).toBe(0);
    bank.clock.set('2027-03-25T08:00:00.000Z');
    expect(await settleDebits(bank.api.deps, organization)).toBe(1);
    expect(await bank.stateOf(bill.id)).toMatchObject({ status: 'paid' });
  });

  test('that a bank reports as returned twice is returned once; the other movement is left to a person', async () => {
    const { organization, bill } = await debited(1);
    const back = { amount: '-119.00', on: '2027-01-27', endToEndId: bill.number, reason: 'AM04' };
    await bank.import(organization, camt([back]));
    const once = await bank.stateOf(bill.id);
    expect(once.told).toEqual(['invoice.created', 'invoice.payment_failed']);
    expect(await bank.import(organization, camt([{ ...back, on: '2027-01-28' }]))).toMatchObject({
      ...{ new: 1, booked: 0, unmatched: 1 },
    });
    expect(await bank.stateOf(bill.id)).toEqual(once);
  });

  test('that comes back is a failed payment each time, and is asked for once more where the account was short', async () => {
    const { organization, bill } = await debited(1);
    await bank.import(
      organization,
      camt([
        { amount: '-122.50', on: '2027-01-27', endToEndId: bill.number, reason: 'AM04' },
        { amount: '119.00', on: '2027-01-26', endToEndId: bill.number },
      ]),
    );
    expect(await bank.stateOf(bill.id)).toEqual({
      status: 'open',
      told: ['invoice.created', 'invoice.payment_failed'],
      payments: ['in direct_debit 119.00 returned AM04'],
    });
    const again = await makeDebitFile(bank.api.deps, organization, { provider: bankFiles }, bank.act());
    expect(again.payments).toBe(1);
    await bank.import(
      organization,
      camt([{ amount: '-119.00', endToEndId: `${bill.number}.2`, reason: 'AM04', on: '2027-01-30' }]),
    );
    expect(
      (await bank.stateOf(bill.id)).told.filter((topic) => topic === 'invoice.payment_failed'),
    ).toHaveLength(2);
    const third = await makeDebitFile(bank.api.deps, organization, { provider: bankFiles }, bank.act());
    expect(third).toMatchObject({ id: null, payments: 0 });
  });

  test('of a closed account is not asked for again', async () => {
    const { organization, bill } = await debited(1);
    await bank.import(organization, camt([{ amount: '-119.00', endToEndId: bill.number, reason: 'AC04' }]));
    const again = await makeDebitFile(bank.api.deps, organization, { provider: bankFiles }, bank.act());
    expect(again).toMatchObject({ id: null, payments: 0 });
  });

  test('of a closed account is not asked for again by the bill that replaces its own', async () => {
    const { organization, contract, bill } = await debited(1);
    await bank.import(organization, camt([{ amount: '-119.00', endToEndId: bill.number, reason: 'AC04' }]));
    await voidInvoiceByStaff(bank.api.deps, organization, bill.id, bank.act());
    await bank.bill(contract, { total: '118.00' });
    const again = await makeDebitFile(bank.api.deps, organization, { provider: bankFiles }, bank.act());
    expect(again).toMatchObject({ id: null, payments: 0 });
  });

  test('that comes back after the bill was paid is listed, and the bill stays paid', async () => {
    const { organization, bill } = await debited(1);
    await bank.import(organization, camt([{ amount: '119.00', on: '2027-01-26', endToEndId: bill.number }]));
    bank.clock.set(FINAL);
    await bank.daily(organization);
    await bank.import(organization, camt([{ amount: '-119.00', endToEndId: bill.number, reason: 'MD06' }]));
    expect((await bank.stateOf(bill.id)).status).toBe('paid');
    expect(await listOfPayments(bank.api.deps.database, organization, 'returned', 9)).toEqual([
      expect.objectContaining({ invoice_id: bill.id, invoice_status: 'paid', return_reason: 'MD06' }),
    ]);
  });

  test('that staff entered as failed, and that the bank credits after all, is credited and may still come back, told once', async () => {
    const { organization, bill } = await debited(1);
    await enterFailure('AM04', bank.api.deps, organization, bill.id, bank.act());
    const credit = { amount: '119.00', on: '2027-01-26', endToEndId: bill.number };
    expect(await bank.import(organization, camt([credit]))).toMatchObject({ booked: 1, unmatched: 0 });
    expect((await bank.stateOf(bill.id)).payments).toEqual(['in direct_debit 119.00 credited']);
    const back = { ...credit, amount: '-119.00', on: '2027-01-27', reason: 'AM04' };
    expect(await bank.import(organization, camt([back]))).toMatchObject({ booked: 1, unmatched: 0 });
    expect(await bank.stateOf(bill.id)).toMatchObject({
      ...{ status: 'open', payments: ['in direct_debit 119.00 returned AM04'] },
      told: ['invoice.created', 'invoice.payment_failed'],
    });
    /* What the bank itself reported as returned is not credited again. */
    expect(await bank.import(organization, camt([{ ...credit, on: '2027-01-28' }]))).toMatchObject({
      ...{ booked: 0, unmatched: 1 },
    });
  });

  test('that comes back on the day on which the customer transferred the amount leaves the bill paid', async () => {
    const { organization, bill } = await debited(1);
    const [debit, transfer] = [{ endToEndId: bill.number }, { text: bill.number }];
    const statement = camt([
      { amount: '119.00', ...debit },
      { amount: '-119.00', ...debit, reason: 'AM04' },
      { amount: '119.00', ...transfer },
    ]);
    expect(await bank.import(organization, statement)).toMatchObject({ booked: 3, unmatched: 0 });
    expect(await bank.stateOf(bill.id)).toEqual({
      status: 'paid',
      told: ['invoice.created', 'invoice.paid'],
      payments: ['in bank_transfer 119.00 settled', 'in direct_debit 119.00 returned AM04'],
    });
  });

  test('is booked with its block where the bank reports blocks, if the sum is the sum', async () => {
    const { organization, bills, file } = await debited(2);
    const [row] = await storedRows<{ block_id: string }>(
      bank.api,
      "SELECT block_id FROM payments WHERE file_id = $1 AND sequence_type = 'RCUR'",
      [file.id],
    );
    const blockId = row?.block_id ?? '';
    for (const amount of ['118.99', '238.00']) {
      expect(await bank.import(organization, camt([{ amount, blockId }]))).toMatchObject({ unmatched: 1 });
    }
    expect(await bank.import(organization, camt([{ amount: '119.00', blockId }]))).toMatchObject({
      booked: 1,
    });
    const states = await Promise.all(bills.map(({ id }) => bank.stateOf(id)));
    expect(states.flatMap(({ payments }) => payments).toSorted()).toEqual([
      'in direct_debit 119.00 credited',
      'in direct_debit 119.00 requested',
    ]);
  });

  test.each(['before', 'behind'])(
    'that its bank refused is entered %s the credit of its block, and the others are credited',
    async (when) => {
      const { organization, file } = await debited(4);
      const block = await storedRows<{ block_id: string; invoice_id: string }>(
        bank.api,
        "SELECT block_id, invoice_id FROM payments WHERE file_id = $1 AND sequence_type = 'RCUR' ORDER BY id",
        [file.id],
      );
      const [first, second, third] = block.map(({ invoice_id }) => invoice_id);
      const environment = testEnvironment(bank.api.database, 'redis://127.0.0.1:1');
      const why = ['--organization', organization, '--staff', 'ada', '--reason', 'call of the bank'];
      const fail = (id = '') =>
        runCommandAt(bank.clock, environment, 'invoices', 'fail', id, '--code', 'AC04', ...why);
      const blockId = block[0]?.block_id ?? '';
      const credit = () => bank.import(organization, camt([{ amount: '119.00', blockId }]));
      const payments = async () =>
        (await Promise.all([first, second, third].map((id) => bank.stateOf(id ?? '')))).map((bill) =>
          bill.payments.join(),
        );
      if (when === 'behind') expect(await credit()).toMatchObject({ booked: 0, unmatched: 1 });
      await fail(first);
      expect((await payments()).slice(1)).toEqual(Array(2).fill('in direct_debit 119.00 requested'));
      await fail(second);
      if (when === 'before') expect(await credit()).toMatchObject({ booked: 1, unmatched: 0 });
      expect(await payments()).toEqual([
        ...Array(2).fill('in direct_debit 119.00 returned AC04'),
        'in direct_debit 119.00 credited',
      ]);
      expect(await listOfPayments(bank.api.deps.database, organization, 'unmatched', 9)).toEqual([]);
      /* Nothing of the block is left for a second credit. */
      const more = camt([{ amount: '119.00', on: '2027-01-28', blockId }]);
      expect(await bank.import(organization, more)).toMatchObject({ booked: 0, unmatched: 1 });
    },
  );
});

describe('a transfer of a customer', () => {
  test('in parts pays the bill with the last part; too much is listed', async () => {
    const organization = await bank.organization();
    const bill = await bank.bill(await bank.contract(organization));
    bank.clock.set(REPORTED);
    await bank.import(
      organization,
      camt([{ amount: '100.00', text: `Strom ${bill.number.toLowerCase()} danke` }]),
    );
    expect((await bank.stateOf(bill.id)).status).toBe('open');
    await bank.import(organization, camt([{ amount: '20.00', text: bill.number }]));
    expect(await bank.stateOf(bill.id)).toEqual({
      status: 'paid',
      told: ['invoice.created', 'invoice.paid'],
      payments: ['in bank_transfer 100.00 settled', 'in bank_transfer 20.00 settled'],
    });
    expect(await listOfPayments(bank.api.deps.database, organization, 'overpaid', 9)).toEqual([
      expect.objectContaining({ invoice_id: bill.id, received: '120.00', overpaid: '1.00' }),
    ]);
  });

  test('for several bills pays them if it is what they need together', async () => {
    const organization = await bank.organization();
    const contract = await bank.contract(organization);
    const bills = [await bank.bill(contract), await bank.bill(contract, { month: 1 })];
    bank.clock.set(REPORTED);
    const text = bills.map(({ number }) => number).join(' ');
    expect(await bank.import(organization, camt([{ amount: '237.99', text }]))).toMatchObject({
      unmatched: 1,
    });
    expect(await bank.import(organization, camt([{ amount: '238.00', text }]))).toMatchObject({ booked: 1 });
    for (const { id } of bills) expect((await bank.stateOf(id)).status).toBe('paid');
  });

  test('without a number is known by account and amount, if only one bill fits', async () => {
    const organization = await bank.organization();
    const contract = await bank.contract(organization);
    const bill = await bank.bill(contract);
    const [method] = await storedRows<{ iban: string }>(
      bank.api,
      `SELECT iban FROM payment_methods JOIN subscriptions ON payment_method_id = payment_methods.id WHERE subscriptions.id = $1`,
      [contract.subscription],
    );
    const iban = method?.iban ?? '';
    bank.clock.set(REPORTED);
    expect(await bank.import(organization, camt([{ amount: '118.00', iban }]))).toMatchObject({
      unmatched: 1,
    });
    expect(await bank.import(organization, camt([{ amount: '119.00', iban }]))).toMatchObject({ booked: 1 });
    expect((await bank.stateOf(bill.id)).status).toBe('paid');
    await bank.bill(contract, { month: 1 });
    await bank.bill(contract, { month: 2 });
    expect(await bank.import(organization, camt([{ amount: '119.00', iban }]))).toMatchObject({
      unmatched: 1,
    });
    const notes = await listOfPayments(bank.api.deps.database, organization, 'unmatched', 9);
    expect(notes.map(({ amount, note }) => `${amount} ${note}`).toSorted()).toEqual([
      '118.00 no_bill',
      '119.00 several_bills',
    ]);
  });

  test('late, after the bill was given up, pays it', async () => {
    const organization = await bank.organization();
    const bill = await bank.bill(await bank.contract(organization));
    await storedRows(bank.api, "UPDATE invoices SET status = 'uncollectible' WHERE id = $1", [bill.id]);
    bank.clock.set(REPORTED);
    await bank.import(organization, camt([{ amount: '119.00', text: bill.number }]));
    expect((await bank.stateOf(bill.id)).status).toBe('paid');
  });
});

test('an amount in favour of the customer is paid when the bank has paid it out, and open again when it comes back', async () => {
  const organization = await bank.organization();
  const contract = await bank.contract(organization);
  const [paid, returned] = [
    await bank.bill(contract, { total: '-12.34' }),
    await bank.bill(contract, { total: '-5.00', month: 1 }),
  ];
  bank.clock.set(DEBITED);
  const file = await makeRefundFile(bank.api.deps, organization, { provider: bankFiles }, bank.act());
  expect(file).toMatchObject({ payments: 2, sum: '17.34' });
  bank.clock.set(REPORTED);
  await bank.import(
    organization,
    camt([
      { amount: '-12.34', endToEndId: paid.number },
      { amount: '5.00', endToEndId: returned.number, reason: 'AC01' },
    ]),
  );
  expect((await bank.stateOf(paid.id)).status).toBe('paid');
  expect(await bank.stateOf(returned.id)).toMatchObject({
    status: 'open',
    told: ['invoice.created', 'invoice.payment_failed'],
    payments: ['out credit_transfer 5.00 returned AC01'],
  });
  /* The account does not exist: nothing goes there again, until the customer names another one. */
  const again = () => makeRefundFile(bank.api.deps, organization, { provider: bankFiles }, bank.act());
  expect(await again()).toMatchObject({ payments: 0 });
  await storedRows(
    bank.api,
    `WITH other AS (
       INSERT INTO payment_methods
       SELECT (p).* FROM (
         SELECT jsonb_populate_record(m, jsonb_build_object('id', 'pm_' || repeat('z', 24), 'mandate_reference', 'OTHER')) AS p
           FROM payment_methods AS m JOIN subscriptions AS s ON s.payment_method_id = m.id WHERE s.id = $1) AS changed
       RETURNING id)
     UPDATE subscriptions SET payment_method_id = (SELECT id FROM other) WHERE id = $1`,
    [contract.subscription],
  );
  expect(await again()).toMatchObject({ payments: 1, sum: '5.00' });
});
