import type pg from 'pg';
import { expect, test } from 'vitest';
import { administrator } from '../../setup/administrator.ts';
import { startApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { addTrigger } from '../../setup/engine.ts';
import { createTenant } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { isLongTier } from '../../setup/tier.ts';
import { instant, startSnapshotApi } from '../../telemetry/snapshots/snapshot-api.ts';

test('where the log cannot be written requests are answered, its rows are lost and counted, and sums of days come later', async () => {
  const api = await startApi({ alone: true });
  try {
    const { organization, token } = await createTenant(api);
    const client = api.client(token);
    const admin = administrator(api.database.adminUrl);
    const losses = async () =>
      Number(/^voltstream_request_log_losses_total (\d+)$/m.exec(await api.deps.metrics.text())?.[1]);
    const days = () =>
      storedRows<{ requests: string; refused: string }>(
        api,
        'SELECT requests::int, refused::int FROM request_days WHERE organization_id = $1',
        [organization],
      );
    await admin.query('REVOKE INSERT ON request_log FROM voltstream_app');
    expect((await client.get('/households')).status).toBe(200);
    expect((await client.get('/households?limit=x')).status).toBe(400);
    await expect.poll(losses).toBe(2);
    expect(await days()).toEqual([]);
    await admin.query('GRANT INSERT ON request_log TO voltstream_app');
    await expect.poll(days).toEqual([{ requests: 2, refused: 1 }]);
    expect((await client.get('/households')).status).toBe(200);
    await expect.poll(days).toEqual([{ requests: 3, refused: 1 }]);
    const rows = await storedRows(api, 'SELECT route FROM request_log WHERE organization_id = $1', [
      organization,
    ]);
    expect(rows).toEqual([{ route: 'GET /households' }]);
  } finally {
    await api.close();
  }
});

test.runIf(isLongTier)(
  'of one minute the log has 1,200 refused requests, the sums have all, and one that is served still finds room',
  async () => {
    const api = await startApi({ alone: true, clock: fakeClock('2026-05-16T10:17:30Z') });
    try {
      const { organization, token } = await createTenant(api);
      const client = api.client(token);
      const refused = 1_203;
      for (let sent = 0; sent < refused; sent += 100) {
        const portion = Array.from({ length: Math.min(100, refused - sent) }, () =>
          client.get('/households?limit=x'),
        );
        for (const { status } of await Promise.all(portion)) expect([400, 429]).toContain(status);
      }
      expect((await client.get('/households')).status).toBe(200);
      const sums = () =>
        storedRows(
          api,
          `SELECT m.minute::text, m.requests::int, d.refused::int,
                (SELECT count(*)::int FROM request_log WHERE organization_id = $1) AS rows
           FROM request_minutes m JOIN request_days d USING (organization_id) WHERE organization_id = $1`,
          [organization],
        );
      await expect
        .poll(sums)
        .toEqual([{ minute: '2026-05-16 10:17:00+00', requests: refused + 1, refused, rows: 1_201 }]);
    } finally {
      await api.close();
    }
  },
);

test('requests of an organization that was removed meanwhile keep those of no other from the log', async () => {
  const api = await startApi();
  try {
    const [gone, other] = [await createTenant(api), await createTenant(api)];
    expect((await api.client(gone.token).get('/households')).status).toBe(200);
    expect((await api.client(other.token).get('/households')).status).toBe(200);
    const admin = administrator(api.database.adminUrl);
    await admin.query(`SET session_replication_role = replica;
                       DELETE FROM organizations WHERE id = '${gone.organization}';
                       RESET session_replication_role`);
    const rows = () =>
      storedRows(api, 'SELECT status FROM request_log WHERE organization_id = $1', [other.organization]);
    await expect.poll(rows).toEqual([{ status: 200 }]);
    expect((await api.client(other.token).get('/households')).status).toBe(200);
    await expect.poll(rows).toEqual([{ status: 200 }, { status: 200 }]);
  } finally {
    await api.close();
  }
});

/** Sends a row, and leaves while the gate keeps it from being stored. */
async function leaveWhileStored(service: Awaited<ReturnType<typeof startSnapshotApi>>): Promise<void> {
  const { household, assets } = await service.addHousehold();
  await closeGate(service.admin);
  const leaving = new AbortController();
  const snapshots = [{ asset: assets.household_net.id, timestamp: instant(0), power_kw: 1 }];
  const sent = service.client
    .post('/asset-snapshots', { household, snapshots }, { signal: leaving.signal })
    .catch(({ name }) => name);
  await expect.poll(() => storedRows(service.api, WAITING_AT_GATE)).toEqual([{ waiting: 1 }]);
  leaving.abort();
  expect(await sent).toBe('AbortError');
}

test('a request whose caller left before the answer is in the log as 499, and in the sums with what it stored, not as refused', async () => {
  const service = await startSnapshotApi({});
  try {
    const { admin, organization } = service;
    await leaveWhileStored(service);
    const log = 'SELECT route, status, rows_stored FROM request_log WHERE organization_id = $1';
    await expect
      .poll(() => storedRows(service.api, log, [organization]))
      .toEqual([{ route: 'POST /asset-snapshots', status: 499, rows_stored: null }]);
    await admin.query("INSERT INTO gate VALUES ('open')");
    const day = `SELECT requests::int, refused::int, rows_stored::int FROM request_days WHERE organization_id = $1`;
    await expect
      .poll(() => storedRows(service.api, day, [organization]))
      .toEqual([{ requests: 1, refused: 0, rows_stored: 1 }]);
  } finally {
    await service.close();
  }
});

test('a service that ends writes what it has not yet written', async () => {
  const api = await startApi({ alone: true });
  const { organization, token } = await createTenant(api);
  expect((await api.client(token).get('/households')).status).toBe(200);
  await api.app.close();
  await api.deps.close();
  const rows = await storedRows(api, 'SELECT status FROM request_log WHERE organization_id = $1', [
    organization,
  ]);
  expect(rows).toEqual([{ status: 200 }]);
  await api.database.drop();
});

test('a service that ends counts what is stored behind its last requests', async () => {
  const service = await startSnapshotApi({});
  const { admin, api, organization } = service;
  await leaveWhileStored(service);
  const day = 'SELECT rows_stored::int FROM request_days WHERE organization_id = $1';
  await expect.poll(() => storedRows(api, day, [organization])).toEqual([{ rows_stored: 0 }]);
  await api.app.close();
  const ended = api.deps.close();
  await admin.query("INSERT INTO gate VALUES ('open')");
  await ended;
  expect(await storedRows(api, day, [organization])).toEqual([{ rows_stored: 1 }]);
  await api.database.drop();
});

const WAITING_AT_GATE = `SELECT count(*)::int AS waiting FROM pg_stat_activity
                          WHERE datname = current_database() AND wait_event = 'PgSleep'`;

/** Lets no snapshots in before there is a row in `gate`. */
async function closeGate(admin: pg.Pool): Promise<void> {
  await admin.query('CREATE TABLE gate (name text); GRANT SELECT ON gate TO PUBLIC');
  await addTrigger(admin, {
    name: 'wait_at_gate',
    when: 'BEFORE INSERT ON asset_snapshots FOR EACH ROW',
    body: 'WHILE NOT EXISTS (SELECT FROM gate) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NEW;',
  });
}
