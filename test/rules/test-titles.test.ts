import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codeFiles } from './project-files.ts';

/** At the beginning of a title, or the first cell of a table that titles are made from; S256 is a method of PKCE. */
const CODES = /['"`]((?:(?!S256)[A-Z]\d{2,3} )+)\S|^\s*\['([A-Z]\d{2,3})', /gm;
const RANGE = /\b([A-Z]\d{2,3})(?:–([A-Z]\d{2,3}))?\b/g;

const used = new Set(
  codeFiles('test').flatMap(({ text }) =>
    [...text.matchAll(CODES)].flatMap(([, title = '', cell = '']) => `${title}${cell}`.trim().split(' ')),
  ),
);

/** The codes that a page names in the cells of its tables, as first and last of a range. */
function rangesOf(path: string): [first: string, last: string][] {
  const rows = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  return rows.flatMap((row) =>
    [...row.matchAll(RANGE)].map(([, first = '', last = first]): [string, string] => [first, last]),
  );
}

const numberOf = (code: string) => Number(code.slice(1));

test('every code in a title is explained in test/README.md', () => {
  const ranges = rangesOf('test/README.md');
  const isIn = (code: string) =>
    ranges.filter(
      ([first, last]) =>
        code[0] === first[0] && numberOf(first) <= numberOf(code) && numberOf(code) <= numberOf(last),
    ).length === 1;
  expect(used.size).toBeGreaterThan(100);
  expect([...used].filter((code) => !isIn(code))).toEqual([]);
});

test.each(['test/README.md', 'docs/security.md'])('every code that %s names stands in a title', (path) => {
  const named = rangesOf(path).flatMap(([first, last]) =>
    Array.from(
      { length: numberOf(last) - numberOf(first) + 1 },
      (_, index) => `${first[0]}${String(numberOf(first) + index).padStart(2, '0')}`,
    ),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((code) => !used.has(code))).toEqual([]);
});

test('CONTRIBUTING.md says what every folder of tests proves', () => {
  const page = readFileSync('CONTRIBUTING.md', 'utf8');
  const nouns = new Set(readdirSync('src'));
  const folders = readdirSync('test', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const own = folders.map(({ name }) => name).filter((name) => !nouns.has(name));
  expect(own.filter((name) => !page.includes(`\`test/${name}/\``))).toEqual([]);
});
