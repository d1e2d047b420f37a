import { SaxesParser } from 'saxes';

/** An element of an XML document, for questions by path. Names keep their prefix. */
export class XmlTree {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlTree[] = [];
  text = '';

  constructor(name: string, attributes: Readonly<Record<string, string>>) {
    this.name = name;
    this.attributes = attributes;
  }

  /** All elements below it that a path of names leads to: `a/b`. */
  all(path: string): XmlTree[] {
    return path
      .split('/')
      .reduce<XmlTree[]>(
        (at, name) => at.flatMap((node) => node.children.filter((of) => of.name === name)),
        [this],
      );
  }

  texts(path: string): string[] {
    return this.all(path).map(({ text }) => text.trim());
  }

  /** Of the only element there. */
  textAt(path: string): string {
    const [text, ...others] = this.texts(path);
    if (text === undefined || others.length > 0)
      throw new Error(`${others.length + 1} or no elements at ${path}`);
    return text;
  }
}

/** Refuses what is not well-formed. */
export function readXml(xml: string): XmlTree {
  const open: XmlTree[] = [new XmlTree('', {})];
  const parser = new SaxesParser({ xmlns: false });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = new XmlTree(name, attributes);
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const at = open.at(-1);
    if (at !== undefined) at.text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  const [root] = open[0]?.children ?? [];
  if (root === undefined) throw new Error('no element');
  return root;
}
