import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { versionChanges } from '../../src/api/versions/index.ts';
import { VERSION_NAMES } from '../../src/config/versions.ts';

test('the map of the README names every folder of src, and none that is gone', () => {
  const [, map = ''] = readFileSync('README.md', 'utf8').split('\n## Map\n');
  const named = [...(map.split('\n## ')[0] ?? '').matchAll(/`src\/([a-z-]+)\/`/g)].map(([, name]) => name);
  const folders = readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect([...new Set(named)].sort()).toEqual(folders.sort());
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
