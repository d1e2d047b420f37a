import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { architectureDrawing } from '../../scripts/architecture/drawing.ts';
import { type Arrow, essentialArrows, readFolders, readRooms } from '../../scripts/architecture/folders.ts';
import { projectFolder } from '../../scripts/data-folder.mjs';
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
  expect(drawn).not.toContain('Upwards');
  expect(withArrow('tariffs → cli')).toContain('Upwards: tariffs → cli');
  const names = [...folders.names, 'quotes'];
  expect(architectureDrawing({ ...folders, names }, readRooms())).toContain('>quotes</text>');
});

test('what the drawing sets apart is a folder or a file', () => {
  const folders = readFolders();
  const names = folders.names.filter((name) => name !== 'config');
  expect(() => architectureDrawing({ ...folders, names }, readRooms())).toThrow('config of the drawing');
});

test('docs/map.md has a row for each top name, and imports go down its rows', () => {
  const { names, arrows } = readFolders();
  const map = readFileSync(join(projectFolder, 'docs', 'map.md'), 'utf8');
  const rows = [...map.matchAll(/^\| `(?:src\/)?([\w.-]+)\/?`/gm)].map(([, name]) => name);
  expect(names.filter((name) => !rows.includes(name))).toEqual([]);
  const upwards = arrows.filter(({ from, to }) => rows.indexOf(from) > rows.indexOf(to));
  expect(upwards.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
});

test('no box of the drawing hides another', () => {
  const drawn = [
    ...architectureSource().matchAll(
      /class="box \w+" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"[^>]*><title>(\S+)/g,
    ),
  ];
  const boxes = drawn.map(([, x, y, width, height, name]) => ({
    ...{ name, left: Number(x), right: Number(x) + Number(width) },
    ...{ top: Number(y), bottom: Number(y) + Number(height) },
  }));
  expect(boxes.length).toBeGreaterThan(20);
  const hidden = boxes.flatMap((box) =>
    boxes
      .filter((other) => other !== box && other.left < box.right && box.left < other.right)
      .filter((other) => other.top < box.bottom && box.top < other.bottom)
      .map((other) => `${box.name} and ${other.name}`),
  );
  expect(hidden).toEqual([]);
});
