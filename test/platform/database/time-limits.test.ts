import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, type Database, openDatabase } from '../../../src/platform/database/db.ts';
import { SQLSTATE, sqlState } from '../../../src/platform/database/pg-errors.ts';
import { allowLongTransaction, limitTransaction } from '../../../src/platform/database/time-limits.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';

let testDatabase: TestDatabase;
let database: Database;
const ENDS_AFTER_MILLISECONDS = 500;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.appUrl,
    applicationName: 'time-limits-test',
    connectionsMax: 1,
    onError: () => {},
    transactionMilliseconds: ENDS_AFTER_MILLISECONDS,
  });
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

/** A second of short statements. */
async function work(connection: Connection) {
  for (let statements = 0; statements < 20; statements += 1)
    await sql`SELECT pg_sleep(0.05)`.execute(connection);
}

const endOf = (transaction: (connection: Connection) => Promise<unknown>) =>
  database.asService(transaction).catch(sqlState);

test('a transaction of short statements ends at its limit, and the next one has the whole time again', async () => {
  expect(await endOf(work)).toBe(SQLSTATE.transactionTooLong);
  expect(await endOf((connection) => sql`SELECT 1`.execute(connection))).not.toBe(
    SQLSTATE.transactionTooLong,
  );
});

test('a file that an operator takes in may take longer, and ends before its audit row could come behind a seal', async () => {
  const limit = await database.asService(async (connection) => {
    await allowLongTransaction(connection);
    await work(connection);
    const { rows } = await sql<{ minutes: number }>`
      SELECT setting::int / 60000 AS minutes FROM pg_settings WHERE name = 'transaction_timeout'`.execute(
      connection,
    );
    return rows[0]?.minutes;
  });
  expect(limit).toBeGreaterThan(0);
  expect(limit).toBeLessThan(10);
  expect(await endOf(work)).toBe(SQLSTATE.transactionTooLong);
});

test('a file that an operator takes in may be read for a minute between two statements, and no later transaction may', async () => {
  const idle = async (connection: Connection) => {
    const { rows } = await sql<{ seconds: number }>`
      SELECT setting::int / 1000 AS seconds FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'`.execute(
      connection,
    );
    return rows[0]?.seconds;
  };
  const long = await database.asService(async (connection) => {
    await allowLongTransaction(connection);
    return await idle(connection);
  });
  expect([long, await database.asService(idle)]).toEqual([60, 10]);
});

test('a limit that one transaction sets for itself holds, though another one runs already', async () => {
  const longer = openDatabase({
    url: testDatabase.appUrl,
    applicationName: 'time-limits-test',
    connectionsMax: 1,
    onError: () => {},
  });
  const failure: unknown = await longer
    .asService(async (connection) => {
      await limitTransaction(connection, { transaction: ENDS_AFTER_MILLISECONDS, statement: 5_000 });
      await work(connection);
    })
    .catch((error: unknown) => error);
  await longer.close();
  expect(sqlState(failure)).toBe(SQLSTATE.transactionTooLong);
});
