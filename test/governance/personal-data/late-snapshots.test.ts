import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobWorkers } from '../../../workers/index.ts';
import { runCommand } from '../../cli/command-line.ts';
import { addTrigger } from '../../setup/engine.ts';
import { workJobs } from '../../setup/work-jobs.ts';
import { instant, type SnapshotApi, startSnapshotApi } from '../../telemetry/snapshots/snapshot-api.ts';

/* What gateways send at the moment at which a person is erased. */

let service: SnapshotApi;

beforeAll(async () => {
  service = await startSnapshotApi({});
});
afterAll(() => service?.close());

const left = async (key: number) =>
  (
    await service.admin.query(
      `SELECT (SELECT count(*)::int FROM asset_snapshots WHERE asset_id = $1) AS snapshots,
              (SELECT count(*)::int FROM late_quarter_hours WHERE asset_id = $1) AS late`,
      [key],
    )
  ).rows[0];

test('a batch that was accepted before an erasure and is stored after it is erased with its sums two minutes later', async () => {
  const { admin, api, organization } = service;
  const [home, other] = [await service.addHousehold(), await service.addHousehold()];
  const rowOf = ({ assets }: typeof home, second: number) => ({
    ...{ asset: assets.household_net.id, timestamp: instant(second), power_kw: 1 },
  });
  for (const household of [home, other])
    expect((await household.send([rowOf(household, 0)])).status).toBe(200);
  /* Rows of that one second wait until the gate is open. */
  await admin.query('CREATE TABLE gate (name text); GRANT SELECT, INSERT ON gate TO PUBLIC');
  await addTrigger(admin, {
    name: 'wait_at_gate',
    when: `BEFORE INSERT ON asset_snapshots FOR EACH ROW WHEN (NEW.timestamp = '${instant(7)}')`,
    body: `WHILE NOT EXISTS (SELECT FROM gate) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN NEW;`,
  });
  const sent = home.send([rowOf(home, 7)]);
  const isAtGate =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
  while ((await admin.query(isAtGate)).rowCount === 0);
  const erased = await runCommand(
    { DATABASE_OWNER_URL: api.database.ownerUrl, SECRET_PEPPER: api.deps.config.SECRET_PEPPER },
    ...['customers', 'erase', home.customer, '--organization', organization, '--reason', 'asked', '--yes'],
  );
  expect([erased.exitCode, erased.stderr]).toEqual([0, '']);
  await admin.query("INSERT INTO gate VALUES ('open')");
  expect((await sent).status).toBe(200);
  const { key } = home.assets.household_net;
  expect(await left(key)).toEqual({ snapshots: 1, late: 1 });

  const job = "SELECT FROM job_runs WHERE job = 'erase-late-snapshots' AND next_at > now() + interval '90 s'";
  expect((await admin.query(job)).rowCount).toBe(1);
  await workJobs(service.api, jobWorkers);
  expect(await left(key)).toEqual({ snapshots: 0, late: 0 });
  expect(await left(other.assets.household_net.key)).toMatchObject({ snapshots: 1 });
  const { rows } = await admin.query("SELECT state, result FROM job_runs WHERE job = 'erase-late-snapshots'");
  expect(rows).toEqual([{ state: 'done', result: { rows: 1 } }]);
});
