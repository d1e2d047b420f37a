import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resumeDunning, stopDunning } from '../../../src/billing/dunning/staff.ts';
import { readDocuments } from '../../../src/billing/invoices/documents/queries.ts';
import { paymentText } from '../../../src/billing/invoices/documents/texts/texts.ts';
import { voidInvoiceByStaff } from '../../../src/billing/invoices/issue/void.ts';
import { bankFiles } from '../../../src/billing/payments/bank-files.ts';
import { listOutstandingBills } from '../../../src/billing/payments/due-queries.ts';
import { listOfPayments } from '../../../src/billing/payments/list.ts';
import { makeDebitFile, paymentFile } from '../../../src/billing/payments/make-file.ts';
import { enterFailure, enterPayment } from '../../../src/billing/payments/staff.ts';
import { addTargetDays, isTargetDay, targetDayFrom } from '../../../src/billing/payments/target-days.ts';
import { auditRows, storedRows } from '../../setup/stored-rows.ts';
import { camt, startBank, type TestBank } from './bank.ts';

const DEBITED = '2027-01-22T08:00:00.000Z';

let bank: TestBank;
beforeAll(async () => {
  bank = await startBank();
});
afterAll(() => bank?.close());

const make = (organization: string, on?: string) =>
  makeDebitFile(
    bank.api.deps,
    organization,
    { provider: bankFiles, ...(on !== undefined && { on }) },
    bank.act(),
  );

async function textOf(organization: string, id: string | null): Promise<string> {
  return (await paymentFile(bank.api.deps, organization, id ?? '', bank.act())).content.toString();
}

const idsIn = (text: string) => [...text.matchAll(/<EndToEndId>([^<]+)</g)].map(([, id]) => id);

describe('a debit file', () => {
  test('has each open bill that is due once, announced two weeks before, with the mandate', async () => {
    const organization = await bank.organization();
    const contract = await bank.contract(organization);
    const due = await bank.bill(contract, { total: '119.50' });
    const second = await bank.bill(contract, { month: 1, total: '0.50' });
    await bank.bill(contract, { month: 2, dueOn: '2027-01-27' });
    await bank.bill(contract, { month: 3, total: '-5.00' });
    const paid = await bank.bill(contract, { month: 4 });
    await enterPayment({}, bank.api.deps, organization, paid.id, bank.act());
    bank.clock.set(DEBITED);
    const made = await make(organization);
    expect(made).toMatchObject({ payments: 2, sum: '120.00', execute_on: '2027-01-26', left_out: [] });
    const text = await textOf(organization, made.id);
    expect(idsIn(text).toSorted()).toEqual([due.number, second.number].toSorted());
    const [mandate] = await storedRows<{ mandate_reference: string; signed: string }>(
      bank.api,
      `SELECT mandate_reference, mandate_signed_on::text AS signed FROM payment_methods AS m
         JOIN subscriptions AS s ON s.payment_method_id = m.id WHERE s.id = $1`,
      [contract.subscription],
    );
    expect(text).toContain(
      `<MndtId>${mandate?.mandate_reference}</MndtId><DtOfSgntr>${mandate?.signed}</DtOfSgntr>`,
    );
    /* The mandate is used for the first time: its first debit says so, the other one follows it. */
    expect([...text.matchAll(/<SeqTp>(\w+)</g)].map(([, type]) => type)).toEqual(['FRST', 'RCUR']);
    expect(await make(organization)).toMatchObject({ id: null, payments: 0 });
    expect(await auditRows(bank.api, organization, 'payments.debits')).toEqual([
      expect.objectContaining({ staff: 'tests', object_id: made.id, result: 'done' }),
    ]);
  });

  test('is the same bytes whenever it is written out again', async () => {
    const organization = await bank.organization();
    await bank.bill(await bank.contract(organization));
    bank.clock.set(DEBITED);
    const { id } = await make(organization);
    const first = await paymentFile(bank.api.deps, organization, id ?? '', bank.act());
    bank.clock.set('2027-03-01T08:00:00.000Z');
    const again = await paymentFile(bank.api.deps, organization, id ?? '', bank.act());
    expect(again.content.equals(first.content)).toBe(true);
    expect(again.sha256).toEqual(createHash('sha256').update(first.content).digest());
    const other = await bank.organization();
    await expect(paymentFile(bank.api.deps, other, id ?? '', bank.act())).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('has no bill of another, whoever makes files at once', async () => {
    const organization = await bank.organization();
    const contract = await bank.contract(organization);
    for (let month = 0; month < 6; month += 1) await bank.bill(contract, { month });
    bank.clock.set(DEBITED);
    const made = await Promise.all([1, 2, 3, 4].map(() => make(organization)));
    expect(made.reduce((sum, { payments }) => sum + payments, 0)).toBe(6);
    expect(made.filter(({ id }) => id !== null)).toHaveLength(1);
  });

  test('that was not finished left nothing, and its bills are in the next one', async () => {
    const organization = await bank.organization();
    await bank.bill(await bank.contract(organization));
    bank.clock.set(DEBITED);
    const dying = {
      ...bankFiles,
      collect: () => {
        throw new Error('killed');
      },
    };
    await expect(makeDebitFile(bank.api.deps, organization, { provider: dying }, bank.act())).rejects.toThrow(
      'killed',
    );
    const left = await storedRows(
      bank.api,
      'SELECT id FROM payment_files WHERE organization_id = $1 UNION ALL SELECT id FROM payments WHERE organization_id = $1',
      [organization],
    );
    expect(left).toEqual([]);
    expect((await make(organization)).payments).toBe(1);
  });

  test('has no bill that a statement paid whose import ended before it was booked', async () => {
    const organization = await bank.organization();
    const bill = await bank.bill(await bank.contract(organization));
    bank.clock.set(DEBITED);
    await bank.importAndDie(organization, camt([{ amount: '119.00', text: bill.number }]));
    const stored = () => listOfPayments(bank.api.deps.database, organization, 'new', 9);
    expect(await stored()).toEqual([expect.objectContaining({ amount: '119.00', text: bill.number })]);
    expect(await make(organization)).toMatchObject({ id: null, payments: 0 });
    expect((await bank.stateOf(bill.id)).status).toBe('paid');
    expect(await stored()).toEqual([]);
  });

  test('leaves out what staff hold, what is not announced for long enough, and accounts that no file may name', async () => {
    const organization = await bank.organization();
    const contract = await bank.contract(organization);
    const held = await bank.bill(contract);
    const acting = [bank.api.deps, organization, held.id, bank.act()] as const;
    await stopDunning('disputed', ...acting);
    bank.clock.set(DEBITED);
    expect((await make(organization)).payments).toBe(0);
    await resumeDunning(...acting);
    await storedRows(
      bank.api,
      `UPDATE payment_methods SET iban = 'CH9300762011623852957' WHERE id =
         (SELECT payment_method_id FROM subscriptions WHERE id = $1)`,
      [contract.subscription],
    );
    expect(await make(organization)).toMatchObject({
      payments: 0,
      left_out: [`${held.number}: accounts in CH need the address of their holder in the file`],
    });
    const outstanding = await bank.api.deps.database.inOrganization({ organization }, (connection) =>
      listOutstandingBills(connection, organization, [held.id]),
    );
    expect(outstanding).toMatchObject([{ amount: '119.00', is_debited: false }]);
    const other = await bank.organization();
    const early = await bank.bill(await bank.contract(other), { dueOn: '2027-01-15' });
    const dayLater = { dueOn: '2027-01-15', issuedAt: '2027-01-12T07:00:00.000Z' };
    const later = await bank.bill(await bank.contract(other), dayLater);
    bank.clock.set('2027-01-19T08:00:00.000Z');
    expect((await make(other)).payments).toBe(0);
    bank.clock.set('2027-01-21T08:00:00.000Z');
    expect(await make(other)).toMatchObject({ payments: 1, execute_on: '2027-01-25' });
    expect((await bank.stateOf(early.id)).payments).toEqual(['in direct_debit 119.00 requested']);
    bank.clock.set('2027-01-22T08:00:00.000Z');
    expect(await make(other)).toMatchObject({ payments: 1, execute_on: '2027-01-26' });
    expect((await bank.stateOf(later.id)).payments).toEqual(['in direct_debit 119.00 requested']);
  });

  test('takes a mandate that was given on the day of the collection, and none of a later day', async () => {
    const organization = await bank.organization();
    const contract = await bank.contract(organization);
    const bill = await bank.bill(contract);
    const setSigned = (day: string) =>
      storedRows(
        bank.api,
        `UPDATE payment_methods SET mandate_signed_on = $2 WHERE id =
           (SELECT payment_method_id FROM subscriptions WHERE id = $1)`,
        [contract.subscription, day],
      );
    bank.clock.set(DEBITED);
    await setSigned('2027-01-27');
    expect(await make(organization)).toMatchObject({
      payments: 0,
      left_out: [`${bill.number}: the mandate was given on 2027-01-27, after the collection`],
    });
    await setSigned('2027-01-26');
    expect(await make(organization)).toMatchObject({ payments: 1, left_out: [] });
  });

  test('is for a day on which banks settle, two of their days ahead and not further than two weeks', async () => {
    const organization = await bank.organization();
    await bank.bill(await bank.contract(organization));
    bank.clock.set('2027-01-21T08:00:00.000Z');
    await expect(make(organization, '2027-02-05')).rejects.toThrow('too far away');
    bank.clock.set(DEBITED);
    await expect(make(organization, '2027-01-25')).rejects.toThrow('too early');
    await expect(make(organization, '2027-01-30')).rejects.toThrow('no day on which banks settle');
    await expect(make(organization, '2027-02-08')).rejects.toThrow('too far away');
    expect((await make(organization, '2027-02-05')).execute_on).toBe('2027-02-05');
  });
});

test.each([
  ['its account did not pay asks for a transfer', 'AC04', /^Bitte überweisen Sie 119,00\s€/, 0],
  ['its account may pay later announces its debit', 'AM04', /^Wir ziehen 119,00\s€ am 26\.01\.2027 /, 1],
  ['staff stopped names no day', null, /^Den Einzug von 119,00\s€ haben wir angehalten\.(?!.*26\.01)/, 0],
])(
  'a bill in the place of one that %s, and is in a file or not as it says',
  async (_name, returned, sentence, payments) => {
    const organization = await bank.organization();
    const contract = await bank.contract(organization);
    const bill = await bank.bill(contract);
    const acting = [bank.api.deps, organization, bill.id, bank.act()] as const;
    bank.clock.set(DEBITED);
    if (returned === null) await stopDunning('disputed', ...acting);
    else {
      await make(organization);
      bank.clock.set('2027-01-27T08:00:00.000Z');
      await enterFailure(returned, ...acting);
    }
    await voidInvoiceByStaff(...acting);
    const again = await bank.bill(contract, { issuedAt: '2027-01-28T08:00:00.000Z' });
    const [document] = await bank.api.deps.database.inOrganization({ organization }, (connection) =>
      readDocuments(connection, organization, [again.id]),
    );
    if (document === undefined) throw new Error('It was issued');
    expect(paymentText(document)).toMatch(sentence);
    bank.clock.set('2027-02-12T08:00:00.000Z');
    expect((await make(organization)).payments).toBe(payments);
  },
);

test('banks settle on the days of TARGET: not on its six holidays, but on those of Germany alone', () => {
  const closed = [
    '2027-01-01',
    '2027-03-26',
    '2027-03-29',
    '2026-05-01',
    '2008-05-01',
    '2028-12-25',
    '2028-12-26',
    '2027-01-30',
  ];
  expect(closed.filter(isTargetDay)).toEqual([]);
  expect(['2027-05-06', '2027-05-17', '2025-10-03'].filter((day) => !isTargetDay(day))).toEqual([]);
  expect(targetDayFrom('2027-03-26')).toBe('2027-03-30');
  expect(addTargetDays('2027-12-23', 2)).toBe('2027-12-27');
});
