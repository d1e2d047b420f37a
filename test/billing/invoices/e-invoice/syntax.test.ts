import { expect, test } from 'vitest';
import type { Bill } from '../../../../src/billing/invoices/e-invoice/bill.ts';
import { isRouteId } from '../../../../src/billing/invoices/e-invoice/route-id.ts';
import { eInvoiceXml } from '../../../../src/billing/invoices/e-invoice/service.ts';
import * as bills from './bills.ts';
import { readCii, readUbl } from './read.ts';
import { readXml, type XmlTree } from './xml-tree.ts';

const cii = async (bill: Bill) => readXml(eInvoiceXml(bill, 'zugferd'));
const TRADE = 'rsm:SupplyChainTradeTransaction';
const SETTLEMENT = `${TRADE}/ram:ApplicableHeaderTradeSettlement`;

/* The schemas know one order of elements and refuse any other: that of the groups with optional members. */
const ORDERS: Readonly<Record<string, string>> = {
  'ram:SellerTradeParty':
    'ID Name Description SpecifiedLegalOrganization DefinedTradeContact PostalTradeAddress URIUniversalCommunication SpecifiedTaxRegistration',
  'ram:BuyerTradeParty':
    'ID Name SpecifiedLegalOrganization DefinedTradeContact PostalTradeAddress URIUniversalCommunication SpecifiedTaxRegistration',
  'ram:ApplicableHeaderTradeAgreement':
    'BuyerReference SellerTradeParty BuyerTradeParty ContractReferencedDocument',
  'ram:ApplicableHeaderTradeSettlement':
    'CreditorReferenceID PaymentReference InvoiceCurrencyCode SpecifiedTradeSettlementPaymentMeans ApplicableTradeTax BillingSpecifiedPeriod SpecifiedTradePaymentTerms SpecifiedTradeSettlementHeaderMonetarySummation InvoiceReferencedDocument',
  'ram:ApplicableTradeTax':
    'CalculatedAmount TypeCode ExemptionReason BasisAmount CategoryCode RateApplicablePercent',
  Invoice:
    'CustomizationID ProfileID ID IssueDate DueDate InvoiceTypeCode Note DocumentCurrencyCode BuyerReference InvoicePeriod BillingReference ContractDocumentReference AccountingSupplierParty AccountingCustomerParty Delivery PaymentMeans PaymentTerms TaxTotal LegalMonetaryTotal InvoiceLine',
  'cac:Party': 'EndpointID PartyIdentification PostalAddress PartyTaxScheme PartyLegalEntity Contact',
  'cac:PaymentMeans': 'PaymentMeansCode PaymentID PayeeFinancialAccount PaymentMandate',
  'cac:InvoiceLine': 'ID Note InvoicedQuantity LineExtensionAmount InvoicePeriod Item Price',
  'cac:TaxCategory': 'ID Percent TaxExemptionReason TaxScheme',
};

const met = new Set<string>();

const below = (root: XmlTree): XmlTree[] => [root, ...root.children.flatMap(below)];

test.each(Object.entries(bills.EVERY_KIND))('%s: elements come in the order of the schema', (_kind, bill) => {
  const seller = { ...bill.seller, phone: '+49 228 123456' };
  const trees = (['zugferd', 'xrechnung'] as const).map((as) =>
    readXml(eInvoiceXml({ ...bill, seller }, as)),
  );
  for (const { name, children } of trees.flatMap(below)) {
    const order = ORDERS[name]?.split(' ');
    if (order === undefined) continue;
    met.add(name);
    const places = children.map((child) => order.indexOf(child.name.replace(/^.*:/, '')));
    expect(places).not.toContain(-1);
    expect([name, places]).toEqual([name, places.toSorted((left, right) => left - right)]);
  }
});

test('each of these orders was met', () => {
  expect(Object.keys(ORDERS).filter((name) => !met.has(name))).toEqual([]);
});

test('CII: the id of the place of delivery, and of the seller, comes before all else', async () => {
  const root = await cii(bills.FEED_IN);
  const first = (path: string) => root.all(path)[0]?.children[0];
  expect(first(`${TRADE}/ram:ApplicableHeaderTradeDelivery/ram:ShipToTradeParty`)).toMatchObject({
    name: 'ram:ID',
    text: '51238696780',
  });
  expect(first(`${TRADE}/ram:ApplicableHeaderTradeAgreement/ram:SellerTradeParty`)).toMatchObject({
    name: 'ram:ID',
    text: bills.FEED_IN.seller.id,
  });
});

test('CII: each note is an element of its own', async () => {
  const notes = (await cii(bills.USAGE)).all('rsm:ExchangedDocument/ram:IncludedNote');
  expect(notes.map(({ children }) => children.map(({ text }) => text))).toEqual([
    ['Erste Anmerkung.'],
    ['Zweite Anmerkung.'],
  ]);
});

test('CII: a direct debit names mandate and creditor, the creditor first of its group', async () => {
  const root = await cii(bills.USAGE);
  expect(root.all(SETTLEMENT)[0]?.children[0]).toMatchObject({
    name: 'ram:CreditorReferenceID',
    text: 'DE98ZZZ09999999999',
  });
  expect(readCii(eInvoiceXml(bills.USAGE, 'zugferd'))).toMatchObject({
    means: '59',
    mandate: ['MANDAT-0001'],
    debited: ['DE89370400440532013000'],
    account: [],
  });
});

test('CII has room for one document that is corrected, and names the others in a note', async () => {
  const read = readCii(eInvoiceXml(bills.EXIT_SUMMARY, 'zugferd'));
  expect(read.preceding).toEqual(['K7P2M9QX-004']);
  expect(read.notes).toEqual(['Berichtigt auch: K7P2M9QX-005']);
  const { children } = (await cii(bills.EXIT_SUMMARY)).all(SETTLEMENT)[0] ?? { children: [] };
  expect(children.at(-1)?.name).toBe('ram:InvoiceReferencedDocument');
});

test('CII names no file on a computer', async () => {
  const { attributes } = await cii(bills.USAGE);
  expect(Object.keys(attributes).toSorted()).toEqual(['xmlns:qdt', 'xmlns:ram', 'xmlns:rsm', 'xmlns:udt']);
});

test('prices have all their decimals in both syntaxes', async () => {
  const prices = ['4.99', '0.161123', '0.356164', expect.stringMatching(/^0\.0873457028/), '0.0205'];
  const shown = prices.map((price) => expect.objectContaining({ price }));
  expect(readCii(eInvoiceXml(bills.USAGE, 'zugferd')).lines).toEqual(shown);
  expect(readUbl(eInvoiceXml(bills.USAGE, 'xrechnung')).lines).toEqual(shown);
});

test('UBL names every document that is corrected', async () => {
  const { preceding } = readUbl(eInvoiceXml(bills.EXIT_SUMMARY, 'xrechnung'));
  expect(preceding).toEqual(['K7P2M9QX-004', 'K7P2M9QX-005']);
});

test('without the whole account number an XRechnung leaves the means of payment open', async () => {
  const payment = { by: 'debit', mandate: 'M-1', creditor: 'DE98ZZZ09999999999', account: null } as const;
  const bill: Bill = { ...bills.USAGE, payment };
  expect(readUbl(eInvoiceXml(bill, 'xrechnung'))).toMatchObject({
    means: '1',
    creditor: [],
    mandate: [],
  });
  expect(readCii(eInvoiceXml(bill, 'zugferd'))).toMatchObject({ means: '59', debited: [] });
});

test('a public buyer is reached by its route id', async () => {
  const bill: Bill = { ...bills.USAGE, routeId: '04011000-1234512345-06' };
  const root = readXml(eInvoiceXml(bill, 'xrechnung'));
  expect(root.textAt('cbc:BuyerReference')).toBe('04011000-1234512345-06');
  expect(root.all('cac:AccountingCustomerParty/cac:Party/cbc:EndpointID')).toMatchObject([
    { text: '04011000-1234512345-06', attributes: { schemeID: '0204' } },
  ]);
});

test('a route id has the right check digits', () => {
  expect(isRouteId('04011000-1234512345-06')).toBe(true);
  expect(isRouteId('04011000-1234512345-07')).toBe(false);
  expect(isRouteId('04011000-1234512354-06')).toBe(false);
  expect(isRouteId('04011000')).toBe(false);
  expect(isRouteId('')).toBe(false);
});

test('characters that XML cannot carry become spaces', async () => {
  const bill: Bill = { ...bills.USAGE, buyer: { ...bills.COMPANY, name: 'Müller\u0007 & <Söhne>\ud800' } };
  expect(readCii(eInvoiceXml(bill, 'zugferd')).buyer).toBe('Müller  & <Söhne>');
});

test.each([
  ['BR-CO-10', { sums: { ...bills.USAGE.sums, net: '13313.23' } }],
  ['BR-CO-14', { sums: { ...bills.USAGE.sums, tax: '2529.52' } }],
  ['BR-CO-16', { sums: { ...bills.USAGE.sums, total: '14842.74' } }],
  ['BR-CO-17', { sums: { ...bills.USAGE.sums, taxes: [{ rate: '0.19', net: '13313.22', tax: '2531.51' }] } }],
  ['BR-S-08', { lines: bills.USAGE.lines.with(0, bills.line({ net: '4.99', vatRate: '0.07' })) }],
  ['BR-S-02', { seller: { ...bills.SUPPLIER, vatId: null } }],
  ['BR-16', { lines: [] }],
  ['BR-DE-26', { typeCode: '384' }],
] as const)('refuses a bill that breaks %s', async (rule, part) => {
  expect(() => eInvoiceXml({ ...bills.USAGE, ...part }, 'zugferd')).toThrow(`${rule}:`);
});

test('refuses an XRechnung of a seller without a telephone number, with the rule', async () => {
  expect(() => eInvoiceXml(bills.FEED_IN, 'xrechnung')).toThrow('BR-DE-6:');
  expect(eInvoiceXml(bills.FEED_IN, 'zugferd')).toContain('CrossIndustryInvoice');
});
