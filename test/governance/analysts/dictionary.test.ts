import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dictionaryFile, dictionarySource } from '../../../scripts/write-dictionary.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { startApi, type TestApi } from '../../setup/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ alone: true });
});
afterAll(() => api?.close());

test('the dictionary is what the database says (else: node scripts/node.mjs scripts/write-dictionary.ts)', async () => {
  const source = await withDatabaseClient(api.database.adminUrl, dictionarySource);
  expect(await readFile(dictionaryFile, 'utf8')).toBe(source);
});

test('/docs/dictionary shows each view and column with its unit, and no column of the organization', async () => {
  const page = await (await fetch(`${api.baseUrl}/docs/dictionary`)).text();
  for (const shown of ['newest_snapshots', 'charging_sessions']) expect(page).toContain(`<h2 id="${shown}">`);
  const plain = page.replaceAll('<wbr>', '');
  expect(plain).toMatch(
    /<code>power_kw<\/code><\/td><td>double precision<\/td><td>kW<\/td><td>Power in kW: positive/,
  );
  expect(plain).not.toContain('organization_id');
});
