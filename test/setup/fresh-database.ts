import type pg from 'pg';
import { withDatabase, withDatabaseClient } from '../../src/platform/database/setup.ts';
import { CONNECTS_WITHIN } from './administrator.ts';
import { startTestServers, type TestServers } from './servers.ts';
import { cloneTemplate, dropClone } from './template.ts';

/** A freshly migrated database for scripts, on the servers of the tests. */
export async function withFreshDatabase(
  work: (client: pg.ClientBase, url: string, servers: TestServers) => Promise<void>,
): Promise<void> {
  const { servers, templates, stop } = await startTestServers((line) => process.stdout.write(`${line}\n`));
  const name = `voltstream_test_fresh_${process.pid}`;
  try {
    await cloneTemplate(servers, templates.empty, name);
    try {
      const url = withDatabase(servers.databaseAdminUrl, name);
      await withDatabaseClient(url, (client) => work(client, url, servers), CONNECTS_WITHIN);
    } finally {
      await dropClone(servers, name);
    }
  } finally {
    await stop();
  }
}
