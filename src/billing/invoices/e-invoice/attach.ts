import type { MetadataSchema } from '../documents/pdf/metadata.ts';

/*
 * The e-invoice inside the PDF (ZUGFeRD 2, Factur-X 1, profile EN 16931). The writer of the PDF attaches it before it ends the
 * document, which has to be PDF/A-3: no other part may carry any file.
 */

export const ATTACHMENT_NAME = 'factur-x.xml';

/** The used part of the PDF that is being written; the library's types do not know all options. */
interface AttachableDocument {
  file(
    content: Buffer,
    options: {
      name: string;
      type: string;
      description: string;
      relationship: string;
      creationDate: Date;
      modifiedDate: Date;
    },
  ): unknown;
  appendXML(xml: string): void;
}

/** `madeAt`: so that the same document has the same bytes whenever it is drawn. Returns what its metadata need described. */
export function attachEInvoice(pdf: AttachableDocument, xml: string, madeAt: Date): MetadataSchema {
  pdf.file(Buffer.from(xml), {
    name: ATTACHMENT_NAME,
    /* The standard insists on this type, not on application/xml. */
    type: 'text/xml',
    description: 'ZUGFeRD / Factur-X, EN 16931',
    relationship: 'Alternative',
    creationDate: madeAt,
    modifiedDate: madeAt,
  });
  pdf.appendXML(METADATA);
  return SCHEMA;
}

const NAMESPACE = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';

const PROPERTIES = {
  DocumentFileName: 'Name of the embedded XML invoice file',
  DocumentType: 'INVOICE',
  Version: 'Version of the Factur-X XML schema',
  ConformanceLevel: 'Conformance level of the embedded Factur-X data',
};

const SCHEMA: MetadataSchema = {
  name: 'Factur-X PDFA Extension Schema',
  namespace: NAMESPACE,
  prefix: 'fx',
  properties: Object.entries(PROPERTIES).map(([name, description]) => ({
    ...{ name, type: 'Text', category: 'external', description },
  })),
};

const METADATA = `
  <rdf:Description rdf:about="" xmlns:fx="${NAMESPACE}">
    <fx:DocumentType>INVOICE</fx:DocumentType>
    <fx:DocumentFileName>${ATTACHMENT_NAME}</fx:DocumentFileName>
    <fx:Version>1.0</fx:Version>
    <fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>
  </rdf:Description>`;
