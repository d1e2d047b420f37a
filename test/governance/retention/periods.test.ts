import { afterAll, beforeAll, expect, test } from 'vitest';
import { expiringRows } from '../../../src/governance/retention/lines.ts';
import { sweepExpiredRows } from '../../../src/governance/retention/service.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { newId } from '../../../src/platform/ids.ts';
import { administrator } from '../../setup/administrator.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { insertTenant } from '../../setup/tenants.ts';

/** How long rows of each table stay, as people were told; and what else makes one that may go. */
const KEPT: Readonly<Record<string, readonly [period: string, also?: string]>> = {
  idempotency_keys: ['24 hours'],
  one_time_codes: ['2 hours'],
  authorization_requests: ['2 hours'],
  authorization_codes: ['30 days', 'grant_id = NULL'],
  refresh_tokens: ['30 days'],
  grants: ['30 days'],
  revoked_tokens: ['0 hours'],
  wrong_one_time_codes: ['24 hours'],
  magic_links: ['30 days'],
  portal_sessions: ['30 days'],
  console_sessions: ['1 day'],
  console_forms: ['1 day'],
  request_log: ['30 days'],
  request_minutes: ['1 day'],
  leads: ['6 months'],
  event_deliveries: ['30 days', "state = 'failed', next_at = NULL"],
  job_runs: ['30 days', "job = 'fan-out-event'"],
  webhook_endpoints: ['30 days', 'deleted_at = now()'],
  events: ['13 months'],
  load_forecasts: ['12 months'],
  billing_portions: ['24 months'],
  billing_runs: ['25 months'],
};

/** A table may have several lines. */
const TABLES = [...new Set(expiringRows.map(({ table }) => table))];

const clock = fakeClock('2026-11-20T10:00:00.000Z');
let api: TestApi;
let organization: string;

beforeAll(async () => {
  api = await startApi({ clock, alone: true });
  const admin = administrator(api.database.adminUrl);
  ({ organization } = await insertTenant(admin));
  await admin.query(
    "INSERT INTO leads (organization_id, id, plan_id, details) SELECT organization_id, $1, id, '{}' FROM plans",
    [newId('lead')],
  );
  await admin.query(
    `INSERT INTO load_forecasts
       (organization_id, customer_id, subscription_id, delivery_on, purchase, starts_at, ends_at, power_kw)
     SELECT organization_id, customer_id, id, '2026-11-21', 'day_ahead', now(), now() + interval '24 hours',
            array_fill(1::float8, ARRAY[96]) FROM subscriptions`,
  );
  await admin.query("UPDATE organizations SET standing = 'suspended' WHERE id = $1", [organization]);
});
afterAll(() => api?.close());

/** Each row so long before or after the instant at which its time is over. Rows that refer to it do not hold it. */
async function moveTo(distance: string): Promise<void> {
  await withDatabaseClient(api.database.adminUrl, async (client) => {
    await client.query("SET session_replication_role = replica; SET TimeZone = 'UTC'");
    for (const { table, at } of expiringRows) {
      const [period, also] = KEPT[table] ?? [];
      const instant = `$2::timestamptz - '${period}'::interval + '${distance}'::interval`;
      const columns = [
        `${at} = ${instant}`,
        ...(table === 'load_forecasts' ? [`starts_at = ${instant} - interval '24 hours'`] : []),
        ...(also === undefined ? [] : [also]),
      ];
      await client.query(`UPDATE ${table} SET ${columns.join(', ')} WHERE organization_id = $1`, [
        organization,
        clock.now(),
      ]);
    }
  });
}

async function counts(): Promise<Record<string, number>> {
  const columns = TABLES.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  const { rows } = await administrator(api.database.adminUrl).query(`SELECT ${columns.join(', ')}`);
  return rows[0];
}

test('rows of each table go when their time is over, and not a second earlier', async () => {
  expect(Object.keys(KEPT)).toEqual(TABLES);
  const before = await counts();
  expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
  const { deps } = api;
  const run = { signal: new AbortController().signal, log: deps.log };
  await moveTo('1 second');
  await sweepExpiredRows(deps, run);
  expect(await counts()).toEqual(before);
  await moveTo('-1 second');
  expect(await sweepExpiredRows(deps, run)).toMatchObject(before);
  expect(Object.entries(await counts()).filter(([, count]) => count > 0)).toEqual([]);
});
