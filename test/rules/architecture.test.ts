import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { architectureDrawing } from '../../scripts/architecture/drawing.ts';
import { type Arrow, essentialArrows, readFolders, readRooms } from '../../scripts/architecture/folders.ts';
import { architectureFile, architectureSource } from '../../scripts/write-architecture.ts';

test('docs/architecture.svg is what the imports say (else: node scripts/node.mjs scripts/write-architecture.ts)', () => {
  expect(architectureSource()).toBe(readFileSync(architectureFile, 'utf8'));
});

const arrow = (text: string): Arrow => {
  const [from = '', kind, to = ''] = text.split(' ');
  return { from, to, typeOnly: kind === '⇢' };
};
const kept = (...texts: string[]) =>
  essentialArrows(texts.map(arrow)).map(({ from, to, typeOnly }) => `${from} ${typeOnly ? '⇢' : '→'} ${to}`);

test('an arrow is left out where a longer way says it, and only there', () => {
  expect(kept('a → b', 'b → c', 'a → c')).toEqual(['a → b', 'b → c']);
  expect(kept('a → b', 'b → c', 'c → d', 'a → d')).toEqual(['a → b', 'b → c', 'c → d']);
  expect(kept('a → b', 'c → b', 'a → c')).toEqual(['c → b', 'a → c']);
});

test('what runs is not left out for a way of types', () => {
  expect(kept('a ⇢ b', 'b → c', 'a → c')).toEqual(['a ⇢ b', 'b → c', 'a → c']);
  expect(kept('a → b', 'b → c', 'a ⇢ c')).toEqual(['a → b', 'b → c']);
});

test('folders that import each other keep their arrows', () => {
  expect(kept('a → b', 'b → a', 'b → c', 'a → c')).toEqual(['a → b', 'b → a', 'b → c', 'a → c']);
});

test('a new import between folders, a folder of its own and an import upwards change the picture', () => {
  const folders = readFolders();
  const drawn = architectureDrawing(folders, readRooms());
  const withArrow = (text: string) =>
    architectureDrawing({ ...folders, arrows: [...folders.arrows, arrow(text)] }, readRooms());
  expect(withArrow('tariffs → events')).not.toBe(drawn);
  expect(withArrow('audit-log → docs')).toContain('audit-log → docs');
  const names = [...folders.names, 'quotes'];
  expect(architectureDrawing({ ...folders, names }, readRooms())).toContain('>quotes</text>');
});
