import { randomBytes } from 'node:crypto';
import { expect, inject } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import { recordEvents } from '../../../src/events/record.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { enterIssuer } from '../../governance/personal-data/settle.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts';
import { engine } from '../../setup/engine.ts';
import { happened } from '../../setup/events.ts';
import {
  createAsset,
  createHousehold,
  createSubscription,
  createTenant,
  tokenFor,
} from '../../setup/factories.ts';
import { createInvoice } from '../../setup/invoice-factories.ts';
import { runCommand } from '../command-line.ts';

/* Of Citus each node is backed up by itself, and pg_dump in a container has another file system. */
export const canDump = engine === 'timescaledb' && !inject('servers').dump.inContainer;

/** A service with something of each kind: what backups are made of. */
export interface Store {
  api: TestApi;
  database: TestDatabase;
  /** Of commands that read this store. */
  environment: Record<string, string>;
  organization: string;
  analyst: { name: string; address: string };
  /** An event, and snapshots of forty days. */
  add(api: TestApi): Promise<void>;
  /** What the interface answers about everything that was stored. */
  answersOf(api: TestApi): Promise<unknown[]>;
  close(): Promise<void>;
}

export async function makeStore(): Promise<Store> {
  const database = await createTestDatabase();
  const api = await startApi({ database });
  const { DATABASE_URL, REDIS_URL } = api.deps.config;
  const environment = { APP_ENV: 'test', ...keysOf(api), DATABASE_URL, REDIS_URL };
  const asOwner = { ...environment, DATABASE_OWNER_URL: database.ownerUrl };
  const { organization, client } = await createTenant(api);
  const name = `copy_${randomBytes(4).toString('hex')}`;
  const analyst = await runCommand(
    asOwner,
    ...['analysts', 'create', name, '--organization', organization, '--reason', 'reads the copy', '--json'],
  );
  expect([analyst.exitCode, analyst.stderr]).toEqual([0, expect.any(String)]);
  /* What has a meaning of its own where rows are text. */
  const display_name = 'Öl\\N \\. COPY public.customers (id) FROM stdin;\u2028Gas\\n';
  const home = await createHousehold(api.deps, organization, { display_name });
  const { id: asset } = await createAsset(api.deps, organization, home, { type: 'heat_pump' });
  const subscription = await createSubscription(api.deps, organization, home);
  await enterIssuer(environment, organization);
  const { customer: customer_id, household } = home;
  await createInvoice(api.deps, organization, { customer_id, subscription_id: subscription.id });
  const add = async (to: TestApi) => {
    const now = to.deps.clock.now().toISOString();
    const [topic] = topics;
    if (topic === undefined) throw new Error('No topic');
    await to.deps.database.inOrganization({ organization }, (connection) =>
      recordEvents(connection, organization, [happened(topic, now)]),
    );
    const at = (days: number) => new Date(Date.parse(now) - days * 86_400_000).toISOString();
    const sent = await to.client(await tokenFor(to, client)).post('/asset-snapshots', {
      household,
      snapshots: [40, 20, 0.1].map((days) => ({ asset, timestamp: at(days), power_kw: days / 10 })),
    });
    expect(sent.status).toBe(200);
  };
  await add(api);
  await compressOldChunks(database);
  const paths = [
    `/asset-snapshots?filter[household][eq]=${household}`,
    `/assets?filter[household][eq]=${household}`,
    `/households/${household}`,
    `/invoices?filter[subscription][eq]=${subscription.id}`,
    '/events',
  ];
  return {
    ...{ api, database, environment, organization, add },
    analyst: { name, address: JSON.parse(analyst.stdout).address },
    answersOf: async (of) => {
      const reader = of.client(await tokenFor(of, client));
      const answers: unknown[] = [];
      for (const path of paths) {
        const { status, body } = await reader.get(path);
        expect([path, status]).toEqual([path, 200]);
        answers.push(body);
      }
      return answers;
    },
    close: async () => {
      await runCommand(asOwner, ...['analysts', 'revoke', name, '--reason', 'end of the test']);
      await api.close();
      await database.drop();
    },
  };
}

/** The Apache edition has none. */
async function compressOldChunks({ adminUrl }: TestDatabase): Promise<void> {
  await withDatabaseClient(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ license: string }>(
      "SELECT current_setting('timescaledb.license') AS license",
    );
    if (rows[0]?.license !== 'timescale') return;
    await admin.query(
      "SELECT compress_chunk(chunk) FROM show_chunks('asset_snapshots', older_than => interval '30 days') AS chunk",
    );
  });
}

export function keysOf({ deps: { config } }: TestApi): Record<string, string> {
  const { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY } = config;
  return { SECRET_PEPPER, ENCRYPTION_KEY, CURSOR_KEY };
}
