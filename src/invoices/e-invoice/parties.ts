import type { Invoice } from '@e-invoice-eu/core';
import type { Bill, DeliveryPlace, Party } from './bill.ts';
import { VAT } from './lines.ts';

type Ubl = Invoice['ubl:Invoice'];
type Seller = Ubl['cac:AccountingSupplierParty']['cac:Party'];
type Buyer = Ubl['cac:AccountingCustomerParty']['cac:Party'];
type Delivery = NonNullable<Ubl['cac:Delivery']>;
type Address = Seller['cac:PostalAddress'];
type Country = Address['cac:Country']['cbc:IdentificationCode'];

/** Schemes of electronic addresses: a mail address, and the Leitweg-ID of public buyers. */
const MAIL = 'EM';
const ROUTE_ID = '0204';
/** Tax number of a tax office, in place of a VAT id. */
const LOCAL_TAX = 'FC';

/** `creditor`: the SEPA creditor identifier, which UBL writes beside the seller's own (BT-90). */
export function standardSeller({ seller }: Bill, creditor: string | null): Seller {
  const contact = contactOf(seller);
  const ids = [
    ...(seller.id === null ? [] : [{ 'cbc:ID': seller.id }]),
    ...(creditor === null ? [] : [{ 'cbc:ID': creditor, 'cbc:ID@schemeID': 'SEPA' as const }]),
  ];
  return {
    ...mailbox(seller.email),
    ...(ids.length === 0 ? {} : { 'cac:PartyIdentification': ids }),
    'cac:PostalAddress': addressOf(seller),
    'cac:PartyTaxScheme': taxNumbers(seller),
    'cac:PartyLegalEntity': {
      'cbc:RegistrationName': seller.name,
      ...(seller.registration === null ? {} : { 'cbc:CompanyID': seller.registration }),
      ...(seller.legal === null ? {} : { 'cbc:CompanyLegalForm': seller.legal }),
    },
    ...(contact === null ? {} : { 'cac:Contact': contact }),
  };
}

function taxNumbers({ vatId, taxNumber }: Party): NonNullable<Seller['cac:PartyTaxScheme']> {
  if (vatId !== null) return [{ 'cbc:CompanyID': vatId, 'cac:TaxScheme': VAT }];
  if (taxNumber !== null) return [{ 'cbc:CompanyID': taxNumber, 'cac:TaxScheme': { 'cbc:ID': LOCAL_TAX } }];
  return [];
}

export function standardBuyer({ buyer, routeId }: Bill): Buyer {
  const contact = contactOf(buyer);
  return {
    ...(routeId === null
      ? mailbox(buyer.email)
      : { 'cbc:EndpointID': routeId, 'cbc:EndpointID@schemeID': ROUTE_ID }),
    'cac:PostalAddress': addressOf(buyer),
    ...(buyer.vatId === null
      ? {}
      : { 'cac:PartyTaxScheme': { 'cbc:CompanyID': buyer.vatId, 'cac:TaxScheme': VAT } }),
    'cac:PartyLegalEntity': { 'cbc:RegistrationName': buyer.name },
    ...(contact === null ? {} : { 'cac:Contact': contact }),
  };
}

const mailbox = (email: string | null) =>
  email === null ? {} : ({ 'cbc:EndpointID': email, 'cbc:EndpointID@schemeID': MAIL } as const);

function contactOf({ contact, phone, email }: Party): NonNullable<Seller['cac:Contact']> | null {
  if (contact === null && phone === null && email === null) return null;
  return {
    ...(contact === null ? {} : { 'cbc:Name': contact }),
    ...(phone === null ? {} : { 'cbc:Telephone': phone }),
    ...(email === null ? {} : { 'cbc:ElectronicMail': email }),
  };
}

/** The library's schema knows the codes of countries and refuses any other text. */
function addressOf({
  street,
  zip,
  city,
  country,
}: Pick<Party, 'street' | 'zip' | 'city' | 'country'>): Address {
  return {
    'cbc:StreetName': street,
    'cbc:CityName': city,
    'cbc:PostalZone': zip,
    'cac:Country': { 'cbc:IdentificationCode': country as Country },
  };
}

/** Where the electricity goes to or comes from, with the market location as its id (BT-71). */
export function standardDelivery(place: DeliveryPlace): Delivery {
  return {
    'cac:DeliveryLocation': {
      ...(place.location === null ? {} : { 'cbc:ID': place.location }),
      'cac:Address': addressOf(place),
    },
  };
}
