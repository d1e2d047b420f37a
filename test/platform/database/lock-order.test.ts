import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { newId } from '../../../src/platform/ids.ts';
import { codeFiles } from '../../rules/project-files.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.appUrl,
    applicationName: 'lock order',
    connectionsMax: 1,
    onError: () => {},
  });
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

const organization = newId('org');
const run = (...steps: ((connection: Connection) => Promise<unknown>)[]) =>
  database.inOrganization({ organization }, async (connection) => {
    for (const step of steps) await step(connection);
  });
const lock = (table: 'customers' | 'meters' | 'payment_methods') => (connection: Connection) =>
  connection.selectFrom(table).select('id').forNoKeyUpdate().execute();
const change = (table: 'customers' | 'meters') => (connection: Connection) =>
  connection.updateTable(table).set({ updated_at: '2026-10-05T08:00:00Z' }).execute();

test('rows are taken in the written order, and changed whenever they are held', async () => {
  await run(lock('customers'), lock('meters'), change('customers'), change('meters'));
});

test.each([
  ['locked', lock('customers')],
  ['changed', change('customers')],
])('a row that is %s against the order is refused before the server sees it', async (_how, step) => {
  await expect(run(lock('meters'), step)).rejects.toThrow(
    'Rows of customers are locked after those of meters',
  );
});

test('a lock of a table that the order does not name is refused', async () => {
  await expect(run(lock('payment_methods'))).rejects.toThrow(
    'Rows of payment_methods are locked, and the order of locks does not name it',
  );
});

test('a lock that stops whoever only points to the row is refused', async () => {
  const full = (connection: Connection) =>
    connection.selectFrom('customers').select('id').forUpdate().execute();
  await expect(run(full)).rejects.toThrow('Rows are locked FOR NO KEY UPDATE only');
});

test('no statement that is written as text locks FOR UPDATE', () => {
  const files = codeFiles('src', 'workers');
  expect(files.length).toBeGreaterThan(100);
  const found = files.filter(({ text }) => /(?<!NO KEY )(?<!`)FOR (UPDATE|SHARE)\b(?!`)/.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
});
