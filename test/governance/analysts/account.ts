import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { analystAddress, createAnalyst, revokeAnalyst } from '../../../src/governance/analysts/service.ts';
import { type Database, openDatabase } from '../../../src/platform/database/db.ts';
import type { StaffAct } from '../../../src/platform/staff-act.ts';
import type { TestDatabase } from '../../setup/database.ts';

export const uniqueName = () => `test_${randomBytes(6).toString('hex')}`;

export const act: StaffAct = {
  staff: 'tests',
  reason: 'test',
  command: 'test',
  now: '2026-01-01T00:00:00.000Z',
};

/** Accounts of a test file. Roles belong to the server, which other files share: all of them go at the end. */
export class Accounts {
  readonly #database: TestDatabase;
  readonly owner: Database;
  readonly #names: string[] = [];
  readonly #clients: pg.Client[] = [];

  constructor(database: TestDatabase) {
    this.#database = database;
    this.owner = openDatabase({
      url: database.ownerUrl,
      applicationName: 'test',
      connectionsMax: 2,
      onError: () => {},
    });
  }

  /** Address and name of a new account. */
  async make(organization: string): Promise<{ name: string; role: string; address: string }> {
    const created = await createAnalyst({ database: this.owner }, organization, uniqueName(), act);
    this.#names.push(created.name);
    return { ...created, address: analystAddress(this.#database.ownerUrl, created) };
  }

  /** As the owner: what a superuser grants, Citus grants on every node, and analysts are on the coordinator only. */
  async makeViews(organization: string): Promise<void> {
    await this.owner.withClient((client) => client.query('SELECT make_analyst_schema($1)', [organization]));
  }

  async connect(address: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: address });
    client.on('error', () => {});
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end().catch(() => {})));
    for (const name of this.#names) {
      await revokeAnalyst({ database: this.owner, ownerUrl: this.#database.ownerUrl }, name, act).catch(
        () => {},
      );
    }
    await this.owner.close();
  }
}
