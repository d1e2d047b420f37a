import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { versionChanges } from '../../src/api/versions/index.ts';
import { VERSION_NAMES } from '../../src/config/versions.ts';

/** Districts whose folders are resources. */
const RESOURCES = ['identity', 'telemetry', 'tariffs', 'contracts', 'billing', 'governance', 'pages'];
/** Folders of which the map names parts. */
const DEEPER = [
  'test',
  'docs',
  'src/identity/oauth',
  'src/telemetry/snapshots',
  'src/billing/invoices',
  'load',
  'ops',
  'sql',
];

test('docs/map.md names every folder of src, and none that is gone', () => {
  const map = readFileSync('docs/map.md', 'utf8');
  const districts = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...map.matchAll(/`src\/([a-z-]+)\/`/g)].map(([, name]) => name).sort()).toEqual(
    expect.arrayContaining(districts.map(({ name }) => name)),
  );
  const named = [...map.matchAll(/`(?:src\/)?([a-z/-]+)\/`/g)].map(([, name = '']) => name);
  const isThere = (name: string) =>
    ['.', 'src', ...districts.map((district) => `src/${district.name}`)].some((above) =>
      existsSync(`${above}/${name}`),
    ) || DEEPER.some((above) => existsSync(`${above}/${name}`));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
  const nouns = RESOURCES.flatMap((district) => readdirSync(`src/${district}`));
  expect(nouns.filter((noun) => !named.includes(noun))).toEqual([]);
});

test('a page of decisions is about a district that exists, and the index names it', () => {
  const index = readFileSync('docs/decisions/README.md', 'utf8');
  const pages = readdirSync('docs/decisions').filter((name) => name !== 'README.md');
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.filter((name) => !existsSync(`src/${name.replace('.md', '')}`))).toEqual([]);
  expect(pages.filter((name) => !index.includes(`](${name})`))).toEqual([]);
});

/** A longer page tells what a comment of the code tells, or what nobody would undo. */
const WORDS_OF_DECISIONS_MAX = 800;

test(`a page of decisions has at most ${WORDS_OF_DECISIONS_MAX} words`, () => {
  const pages = readdirSync('docs/decisions').map((name) => {
    const text = readFileSync(`docs/decisions/${name}`, 'utf8');
    return { name, words: text.trim().split(/\s+/).length };
  });
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.filter(({ words }) => words > WORDS_OF_DECISIONS_MAX)).toEqual([]);
});

test('docs/versions.md says of a version that nothing changed where the change log has nothing, and only there', () => {
  const page = readFileSync('docs/versions.md', 'utf8');
  for (const version of VERSION_NAMES.slice(1)) {
    const [, said = ''] =
      new RegExp(`^\\| ${version.replaceAll('.', '\\.')} \\| (.+) \\|$`, 'm').exec(page) ?? [];
    const hasChanges = versionChanges.some((change) => change.version === version);
    expect({ version, isNothing: said.startsWith('no change'), said: said !== '' }).toEqual({
      version,
      isNothing: !hasChanges,
      said: true,
    });
  }
});

test('the licence that package.json and the README name lies beside them', () => {
  const { license } = JSON.parse(readFileSync('package.json', 'utf8')) as { license: string };
  expect(license).toBe('Apache-2.0');
  const text = readFileSync('LICENSE', 'utf8');
  expect(text).toMatch(/Apache License\s+Version 2\.0, January 2004/);
  expect(text).toContain('END OF TERMS AND CONDITIONS');
});
