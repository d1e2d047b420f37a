import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWorkerConfig } from '../../../src/config/config.ts';
import { removeOldRecords, sweepExpiredRows } from '../../../src/governance/retention/service.ts';
import type { Connection } from '../../../src/platform/database/db.ts';
import { openDatabase } from '../../../src/platform/database/db.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createAsset, createHousehold, createTenant } from '../../setup/factories.ts';

/* The database's own clock writes `at` of audit rows, so this one is not far from it. */
const clock = fakeClock(new Date().toISOString());
const run = {
  signal: new AbortController().signal,
  log: createLogger({ level: 'silent', name: 'retention-test' }),
};
const DAY = 86_400_000;
const HOUR = 3_600_000;

let api: TestApi;

beforeAll(async () => {
  api = await startApi({ clock, alone: true });
});

afterAll(() => api.close());

const ago = (milliseconds: number) => new Date(clock.nowMilliseconds() - milliseconds).toISOString();

async function inside<Result>(organization: string, work: (connection: Connection) => Promise<Result>) {
  return api.deps.database.inOrganization({ organization }, work);
}

async function countOf(organization: string, table: string): Promise<number> {
  return inside(organization, async (connection) => {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM ${sql.table(table)}`.execute(connection);
    return rows[0]?.count ?? -1;
  });
}

async function addIdempotencyKey(organization: string, client: string, age: number): Promise<void> {
  await inside(organization, (connection) =>
    sql`INSERT INTO idempotency_keys (organization_id, client_id, route, key, body_hash, status, response, created_at)
        VALUES (${organization}, ${client}, 'POST /assets', ${newId('ast')}, ${createHash('sha256').digest()},
                200, '{}', ${ago(age)})`.execute(connection),
  );
}

/** A grant begun so long ago, with one refresh token that expired so long ago (negative: still to come). */
async function addGrant(organization: string, client: string, begun: number, expired: number): Promise<void> {
  const grant = newId('grt');
  await inside(organization, async (connection) => {
    await sql`INSERT INTO grants (organization_id, id, client_id, kind, scopes, created_at)
              VALUES (${organization}, ${grant}, ${client}, 'client_credentials', '{read:*}', ${ago(begun)})`.execute(
      connection,
    );
    await sql`INSERT INTO refresh_tokens (hash, organization_id, grant_id, created_at, expires_at)
              VALUES (${randomBytes(32)}, ${organization}, ${grant}, ${ago(begun)}, ${ago(expired)})`.execute(
      connection,
    );
  });
}

test('expired rows of every organization go, living ones stay', async () => {
  const tenants = [await createTenant(api), await createTenant(api)];
  const before: { keys: number; tokens: number; grants: number }[] = [];
  for (const { organization, client } of tenants) {
    before.push({
      keys: await countOf(organization, 'idempotency_keys'),
      tokens: await countOf(organization, 'refresh_tokens'),
      grants: await countOf(organization, 'grants'),
    });
    await addIdempotencyKey(organization, client.client_id, 25 * HOUR);
    await addIdempotencyKey(organization, client.client_id, 23 * HOUR);
    await addGrant(organization, client.client_id, 62 * DAY, 31 * DAY);
    await addGrant(organization, client.client_id, 59 * DAY, 29 * DAY);
    await addGrant(organization, client.client_id, 179 * DAY, -1 * DAY);
  }
  const counts = await sweepExpiredRows(api.deps, run);
  expect(counts).toMatchObject({ idempotency_keys: 2, refresh_tokens: 2, grants: 2, finished_runs: 0 });
  for (const [index, { organization }] of tenants.entries()) {
    const earlier = before[index];
    expect(await countOf(organization, 'idempotency_keys')).toBe((earlier?.keys ?? 0) + 1);
    expect(await countOf(organization, 'refresh_tokens')).toBe((earlier?.tokens ?? 0) + 2);
    expect(await countOf(organization, 'grants')).toBe((earlier?.grants ?? 0) + 2);
  }
  const nothing = Object.fromEntries(Object.keys(counts).map((name) => [name, 0]));
  expect(await sweepExpiredRows(api.deps, run)).toEqual(nothing);
});

test('what fails for one organization keeps the rows of no other', async () => {
  const [failing, other] = [await createTenant(api), await createTenant(api)];
  for (const { organization, client } of [failing, other]) {
    await addIdempotencyKey(organization, client.client_id, 25 * HOUR);
  }
  await asAdmin(`
    CREATE FUNCTION refuse_sweep() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'this row cannot go'; END $$`);
  await asAdmin(`
    CREATE TRIGGER refuse_sweep BEFORE DELETE ON idempotency_keys FOR EACH ROW
      WHEN (OLD.organization_id = '${failing.organization}') EXECUTE FUNCTION refuse_sweep()`);
  try {
    await expect(sweepExpiredRows(api.deps, run)).rejects.toThrow('For 1 organizations expired rows');
    expect(await countOf(failing.organization, 'idempotency_keys')).toBe(1);
    expect(await countOf(other.organization, 'idempotency_keys')).toBe(0);
  } finally {
    await asAdmin('DROP FUNCTION refuse_sweep CASCADE');
  }
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ idempotency_keys: 1 });
});

test('a token that was revoked by itself is remembered until it would be over', async () => {
  const { organization, client } = await createTenant(api);
  const insert = (jti: string, end: string) =>
    asAdmin(
      `INSERT INTO revoked_tokens (organization_id, jti, client_id, expires_at) VALUES ($1, $2, $3, $4)`,
      [organization, jti, client.client_id, end],
    );
  await insert('over', ago(1000));
  await insert('alive', ago(-1000));
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ revoked_tokens: 1 });
  expect(await asAdmin('SELECT jti FROM revoked_tokens')).toEqual([{ jti: 'alive' }]);
});

test('a signing key loses its private half a day after its last signature, and not before', async () => {
  const insert = (kid: string, until: string) =>
    asAdmin(
      `INSERT INTO signing_keys (kid, public_jwk, private_key_encrypted, signs_from, signs_until)
       VALUES ($1, '{}', 'private', now() - interval '90 days', $2)`,
      [kid, until],
    );
  await insert('over', ago(25 * HOUR));
  await insert('recent', ago(23 * HOUR));
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ signing_keys: 1 });
  const kept = await asAdmin(
    `SELECT kid, length(private_key_encrypted) AS bytes, removed_at IS NULL AS there FROM signing_keys
      WHERE kid IN ('over', 'recent') ORDER BY kid`,
  );
  expect(kept).toEqual([
    { kid: 'over', bytes: 0, there: false },
    { kid: 'recent', bytes: 7, there: true },
  ]);
});

test('finished runs of jobs stay 90 days, unfinished ones for ever', async () => {
  await api.deps.database.asService(async (connection) => {
    await sql`INSERT INTO schedules (id, job, cron, time_zone, catch_up) VALUES ('old', 'old', '0 0 4 * * *', 'UTC', 'last')`.execute(
      connection,
    );
    await sql`INSERT INTO job_runs (job, schedule, due_at, next_at, state, finished_at) VALUES
                ('old', 'old', ${ago(91 * DAY)}, now(), 'done', ${ago(91 * DAY)}),
                ('old', 'old', ${ago(92 * DAY)}, now(), 'failed', ${ago(92 * DAY)}),
                ('old', 'old', ${ago(89 * DAY)}, now(), 'done', ${ago(89 * DAY)}),
                ('old', 'old', ${ago(99 * DAY)}, now(), 'running', NULL)`.execute(connection);
  });
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ finished_runs: 2 });
});

test('a sweep that is told to stop does', async () => {
  await createTenant(api);
  await expect(sweepExpiredRows(api.deps, { ...run, signal: AbortSignal.abort() })).rejects.toThrow();
});

async function withMaintenance<Result>(
  work: (maintenance: ReturnType<typeof openDatabase>) => Promise<Result>,
) {
  const maintenance = openDatabase({
    url: api.database.maintenanceUrl,
    applicationName: 'retention-test',
    connectionsMax: 1,
    onError: () => {},
  });
  try {
    return await work(maintenance);
  } finally {
    await maintenance.close();
  }
}

async function asAdmin<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  return withDatabaseClient(
    api.database.adminUrl,
    async (client) => (await client.query(text, values)).rows as Row[],
  );
}

test('audit rows go after 24 months, and not a day earlier, whoever asks', async () => {
  await asAdmin(`SET session_replication_role = replica;
                 INSERT INTO audit_log (at, act, result) VALUES
                   (now() - interval '24 months 2 days', 'test.old', 'done'),
                   (now() - interval '23 months', 'test.young', 'done')`);
  await withMaintenance(async (maintenance) => {
    const config = { SNAPSHOT_RETENTION_MONTHS: 0, QUARTER_HOUR_RETENTION_MONTHS: 0 };
    expect(await removeOldRecords({ maintenance, clock, config }, run)).toEqual({
      audit_rows: 1,
      snapshot_chunks: 0,
      quarter_hour_chunks: 0,
      asset_days: 0,
      usage_days: 0,
      invoices: 0,
      meter_readings: 0,
      vouchers: 0,
      kept_months: { asset_snapshots: 0, asset_quarter_hours: 0, asset_days: 0 },
    });
    await expect(
      maintenance.asService((connection) =>
        sql`SELECT delete_old_audit_rows(now() - interval '23 months', 10)`.execute(connection),
      ),
    ).rejects.toThrow(/24 months/);
  });
  expect(await asAdmin(`SELECT act FROM audit_log WHERE act LIKE 'test.%'`)).toEqual([{ act: 'test.young' }]);
});

test('raw snapshots go by whole chunks after the configured months, the oldest first, never where that is 0', async () => {
  const { organization } = await createTenant(api);
  const household = await createHousehold(api.deps, organization);
  const { key } = await createAsset(api.deps, organization, household, { type: 'heat_pump' });
  const insertBefore = async (months: string) => {
    /* Chunks come with their rows, partitions are made ahead. */
    await asAdmin(
      `SELECT prepare_snapshot_partitions(now() - months * interval '1 month', 1) FROM ${months}`,
    );
    await asAdmin(
      `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
       SELECT $1, now() - months * interval '1 month', months FROM ${months}`,
      [key],
    );
  };
  await insertBefore('unnest(ARRAY[1, 12, 15, 30]) AS months');
  const kept = async () =>
    (await asAdmin<{ power_kw: number }>('SELECT power_kw FROM asset_snapshots ORDER BY power_kw')).map(
      (row) => row.power_kw,
    );
  const sumsKept = { QUARTER_HOUR_RETENTION_MONTHS: 0 };
  await withMaintenance(async (maintenance) => {
    await removeOldRecords(
      { maintenance, clock, config: { ...sumsKept, SNAPSHOT_RETENTION_MONTHS: 0 } },
      run,
    );
    expect(await kept()).toEqual([1, 12, 15, 30]);
    const oldest = await maintenance.asService((connection) =>
      sql<{
        dropped: number;
      }>`SELECT drop_old_snapshot_chunks(now() - interval '13 months', 1) AS dropped`.execute(connection),
    );
    expect(oldest.rows).toEqual([{ dropped: 1 }]);
    expect(await kept()).toEqual([1, 12, 15]);
    await insertBefore('generate_series(30, 42) AS months');
    const result = await removeOldRecords(
      { maintenance, clock, config: { ...sumsKept, SNAPSHOT_RETENTION_MONTHS: 13 } },
      run,
    );
    expect(result).toMatchObject({ snapshot_chunks: 14 });
    expect(await kept()).toEqual([1, 12]);
  });
});

test('raw snapshots of a month stay until its usage is frozen, however late that is', async () => {
  const { organization } = await createTenant(api);
  const household = await createHousehold(api.deps, organization);
  const { key } = await createAsset(api.deps, organization, household, { type: 'heat_pump' });
  const [{ month } = { month: '' }] = await asAdmin<{ month: string }>(
    `SELECT (date_trunc('month', now() AT TIME ZONE 'Europe/Berlin') - interval '4 months')::text AS month`,
  );
  for (const days of [-10, 1]) {
    const at = `'${month}'::timestamp AT TIME ZONE 'Europe/Berlin' + interval '${days} days'`;
    await asAdmin(`SELECT prepare_snapshot_partitions(${at}, 1)`);
    await asAdmin(`INSERT INTO asset_snapshots (asset_id, timestamp, power_kw) VALUES ($1, ${at}, $2)`, [
      key,
      days,
    ]);
  }
  const settle = (state: string, day: number) =>
    asAdmin(
      `INSERT INTO job_runs (job, schedule, key, state, due_at, next_at, finished_at)
       SELECT 'settle-usage', 'settle-usage', 'settle-usage ' || at, $1, at, at, now() - interval '91 days'
         FROM (SELECT ($2::timestamp + interval '1 month' + $3::interval) AT TIME ZONE 'Europe/Berlin' AS at) AS due`,
      [state, month, `${day} days`],
    );
  await withMaintenance(async (maintenance) => {
    const config = { QUARTER_HOUR_RETENTION_MONTHS: 0, SNAPSHOT_RETENTION_MONTHS: 2 };
    const left = async () => {
      expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ finished_runs: 0 });
      await removeOldRecords({ maintenance, clock, config }, run);
      const rows = await asAdmin<{ power_kw: number }>(
        'SELECT power_kw FROM asset_snapshots WHERE asset_id = $1',
        [key],
      );
      return rows.map(({ power_kw }) => power_kw);
    };
    await settle('done', 10);
    await settle('failed', 12);
    expect(await left()).toEqual([1]);
    await settle('queued', 13);
    expect(await left()).toEqual([1]);
    await settle('done', 14);
    expect(await left()).toEqual([]);
  });
  await asAdmin(`DELETE FROM job_runs WHERE job = 'settle-usage'`);
});

test('one month of raw snapshots is too few: usage of a month is settled in the next one', () => {
  const reading = (months: string) => () => readWorkerConfig({ SNAPSHOT_RETENTION_MONTHS: months });
  expect(reading('1')).toThrow(/SNAPSHOT_RETENTION_MONTHS.* needs 2 months or more, or 0/);
  for (const months of ['0', '2']) expect(reading(months)).not.toThrow(/SNAPSHOT_RETENTION_MONTHS/);
});

test('what cannot get its lock keeps nothing behind it from going, and is named at the end', async () => {
  await asAdmin(`SET session_replication_role = replica;
                 INSERT INTO audit_log (at, act, result) VALUES (now() - interval '25 months', 'test.held', 'done');
                 INSERT INTO asset_days (asset_id, day, quarter_hours, samples, covered_seconds, consumed_kwh, fed_kwh)
                 VALUES (1, '2001-01-01', 1, 1, 900, 1, 0)`);
  const config = { SNAPSHOT_RETENTION_MONTHS: 0, QUARTER_HOUR_RETENTION_MONTHS: 13 };
  await withMaintenance(async (maintenance) => {
    await withDatabaseClient(api.database.adminUrl, async (holder) => {
      await holder.query('BEGIN; LOCK TABLE audit_log IN SHARE MODE');
      await expect(removeOldRecords({ maintenance, clock, config }, run)).rejects.toThrow(
        /^Not removed: audit_rows: .*lock timeout/,
      );
    });
    expect(await asAdmin(`SELECT FROM asset_days WHERE day = '2001-01-01'`)).toEqual([]);
    expect(await removeOldRecords({ maintenance, clock, config }, run)).toMatchObject({ audit_rows: 1 });
  });
});
