import { Exact } from '../../../platform/money.ts';
import { berlinDayOf } from '../../../platform/time/berlin-calendar.ts';
import type { IssuerFacts, PostalAddress, RecipientFacts } from '../calculate/fact-types.ts';
import type { InvoiceLine, InvoiceSums } from '../calculate/types.ts';
import type { InvoiceDocument } from '../documents/document.ts';
import { formatOf } from '../documents/format.ts';
import { isDebited, paymentText, textsOf } from '../documents/texts/texts.ts';
import { taxNumberOf, vatIdOf } from '../documents/vat-id.ts';
import type { InvoiceType } from '../schema.ts';
import type { Bill, BilledLine, DeliveryPlace, Party, Payment, TypeCode } from './bill.ts';

/** What only the one who asks for the document knows. */
export interface Addressing {
  /** Whole IBAN of the customer; null: not to be shown, or gone. */
  readonly account: string | null;
  /** Reference that the buyer wants to read (BT-10); the number of the contract if none was given. */
  readonly buyerReference?: string | undefined;
  readonly routeId?: string | undefined;
}

const TYPE_CODES: Record<InvoiceType, TypeCode> = {
  usage: '380',
  prepayment: '386',
  void: '384',
  exit_summary: '384',
};
const SELF_BILLED = '389';

/** Business customers of this supplier are in Germany. */
const COUNTRY = 'DE';

/** A document as the standard sees it; null: it is for a person, who never gets an e-invoice. */
export function billOf(document: InvoiceDocument, addressing: Addressing): Bill | null {
  const { facts, type } = document;
  if (facts.recipient.type !== 'company') return null;
  const isSelfBilled = facts.contract.type === 'feed_in';
  const supplier = partyOfIssuer(facts.issuer);
  const customer = partyOfRecipient(facts.recipient);
  const sums = isSelfBilled ? turnedSums(document.sums) : document.sums;
  const words = wordsOf(document, isSelfBilled);
  return {
    number: document.invoiceNumber,
    typeCode: typeCodeOf(type, isSelfBilled),
    issuedOn: berlinDayOf(document.issuedAt),
    dueOn: document.dueOn,
    period: { from: document.from, until: document.until },
    isReversal: type === 'void',
    preceding: precedingOf(document),
    contract: facts.contract.number,
    buyerReference: addressing.buyerReference ?? facts.contract.number,
    routeId: addressing.routeId ?? null,
    seller: isSelfBilled ? customer : supplier,
    buyer: isSelfBilled ? supplier : customer,
    delivery: placeOf(document),
    payment: paymentOf(document, sums.total, isSelfBilled, addressing.account),
    paymentTerms: paymentText(document),
    lines: document.lines.map((line) => billedLine(line, isSelfBilled, words.nameOf(line))),
    sums,
    exemption: facts.contract.isTaxExempt ? words.exemption : null,
    notes: words.notes,
  };
}

/** Credits for feed-in are written by the one who receives the supply; so are their corrections. */
function typeCodeOf(type: InvoiceType, isSelfBilled: boolean): TypeCode {
  return isSelfBilled ? SELF_BILLED : TYPE_CODES[type];
}

function precedingOf({ voids, corrects, lines }: InvoiceDocument): Bill['preceding'] {
  const named = [voids, corrects].flatMap((document) => document ?? []);
  const dated = named.map(({ invoiceNumber, issuedOn }) => ({ number: invoiceNumber, issuedOn }));
  const numbers = new Set(lines.flatMap(correctedNumbers));
  return [...dated, ...[...numbers].map((number) => ({ number, issuedOn: null }))];
}

/** A line of a closing document says in its figures which bill it corrects. */
function correctedNumbers({ kind, figures }: InvoiceLine): string[] {
  if (kind !== 'correction') return [];
  return figures.flatMap(({ name, source }) =>
    name === 'invoiced' ? (/^invoice (\S+)$/.exec(source)?.[1] ?? []) : [],
  );
}

function partyOfIssuer(issuer: IssuerFacts): Party {
  const { registerCourt, registerNumber, representedBy } = issuer;
  const register =
    registerCourt === null || registerNumber === null ? null : `${registerCourt}, ${registerNumber}`;
  return {
    ...postal(issuer.address, issuer.country),
    name: issuer.name,
    email: issuer.email,
    phone: issuer.phone,
    contact: issuer.contactName,
    vatId: issuer.vatId,
    taxNumber: issuer.taxNumber,
    id: issuer.supplierCode,
    registration: registerNumber,
    legal: [register, representedBy].filter((part) => part !== null).join('; ') || null,
  };
}

/** Its VAT id is whatever the customer entered: a number of the tax office, too. */
function partyOfRecipient(recipient: RecipientFacts): Party {
  const { companyName, firstName, lastName, vatId } = recipient;
  const contact = `${firstName} ${lastName}`.trim();
  return {
    ...postal(recipient.address, COUNTRY),
    name: companyName ?? contact,
    email: recipient.email,
    phone: null,
    contact: contact === '' ? null : contact,
    vatId: vatIdOf(vatId),
    taxNumber: taxNumberOf(vatId),
    id: recipient.customer,
    registration: null,
    legal: null,
  };
}

function placeOf({ facts: { supply } }: InvoiceDocument): DeliveryPlace | null {
  return supply.address && { ...postal(supply.address, COUNTRY), location: supply.malo };
}

function postal({ street, houseNumber, zip, city }: PostalAddress, country: string) {
  return { street: `${street} ${houseNumber}`.trim(), zip, city, country };
}

/** How it is paid. An amount that the buyer does not owe is settled: paid out, or set off against what comes next. */
function paymentOf(
  { facts: { payment, issuer } }: InvoiceDocument,
  total: string,
  isSelfBilled: boolean,
  account: string | null,
): Payment {
  if (new Exact(total).lessThanOrEqualTo(0)) return { by: 'settlement' };
  if (isSelfBilled) return { by: 'transfer', account, holder: payment.accountHolder };
  if (!isDebited(payment)) return { by: 'transfer', account: issuer.iban, holder: issuer.accountHolder };
  return { by: 'debit', mandate: payment.mandateReference, creditor: payment.creditorId, account };
}

function billedLine(line: InvoiceLine, isSelfBilled: boolean, name: string): BilledLine {
  const { from, until, quantity, unit, unitPrice, net, vatRate } = line;
  return { name, from, until, quantity, unit, unitPrice, vatRate, net: isSelfBilled ? turned(net) : net };
}

/** Stored amounts are positive where the customer pays; where he is the seller, it is the other way round. */
function turnedSums({ net, taxes, tax, deducted, total }: InvoiceSums): InvoiceSums {
  return {
    net: turned(net),
    taxes: taxes.map((of) => ({ rate: of.rate, net: turned(of.net), tax: turned(of.tax) })),
    tax: turned(tax),
    deducted: turned(deducted),
    total: turned(total),
  };
}

const turned = (amount: string): string => new Exact(amount).negated().plus(0).toFixed(2);

interface Words {
  readonly exemption: string;
  readonly notes: readonly string[];
  nameOf(line: InvoiceLine): string;
}

/** The texts of a document, in its language and in the words of its PDF: both have to say the same. */
function wordsOf(document: InvoiceDocument, isSelfBilled: boolean): Words {
  const { facts, type, isEstimated } = document;
  const texts = textsOf(facts.language);
  const { credit, voidCredit } = texts.title;
  return {
    exemption: texts.tax.exempt,
    notes: [
      ...(facts.hasInventedPrices ? [texts.subtitle.inventedPrices] : []),
      ...(isSelfBilled ? [type === 'void' ? voidCredit : credit] : []),
      ...(isEstimated ? [texts.subtitle.estimated] : []),
      ...deductedTax(document),
    ],
    nameOf: ({ kind, band }) =>
      band === null ? texts.lines[kind] : `${texts.lines[kind]}, ${texts.bands[band]}`,
  };
}

/** The tax of prepayments stands in the closing bill again, so that it says what of it was in them (section 14(5) UStG). */
function deductedTax({ facts: { language, deductions }, sums }: InvoiceDocument): string[] {
  if (deductions.length === 0 || new Exact(sums.deducted).isZero()) return [];
  const texts = textsOf(language).deductions;
  const format = formatOf(language);
  const sum = (member: 'gross' | 'tax') =>
    format.cents(
      deductions.reduce((before, deduction) => before.plus(deduction[member]), new Exact(0)).toFixed(),
    );
  return [`${texts.title}: ${texts.gross}: ${sum('gross')}, ${texts.tax}: ${sum('tax')}`];
}
