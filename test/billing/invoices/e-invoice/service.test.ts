import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InvoiceDocument } from '../../../../src/billing/invoices/documents/document.ts';
import {
  eInvoiceOfPdf,
  xRechnungFile,
  zugferdFile,
} from '../../../../src/billing/invoices/e-invoice/service.ts';
import type { StaffAct } from '../../../../src/platform/staff-act.ts';
import { runCommand } from '../../../cli/command-line.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { testEnvironment } from '../../../setup/environment.ts';
import { type BilledContract, createBilledContract, issueDocument } from '../../../setup/invoices.ts';
import { storedRows } from '../../../setup/stored-rows.ts';
import { SAMPLES } from '../documents/samples.ts';
import { readUbl } from './read.ts';

let api: TestApi;
let contract: BilledContract;

beforeAll(async () => {
  api = await startApi();
  contract = await createBilledContract(api.deps);
});
afterAll(() => api?.close());

let months = 0;

const act: StaffAct = {
  staff: 'ada',
  reason: 'the city asked for it',
  command: 'invoices e-invoice',
  now: '2027-01-20T09:00:00.000Z',
};

const facts = (type: 'person' | 'company', mandateReference = 'GONE'): InvoiceDocument['facts'] => {
  const { facts: sample } = SAMPLES.smartUsage();
  const recipient = { ...sample.recipient, type, companyName: type === 'company' ? 'Stadtwerke Bad' : null };
  return { ...sample, recipient, payment: { ...sample.payment, mandateReference } };
};

/** A document that is issued like any other. */
async function issued(of: InvoiceDocument['facts']): Promise<string> {
  const { lines, sums } = SAMPLES.smartUsage();
  months += 1;
  const { id } = await issueDocument(api.deps, contract, { month: months, facts: of, lines, sums });
  return id;
}

const xRechnung = (id: string, references = {}) =>
  xRechnungFile(api.deps, contract.organization, id, references, act);

test('an XRechnung is made once, kept as it was sent, and stands in the audit log', async () => {
  const id = await issued(facts('company'));
  const first = await xRechnung(id, { buyerReference: 'PO-77' });
  expect(readUbl(first.content.toString()).number).toMatch(/^[A-Z0-9]{8}-\d{3}$/);
  const again = await xRechnung(id);
  expect(again.content.equals(first.content)).toBe(true);
  expect(again.content.toString()).toContain('<cbc:BuyerReference>PO-77</cbc:BuyerReference>');
  await expect(xRechnung(id, { buyerReference: 'PO-78' })).rejects.toThrow('stays as it is');
  const rows = await storedRows(
    api,
    `SELECT (SELECT count(*)::int FROM invoice_files WHERE invoice_id = $1 AND kind = 'xrechnung') AS files,
            (SELECT count(*)::int FROM audit_log WHERE object_id = $1 AND act = 'invoice.xrechnung') AS acts`,
    [id],
  );
  expect(rows).toEqual([{ files: 1, acts: 1 }]);
});

test('an XRechnung names the whole account of the mandate, and none once the mandate is gone', async () => {
  const [method] = await storedRows<{ iban: string; mandate_reference: string }>(
    api,
    'SELECT iban, mandate_reference FROM payment_methods WHERE customer_id = $1',
    [contract.customer],
  );
  const there = await xRechnung(await issued(facts('company', method?.mandate_reference)));
  expect(readUbl(there.content.toString())).toMatchObject({ means: '59', debited: [method?.iban] });
  const gone = await xRechnung(await issued(facts('company')));
  expect(readUbl(gone.content.toString())).toMatchObject({ means: '1', debited: [] });
});

test('a person gets no e-invoice in any format', async () => {
  const id = await issued(facts('person'));
  await expect(xRechnung(id)).rejects.toThrow('is for a person');
  await expect(zugferdFile(api.deps, contract.organization, id)).rejects.toThrow('is for a person');
  expect(eInvoiceOfPdf({ ...SAMPLES.smartUsage(), facts: facts('person') })).toEqual({});
});

test('a document of another organization is not found', async () => {
  const other = await createBilledContract(api.deps);
  const id = await issued(facts('company'));
  const elsewhere = xRechnungFile(api.deps, other.organization, id, {}, act);
  await expect(elsewhere).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a PDF without its e-invoice says which rule the bill breaks', async () => {
  const { facts: sample, ...document } = SAMPLES.feedInCredit();
  const recipient = { ...sample.recipient, vatId: null };
  const made = eInvoiceOfPdf({ ...document, facts: { ...sample, recipient } });
  expect(made.attach).toBeUndefined();
  expect(made.refused).toContain('BR-S-02');
});

test('the command writes the file for its owner alone, and refuses a wrong route id before anything is made', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'e-invoice-'));
  try {
    const id = await issued(facts('company'));
    const out = join(folder, 'bill.xml');
    const command = (...given: string[]) =>
      runCommand(
        testEnvironment(api.database, 'redis://127.0.0.1:1'),
        ...[
          'invoices',
          'e-invoice',
          id,
          '--organization',
          contract.organization,
          '--format',
          'xrechnung',
          '--out',
          out,
        ],
        ...['--reason', 'asked for', '--staff', 'ada', ...given],
      );
    const wrong = await command('--route-id', '04011000-1234512345-07');
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--route-id') });
    expect(await command('--route-id', '04011000-1234512345-06')).toMatchObject({ exitCode: 0 });
    expect(await readFile(out, 'utf8')).toContain(
      '<cbc:BuyerReference>04011000-1234512345-06</cbc:BuyerReference>',
    );
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect(await command()).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('EEXIST') });
  } finally {
    await rm(folder, { recursive: true });
  }
});
