/** Properties of the metadata that PDF/A does not know by itself, and what they mean. */
export interface MetadataSchema {
  readonly name: string;
  readonly namespace: string;
  readonly prefix: string;
  readonly properties: readonly {
    readonly name: string;
    readonly type: 'Text' | 'Integer';
    readonly category: 'external' | 'internal';
    readonly description: string;
  }[];
}

/** To be read by a screen reader (ISO 14289-1). */
export const PDF_UA_SCHEMA: MetadataSchema = {
  name: 'PDF/UA Universal Accessibility Schema',
  namespace: 'http://www.aiim.org/pdfua/ns/id/',
  prefix: 'pdfuaid',
  properties: [
    { name: 'part', type: 'Integer', category: 'internal', description: 'Part of ISO 14289 that it follows' },
  ],
};

export const PDF_UA = `
    <rdf:Description rdf:about="" xmlns:pdfuaid="${PDF_UA_SCHEMA.namespace}">
      <pdfuaid:part>1</pdfuaid:part>
    </rdf:Description>`;

/** The library puts texts into the metadata as they are, and a name may have an ampersand in it. */
export function authorXml(author: string): string {
  const text = author.replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `
    <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <dc:creator><rdf:Seq><rdf:li>${text}</rdf:li></rdf:Seq></dc:creator>
    </rdf:Description>`;
}

/** All in one list: metadata have room for one. */
export function schemasXml(schemas: readonly MetadataSchema[]): string {
  return `
    <rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
        xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
      <pdfaExtension:schemas>
        <rdf:Bag>${schemas.map(schemaXml).join('')}</rdf:Bag>
      </pdfaExtension:schemas>
    </rdf:Description>`;
}

function schemaXml({ name, namespace, prefix, properties }: MetadataSchema): string {
  return (
    `<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>${name}</pdfaSchema:schema>` +
    `<pdfaSchema:namespaceURI>${namespace}</pdfaSchema:namespaceURI><pdfaSchema:prefix>${prefix}</pdfaSchema:prefix>` +
    `<pdfaSchema:property><rdf:Seq>${properties.map(propertyXml).join('')}</rdf:Seq></pdfaSchema:property></rdf:li>`
  );
}

function propertyXml({ name, type, category, description }: MetadataSchema['properties'][number]): string {
  return (
    `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name>` +
    `<pdfaProperty:valueType>${type}</pdfaProperty:valueType><pdfaProperty:category>${category}</pdfaProperty:category>` +
    `<pdfaProperty:description>${description}</pdfaProperty:description></rdf:li>`
  );
}
