import { readXml, type XmlTree } from './xml-tree.ts';

/** What the rules of the standard speak of, read from a written document, whatever its syntax. */
export interface ReadInvoice {
  type: string;
  number: string;
  lines: { quantity: string; unit: string; price: string; net: string; rate: string; category: string }[];
  taxes: { base: string; tax: string; rate: string; category: string; reason: string[] }[];
  sums: Record<'lines' | 'net' | 'tax' | 'gross' | 'prepaid' | 'payable', string>;
  means: string;
  mandate: string[];
  creditor: string[];
  debited: string[];
  account: string[];
  preceding: string[];
  seller: string;
  buyer: string;
  sellerTaxIds: string[];
  notes: string[];
}

export function readCii(xml: string): ReadInvoice {
  const root = readXml(xml);
  const trade = only(root, 'rsm:SupplyChainTradeTransaction');
  const settlement = only(trade, 'ram:ApplicableHeaderTradeSettlement');
  const sums = only(settlement, 'ram:SpecifiedTradeSettlementHeaderMonetarySummation');
  const agreement = only(trade, 'ram:ApplicableHeaderTradeAgreement');
  const means = only(settlement, 'ram:SpecifiedTradeSettlementPaymentMeans');
  const LINE_TAX = 'ram:SpecifiedLineTradeSettlement/ram:ApplicableTradeTax';
  return {
    type: root.one('rsm:ExchangedDocument/ram:TypeCode'),
    number: root.one('rsm:ExchangedDocument/ram:ID'),
    lines: trade.all('ram:IncludedSupplyChainTradeLineItem').map((line) => ({
      quantity: line.one('ram:SpecifiedLineTradeDelivery/ram:BilledQuantity'),
      unit: attribute(line, 'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity', 'unitCode'),
      price: line.one('ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount'),
      net: line.one(
        'ram:SpecifiedLineTradeSettlement/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount',
      ),
      rate: line.one(`${LINE_TAX}/ram:RateApplicablePercent`),
      category: line.one(`${LINE_TAX}/ram:CategoryCode`),
    })),
    taxes: settlement.all('ram:ApplicableTradeTax').map((tax) => ({
      base: tax.one('ram:BasisAmount'),
      tax: tax.one('ram:CalculatedAmount'),
      rate: tax.one('ram:RateApplicablePercent'),
      category: tax.one('ram:CategoryCode'),
      reason: tax.texts('ram:ExemptionReason'),
    })),
    sums: {
      lines: sums.one('ram:LineTotalAmount'),
      net: sums.one('ram:TaxBasisTotalAmount'),
      tax: sums.one('ram:TaxTotalAmount'),
      gross: sums.one('ram:GrandTotalAmount'),
      prepaid: sums.one('ram:TotalPrepaidAmount'),
      payable: sums.one('ram:DuePayableAmount'),
    },
    means: means.one('ram:TypeCode'),
    mandate: settlement.texts('ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID'),
    creditor: settlement.texts('ram:CreditorReferenceID'),
    debited: means.texts('ram:PayerPartyDebtorFinancialAccount/ram:IBANID'),
    account: means.texts('ram:PayeePartyCreditorFinancialAccount/ram:IBANID'),
    preceding: settlement.texts('ram:InvoiceReferencedDocument/ram:IssuerAssignedID'),
    seller: agreement.one('ram:SellerTradeParty/ram:Name'),
    buyer: agreement.one('ram:BuyerTradeParty/ram:Name'),
    sellerTaxIds: agreement
      .all('ram:SellerTradeParty/ram:SpecifiedTaxRegistration/ram:ID')
      .map(({ text, attributes }) => `${attributes.schemeID} ${text}`),
    notes: root.texts('rsm:ExchangedDocument/ram:IncludedNote/ram:Content'),
  };
}

export function readUbl(xml: string): ReadInvoice {
  const root = readXml(xml);
  const sums = only(root, 'cac:LegalMonetaryTotal');
  const means = only(root, 'cac:PaymentMeans');
  const seller = only(root, 'cac:AccountingSupplierParty/cac:Party');
  const CATEGORY = 'cac:Item/cac:ClassifiedTaxCategory';
  return {
    type: root.one('cbc:InvoiceTypeCode'),
    number: root.one('cbc:ID'),
    lines: root.all('cac:InvoiceLine').map((line) => ({
      quantity: line.one('cbc:InvoicedQuantity'),
      unit: attribute(line, 'cbc:InvoicedQuantity', 'unitCode'),
      price: line.one('cac:Price/cbc:PriceAmount'),
      net: line.one('cbc:LineExtensionAmount'),
      rate: line.one(`${CATEGORY}/cbc:Percent`),
      category: line.one(`${CATEGORY}/cbc:ID`),
    })),
    taxes: root.all('cac:TaxTotal/cac:TaxSubtotal').map((tax) => ({
      base: tax.one('cbc:TaxableAmount'),
      tax: tax.one('cbc:TaxAmount'),
      rate: tax.one('cac:TaxCategory/cbc:Percent'),
      category: tax.one('cac:TaxCategory/cbc:ID'),
      reason: tax.texts('cac:TaxCategory/cbc:TaxExemptionReason'),
    })),
    sums: {
      lines: sums.one('cbc:LineExtensionAmount'),
      net: sums.one('cbc:TaxExclusiveAmount'),
      tax: root.one('cac:TaxTotal/cbc:TaxAmount'),
      gross: sums.one('cbc:TaxInclusiveAmount'),
      prepaid: sums.one('cbc:PrepaidAmount'),
      payable: sums.one('cbc:PayableAmount'),
    },
    means: means.one('cbc:PaymentMeansCode'),
    mandate: means.texts('cac:PaymentMandate/cbc:ID'),
    creditor: seller
      .all('cac:PartyIdentification/cbc:ID')
      .filter(({ attributes }) => attributes.schemeID === 'SEPA')
      .map(({ text }) => text),
    debited: means.texts('cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID'),
    account: means.texts('cac:PayeeFinancialAccount/cbc:ID'),
    preceding: root.texts('cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID'),
    seller: seller.one('cac:PartyLegalEntity/cbc:RegistrationName'),
    buyer: root.one('cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity/cbc:RegistrationName'),
    sellerTaxIds: seller.all('cac:PartyTaxScheme').map((tax) => {
      return `${tax.one('cac:TaxScheme/cbc:ID') === 'VAT' ? 'VA' : 'FC'} ${tax.one('cbc:CompanyID')}`;
    }),
    notes: root.texts('cbc:Note'),
  };
}

function only(of: XmlTree, path: string): XmlTree {
  const [element, ...others] = of.all(path);
  if (element === undefined || others.length > 0) throw new Error(`no or several elements at ${path}`);
  return element;
}

function attribute(of: XmlTree, path: string, name: string): string {
  return only(of, path).attributes[name] ?? '';
}
