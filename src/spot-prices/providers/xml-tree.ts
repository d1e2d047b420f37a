import { SaxesParser } from 'saxes';
import { bodyText, failed, rejected } from './body.ts';

/** An element by its local name; namespaces differ from year to year and say nothing. */
export interface XmlElement {
  readonly name: string;
  /** Its own text, trimmed. */
  text: string;
  readonly children: XmlElement[];
}

/* A year of quarter hours as single points has 110,000 elements, five deep. */
const DEPTH_MAX = 32;
const ELEMENTS_MAX = 500_000;
const TEXT_LENGTH_MAX = 100_000;

/**
 * The whole document, checked to its last closing tag before anybody sees a value of it: a truncated one whose curve is
 * expanded would invent prices. The parser goes on after an error by itself; here the first one ends it.
 */
export function readXml(body: Uint8Array): XmlElement {
  const text = bodyText(body);
  const parser = new SaxesParser({ xmlns: true });
  const open: XmlElement[] = [];
  const roots: XmlElement[] = [];
  let elements = 0;

  const append = (part: string): void => {
    const element = open.at(-1);
    if (element === undefined) return;
    element.text += part;
    if (element.text.length > TEXT_LENGTH_MAX) throw rejected(`The text of ${element.name} is too long`);
  };
  parser.on('error', (error) => {
    throw failed(`The body is not well-formed XML: ${error.message}`);
  });
  parser.on('doctype', () => {
    throw failed('The body has a document type declaration');
  });
  parser.on('opentag', ({ local }) => {
    const element: XmlElement = { name: local, text: '', children: [] };
    elements += 1;
    if (open.length >= DEPTH_MAX) throw rejected(`Elements are nested deeper than ${DEPTH_MAX}`);
    if (elements > ELEMENTS_MAX) throw rejected(`The body has more than ${ELEMENTS_MAX} elements`);
    (open.at(-1)?.children ?? roots).push(element);
    open.push(element);
  });
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => {
    const element = open.pop();
    if (element !== undefined) element.text = trimmed(element.text);
  });
  parser.write(text).close();
  const [root] = roots;
  if (root === undefined) throw failed('The body has no root element');
  return root;
}

/* White space of XML. A no-break space is part of a value, which is then no number. */
const WHITE_SPACE = ' \t\r\n';

/* By hand: a pattern for the end is tried again at every blank inside a long text. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && WHITE_SPACE.includes(text.charAt(from))) from += 1;
  while (to > from && WHITE_SPACE.includes(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** The element of this name, if there is one; two would be two answers to one question. */
export function childOf(element: XmlElement, name: string): XmlElement | undefined {
  const [first, second] = childrenOf(element, name);
  if (second !== undefined) throw rejected(`${element.name} has more than one ${name}`);
  return first;
}

/** The text of the element of this name. */
export function childText(element: XmlElement, name: string): string | undefined {
  const child = childOf(element, name);
  if (child !== undefined && child.children.length > 0) throw rejected(`${name} has elements inside`);
  return child?.text;
}
