import { readXml, type XmlTree } from './xml-tree.ts';

/** What the rules of the standard speak of, read from a written document, whatever its syntax. */
export interface ReadInvoice {
  type: string;
  number: string;
  lines: Record<'position' | 'quantity' | 'unit' | 'price' | 'net' | 'rate' | 'category', string>[];
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
    type: root.textAt('rsm:ExchangedDocument/ram:TypeCode'),
    number: root.textAt('rsm:ExchangedDocument/ram:ID'),
    lines: trade.all('ram:IncludedSupplyChainTradeLineItem').map((line) => ({
      position: line.textAt('ram:AssociatedDocumentLineDocument/ram:LineID'),
      quantity: line.textAt('ram:SpecifiedLineTradeDelivery/ram:BilledQuantity'),
      unit: attribute(line, 'ram:SpecifiedLineTradeDelivery/ram:BilledQuantity', 'unitCode'),
      price: line.textAt('ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount'),
      net: line.textAt(
        'ram:SpecifiedLineTradeSettlement/ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount',
      ),
      rate: line.textAt(`${LINE_TAX}/ram:RateApplicablePercent`),
      category: line.textAt(`${LINE_TAX}/ram:CategoryCode`),
    })),
    taxes: settlement.all('ram:ApplicableTradeTax').map((tax) => ({
      base: tax.textAt('ram:BasisAmount'),
      tax: tax.textAt('ram:CalculatedAmount'),
      rate: tax.textAt('ram:RateApplicablePercent'),
      category: tax.textAt('ram:CategoryCode'),
      reason: tax.texts('ram:ExemptionReason'),
    })),
    sums: {
      lines: sums.textAt('ram:LineTotalAmount'),
      net: sums.textAt('ram:TaxBasisTotalAmount'),
      tax: sums.textAt('ram:TaxTotalAmount'),
      gross: sums.textAt('ram:GrandTotalAmount'),
      prepaid: sums.textAt('ram:TotalPrepaidAmount'),
      payable: sums.textAt('ram:DuePayableAmount'),
    },
    means: means.textAt('ram:TypeCode'),
    mandate: settlement.texts('ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID'),
    creditor: settlement.texts('ram:CreditorReferenceID'),
    debited: means.texts('ram:PayerPartyDebtorFinancialAccount/ram:IBANID'),
    account: means.texts('ram:PayeePartyCreditorFinancialAccount/ram:IBANID'),
    preceding: settlement.texts('ram:InvoiceReferencedDocument/ram:IssuerAssignedID'),
    seller: agreement.textAt('ram:SellerTradeParty/ram:Name'),
    buyer: agreement.textAt('ram:BuyerTradeParty/ram:Name'),
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
    type: root.textAt('cbc:InvoiceTypeCode'),
    number: root.textAt('cbc:ID'),
    lines: root.all('cac:InvoiceLine').map((line) => ({
      position: line.textAt('cbc:ID'),
      quantity: line.textAt('cbc:InvoicedQuantity'),
      unit: attribute(line, 'cbc:InvoicedQuantity', 'unitCode'),
      price: line.textAt('cac:Price/cbc:PriceAmount'),
      net: line.textAt('cbc:LineExtensionAmount'),
      rate: line.textAt(`${CATEGORY}/cbc:Percent`),
      category: line.textAt(`${CATEGORY}/cbc:ID`),
    })),
    taxes: root.all('cac:TaxTotal/cac:TaxSubtotal').map((tax) => ({
      base: tax.textAt('cbc:TaxableAmount'),
      tax: tax.textAt('cbc:TaxAmount'),
      rate: tax.textAt('cac:TaxCategory/cbc:Percent'),
      category: tax.textAt('cac:TaxCategory/cbc:ID'),
      reason: tax.texts('cac:TaxCategory/cbc:TaxExemptionReason'),
    })),
    sums: {
      lines: sums.textAt('cbc:LineExtensionAmount'),
      net: sums.textAt('cbc:TaxExclusiveAmount'),
      tax: root.textAt('cac:TaxTotal/cbc:TaxAmount'),
      gross: sums.textAt('cbc:TaxInclusiveAmount'),
      prepaid: sums.textAt('cbc:PrepaidAmount'),
      payable: sums.textAt('cbc:PayableAmount'),
    },
    means: means.textAt('cbc:PaymentMeansCode'),
    mandate: means.texts('cac:PaymentMandate/cbc:ID'),
    creditor: seller
      .all('cac:PartyIdentification/cbc:ID')
      .filter(({ attributes }) => attributes.schemeID === 'SEPA')
      .map(({ text }) => text),
    debited: means.texts('cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID'),
    account: means.texts('cac:PayeeFinancialAccount/cbc:ID'),
    preceding: root.texts('cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID'),
    seller: seller.textAt('cac:PartyLegalEntity/cbc:RegistrationName'),
    buyer: root.textAt('cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity/cbc:RegistrationName'),
    sellerTaxIds: seller.all('cac:PartyTaxScheme').map((tax) => {
      return `${tax.textAt('cac:TaxScheme/cbc:ID') === 'VAT' ? 'VA' : 'FC'} ${tax.textAt('cbc:CompanyID')}`;
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
