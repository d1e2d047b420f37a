import { getDocument } from 'unpdf/pdfjs';
import { expect, test } from 'vitest';
import type { InvoiceDocument } from '../../../../src/billing/invoices/documents/document.ts';
import { drawInvoice } from '../../../../src/billing/invoices/documents/draw.ts';
import { eInvoiceOfPdf } from '../../../../src/billing/invoices/e-invoice/service.ts';
import { nodesOf, readPdf } from '../documents/pdf-reader.ts';
import { SAMPLES } from '../documents/samples.ts';
import { readCii } from './read.ts';
import { readXml } from './xml-tree.ts';

function companys(): InvoiceDocument {
  const document = SAMPLES.smartUsage();
  const recipient = {
    ...document.facts.recipient,
    type: 'company' as const,
    companyName: 'Bäckerei & Söhne OHG',
  };
  return { ...document, facts: { ...document.facts, recipient } };
}

async function drawn(document: InvoiceDocument): Promise<Buffer> {
  const { attach } = eInvoiceOfPdf(document);
  return await drawInvoice(document, attach);
}

/** The only file that it carries. */
async function attachmentOf(pdf: Buffer): Promise<string> {
  const task = getDocument({ data: Uint8Array.from(pdf), verbosity: 0 });
  const document = await task.promise;
  const [id, ...others] = [...((await document.getAttachments()) ?? new Map<string, unknown>()).keys()];
  if (id === undefined || others.length > 0) throw new Error('no file, or several');
  const content = await document.getAttachmentContent(id);
  await task.destroy();
  return new TextDecoder().decode(content ?? undefined);
}

test('the PDF of a company carries its e-invoice, under the name that readers look for', async () => {
  const bytes = await drawn(companys());
  expect((await readPdf(bytes)).attachments).toEqual(['factur-x.xml']);
  const read = readCii(await attachmentOf(bytes));
  expect(read).toMatchObject({ type: '380', number: 'K7P2M9QX-033', buyer: 'Bäckerei & Söhne OHG' });
});

test('the PDF stays tagged PDF/A-3a and says what is inside it', async () => {
  const bytes = await drawn(companys());
  const { isMarked, trees } = await readPdf(bytes);
  expect(isMarked).toBe(true);
  expect(trees.flatMap(nodesOf).map(({ role }) => role)).toEqual(
    expect.arrayContaining(['H1', 'Table', 'TH']),
  );
  const text = bytes.toString('latin1');
  const metadata = readXml(text.slice(text.indexOf('<x:xmpmeta'), text.indexOf('</x:xmpmeta>') + 12));
  const said = metadata.all('rdf:RDF/rdf:Description').flatMap(({ children }) => children);
  const saidOf = (name: string) => said.filter((part) => part.name === name).map(({ text: value }) => value);
  expect([saidOf('pdfaid:part'), saidOf('pdfaid:conformance')]).toEqual([['3'], ['A']]);
  expect(saidOf('fx:ConformanceLevel')).toEqual(['EN 16931']);
  expect(saidOf('fx:DocumentFileName')).toEqual(['factur-x.xml']);
  expect(text).toContain('/AFRelationship /Alternative');
});

test('the PDF of a person carries nothing', async () => {
  expect((await readPdf(await drawn(SAMPLES.smartUsage()))).attachments).toEqual([]);
});

test('the same document has the same bytes whenever it is drawn', async () => {
  expect((await drawn(companys())).equals(await drawn(companys()))).toBe(true);
});
