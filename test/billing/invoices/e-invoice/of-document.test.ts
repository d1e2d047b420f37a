import { describe, expect, test } from 'vitest';
import type { InvoiceDocument } from '../../../../src/billing/invoices/documents/document.ts';
import { drawInvoice } from '../../../../src/billing/invoices/documents/draw.ts';
import { paymentText } from '../../../../src/billing/invoices/documents/texts/texts.ts';
import type { Bill } from '../../../../src/billing/invoices/e-invoice/bill.ts';
import { billOf } from '../../../../src/billing/invoices/e-invoice/of-document.ts';
import { eInvoiceXml } from '../../../../src/billing/invoices/e-invoice/service.ts';
import { readPdf } from '../documents/pdf-reader.ts';
import { SAMPLES } from '../documents/samples.ts';
import { readCii, readUbl } from './read.ts';

/* From documents as they are stored, of every kind, with lines that bills really have. */

const IBAN = 'DE02120300000000202051';

/** The same document for a company. */
function forCompany(document: InvoiceDocument, vatId: string | null = 'DE 811 569 869'): InvoiceDocument {
  const recipient = {
    ...document.facts.recipient,
    type: 'company' as const,
    companyName: 'Bäckerei & Söhne OHG',
    vatId,
  };
  return { ...document, facts: { ...document.facts, recipient } };
}

function billFor(document: InvoiceDocument, account: string | null = null): Bill {
  const bill = billOf(document, { account });
  if (bill === null) throw new Error('no e-invoice');
  return bill;
}

test.each(Object.entries(SAMPLES))(
  '%s of a company becomes an e-invoice in both formats',
  async (name, sample) => {
    const document = forCompany(sample());
    const isFeedIn = document.facts.contract.type === 'feed_in';
    const cii = readCii(eInvoiceXml(billFor(document), 'zugferd'));
    const total = isFeedIn ? document.sums.total.replace('-', '') : document.sums.total;
    expect([name, cii.sums.payable, cii.number]).toEqual([name, total, document.invoiceNumber]);
    expect(cii.lines).toHaveLength(document.lines.length);
    if (isFeedIn) return;
    const ubl = readUbl(eInvoiceXml(billFor(document, IBAN), 'xrechnung'));
    expect({ ...ubl, means: '', debited: [], preceding: [], notes: [] }).toEqual({
      ...cii,
      ...{ means: '', debited: [], preceding: [], notes: [] },
    });
  },
);

test('an e-invoice made of invented prices says so in its first note', () => {
  const document = forCompany(SAMPLES.smartUsage());
  const facts = { ...document.facts, hasInventedPrices: true };
  expect(billFor({ ...document, facts }).notes[0]).toContain('Muster ohne Gültigkeit');
});

test.each([
  ['abroad', { maskedIban: 'CH***************2957' }],
  ['that did not pay the bill in whose place it stands', { way: 'transfer' as const }],
])('a document for an account %s asks for a transfer, in words and in the e-invoice', (_name, given) => {
  const sample = forCompany(SAMPLES.smartUsage());
  const payment = { ...sample.facts.payment, ...given };
  const document = { ...sample, facts: { ...sample.facts, language: 'en' as const, payment } };
  const { accountHolder, iban } = sample.facts.issuer;
  expect(paymentText(document)).toContain(
    `to ${accountHolder}, IBAN ${iban}, and name ${sample.invoiceNumber}`,
  );
  expect(billFor(document, 'CH9300762011623852957').payment).toEqual({
    ...{ by: 'transfer', account: iban, holder: accountHolder },
  });
});

test.each(Object.entries(SAMPLES))('%s of a person never becomes one', (_name, sample) => {
  const { facts, ...document } = sample();
  const recipient = { ...facts.recipient, type: 'person' as const };
  expect(billOf({ ...document, facts: { ...facts, recipient } }, { account: IBAN })).toBeNull();
});

describe('what a document is', () => {
  const codeOf = (sample: InvoiceDocument) => billFor(forCompany(sample)).typeCode;

  test('380, 386, 384 and 389 by its type', () => {
    expect(codeOf(SAMPLES.smartUsage())).toBe('380');
    expect(codeOf(SAMPLES.correctedBill())).toBe('380');
    expect(codeOf(SAMPLES.prepayment())).toBe('386');
    expect(codeOf(SAMPLES.voidDocument())).toBe('384');
    expect(codeOf(SAMPLES.exitSummary())).toBe('384');
    expect(codeOf(SAMPLES.feedInCredit())).toBe('389');
  });

  test('it names what it reverses, replaces or corrects', () => {
    const preceding = (sample: InvoiceDocument) =>
      billFor(forCompany(sample)).preceding.map(({ number }) => number);
    expect(preceding(SAMPLES.smartUsage())).toEqual([]);
    expect(preceding(SAMPLES.voidDocument())).toEqual(['K7P2M9QX-032']);
    expect(preceding(SAMPLES.correctedBill())).toEqual(['K7P2M9QX-032']);
    expect(preceding(SAMPLES.exitSummary())).toEqual(['K7P2M9QX-031', 'K7P2M9QX-032']);
  });
});

test('a prepayment that was paid is taken off with its tax named', () => {
  const bill = billFor(forCompany(SAMPLES.estimatedYear()));
  expect(bill.sums.deducted).toBe('720.00');
  expect(bill.notes.at(-1)).toContain('720,00');
  expect(bill.notes.at(-1)).toContain('114,96');
  expect(bill.notes.some((note) => note.includes('geschätzt'))).toBe(true);
});

test('a credit for feed-in is sold by the customer, called so, and paid to his account', async () => {
  const document = forCompany(SAMPLES.feedInCredit());
  const read = readCii(eInvoiceXml(billFor(document, IBAN), 'zugferd'));
  expect(read).toMatchObject({ seller: 'Bäckerei & Söhne OHG', buyer: document.facts.issuer.name });
  expect(read).toMatchObject({ means: '58', account: [IBAN], sellerTaxIds: ['VA DE811569869'] });
  expect(read.notes[0]).toBe('Gutschrift');
  expect(Number(read.sums.payable)).toBeGreaterThan(0);
});

test('a reversal of a credit stays self-billed, with negative amounts', async () => {
  const credit = forCompany(SAMPLES.feedInCredit());
  const turned = (amount: string) => String(-Number(amount).valueOf());
  const voids = { invoiceNumber: 'K7P2M9QX-033', issuedOn: '2026-11-12' };
  const lines = credit.lines.map((line) => ({ ...line, net: turned(line.net) }));
  const { net, tax, taxes, deducted, total } = credit.sums;
  const sums = {
    ...{ net: turned(net), tax: turned(tax), deducted, total: turned(total) },
    taxes: taxes.map((rateSum) => ({
      rate: rateSum.rate,
      net: turned(rateSum.net),
      tax: turned(rateSum.tax),
    })),
  };
  const bill = billFor({ ...credit, type: 'void', voids, lines, sums });
  const read = readCii(eInvoiceXml(bill, 'zugferd'));
  expect(read).toMatchObject({ type: '389', preceding: ['K7P2M9QX-033'], means: '97' });
  expect(Number(read.sums.payable)).toBeLessThan(0);
});

test('a small business is paid without tax, with the reason, and is known by the number of its tax office', async () => {
  const credit = forCompany(SAMPLES.feedInCredit(), '12/345/67890');
  const facts = { ...credit.facts, contract: { ...credit.facts.contract, isTaxExempt: true } };
  const lines = credit.lines
    .filter(({ kind }) => kind === 'feed_in')
    .map((line) => ({ ...line, vatRate: '0' }));
  const net = lines[0]?.net ?? '';
  const sums = { net, taxes: [{ rate: '0', net, tax: '0.00' }], tax: '0.00', deducted: '0.00', total: net };
  const bill = billFor({ ...credit, facts, lines, sums });
  const read = readCii(eInvoiceXml(bill, 'zugferd'));
  expect(read.taxes).toEqual([
    expect.objectContaining({ category: 'E', reason: [expect.stringContaining('§ 19 UStG')] }),
  ]);
  expect(read.sellerTaxIds).toEqual(['FC 12/345/67890']);
});

test('a plant whose owner gave no number for taxes gets no e-invoice, with the rule', async () => {
  expect(() => eInvoiceXml(billFor(forCompany(SAMPLES.feedInCredit(), null)), 'zugferd')).toThrow('BR-S-02');
});

test('without a reference of the buyer the number of the contract stands for it', () => {
  const document = forCompany(SAMPLES.smartUsage());
  expect(billFor(document).buyerReference).toBe('K7P2M9QX');
  expect(billOf(document, { account: null, buyerReference: 'PO-77' })?.buyerReference).toBe('PO-77');
});

test('lines and terms are in the language and the words of the PDF', () => {
  const german = billFor(forCompany(SAMPLES.smartUsage('de')));
  const english = billFor(forCompany(SAMPLES.smartUsage('en')));
  expect(german.lines.map(({ name }) => name)).toContain('Stromsteuer');
  expect(english.lines.map(({ name }) => name)).not.toContain('Stromsteuer');
  expect(german.paymentTerms).toContain('SEPA-Lastschrift');
  expect(english.paymentTerms).not.toMatch(/[{}]/);
});

test.each(['smartUsage', 'voidDocument', 'exitSummary'] as const)(
  '%s says in its e-invoice how it is paid, in the words of the PDF',
  async (name) => {
    const document = forCompany(SAMPLES[name]());
    const bare = (text: string) => text.replaceAll(/\s+/g, '');
    const { text } = await readPdf(await drawInvoice(document));
    expect(bare(text)).toContain(bare(billFor(document).paymentTerms));
  },
);

test('a closing document behind a year of prepayments takes none of them off, and says so', () => {
  const { deductions } = SAMPLES.estimatedYear().facts;
  const document = forCompany(SAMPLES.exitSummary());
  const bill = billFor({ ...document, facts: { ...document.facts, deductions } });
  expect([bill.sums.deducted, bill.notes]).toEqual(['0.00', []]);
});
