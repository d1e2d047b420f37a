import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testEnvironment } from '../../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { runCommand } from '../command-line.ts';

let database: TestDatabase;
let environment: Record<string, string>;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = testEnvironment(database, 'redis://127.0.0.1:1');
  folder = await mkdtemp(join(tmpdir(), 'voltstream-partners-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await database?.drop();
});

const run = (...args: string[]) => runCommand(environment, 'market-partners', ...args);

async function imported(text: string) {
  const file = join(folder, 'partners.csv');
  await writeFile(file, text);
  return await run('import', file, '--json');
}

const stored = () =>
  storedRows<{ id: string; code: string; name: string }>(
    { database },
    'SELECT id, code, name, country, created_at FROM market_partners ORDER BY code',
  );

test('import adds and updates by code, and the same file again changes nothing', async () => {
  const first = await imported('code,name,country\n9907248000001,"Werk, Nord",DE\n9901087000008,Süd,AT\n');
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(first.stdout)).toEqual({ created: 2, changed: 0, unchanged: 0 });
  const before = await stored();
  const second = await imported('country,name,code\r\nDE,Nord,9907248000001\r\nAT,Süd,9901087000008\r\n');
  expect(JSON.parse(second.stdout)).toEqual({ created: 0, changed: 1, unchanged: 1 });
  expect(await stored()).toEqual(
    before.map((row) => (row.code === '9907248000001' ? { ...row, name: 'Nord' } : row)),
  );
  const lines = await storedRows<{ act: string; staff: string }>(
    { database },
    "SELECT act, reason FROM audit_log WHERE act = 'market_partner.import'",
  );
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatchObject({ reason: 'import of market partners' });

  const listed = await run('list', '--limit', '1', '--json');
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
});

test('a file with errors changes nothing and tells them all', async () => {
  const before = await stored();
  const result = await imported(
    'code,name,country\n990724800000,A,DE\n9911835000001,,de\n9911835000002,B,DE\n9911835000002,C,DE\n1,2\n',
  );
  expect(result).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: [
      'partners.csv:2 code "990724800000": Not 13 digits',
      'partners.csv:3 name: Must not be empty',
      'partners.csv:3 country "de": Not two upper-case letters (DE)',
      'partners.csv:5 code "9911835000002": Line 4 has this code too',
      'partners.csv:6: 2 fields instead of 3',
      '',
    ].join('\n'),
  });
  expect(await stored()).toEqual(before);
});
