import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { startApi, type TestApi } from '../../setup/api.ts';

/* Documents of the project that analysts read as pages. */

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const PAGES = ['/docs/analysts', '/docs/queries', '/docs/trust'];

async function open(path: string): Promise<string> {
  const answer = await fetch(api.baseUrl + path);
  expect([path, answer.status]).toEqual([path, 200]);
  return await answer.text();
}

/** What a reader sees, in a line. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/<title>.*?<\/title>|<nav.*?<\/nav>|<[^>]+>/gs, ' '],
  [/&lt;/g, '<'],
  [/&gt;/g, '>'],
  [/&#39;/g, "'"],
  [/&quot;/g, '"'],
  [/&amp;/g, '&'],
];
const wordsOf = (page: string) =>
  WORDS.reduce((text, [mark, word]) => text.replaceAll(mark, word), page).replaceAll(/\s+/g, '');

test.each(PAGES)('%s has every word of its document', async (path) => {
  const file = readFileSync(join(projectFolder, `${path.slice(1)}.md`), 'utf8');
  const page = wordsOf(await open(path));
  /* Marks of tables, headings, code and links are no words. */
  const words = file
    .replaceAll(/\]\([^)]*\)|^```.*|^#+ |^\|[-|]+\|$|^- |\*\*(?=[^/])|\[(?=[^[]*\]\()/gm, ' ')
    .split(/[\s`|]+/);
  const missing = words.filter((word) => !page.includes(word));
  expect(missing).toEqual([]);
  expect(words.length).toBeGreaterThan(300);
});

test('every link between these pages, to the dictionary and to the queries leads to what is there', async () => {
  const places = new Map<string, string>();
  for (const path of [...PAGES, '/docs/dictionary']) {
    const links = [...(await open(path)).matchAll(/ href="([^"]+)"/g)].map(([, to = '']) => to);
    for (const to of links) places.set(new URL(to, api.baseUrl + path).href, path);
  }
  const broken: string[] = [];
  for (const [to, from] of places) {
    const { hash, pathname } = new URL(to);
    const answer = await fetch(to);
    const text = await answer.text();
    const isThere = answer.ok && (hash === '' || text.includes(` id="${hash.slice(1)}"`));
    if (!isThere) broken.push(`${from}: ${pathname}${hash}`);
  }
  expect(broken).toEqual([]);
  expect([...places.keys()].filter((to) => to.endsWith('.sql')).length).toBeGreaterThan(30);
  expect([...places.keys()]).toContain(`${api.baseUrl}/docs/analysts#questions-and-learning-data`);
});

test('a query is a text that psql reads, and no other file is had there', async () => {
  const path = '/docs/queries/02-self-consumption-and-autarky.sql';
  const answer = await fetch(api.baseUrl + path);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const file = join(projectFolder, 'sql/queries/02-self-consumption-and-autarky.sql');
  expect(await answer.text()).toBe(readFileSync(file, 'utf8'));
  expect((await fetch(`${api.baseUrl}/docs/queries/..%2froles.sql`)).status).toBe(404);
});

test('whoever opens the first page finds them', async () => {
  const page = await open('/');
  for (const path of PAGES) expect(page).toContain(`<a href="${path}">`);
});
