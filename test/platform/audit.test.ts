import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit, shortAddress } from '../../src/platform/audit.ts';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';
import { auditRows } from '../setup/stored-rows.ts';

const A = 'org_aaaaaaaaaaaaaaaaaaaaaaaa';
const B = 'org_bbbbbbbbbbbbbbbbbbbbbbbb';

describe('the log', () => {
  let testDatabase: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = openDatabase({
      url: testDatabase.appUrl,
      applicationName: 'audit test',
      connectionsMax: 1,
      onError: () => {},
    });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  const write = (tenant: string, organization: string | null, act: string) =>
    database.inOrganization({ organization: tenant }, (connection) =>
      audit(connection, {
        organization_id: organization,
        act,
        result: 'done',
        after: { scopes: ['read:*'] },
      }),
    );

  test('keeps a line of a transaction that commits, and none of one that rolls back', async () => {
    await write(A, A, 'test.committed');
    const rolledBack = database.inOrganization({ organization: A }, async (connection) => {
      await audit(connection, { organization_id: A, act: 'test.rolled_back', result: 'done' });
      throw new Error('the write after it failed');
    });
    await expect(rolledBack).rejects.toThrow('the write after it failed');
    const lines = await auditRows({ database: testDatabase }, A, 'test.');
    expect(lines.map((line) => line.act)).toEqual(['test.committed']);
  });

  test('refuses a line in the name of another organization, or of none', async () => {
    await expect(write(A, B, 'test.foreign')).rejects.toMatchObject({ code: '42501' });
    await expect(write(A, null, 'test.nobody')).rejects.toMatchObject({ code: '42501' });
    await database.asService((connection) =>
      audit(connection, { organization_id: null, act: 'token.refuse', result: 'unknown client' }),
    );
  });

  test.each([
    'SELECT FROM audit_log',
    "UPDATE audit_log SET result = 'x'",
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
  ])('can only be added to by the service: %s is refused', async (statement) => {
    await expect(database.withClient((client) => client.query(statement))).rejects.toMatchObject({
      code: '42501',
    });
  });
});

test.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:12:3456:789a:bcde:f012:3456', '2001:db8:12::/48'],
  ['2001:DB8::1', '2001:db8:0::/48'],
  ['2001:db8:12::', '2001:db8:12::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['::1', '0:0:0::/48'],
  ['64:ff9b::192.0.2.33', '64:ff9b:0::/48'],
  ['::', '0:0:0::/48'],
])('the audit log keeps of %s only %s', (address, network) => {
  expect(shortAddress(address)).toBe(network);
});

test.each(['', 'unknown', '203.0.113', '203.0.113.0.1', 'localhost'])(
  'nothing is kept of %j, which is no address',
  (text) => {
    expect(shortAddress(text)).toBe('');
  },
);
