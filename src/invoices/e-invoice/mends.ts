import type { Composed } from './compose.ts';

/*
 * What the library leaves out, or puts where the schema of the United Nations (CII D16B) does not want it, is put right before
 * the document is written. Seen in 2.3.4: each mend has a test that fails without it.
 */

/** An element with its children in order; `name@attribute` beside `name`. */
interface Element {
  [name: string]: Content | undefined;
}
type Content = string | Element | Content[];

const ROOT = 'rsm:CrossIndustryInvoice';
/** UNTDID 2379: a day as 20261031. */
const DAY_FORMAT = '102';

export function mendCii(document: object, { prices, bill, creditor }: Composed): void {
  assertElement(document);
  const root = child(document, ROOT);
  /* A path on the computer of whoever built the library. */
  delete document[`${ROOT}@xsi:schemaLocation`];
  delete document[`${ROOT}@xmlns:xsi`];
  splitNotes(child(root, 'rsm:ExchangedDocument'));
  const transaction = child(root, 'rsm:SupplyChainTradeTransaction');
  const lines = children(transaction, 'ram:IncludedSupplyChainTradeLineItem');
  for (const [index, price] of prices.entries()) {
    const agreement = child(lines[index] ?? {}, 'ram:SpecifiedLineTradeAgreement');
    child(agreement, 'ram:NetPriceProductTradePrice')['ram:ChargeAmount'] = price;
  }
  idFirst(child(transaction, 'ram:ApplicableHeaderTradeDelivery'));
  const settlement = child(transaction, 'ram:ApplicableHeaderTradeSettlement');
  const [corrected] = bill.preceding;
  if (corrected !== undefined) {
    settlement['ram:InvoiceReferencedDocument'] = {
      'ram:IssuerAssignedID': corrected.number,
      ...(corrected.issuedOn === null
        ? {}
        : { 'ram:FormattedIssueDateTime': dayElement(corrected.issuedOn) }),
    };
  }
  const { id } = bill.seller;
  if (id !== null) {
    const agreement = child(transaction, 'ram:ApplicableHeaderTradeAgreement');
    agreement['ram:SellerTradeParty'] = { 'ram:ID': id, ...child(agreement, 'ram:SellerTradeParty') };
  }
  if (creditor !== null) {
    transaction['ram:ApplicableHeaderTradeSettlement'] = {
      'ram:CreditorReferenceID': creditor,
      ...settlement,
    };
  }
}

export function mendUbl(document: object, { prices }: Composed): void {
  assertElement(document);
  const lines = children(child(document, 'Invoice'), 'cac:InvoiceLine');
  for (const [index, price] of prices.entries()) {
    child(lines[index] ?? {}, 'cac:Price')['cbc:PriceAmount'] = price;
  }
}

const dayElement = (day: string): Element => ({
  'qdt:DateTimeString': day.replaceAll('-', ''),
  'qdt:DateTimeString@format': DAY_FORMAT,
});

/** One text each: the schema allows a note one content. */
function splitNotes(head: Element): void {
  const note = head['ram:IncludedNote'];
  if (!isElement(note) || !Array.isArray(note['ram:Content'])) return;
  head['ram:IncludedNote'] = note['ram:Content'].map((content) => ({ 'ram:Content': content }));
}

function idFirst(delivery: Element): void {
  const place = delivery['ram:ShipToTradeParty'];
  if (!isElement(place) || place['ram:ID'] === undefined) return;
  const { 'ram:ID': id, ...others } = place;
  delivery['ram:ShipToTradeParty'] = { 'ram:ID': id, ...others };
}

function child(parent: Element, name: string): Element {
  const found = parent[name];
  if (!isElement(found)) throw new Error(`the e-invoice library wrote no ${name}`);
  return found;
}

function children(parent: Element, name: string): Element[] {
  const found = parent[name];
  return (Array.isArray(found) ? found : [found]).filter(isElement);
}

function assertElement(content: object): asserts content is Element {
  if (Array.isArray(content)) throw new TypeError('the e-invoice library wrote no document');
}

const isElement = (content: Content | undefined): content is Element =>
  typeof content === 'object' && !Array.isArray(content);
