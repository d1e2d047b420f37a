import { addDays } from '../../../platform/time/berlin-calendar.ts';
import { documentOf, element, nested, nestedIf, textElement, type XmlPart } from '../../../platform/xml.ts';
import { asBuyer, type Bill, type BilledLine, type Party } from './bill.ts';
import { CURRENCY, cents, grossOf, percent, pricedQuantity, taxCategory } from './lines.ts';
import { BUSINESS_PROCESS, MAIL, type PaymentMeans, paymentMeans } from './payment.ts';

/** A bill in Universal Business Language 2.1, as an XRechnung. The schema knows one order of elements. */

const NAMESPACES = {
  xmlns: 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2',
  'xmlns:cac': 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
  'xmlns:cbc': 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
};
const PROFILE = 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0';
/** Scheme of the Leitweg-ID, the address of a public buyer. */
const ROUTE_ID = '0204';

export function ublXml(bill: Bill): string {
  /* XRechnung wants the whole account number of a direct debit (BR-DE-31). */
  const means = paymentMeans(bill, { needsAccount: true });
  const { sums, delivery, routeId, seller, buyer } = bill;
  return documentOf(
    'Invoice',
    NAMESPACES,
    textElement('cbc:CustomizationID', PROFILE),
    textElement('cbc:ProfileID', BUSINESS_PROCESS),
    textElement('cbc:ID', bill.number),
    textElement('cbc:IssueDate', bill.issuedOn),
    textElement('cbc:DueDate', bill.dueOn),
    textElement('cbc:InvoiceTypeCode', bill.typeCode),
    ...bill.notes.map((note) => textElement('cbc:Note', note)),
    textElement('cbc:DocumentCurrencyCode', CURRENCY),
    textElement('cbc:BuyerReference', routeId ?? bill.buyerReference),
    period(bill.period),
    ...bill.preceding.map(({ number, issuedOn }) =>
      element(
        'cac:BillingReference',
        element(
          'cac:InvoiceDocumentReference',
          textElement('cbc:ID', number),
          nestedIf('cbc:IssueDate', issuedOn),
        ),
      ),
    ),
    nestedIf('cac:ContractDocumentReference/cbc:ID', bill.contract),
    element('cac:AccountingSupplierParty', partyOf(seller, mailbox(seller), means.creditor)),
    element(
      'cac:AccountingCustomerParty',
      partyOf(
        asBuyer(buyer),
        nestedIf('cbc:EndpointID', routeId, { schemeID: ROUTE_ID }) ?? mailbox(buyer),
        null,
      ),
    ),
    delivery === null
      ? undefined
      : element(
          'cac:Delivery',
          element(
            'cac:DeliveryLocation',
            nestedIf('cbc:ID', delivery.location),
            address('cac:Address', delivery),
          ),
        ),
    meansElement(bill, means),
    nested('cac:PaymentTerms/cbc:Note', bill.paymentTerms),
    taxes(bill),
    element(
      'cac:LegalMonetaryTotal',
      amount('cbc:LineExtensionAmount', cents(sums.net)),
      amount('cbc:TaxExclusiveAmount', cents(sums.net)),
      amount('cbc:TaxInclusiveAmount', grossOf(sums)),
      amount('cbc:PrepaidAmount', cents(sums.deducted)),
      amount('cbc:PayableAmount', cents(sums.total)),
    ),
    ...bill.lines.map((line, index) => lineElement(bill, line, index + 1)),
  );
}

/** `endpoint`: the address of its electronic mailbox, with the scheme of such addresses. */
function partyOf(party: Party, endpoint: XmlPart | undefined, creditor: string | null): XmlPart {
  const { contact, phone, email } = party;
  return element(
    'cac:Party',
    endpoint,
    nestedIf('cac:PartyIdentification/cbc:ID', party.id),
    nestedIf('cac:PartyIdentification/cbc:ID', creditor, { schemeID: 'SEPA' }),
    address('cac:PostalAddress', party),
    party.vatId === null ? taxId(party.taxNumber, 'FC') : taxId(party.vatId, 'VAT'),
    element(
      'cac:PartyLegalEntity',
      textElement('cbc:RegistrationName', party.name),
      nestedIf('cbc:CompanyID', party.registration),
      nestedIf('cbc:CompanyLegalForm', party.legal),
    ),
    (contact ?? phone ?? email) === null
      ? undefined
      : element(
          'cac:Contact',
          nestedIf('cbc:Name', contact),
          nestedIf('cbc:Telephone', phone),
          nestedIf('cbc:ElectronicMail', email),
        ),
  );
}

const mailbox = ({ email }: Party) => nestedIf('cbc:EndpointID', email, { schemeID: MAIL });

function taxId(id: string | null, scheme: 'VAT' | 'FC'): XmlPart | undefined {
  if (id === null) return undefined;
  return element(
    'cac:PartyTaxScheme',
    textElement('cbc:CompanyID', id),
    nested('cac:TaxScheme/cbc:ID', scheme),
  );
}

function address(
  name: string,
  { street, zip, city, country }: Pick<Party, 'street' | 'zip' | 'city' | 'country'>,
): XmlPart {
  return element(
    name,
    textElement('cbc:StreetName', street),
    textElement('cbc:CityName', city),
    textElement('cbc:PostalZone', zip),
    nested('cac:Country/cbc:IdentificationCode', country),
  );
}

function meansElement({ number }: Bill, { code, mandate, debited, credited }: PaymentMeans): XmlPart {
  return element(
    'cac:PaymentMeans',
    textElement('cbc:PaymentMeansCode', code),
    textElement('cbc:PaymentID', number),
    credited === null
      ? undefined
      : element(
          'cac:PayeeFinancialAccount',
          textElement('cbc:ID', credited.account),
          textElement('cbc:Name', credited.holder),
        ),
    mandate === null
      ? undefined
      : element(
          'cac:PaymentMandate',
          textElement('cbc:ID', mandate),
          nestedIf('cac:PayerFinancialAccount/cbc:ID', debited),
        ),
  );
}

function taxes({ sums, exemption }: Bill): XmlPart {
  return element(
    'cac:TaxTotal',
    amount('cbc:TaxAmount', cents(sums.tax)),
    ...sums.taxes.map(({ rate, net, tax }) =>
      element(
        'cac:TaxSubtotal',
        amount('cbc:TaxableAmount', cents(net)),
        amount('cbc:TaxAmount', cents(tax)),
        element(
          'cac:TaxCategory',
          ...categoryOf(rate, exemption),
          nestedIf('cbc:TaxExemptionReason', taxCategory(rate, exemption) === 'E' ? exemption : null),
          VAT_SCHEME,
        ),
      ),
    ),
  );
}

function lineElement(bill: Bill, line: BilledLine, position: number): XmlPart {
  const { quantity, unit, price, note } = pricedQuantity(line, bill.isReversal);
  return element(
    'cac:InvoiceLine',
    textElement('cbc:ID', String(position)),
    nestedIf('cbc:Note', note),
    textElement('cbc:InvoicedQuantity', quantity, { unitCode: unit }),
    amount('cbc:LineExtensionAmount', cents(line.net)),
    period(line),
    element(
      'cac:Item',
      textElement('cbc:Name', line.name),
      element('cac:ClassifiedTaxCategory', ...categoryOf(line.vatRate, bill.exemption), VAT_SCHEME),
    ),
    element('cac:Price', amount('cbc:PriceAmount', price)),
  );
}

const VAT_SCHEME = nested('cac:TaxScheme/cbc:ID', 'VAT');

function categoryOf(rate: string, exemption: string | null): XmlPart[] {
  return [textElement('cbc:ID', taxCategory(rate, exemption)), textElement('cbc:Percent', percent(rate))];
}

function amount(name: string, text: string): XmlPart {
  return textElement(name, text, { currencyID: CURRENCY });
}

function period({ from, until }: Bill['period']): XmlPart {
  return element(
    'cac:InvoicePeriod',
    textElement('cbc:StartDate', from),
    textElement('cbc:EndDate', addDays(until, -1)),
  );
}
