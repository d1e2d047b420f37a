/** An element: its name, and inside it others or a text. An absent child is left out. */
export type XmlPart = string;

type Attributes = Readonly<Record<string, string>>;

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Control characters and halves of characters: no XML may have them, not even escaped. */
const NOT_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escaped(text: string): string {
  return text.replaceAll(NOT_XML, ' ').replaceAll(/[&<>"]/g, (sign) => ESCAPED[sign] ?? sign);
}

function opened(name: string, attributes: Attributes): string {
  const told = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${told.join('')}>`;
}

export function element(name: string, ...children: readonly (XmlPart | undefined)[]): XmlPart {
  return `<${name}>${children.filter((child) => child !== undefined).join('')}</${name}>`;
}

/** Characters that XML cannot carry, a control character in a name for instance, become a space. */
export function textElement(name: string, text: string, attributes: Attributes = {}): XmlPart {
  return `${opened(name, attributes)}${escaped(text)}</${name}>`;
}

/** Elements inside each other, the innermost with the text and the attributes: `nested('Id/IBAN', …)`. */
export function nested(path: string, text: string, attributes: Attributes = {}): XmlPart {
  const names = path.split('/');
  const last = names.pop() ?? path;
  return names.reduceRight((inner, name) => element(name, inner), textElement(last, text, attributes));
}

/** As `nested`; no element where there is no text. */
export function nestedIf(
  path: string,
  text: string | null,
  attributes: Attributes = {},
): XmlPart | undefined {
  return text === null ? undefined : nested(path, text, attributes);
}

export function documentOf(
  root: string,
  namespaces: Attributes,
  ...children: readonly (XmlPart | undefined)[]
): string {
  const inside = children.filter((child) => child !== undefined).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n${opened(root, namespaces)}${inside}</${root}>\n`;
}
