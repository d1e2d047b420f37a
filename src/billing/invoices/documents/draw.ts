import { DateTime } from 'luxon';
import type { InvoiceDocument } from './document.ts';
import { formatOf } from './format.ts';
import { drawContract, drawEnergyMix, drawRights } from './pdf/contract.ts';
import { drawAnnex, drawDetail } from './pdf/detail.ts';
import { drawFoot, drawLetterHead, isCredit } from './pdf/letter.ts';
import type { MetadataSchema } from './pdf/metadata.ts';
import type { Page, PageLogo } from './pdf/page.ts';
import { Sheet } from './pdf/sheet.ts';
import { drawSummary, titleOf } from './pdf/summary.ts';
import { drawUsage } from './pdf/usage.ts';
import { textsOf } from './texts/texts.ts';

/** Puts an e-invoice into the document before it ends, and returns what its metadata need described. */
export type Attach = (pdf: PDFKit.PDFDocument, madeAt: Date) => MetadataSchema;

/**
 * The document as a PDF: to be read on paper, on a screen and by a screen reader, and to be kept (PDF/A-3a, PDF/UA-1). It depends on
 * nothing but what is given here, so that the same document has the same bytes whenever it is drawn.
 */
export async function drawInvoice(
  document: InvoiceDocument,
  attach?: Attach,
  logo: PageLogo | null = null,
): Promise<Buffer> {
  const { facts, issuedAt, invoiceNumber } = document;
  const { language, issuer } = facts;
  const [texts, format] = [textsOf(language), formatOf(language)];
  const madeAt = DateTime.fromISO(issuedAt).toJSDate();
  const title = `${titleOf({ document, texts })} ${invoiceNumber}`;
  const sheet = await Sheet.open({ language, title, author: issuer.name, madeAt });
  const page: Page = { sheet, document, texts, format, isFeedIn: isCredit(facts), logo };
  drawLetterHead(page);
  drawSummary(page);
  drawDetail(page);
  if (document.type === 'usage') drawUsage(page);
  if (document.type !== 'void') drawContract(page);
  if (document.type === 'usage') drawEnergyMix(page);
  if (document.type !== 'void' && !page.isFeedIn) drawRights(page);
  drawAnnex(page);
  if (attach !== undefined) sheet.describe(attach(sheet.pdf, madeAt));
  return await sheet.bytes((number, count) => drawFoot(page, number, count));
}
