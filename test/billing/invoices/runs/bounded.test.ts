import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listParties } from '../../../../src/billing/invoices/basis/fact-queries.ts';
import { listContractRows } from '../../../../src/billing/invoices/basis/queries.ts';
import { startApi, type TestApi } from '../../../setup/api.ts';
import { createBilledContract } from '../../../setup/invoices.ts';
import { storedRows } from '../../../setup/stored-rows.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ alone: true });
});
afterAll(() => api?.close());

test('what a bill reads of a contract costs the same, however many addresses the organization has', async () => {
  const { organization, customer, subscription } = await createBilledContract(api.deps);
  await storedRows(
    api,
    `INSERT INTO addresses (organization_id, id, customer_id, street, house_number, zip, city)
     SELECT $1, 'adr_' || lpad(n::text, 24, '0'), $2, 'Weg', n::text, '20354', 'Hamburg' FROM generate_series(1, 5000) AS n`,
    [organization, customer],
  );
  await storedRows(api, 'ANALYZE addresses, subscriptions, customers, households');
  const { parties, contracts, read } = await api.deps.database.inOrganization(
    { organization },
    async (connection) => ({
      parties: await listParties(connection, organization, [subscription]),
      contracts: await listContractRows(connection, organization, [subscription]),
      read: await sql<{ rows: number }>`
        SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables WHERE relname = 'addresses'`.execute(
        connection,
      ),
    }),
  );
  expect(parties.get(subscription)?.place).not.toBeNull();
  expect(contracts).toHaveLength(1);
  expect(read.rows[0]?.rows).toBeLessThan(20);
});
