/** An element: its name, and inside it others or a text. An absent child is left out. */
export type XmlPart = string;

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export function element(name: string, ...children: readonly (XmlPart | undefined)[]): XmlPart {
  return `<${name}>${children.filter((child) => child !== undefined).join('')}</${name}>`;
}

export function textElement(name: string, text: string): XmlPart {
  return `<${name}>${text.replaceAll(/[&<>]/g, (sign) => ESCAPED[sign] ?? sign)}</${name}>`;
}

/** Elements inside each other, the innermost with the text: `nested('Id/IBAN', …)`. */
export function nested(path: string, text: string): XmlPart {
  const names = path.split('/');
  const last = names.pop() ?? path;
  return names.reduceRight((inner, name) => element(name, inner), textElement(last, text));
}

export function euroElement(name: string, amount: string): XmlPart {
  return `<${name} Ccy="EUR">${amount}</${name}>`;
}

export function documentOf(message: string, root: XmlPart): Buffer {
  const namespace = `urn:iso:std:iso:20022:tech:xsd:${message}`;
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace}">${root}</Document>\n`,
  );
}
