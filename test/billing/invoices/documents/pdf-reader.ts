import { getDocument, OPS } from 'unpdf/pdfjs';

/** A place in the tree that a screen reader follows. */
export interface TreeNode {
  readonly role: string;
  readonly alt: string | undefined;
  readonly children: readonly TreeNode[];
  /** Of what lies directly in it. */
  readonly text: string;
}

/** A piece of text as a page shows it, in points from the lower left corner. */
export interface PlacedText {
  readonly page: number;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A surface of one colour, in points from the lower left corner. */
export interface Fill extends Omit<PlacedText, 'text'> {
  readonly color: string;
}

export interface ReadPdf {
  readonly pages: number;
  readonly title: string | undefined;
  readonly language: string | null;
  readonly isMarked: boolean;
  readonly texts: readonly PlacedText[];
  readonly fills: readonly Fill[];
  /** All of it with single blanks, as somebody who copies it gets it. */
  readonly text: string;
  readonly trees: readonly TreeNode[];
  readonly attachments: readonly string[];
}

/** Reads a document with the library that Firefox shows PDFs with. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const task = getDocument({ data: Uint8Array.from(bytes), verbosity: 0, useSystemFonts: false });
  const pdf = await task.promise;
  const texts: PlacedText[] = [];
  const trees: TreeNode[] = [];
  const fills: Fill[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const content = await page.getTextContent({ includeMarkedContent: true });
    const byMark = new Map<string, string>();
    const open: string[] = [];
    for (const item of content.items) {
      if ('str' in item) {
        const [x = 0, y = 0] = item.transform.slice(4);
        texts.push({ page: number, text: item.str, x, y, width: item.width, height: item.height });
        const mark = open.findLast((tag) => tag !== '');
        if (mark !== undefined)
          byMark.set(mark, `${byMark.get(mark) ?? ''}${item.str}${item.hasEOL ? ' ' : ''}`);
      } else if (item.type === 'endMarkedContent') open.pop();
      else open.push(item.id ?? '');
    }
    const [, , , top = 0] = page.view;
    const { fnArray, argsArray } = await page.getOperatorList();
    let color = '';
    for (const [index, operator] of fnArray.entries()) {
      const [first, , bounds] = argsArray[index] ?? [];
      if (operator === OPS.setFillRGBColor) color = String(first);
      if (operator !== OPS.constructPath || first !== OPS.fill) continue;
      /* Drawn from the upper left corner on. */
      const [left, upper, right, lower] = bounds;
      fills.push({
        page: number,
        color,
        x: left,
        y: top - lower,
        width: right - left,
        height: lower - upper,
      });
    }
    const tree = await page.getStructTree();
    if (tree !== null) trees.push(nodeOf(tree, byMark));
  }
  const { info } = await pdf.getMetadata();
  const marks = await pdf.getMarkInfo();
  const attachments = await pdf.getAttachments();
  const read: ReadPdf = {
    pages: pdf.numPages,
    title: 'Title' in info ? String(info.Title) : undefined,
    language: 'Language' in info ? String(info.Language) : null,
    isMarked: marks?.Marked === true,
    texts,
    fills,
    text: texts
      .map(({ text }) => text)
      .join(' ')
      .replace(/\s+/g, ' '),
    trees,
    attachments: [...(attachments ?? new Map()).keys()],
  };
  await task.destroy();
  return read;
}

type Struct = NonNullable<
  Awaited<
    ReturnType<
      Awaited<ReturnType<Awaited<ReturnType<typeof getDocument>['promise']>['getPage']>>['getStructTree']
    >
  >
>;
type StructChild = Struct['children'][number];

function nodeOf(node: Struct, byMark: ReadonlyMap<string, string>): TreeNode {
  const children = node.children.filter((child): child is Struct => 'role' in child);
  const own = node.children.filter((child): child is Exclude<StructChild, Struct> => !('role' in child));
  return {
    role: node.role,
    alt: 'alt' in node && typeof node.alt === 'string' ? node.alt : undefined,
    children: children.map((child) => nodeOf(child, byMark)),
    text: own.map((content) => byMark.get(content.id) ?? '').join(''),
  };
}

/** The node and all below it. */
export function nodesOf(node: TreeNode): TreeNode[] {
  return [node, ...node.children.flatMap(nodesOf)];
}
