import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the map of the README names every folder of src, and none that is gone', () => {
  const [, map = ''] = readFileSync('README.md', 'utf8').split('\n## Map\n');
  const named = [...(map.split('\n## ')[0] ?? '').matchAll(/`src\/([a-z-]+)\/`/g)].map(([, name]) => name);
  const folders = readdirSync('src', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect([...new Set(named)].sort()).toEqual(folders.sort());
});
