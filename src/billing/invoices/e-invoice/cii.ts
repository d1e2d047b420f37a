import { addDays, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { documentOf, element, nested, nestedIf, textElement, type XmlPart } from '../../../platform/xml.ts';
import { asBuyer, type Bill, type BilledLine, type DeliveryPlace, type Party } from './bill.ts';
import { CURRENCY, cents, grossOf, percent, pricedQuantity, taxCategory } from './lines.ts';
import { BUSINESS_PROCESS, MAIL, type PaymentMeans, paymentMeans } from './payment.ts';

/*
 * A bill as Cross Industry Invoice of the United Nations (D16B), as ZUGFeRD and Factur-X want it. The schema knows one order
 * of elements.
 */

const NAMESPACES = {
  'xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  'xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  'xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
  'xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
};
const PROFILE = 'urn:cen.eu:en16931:2017';
/** UNTDID 2379: a day as 20261031. */
const DAY_FORMAT = { format: '102' };

export function ciiXml(bill: Bill): string {
  /* An account number is needed for a transfer only (BR-61): a debit is told by its mandate. */
  const means = paymentMeans(bill, { needsAccount: false });
  return documentOf(
    'rsm:CrossIndustryInvoice',
    NAMESPACES,
    element(
      'rsm:ExchangedDocumentContext',
      nested('ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID', BUSINESS_PROCESS),
      nested('ram:GuidelineSpecifiedDocumentContextParameter/ram:ID', PROFILE),
    ),
    element(
      'rsm:ExchangedDocument',
      textElement('ram:ID', bill.number),
      textElement('ram:TypeCode', bill.typeCode),
      dayElement('ram:IssueDateTime', bill.issuedOn),
      ...[...bill.notes, ...furtherPreceding(bill)].map((note) =>
        nested('ram:IncludedNote/ram:Content', note),
      ),
    ),
    element(
      'rsm:SupplyChainTradeTransaction',
      ...bill.lines.map((line, index) => lineElement(bill, line, index + 1)),
      agreement(bill),
      element('ram:ApplicableHeaderTradeDelivery', bill.delivery === null ? undefined : place(bill.delivery)),
      settlement(bill, means),
    ),
  );
}

/** There is room for one document that is corrected: the first. The others are told in words. */
function furtherPreceding({ preceding }: Bill): string[] {
  const [, ...others] = preceding;
  return others.length === 0 ? [] : [`Berichtigt auch: ${others.map(({ number }) => number).join(', ')}`];
}

function lineElement(bill: Bill, line: BilledLine, position: number): XmlPart {
  const { quantity, unit, price, note } = pricedQuantity(line, bill.isReversal);
  return element(
    'ram:IncludedSupplyChainTradeLineItem',
    element(
      'ram:AssociatedDocumentLineDocument',
      textElement('ram:LineID', String(position)),
      nestedIf('ram:IncludedNote/ram:Content', note),
    ),
    nested('ram:SpecifiedTradeProduct/ram:Name', line.name),
    nested('ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount', price),
    nested('ram:SpecifiedLineTradeDelivery/ram:BilledQuantity', quantity, { unitCode: unit }),
    element(
      'ram:SpecifiedLineTradeSettlement',
      element(
        'ram:ApplicableTradeTax',
        textElement('ram:TypeCode', 'VAT'),
        textElement('ram:CategoryCode', taxCategory(line.vatRate, bill.exemption)),
        textElement('ram:RateApplicablePercent', percent(line.vatRate)),
      ),
      period(line),
      nested('ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount', cents(line.net)),
    ),
  );
}

function agreement({ buyerReference, seller, buyer, contract }: Bill): XmlPart {
  return element(
    'ram:ApplicableHeaderTradeAgreement',
    textElement('ram:BuyerReference', buyerReference),
    partyOf('ram:SellerTradeParty', seller),
    partyOf('ram:BuyerTradeParty', asBuyer(buyer)),
    nestedIf('ram:ContractReferencedDocument/ram:IssuerAssignedID', contract),
  );
}

function partyOf(name: string, party: Party): XmlPart {
  const { vatId, taxNumber, contact, phone, email } = party;
  return element(
    name,
    nestedIf('ram:ID', party.id),
    textElement('ram:Name', party.name),
    nestedIf('ram:Description', party.legal),
    nestedIf('ram:SpecifiedLegalOrganization/ram:ID', party.registration),
    (contact ?? phone ?? email) === null
      ? undefined
      : element(
          'ram:DefinedTradeContact',
          nestedIf('ram:PersonName', contact),
          nestedIf('ram:TelephoneUniversalCommunication/ram:CompleteNumber', phone),
          nestedIf('ram:EmailURIUniversalCommunication/ram:URIID', email),
        ),
    address(party),
    nestedIf('ram:URIUniversalCommunication/ram:URIID', email, { schemeID: MAIL }),
    nestedIf('ram:SpecifiedTaxRegistration/ram:ID', vatId ?? taxNumber, {
      schemeID: vatId === null ? 'FC' : 'VA',
    }),
  );
}

function address({
  street,
  zip,
  city,
  country,
}: Pick<Party, 'street' | 'zip' | 'city' | 'country'>): XmlPart {
  return element(
    'ram:PostalTradeAddress',
    textElement('ram:PostcodeCode', zip),
    textElement('ram:LineOne', street),
    textElement('ram:CityName', city),
    textElement('ram:CountryID', country),
  );
}

/** The place that electricity goes to or comes from, with the market location as its id (BT-71). */
function place(delivery: DeliveryPlace): XmlPart {
  return element('ram:ShipToTradeParty', nestedIf('ram:ID', delivery.location), address(delivery));
}

function settlement(bill: Bill, means: PaymentMeans): XmlPart {
  const { sums, exemption, preceding } = bill;
  const [corrected] = preceding;
  return element(
    'ram:ApplicableHeaderTradeSettlement',
    nestedIf('ram:CreditorReferenceID', means.creditor),
    textElement('ram:PaymentReference', bill.number),
    textElement('ram:InvoiceCurrencyCode', CURRENCY),
    element(
      'ram:SpecifiedTradeSettlementPaymentMeans',
      textElement('ram:TypeCode', means.code),
      nestedIf('ram:PayerPartyDebtorFinancialAccount/ram:IBANID', means.debited),
      means.credited === null
        ? undefined
        : element(
            'ram:PayeePartyCreditorFinancialAccount',
            textElement('ram:IBANID', means.credited.account),
            textElement('ram:AccountName', means.credited.holder),
          ),
    ),
    ...sums.taxes.map(({ rate, net, tax }) => {
      const category = taxCategory(rate, exemption);
      return element(
        'ram:ApplicableTradeTax',
        textElement('ram:CalculatedAmount', cents(tax)),
        textElement('ram:TypeCode', 'VAT'),
        nestedIf('ram:ExemptionReason', category === 'E' ? exemption : null),
        textElement('ram:BasisAmount', cents(net)),
        textElement('ram:CategoryCode', category),
        textElement('ram:RateApplicablePercent', percent(rate)),
      );
    }),
    period(bill.period),
    element(
      'ram:SpecifiedTradePaymentTerms',
      textElement('ram:Description', bill.paymentTerms),
      dayElement('ram:DueDateDateTime', bill.dueOn),
      nestedIf('ram:DirectDebitMandateID', means.mandate),
    ),
    element(
      'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
      textElement('ram:LineTotalAmount', cents(sums.net)),
      textElement('ram:TaxBasisTotalAmount', cents(sums.net)),
      textElement('ram:TaxTotalAmount', cents(sums.tax), { currencyID: CURRENCY }),
      textElement('ram:GrandTotalAmount', grossOf(sums)),
      textElement('ram:TotalPrepaidAmount', cents(sums.deducted)),
      textElement('ram:DuePayableAmount', cents(sums.total)),
    ),
    corrected === undefined
      ? undefined
      : element(
          'ram:InvoiceReferencedDocument',
          textElement('ram:IssuerAssignedID', corrected.number),
          corrected.issuedOn === null
            ? undefined
            : dayElement('ram:FormattedIssueDateTime', corrected.issuedOn, 'qdt'),
        ),
  );
}

function period({ from, until }: { readonly from: CalendarDay; readonly until: CalendarDay }): XmlPart {
  return element(
    'ram:BillingSpecifiedPeriod',
    dayElement('ram:StartDateTime', from),
    dayElement('ram:EndDateTime', addDays(until, -1)),
  );
}

function dayElement(name: string, day: CalendarDay, prefix = 'udt'): XmlPart {
  return nested(`${name}/${prefix}:DateTimeString`, day.replaceAll('-', ''), DAY_FORMAT);
}
