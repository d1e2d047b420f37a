import { SaxesParser, type SaxesTagNS } from 'saxes';

/** An element with what is inside it, as long as somebody needs it. */
export interface StatementElement {
  readonly name: string;
  /** From the root, siblings of the same name counted: `Document/…/Ntry[3]/Amt`. */
  readonly path: string;
  readonly currency: string | null;
  text: string;
  readonly children: StatementElement[];
}

/** The text is no XML that we take, and nothing behind this place is read. */
export class BrokenStatement extends Error {
  readonly place: string;

  constructor(place: string, rule: string) {
    super(rule);
    this.place = place;
  }
}

const DEPTH_MAX = 32;
const TEXT_CHARACTERS_MAX = 20_000;
/** Of one element that is kept until its end; a movement has about 100. */
const CHILDREN_MAX = 10_000;

export interface ElementReader {
  namespaces: RegExp;
  /** Which elements are handed on when they end, and forgotten: so memory does not grow with the file. */
  isHanded(name: string, parent: string | undefined): boolean;
  ended(element: StatementElement): void;
}

interface OpenElement {
  readonly element: StatementElement;
  readonly isHanded: boolean;
  /** How many children of each name it had. */
  readonly counted: Map<string, number>;
}

/**
 * A strict reader that never holds the document: the first error ends it, a document type is refused, so that there are no
 * entities but the five of XML, and depth, texts and children are bounded.
 */
export class ElementStream {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #open: OpenElement[] = [];
  readonly #reader: ElementReader;
  #roots = 0;

  constructor(reader: ElementReader) {
    this.#reader = reader;
    this.#parser.on('error', (error) => {
      throw this.#broken(`Not well-formed XML: ${error.message.replace(/^\d+:\d+: /, '')}`);
    });
    this.#parser.on('xmldecl', ({ encoding }) => {
      if (encoding !== undefined && encoding.toUpperCase() !== 'UTF-8') {
        throw this.#broken(`Encoding ${encoding}: only UTF-8 is read`);
      }
    });
    this.#parser.on('doctype', () => {
      throw this.#broken('A document type declaration is not allowed');
    });
    this.#parser.on('opentag', (tag) => this.#begin(tag));
    this.#parser.on('text', (text) => this.#append(text));
    this.#parser.on('cdata', (text) => this.#append(text));
    this.#parser.on('closetag', () => this.#end());
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  close(): void {
    this.#parser.close();
    if (this.#roots === 0) throw this.#broken('There is no element in it');
  }

  #broken(rule: string): BrokenStatement {
    return new BrokenStatement(`line ${this.#parser.line}, character ${this.#parser.column + 1}`, rule);
  }

  #begin(tag: SaxesTagNS): void {
    const above = this.#open.at(-1);
    if (above === undefined) this.#roots += 1;
    if (this.#open.length >= DEPTH_MAX) throw this.#broken(`Elements are nested deeper than ${DEPTH_MAX}`);
    if (above === undefined && !this.#reader.namespaces.test(tag.uri)) {
      throw this.#broken(
        `The namespace "${tag.uri}" is none of a statement: camt.053 or camt.054, version 02 or 08`,
      );
    }
    const { Ccy: currency } = tag.attributes;
    const element: StatementElement = {
      name: tag.local,
      path: above === undefined ? tag.local : pathBelow(above, tag.local),
      currency: currency?.value ?? null,
      text: '',
      children: [],
    };
    const isHanded = this.#reader.isHanded(tag.local, above?.element.name);
    if (above !== undefined && !isHanded) {
      above.element.children.push(element);
      if (above.element.children.length > CHILDREN_MAX) {
        throw this.#broken(`${above.element.name} has more than ${CHILDREN_MAX} elements`);
      }
    }
    this.#open.push({ element, isHanded, counted: new Map() });
  }

  #append(text: string): void {
    const element = this.#open.at(-1)?.element;
    if (element === undefined) return;
    element.text += text;
    if (element.text.length > TEXT_CHARACTERS_MAX)
      throw this.#broken(`The text of ${element.name} is too long`);
  }

  #end(): void {
    const ended = this.#open.pop();
    if (ended === undefined) return;
    ended.element.text = ended.element.text.trim();
    if (ended.isHanded) this.#reader.ended(ended.element);
  }
}

/* The first of its name has no number: whether there is a second one is not known yet. */
function pathBelow({ element, counted }: OpenElement, name: string): string {
  const number = (counted.get(name) ?? 0) + 1;
  counted.set(name, number);
  return `${element.path}/${name}${number === 1 ? '' : `[${number}]`}`;
}

/** The first element at a path below: `Refs/EndToEndId`. */
export function at(element: StatementElement, path: string): StatementElement | undefined {
  let reached: StatementElement | undefined = element;
  for (const name of path.split('/')) reached = reached?.children.find((child) => child.name === name);
  return reached;
}

/** The text of the first of some paths that has one. */
export function textAt(element: StatementElement, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = at(element, path)?.text;
    if (text !== undefined && text !== '') return text;
  }
  return undefined;
}
