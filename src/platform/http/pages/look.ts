import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * What all pages look like, and mails: one table of colours, one style. A site adds what only its pages have. `/docs/style`
 * shows all of it.
 */

/** A colour of six digits: `#0a5c8f`. */
export type Color = `#${string}`;

export type Scheme = 'light' | 'dark';

/** Each in light and in dark. Texts stand out from `paper` and `ground` by 4.5 to 1, lines that mean something by 3 to 1. */
export const COLORS = {
  ink: ['#1c2733', '#e4ebf1'],
  soft: ['#4c5a67', '#a9b6c1'],
  paper: ['#ffffff', '#161c22'],
  ground: ['#eef2f5', '#0f1419'],
  rule: ['#d3dbe2', '#34404b'],
  line: ['#768592', '#74828e'],
  accent: ['#0a5c8f', '#7cc4f0'],
  'on-accent': ['#ffffff', '#0c1720'],
  error: ['#a3161a', '#ff9d97'],
  notice: ['#0b6140', '#7fd6ad'],
  warning: ['#8a4b00', '#f0b866'],
  fifth: ['#6f3fb0', '#c6a6f5'],
} as const satisfies Record<string, readonly [light: Color, dark: Color]>;

/** Colours of texts and lines and their backgrounds, for the page of samples and for the test that measures them. */
export const TEXT_COLORS = ['ink', 'soft', 'accent', 'error', 'notice', 'warning', 'fifth'] as const;
export const BACKGROUNDS = ['paper', 'ground'] as const;

export const TEXT_CONTRAST_MIN = 4.5;
export const LINE_CONTRAST_MIN = 3;

/** How much two colours stand out from each other, from 1 to 21 (WCAG 2). */
export function contrastOf(first: Color, second: Color): number {
  const [lighter = 0, darker = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: Color): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

/** The colour mixed with white until it can be read on every dark background. */
export function lightened(color: Color): Color {
  return mixedUntilRead(color, 255, 1) ?? '#ffffff';
}

/** Mixed with black until it can be read on every light one. */
export function darkened(color: Color): Color {
  return mixedUntilRead(color, 0, 0) ?? '#000000';
}

function mixedUntilRead(color: Color, end: number, at: 0 | 1): Color | undefined {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = channelsOf(color).map((value) => Math.round(value + (end - value) * share));
    const text: Color = `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
    if (BACKGROUNDS.every((name) => contrastOf(text, COLORS[name][at]) >= TEXT_CONTRAST_MIN)) return text;
  }
  return undefined;
}

function declarations(scheme: Scheme): string {
  const at = scheme === 'light' ? 0 : 1;
  const lines = Object.entries(COLORS).map(([name, pair]) => `  --${name}: ${pair[at]};`);
  return [`  color-scheme: ${scheme};`, ...lines].join('\n');
}

/** `light` and `dark` show a scheme whatever the reader has; elsewhere the reader's counts. */
const COLOR_STYLE = `:root, .light {
${declarations('light')}
}
@media (prefers-color-scheme: dark) {
:root {
${declarations('dark')}
}
}
.dark {
${declarations('dark')}
}
`;

const LOOK_FILE = join(import.meta.dirname, 'views', 'look.css');

/** The common style, and behind it the files of a site. */
export function styleOf(files: readonly string[]): Buffer {
  const parts = [LOOK_FILE, ...files].map((file) => readFileSync(file, 'utf8'));
  return Buffer.from([COLOR_STYLE, ...parts].join('\n'));
}
