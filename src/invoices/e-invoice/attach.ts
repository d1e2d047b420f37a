/*
 * The e-invoice inside the PDF (ZUGFeRD 2, Factur-X 1, profile EN 16931). The library can put it into a finished PDF too, but
 * then it writes the metadata anew and names level B: what says that the document is tagged (level A) is lost. So the writer of
 * the PDF attaches the file itself, before it ends the document, which has to be PDF/A-3: no other part may carry any file.
 */

export const ATTACHMENT_NAME = 'factur-x.xml';

/** What is used of the PDF that is being written. */
export interface AttachableDocument {
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

/** `madeAt`: so that the same document has the same bytes whenever it is drawn. */
export function attachEInvoice(document: AttachableDocument, xml: string, madeAt: Date): void {
  document.file(Buffer.from(xml), {
    name: ATTACHMENT_NAME,
    /* The standard insists on this type, not on application/xml. */
    type: 'text/xml',
    description: 'ZUGFeRD / Factur-X, EN 16931',
    relationship: 'Alternative',
    creationDate: madeAt,
    modifiedDate: madeAt,
  });
  document.appendXML(METADATA);
}

const PROPERTIES = {
  DocumentFileName: 'Name of the embedded XML invoice file',
  DocumentType: 'INVOICE',
  Version: 'Version of the Factur-X XML schema',
  ConformanceLevel: 'Conformance level of the embedded Factur-X data',
};

const propertyXml = ([name, description]: [string, string]): string =>
  `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name>` +
  `<pdfaProperty:valueType>Text</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category>` +
  `<pdfaProperty:description>${description}</pdfaProperty:description></rdf:li>`;

/** PDF/A does not know these properties by itself, so that their schema is described beside their values. */
const METADATA = `
  <rdf:Description rdf:about="" xmlns:fx="urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#">
    <fx:DocumentType>INVOICE</fx:DocumentType>
    <fx:DocumentFileName>${ATTACHMENT_NAME}</fx:DocumentFileName>
    <fx:Version>1.0</fx:Version>
    <fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>
  </rdf:Description>
  <rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
      xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
    <pdfaExtension:schemas>
      <rdf:Bag>
        <rdf:li rdf:parseType="Resource">
          <pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>
          <pdfaSchema:namespaceURI>urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#</pdfaSchema:namespaceURI>
          <pdfaSchema:prefix>fx</pdfaSchema:prefix>
          <pdfaSchema:property>
            <rdf:Seq>${Object.entries(PROPERTIES).map(propertyXml).join('')}</rdf:Seq>
          </pdfaSchema:property>
        </rdf:li>
      </rdf:Bag>
    </pdfaExtension:schemas>
  </rdf:Description>`;
