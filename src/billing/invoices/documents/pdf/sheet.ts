import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Font, GlyphRun } from 'fontkit';
import { BoundedCache } from '../../../../platform/bounded-cache.ts';
import type { Language } from '../../calculate/fact-types.ts';
import { authorXml, type MetadataSchema, PDF_UA, PDF_UA_SCHEMA, schemasXml } from './metadata.ts';

type Pdf = PDFKit.PDFDocument;
export type Element = PDFKit.PDFStructureElement;

/** Points of a millimetre. */
export const MM = 72 / 25.4;
const A4 = { width: 210 * MM, height: 297 * MM } as const;

/** Letters of DIN 5008, form B: text from 25 mm to 190 mm, above the foot of the page. */
export const TEXT = { left: 25 * MM, right: 190 * MM, top: 20 * MM, bottom: 258 * MM } as const;
export const TEXT_WIDTH = TEXT.right - TEXT.left;

/** In print without colours they differ by how dark they are. */
export const INK = {
  text: '#1a1a1a',
  soft: '#555555',
  rule: '#9a9a9a',
  faint: '#cccccc',
  dark: '#1f3d5c',
  light: '#eef1f4',
} as const;

export const SIZE = { small: 7.5, note: 8, table: 9, body: 10, section: 12.5, title: 16 } as const;

export interface TextStyle {
  readonly font?: FontName;
  readonly size?: number;
  readonly color?: string;
  readonly align?: 'left' | 'right';
}

export interface TextBox extends TextStyle {
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
}

/** A box that a text keeps to, and the smallest size of its letters there. */
export interface Room {
  readonly width: number;
  readonly height: number;
  readonly least: number;
}

/** `scope`: what a head of a table is the head of. `bbox`: left, top, right, bottom of a figure. */
export interface ElementOptions {
  readonly alt?: string;
  readonly scope?: 'Column' | 'Row';
  /** How many columns of its table a cell is wide. */
  readonly columns?: number;
  readonly bbox?: readonly [number, number, number, number];
}

export interface SheetOptions {
  readonly language: Language;
  readonly title: string;
  readonly author: string;
  /** The only instant in the file: the same document has the same bytes, whenever it is drawn. */
  readonly madeAt: Date;
}

/**
 * The paper: text flows from top to bottom and over pages, and whatever is drawn stands in the tree that a screen reader
 * follows, or is marked as something that it leaves out. What belongs together asks for its room first.
 */
export class Sheet {
  readonly pdf: Pdf;
  readonly #root: Element;
  readonly #letters: Font;
  readonly #schemas: MetadataSchema[] = [PDF_UA_SCHEMA];
  /** Where the next thing begins, in points from the top of the page. */
  y: number = TEXT.top;

  private constructor(pdf: Pdf, root: Element, letters: Font) {
    this.pdf = pdf;
    this.#root = root;
    this.#letters = letters;
  }

  static async open(options: SheetOptions): Promise<Sheet> {
    const { language, title, author, madeAt } = options;
    const [{ default: PDFDocument }, fonts] = await Promise.all([import('pdfkit'), loadFonts()]);
    const pdf = new PDFDocument({
      size: [A4.width, A4.height],
      margin: 0,
      /* Page numbers need to know how many there are. */
      bufferPages: true,
      /* The built-in fonts are not embedded, which PDF/A forbids, and know Western letters only. */
      font: '',
      ...{ pdfVersion: '1.7', subset: 'PDF/A-3a', tagged: true, lang: language, displayTitle: true },
      info: { Title: title, Creator: 'Voltstream', CreationDate: madeAt },
    });
    pdf.appendXML(authorXml(author));
    pdf.appendXML(PDF_UA);
    for (const [name, font] of Object.entries(fonts)) registerParsed(pdf, name, font);
    const root = pdf.struct('Document');
    pdf.addStructure(root);
    return new Sheet(pdf, root, fonts.regular);
  }

  get room(): number {
    return TEXT.bottom - this.y;
  }

  /** Begins another page where less than this height is left. Returns whether it did. */
  keep(height: number): boolean {
    if (height <= this.room) return false;
    this.nextPage();
    return true;
  }

  nextPage(): void {
    this.pdf.addPage();
    this.y = TEXT.top;
  }

  gap(points: number): void {
    this.y += points;
  }

  heightOf(text: string, style: TextStyle, width: number): number {
    return this.#styled(style).heightOfString(this.printable(text), { width });
  }

  widthOf(text: string, style: TextStyle): number {
    return this.#styled(style).widthOfString(this.printable(text));
  }

  /** The same style, smaller by half points where a text is higher than its box, down to `least`. */
  fitted(text: string, style: TextStyle, { width, height, least }: Room): TextStyle {
    let { size = SIZE.body } = style;
    while (size > least && this.heightOf(text, { ...style, size }, width) > height) size -= 0.5;
    return { ...style, size };
  }

  /** The text, or as much of its beginning as its box has room for. */
  cut(text: string, style: TextStyle, { width, height }: Pick<Room, 'width' | 'height'>): string {
    const letters = Array.from(text);
    const begun = (count: number) => `${letters.slice(0, count).join('').trimEnd()}…`;
    if (this.heightOf(text, style, width) <= height) return text;
    let [fits, over] = [0, letters.length];
    while (over - fits > 1) {
      const middle = Math.floor((fits + over) / 2);
      if (this.heightOf(begun(middle), style, width) <= height) fits = middle;
      else over = middle;
    }
    return begun(fits);
  }

  /** Draws text without a place in the tree: inside `element` or `artifact`. Returns where it ends. */
  write(text: string, { x = TEXT.left, y = this.y, width = TEXT_WIDTH, ...style }: TextBox): number {
    const height = this.heightOf(text, style, width);
    const { color = INK.text, align = 'left' } = style;
    this.#styled(style).fillColor(color).text(this.printable(text), x, y, { width, align });
    return y + height;
  }

  /** One place in the tree with what is drawn in it. */
  element(
    type: string,
    draw: () => void,
    { columns = 1, ...options }: ElementOptions = {},
    parent = this.#root,
  ) {
    const element = this.pdf.struct(type, options, draw);
    if (columns > 1) spanColumns(element, columns);
    parent.add(element);
    element.end();
  }

  /** A place in the tree that others are put into; the caller ends it. */
  group(type: string, parent = this.#root): Element {
    const element = this.pdf.struct(type);
    parent.add(element);
    return element;
  }

  /** Lines, colours and repeated heads: a screen reader says nothing about them. */
  artifact(draw: () => void, type: 'Pagination' | 'Layout' = 'Layout'): void {
    this.pdf.markContent('Artifact', { type });
    draw();
    this.pdf.endMarkedContent();
  }

  heading(level: 1 | 2 | 3, text: string, style: TextStyle, before: number, room: number): void {
    const height = this.heightOf(text, style, TEXT_WIDTH);
    if (!this.keep(before + height + room) && this.y > TEXT.top) this.gap(before);
    this.element(`H${level}`, () => {
      this.y = this.write(text, style);
    });
  }

  /** A paragraph, which stays on one page. */
  paragraph(text: string, box: Omit<TextBox, 'y'> = {}): void {
    this.keep(this.heightOf(text, box, box.width ?? TEXT_WIDTH));
    this.element('P', () => {
      this.y = this.write(text, box);
    });
  }

  rule(y: number, { from = TEXT.left, to = TEXT.right, width = 0.5, color = INK.rule as string } = {}): void {
    this.artifact(() => {
      this.pdf.moveTo(from, y).lineTo(to, y).lineWidth(width).strokeColor(color).stroke();
    });
  }

  /** A letter that the font does not have would be an empty box, and no valid PDF/A. */
  printable(text: string): string {
    return Array.from(text.normalize('NFC'), (letter) =>
      letter === '\n' || this.#letters.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0) ? letter : '?',
    ).join('');
  }

  /** PDF/A wants every schema of the metadata described in them, unless it knows it: all in one list. */
  describe(schema: MetadataSchema): void {
    this.#schemas.push(schema);
  }

  /** Ends the document. `onEachPage` draws what stands on all of them. */
  async bytes(onEachPage: (page: number, count: number) => void): Promise<Buffer> {
    const { count } = this.pdf.bufferedPageRange();
    for (let page = 0; page < count; page += 1) {
      this.pdf.switchToPage(page);
      this.artifact(() => onEachPage(page + 1, count), 'Pagination');
    }
    this.#root.end();
    this.pdf.appendXML(schemasXml(this.#schemas));
    const chunks: Buffer[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      this.pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
      this.pdf.on('end', resolve);
      this.pdf.on('error', reject);
    });
    this.pdf.end();
    await ended;
    return Buffer.concat(chunks);
  }

  #styled({ font = 'regular', size = SIZE.body }: TextStyle): Pdf {
    return this.pdf
      .font(font)
      .fontSize(size)
      .lineGap(size * 0.12);
  }
}

/** The library has no option for it, and its types leave the dictionary of an element out. */
function spanColumns(
  element: Element & { dictionary?: { data: Record<string, unknown> } },
  count: number,
): void {
  const { data } = element.dictionary ?? {};
  if (data === undefined) throw new TypeError('an element of the PDF library has another form');
  data.A = { ...(typeof data.A === 'object' ? data.A : {}), O: 'Table', ColSpan: count };
}

/** The library takes a parsed font as well as a file, which its types do not say. */
function registerParsed(pdf: Pdf, name: string, font: Font): void {
  const { registerFont }: { registerFont(this: Pdf, name: string, font: unknown): unknown } = pdf;
  registerFont.call(pdf, name, font);
}

/** Source Sans 3, SIL Open Font License 1.1: Western, Polish, Turkish, Greek and Cyrillic letters; digits of one width. */
const FONT_FILES = {
  regular: '@expo-google-fonts/source-sans-3/400Regular/SourceSans3_400Regular.ttf',
  bold: '@expo-google-fonts/source-sans-3/600SemiBold/SourceSans3_600SemiBold.ttf',
} as const;

type FontName = keyof typeof FONT_FILES;
type Fonts = Readonly<Record<FontName, Font>>;

let kept: Promise<Fonts> | undefined;

/** Read and parsed once, when the first document is drawn: they are the same in all of them. */
function loadFonts(): Promise<Fonts> {
  kept ??= readFonts();
  return kept;
}

async function readFonts(): Promise<Fonts> {
  const { create } = await import('fontkit');
  const read = async (name: FontName): Promise<Font> => {
    const font = create(await readFile(fileURLToPath(import.meta.resolve(FONT_FILES[name]))));
    if (!('layout' in font)) throw new TypeError('a collection of fonts, not one');
    return withKeptLayouts(withLetters(font));
  };
  const [regular, bold] = await Promise.all([read('regular'), read('bold')]);
  return { regular, bold };
}

/**
 * Which letters a sign stands for goes into the document, for copying and reading aloud. The library forgets it for signs that
 * it first meets as a part of others, as a dotless i below an accent.
 */
function withLetters(font: Font): Font {
  const getGlyph = font.getGlyph.bind(font);
  font.getGlyph = (id, letters) => {
    const glyph = getGlyph(id, letters);
    if (letters !== undefined && glyph.codePoints.length === 0) Object.assign(glyph, { codePoints: letters });
    return glyph;
  };
  return font;
}

const WORDS_KEPT = 5_000;

/** Keeps where the letters of a word stand: that is two thirds of the work on a document, and most words come in every one. */
function withKeptLayouts(font: Font): Font {
  const words = new BoundedCache<GlyphRun>(WORDS_KEPT);
  const layout = font.layout.bind(font);
  font.layout = (text, ...features) => {
    if (features.some((feature) => feature !== undefined)) return layout(text, ...features);
    const known = words.get(text);
    if (known !== undefined) return known;
    const run = layout(text);
    words.set(text, run);
    return run;
  };
  return font;
}
