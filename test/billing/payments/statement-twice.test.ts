import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bankFiles } from '../../../src/billing/payments/bank-files.ts';
import { bookEntries } from '../../../src/billing/payments/book.ts';
import { importStatement } from '../../../src/billing/payments/import.ts';
import { listOfPayments } from '../../../src/billing/payments/list.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { openStateReader } from '../../setup/stored-state.ts';
import { camt, chunks, startBank, type TestBank } from './bank.ts';

const REPORTED = '2027-01-27T08:00:00.000Z';

let bank: TestBank;
beforeAll(async () => {
  bank = await startBank();
});
afterAll(() => bank?.close());

describe('a statement', () => {
  test('twice changes nothing; what another one reports again by the same reference is the same', async () => {
    const organization = await bank.organization();
    const bill = await bank.bill(await bank.contract(organization));
    bank.clock.set(REPORTED);
    const text = camt([
      { amount: '19.00', text: bill.number },
      { amount: '19.00', text: bill.number },
      { amount: '10.00', text: bill.number, reference: 'B4711' },
      { amount: '-3.50', text: 'fee' },
    ]);
    expect(await bank.import(organization, text)).toMatchObject({
      entries: 4,
      new: 4,
      booked: 3,
      unmatched: 1,
    });
    const reader = await openStateReader(bank.api);
    const state = await reader.of(organization);
    const { audit_log: _, ...before } = state;
    expect(await bank.import(organization, text)).toMatchObject({
      entries: 4,
      new: 0,
      booked: 0,
      unmatched: 0,
    });
    const overlapping = camt([{ amount: '10.00', text: bill.number, reference: 'B4711' }]);
    expect(await bank.import(organization, overlapping)).toMatchObject({ entries: 1, new: 0, booked: 0 });
    const { audit_log: __, ...after } = await reader.of(organization);
    await reader.close();
    expect(after).toEqual(before);
    expect((await bank.stateOf(bill.id)).payments).toEqual([
      ...[
        'in bank_transfer 10.00 settled',
        'in bank_transfer 19.00 settled',
        'in bank_transfer 19.00 settled',
      ],
    ]);
  });

  test('of the same day with the same numbers in it is another one: each bank movement pays its bill', async () => {
    const organization = await bank.organization();
    const bills = [];
    for (const iban of ['DE89370400440532013000', 'DE75512108001245126199']) {
      bills.push({ iban, ...(await bank.bill(await bank.contract(organization))) });
    }
    bank.clock.set(REPORTED);
    for (const { iban, number } of bills) {
      const movement = { amount: '119.00', entryReference: '1', reference: 'NONREF', iban, text: number };
      expect(await bank.import(organization, camt([movement]))).toMatchObject({
        ...{ entries: 1, new: 1, known: [], booked: 1, unmatched: 0 },
      });
    }
    for (const { id } of bills) expect((await bank.stateOf(id)).status).toBe('paid');
  });

  test('that says again what another one said, without a reference of the bank, leaves it to staff', async () => {
    const organization = await bank.organization();
    const bill = await bank.bill(await bank.contract(organization), { total: '300.00' });
    bank.clock.set(REPORTED);
    const movement = { amount: '100.00', entryReference: '7', text: bill.number };
    /* Twice in one report: the customer paid twice. */
    await bank.import(organization, camt([movement, movement]));
    const statement = camt([movement, { ...movement, text: `${bill.number} again` }]);
    const ofAnotherKind = statement
      .replaceAll('camt.054', 'camt.053')
      .replaceAll('BkToCstmrDbtCdtNtfctn', 'BkToCstmrStmt')
      .replaceAll('Ntfctn>', 'Stmt>');
    expect(await bank.import(organization, ofAnotherKind)).toMatchObject({
      ...{ entries: 2, new: 2, known: [], booked: 1, unmatched: 1 },
    });
    expect((await bank.stateOf(bill.id)).payments).toHaveLength(3);
    expect(await listOfPayments(bank.api.deps.database, organization, 'unmatched', 9)).toEqual([
      expect.objectContaining({ amount: '100.00', note: 'perhaps_known', text: bill.number }),
    ]);
    expect(await bank.import(organization, ofAnotherKind)).toMatchObject({
      entries: 2,
      new: 0,
      unmatched: 0,
    });
  });

  test('that says as a table what a report said, or the other way round, is the same by the reference', async () => {
    const organization = await bank.organization();
    const bill = await bank.bill(await bank.contract(organization), { total: '300.00' });
    bank.clock.set(REPORTED);
    const table = (...references: string[]) =>
      [
        'booked_on,amount,reference,text',
        ...references.map((name) => `2027-01-27,10.00,${name},${bill.number}`),
      ].join('\n');
    const report = (...references: string[]) =>
      camt(references.map((reference) => ({ amount: '10.00', text: bill.number, reference })));
    expect(await bank.import(organization, table('B1', 'B2'))).toMatchObject({ new: 2, booked: 2 });
    expect(await bank.import(organization, report('B2', 'B3'))).toMatchObject({
      ...{ entries: 2, new: 1, booked: 1, known: [expect.objectContaining({ amount: '10.00' })] },
    });
    expect(await bank.import(organization, table('B3', 'B4'))).toMatchObject({
      entries: 2,
      new: 1,
      booked: 1,
    });
    expect((await bank.stateOf(bill.id)).payments).toHaveLength(4);
  });

  test('names and counts what it skips because it is known', async () => {
    const organization = await bank.organization();
    const bill = await bank.bill(await bank.contract(organization));
    bank.clock.set(REPORTED);
    const known = { amount: '10.00', text: bill.number, reference: 'B4711' };
    await bank.import(organization, camt([known]));
    const again = camt([{ amount: '20.00', text: bill.number }, known]);
    const imported = await bank.import(organization, again);
    expect(imported).toMatchObject({ entries: 2, new: 1, booked: 1 });
    expect(imported.known).toEqual([
      expect.objectContaining({
        ...{ path: 'Document/BkToCstmrDbtCdtNtfctn/Ntfctn/Ntry[2]/NtryDtls/TxDtls', amount: '10.00' },
        ...{ bookedOn: '2027-01-27', text: bill.number },
      }),
    ]);
  });

  test('that was taken in and not booked to its end is booked by the next call, each movement once', async () => {
    const organization = await bank.organization();
    const contract = await bank.contract(organization);
    const bill = await bank.bill(contract, { total: '300.00' });
    bank.clock.set(REPORTED);
    const text = camt(Array.from({ length: 130 }, () => ({ amount: '1.00', text: bill.number })));
    /* The process ends while it works at the second hundred. */
    let looks = 0;
    const dying = {
      ...bank.api.deps,
      clock: {
        now: () => {
          looks += 1;
          if (looks > 110) throw new Error('killed');
          return bank.clock.now();
        },
      },
    };
    const statement = { name: 'statement', source: chunks(text) };
    await expect(importStatement(dying, organization, statement, bankFiles, bank.act())).rejects.toThrow(
      'killed',
    );
    const done = (await bank.stateOf(bill.id)).payments.length;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(130);
    /* One of two at once may wait longer than it may, on a busy machine. What it booked until then is booked. */
    const ends = await Promise.allSettled([1, 2].map(() => bookEntries(bank.api.deps, organization)));
    const booked = ends.map((end) => (end.status === 'fulfilled' ? end.value.booked : null));
    if (booked.includes(null)) await bookEntries(bank.api.deps, organization);
    else expect(booked.reduce((sum, each) => Number(sum) + Number(each), 0)).toBe(130 - done);
    expect((await bank.stateOf(bill.id)).payments).toHaveLength(130);
  });

  test('with any problem is not taken in', async () => {
    const organization = await bank.organization();
    const text = camt([{ amount: '1.00' }, { amount: '1,00' }]);
    await expect(bank.import(organization, text)).rejects.toThrow(
      'statement Document/BkToCstmrDbtCdtNtfctn/Ntfctn/Ntry[2]/Amt "1,00": Not an amount',
    );
    const rows = await storedRows(bank.api, 'SELECT FROM bank_entries WHERE organization_id = $1', [
      organization,
    ]);
    expect(rows).toEqual([]);
  });
});
