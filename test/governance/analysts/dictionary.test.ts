import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/data-folder.mjs';
import { dictionaryFiles } from '../../../scripts/write-dictionary.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { startApi, type TestApi } from '../../setup/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ alone: true });
});
afterAll(() => api?.close());

test('the dictionary is what the database says (else: node scripts/node.mjs scripts/write-dictionary.ts)', async () => {
  const files = await withDatabaseClient(api.database.adminUrl, dictionaryFiles);
  expect(files).toHaveLength(2);
  for (const [path, text] of files) {
    expect([path, await readFile(join(projectFolder, path), 'utf8')]).toEqual([path, text]);
  }
});

test('/docs/dictionary shows each view and column with its unit, and no column of the organization', async () => {
  const page = await (await fetch(`${api.baseUrl}/docs/dictionary`)).text();
  expect(page).toContain('<h2 id="newest_snapshots">');
  const plain = page.replaceAll('<wbr>', '');
  expect(plain).toMatch(
    /<code>power_kw<\/code><\/td><td>double precision<\/td><td>kW<\/td><td>Power in kW: positive/,
  );
  expect(plain).not.toContain('organization_id');
});
