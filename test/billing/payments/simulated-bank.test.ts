import { afterAll, beforeAll, expect, test } from 'vitest';
import { bankFiles } from '../../../src/billing/payments/bank-files.ts';
import { importStatement } from '../../../src/billing/payments/import.ts';
import { makeDebitFile, makeRefundFile, paymentFile } from '../../../src/billing/payments/make-file.ts';
import {
  returnReasonOf,
  simulatedBank,
  simulatedReport,
} from '../../../src/billing/payments/simulated-bank.ts';
import { chunks, startBank, type TestBank } from './bank.ts';

let bank: TestBank;
beforeAll(async () => {
  bank = await startBank();
});
afterAll(() => bank?.close());

test('the simulated bank pays bills, returns some, and everything it said is marked', async () => {
  const provider = simulatedBank('test');
  const organization = await bank.organization();
  const bill = async (total: string) => bank.bill(await bank.contract(organization), { total });
  const bills = [await bill('-7.00')];
  /* Its number says whether a bill is returned: so many that some are and some are not. */
  const isReturned = ({ number }: { number: string }) => returnReasonOf(number) !== null;
  const kinds = () => new Set(bills.slice(1).map(isReturned)).size;
  while (bills.length < 12 || kinds() < 2) bills.push(await bill('20.00'));
  bank.clock.set('2027-01-22T08:00:00.000Z');
  const order = { provider };
  const files = [
    await makeDebitFile(bank.api.deps, organization, order, bank.act()),
    await makeRefundFile(bank.api.deps, organization, order, bank.act()),
  ];
  bank.clock.set('2027-02-10T08:00:00.000Z');
  for (const { id } of files) {
    const { content } = await paymentFile(bank.api.deps, organization, id ?? '', bank.act());
    const statement = { name: 'simulated', source: chunks(content) };
    const imported = await importStatement(bank.api.deps, organization, statement, provider, bank.act());
    expect(imported.unmatched).toBe(0);
  }
  await bank.daily(organization);
  const returned = bills.filter((each, index) => index > 0 && isReturned(each));
  for (const each of bills) {
    const { status } = await bank.stateOf(each.id);
    expect([each.number, status]).toEqual([each.number, returned.includes(each) ? 'open' : 'paid']);
  }
});

test('one debit of five comes back, for each of the reasons that a bank gives most', () => {
  const reasons = Array.from({ length: 2_000 }, (_, number) => returnReasonOf(`K7P2M9QX-${number}`));
  const share = reasons.filter((reason) => reason !== null).length / reasons.length;
  expect(share).toBeGreaterThan(0.18);
  expect(share).toBeLessThan(0.22);
  expect(new Set(reasons)).toEqual(new Set([null, 'AM04', 'MS03', 'MD06']));
});

test('what it invents is read by nobody else, and it works in no production', async () => {
  const organization = await bank.organization();
  await bank.bill(await bank.contract(organization));
  bank.clock.set('2027-01-22T08:00:00.000Z');
  const { id } = await makeDebitFile(bank.api.deps, organization, { provider: bankFiles }, bank.act());
  const { content } = await paymentFile(bank.api.deps, organization, id ?? '', bank.act());
  const report = await simulatedReport(chunks(content));
  await expect(bank.import(organization, report.toString())).rejects.toThrow(
    'A simulated bank made this report',
  );
  expect(() => simulatedBank('production')).toThrow('local environment only');
});
