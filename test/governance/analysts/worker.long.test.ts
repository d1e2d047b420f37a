import { expect, test } from 'vitest';
import { withDatabase, withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { createTestDatabase } from '../../setup/database.ts';
import { testEnvironment } from '../../setup/environment.ts';
import { takeTestRedis } from '../../setup/redis.ts';
import { startService } from '../../setup/service-process.ts';
import { insertTenant } from '../../setup/tenants.ts';
import { Accounts } from './account.ts';

test('the worker ends what analysts should not have open, by itself', async () => {
  const database = await createTestDatabase();
  const other = await createTestDatabase({ empty: true });
  const accounts = new Accounts(database);
  const worker = startService('workers/main.ts', {
    ...testEnvironment(database, await takeTestRedis()),
    BASE_URL: 'http://127.0.0.1:1',
    WORKER_PORT: '0',
    LOG_LEVEL: 'info',
  });
  try {
    const { organization } = await withDatabaseClient(database.adminUrl, insertTenant);
    await withDatabaseClient(database.ownerUrl, (client) =>
      client.query('SELECT make_analyst_schema($1)', [organization]),
    );
    const { address } = await accounts.make(organization);
    const own = await accounts.connect(address);
    /* Over its limit from the beginning: in a database where nobody bounds it. */
    const stray = await accounts.connect(withDatabase(address, other.name));
    const line = await worker.line('analysts over their limits were ended');
    expect(line).toMatchObject({ cancelled: 0, ended: 1 });
    await expect(stray.query('SELECT 1')).rejects.toThrow();
    expect((await own.query('SELECT 1 AS alive')).rows).toEqual([{ alive: 1 }]);
  } finally {
    await worker.kill();
    await accounts.close();
    await other.drop();
    await database.drop();
  }
});
