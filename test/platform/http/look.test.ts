import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  BACKGROUNDS,
  COLORS,
  contrastOf,
  darkened,
  LINE_CONTRAST_MIN,
  lightened,
  styleOf,
  TEXT_COLORS,
  TEXT_CONTRAST_MIN,
} from '../../../src/platform/http/pages/look.ts';

const SCHEMES = [
  ['light', 0],
  ['dark', 1],
] as const;

describe.each(SCHEMES)('the colours of all pages in %s', (_scheme, at) => {
  test.each(TEXT_COLORS.flatMap((text) => BACKGROUNDS.map((ground) => [text, ground] as const)))(
    '%s is read on %s: 4.5 to 1 or more',
    (text, ground) => {
      expect(contrastOf(COLORS[text][at], COLORS[ground][at])).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
    },
  );

  test('words of buttons are read on their colour, and borders of controls are seen', () => {
    expect(contrastOf(COLORS['on-accent'][at], COLORS.accent[at])).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
    for (const ground of BACKGROUNDS) {
      expect(contrastOf(COLORS.line[at], COLORS[ground][at])).toBeGreaterThanOrEqual(LINE_CONTRAST_MIN);
    }
  });
});

test('contrast is that of WCAG 2: 21 between black and white, 4.54 of #767676 on white', () => {
  expect(contrastOf('#000000', '#ffffff')).toBe(21);
  expect(contrastOf('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
});

test.each(['#000000', '#0a5c8f', '#7a1f5c', '#ffffff', '#ff0000'] as const)(
  '%s becomes one that is read in the dark, with the words of buttons on it, and one that is read in the light',
  (color) => {
    const [light, dark] = [darkened(color), lightened(color)];
    for (const ground of BACKGROUNDS) {
      expect(contrastOf(light, COLORS[ground][0])).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
      expect(contrastOf(dark, COLORS[ground][1])).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
    }
    expect(contrastOf(dark, COLORS['on-accent'][1])).toBeGreaterThanOrEqual(TEXT_CONTRAST_MIN);
  },
);

test('each name of a colour that the styles use is one of the table, or their own', () => {
  const styles = globSync('src/**/*.css').map((file) => readFileSync(file, 'utf8'));
  const text = [styleOf([]).toString(), ...styles].join('\n');
  const defined = new Set([...text.matchAll(/^\s*--([a-z-]+):/gm)].map(([, name]) => name));
  /* Set by the script that draws. */
  defined.add('series');
  const used = new Set([...text.matchAll(/var\(--([a-z-]+)\)/g)].map(([, name]) => name));
  expect([...used].filter((name) => !defined.has(name))).toEqual([]);
});
