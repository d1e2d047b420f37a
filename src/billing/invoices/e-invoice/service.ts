import { audit } from '../../../platform/audit.ts';
import type { Database } from '../../../platform/database/db.ts';
import { notFound } from '../../../platform/errors.ts';
import { type StaffAct, staffOf } from '../../../platform/staff-act.ts';
import type { InvoiceDocument } from '../documents/document.ts';
import type { Attach } from '../documents/draw.ts';
import { findFile, insertFile, readDocuments } from '../documents/queries.ts';
import { attachEInvoice } from './attach.ts';
import type { Bill, Format } from './bill.ts';
import { ciiXml } from './cii.ts';
import { billOf } from './of-document.ts';
import { brokenRules } from './rules.ts';
import { ublXml } from './ubl.ts';

/** A bill of which no valid e-invoice can be made: with the rules that it breaks. */
class EInvoiceRefused extends Error {
  constructor(number: string, problems: readonly string[]) {
    super(`no e-invoice of ${number}: ${problems.join('; ')}`);
    this.name = 'EInvoiceRefused';
  }
}

/**
 * The document as XML in UTF-8. Cross Industry Invoice goes into the PDF, Universal Business Language to whoever asks for an
 * XRechnung. Refused where the bill breaks a rule of the standard.
 */
export function eInvoiceXml(bill: Bill, format: Format): string {
  const broken = brokenRules(bill, format);
  if (broken.length > 0) throw new EInvoiceRefused(bill.number, broken);
  return format === 'zugferd' ? ciiXml(bill) : ublXml(bill);
}

export interface EInvoiceOfPdf {
  /** Absent: the PDF goes without. */
  readonly attach?: Attach;
  /** Rules that the bill of a company breaks. */
  readonly refused?: string;
}

/**
 * What the PDF of a company carries. A bill of which no valid e-invoice can be made, for want of a tax number of the customer
 * for instance, is sent as a PDF alone: the figures are right all the same, and the reason is told.
 */
export function eInvoiceOfPdf(document: InvoiceDocument): EInvoiceOfPdf {
  /* The file is kept for eight years: it names no whole account. */
  const bill = billOf(document, { account: null });
  if (bill === null) return {};
  try {
    const xml = eInvoiceXml(bill, 'zugferd');
    return { attach: (pdf, madeAt) => attachEInvoice(pdf, xml, madeAt) };
  } catch (error) {
    if (error instanceof EInvoiceRefused) return { refused: error.message };
    throw error;
  }
}

export interface WrittenFile {
  readonly content: Buffer;
  readonly madeAt: string;
}

/** The PDF of a document as it was made; of a company it is the ZUGFeRD document. */
export async function zugferdFile(
  { database }: { database: Database },
  organization: string,
  id: string,
): Promise<WrittenFile> {
  const file = await database.inOrganization({ organization }, async (connection) => {
    const [document] = await readDocuments(connection, organization, [id]);
    if (document === undefined) throw notFound();
    assertCompany(document);
    return await findFile(connection, organization, id, 'pdf');
  });
  if (file === undefined) throw new Error(`The file of ${id} is not made yet`);
  return { content: file.content, madeAt: file.made_at };
}

export interface BuyerReferences {
  readonly buyerReference?: string | undefined;
  readonly routeId?: string | undefined;
}

/**
 * The XRechnung of a document, made once: what was sent is kept as it was sent. Asked again it is the same one, and another
 * reference of the buyer is refused.
 */
export async function xRechnungFile(
  { database }: { database: Database },
  organization: string,
  id: string,
  references: BuyerReferences,
  act: StaffAct,
): Promise<WrittenFile> {
  return await database.inOrganization({ organization }, async (connection) => {
    const [document] = await readDocuments(connection, organization, [id]);
    if (document === undefined) throw notFound();
    const { account, customer } = document;
    const bill = assertCompany(document, { ...references, account });
    const content = Buffer.from(eInvoiceXml(bill, 'xrechnung'));
    const file = { invoice: id, customer, kind: 'xrechnung', content } as const;
    const isNew = await insertFile(connection, organization, file, act.now);
    if (isNew) {
      await audit(connection, { ...staffOf(act, organization), act: 'invoice.xrechnung', object_id: id });
      return { content, madeAt: act.now };
    }
    const kept = await findFile(connection, organization, id, 'xrechnung');
    if (kept === undefined) throw notFound();
    const { buyerReference, routeId } = references;
    if ((buyerReference ?? routeId) !== undefined && !kept.content.equals(content)) {
      throw new Error(
        `The XRechnung of ${id} was made at ${kept.made_at} with other references and stays as it is`,
      );
    }
    return { content: kept.content, madeAt: kept.made_at };
  });
}

function assertCompany(
  document: InvoiceDocument,
  addressing: Parameters<typeof billOf>[1] = { account: null },
): Bill {
  const bill = billOf(document, addressing);
  if (bill === null) throw new Error(`${document.invoiceNumber} is for a person, who gets no e-invoice`);
  return bill;
}
