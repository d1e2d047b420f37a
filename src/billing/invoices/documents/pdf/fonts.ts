import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Font, GlyphRun } from 'fontkit';
import { BoundedCache } from '../../../../platform/bounded-cache.ts';

/** Source Sans 3, SIL Open Font License 1.1: Western, Polish, Turkish, Greek and Cyrillic letters; digits of one width. */
const FONT_FILES = {
  regular: '@expo-google-fonts/source-sans-3/400Regular/SourceSans3_400Regular.ttf',
  bold: '@expo-google-fonts/source-sans-3/600SemiBold/SourceSans3_600SemiBold.ttf',
} as const;

export type FontName = keyof typeof FONT_FILES;
export type Fonts = Readonly<Record<FontName, Font>>;

let kept: Promise<Fonts> | undefined;

/** Read and parsed once, when the first document is drawn: they are the same in all of them. */
export function loadFonts(): Promise<Fonts> {
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

/** Where the letters of a word stand is two thirds of the work on a document, and most words come in every one. */
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
