import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import { jobWorkers } from '../../../workers/index.ts';
import { collectingIo, runCommandAt } from '../../cli/command-line.ts';
import { fakeClock } from '../../setup/clock.ts';
import { addTrigger } from '../../setup/engine.ts';
import { createSubscription } from '../../setup/factories.ts';
import { auditRows } from '../../setup/stored-rows.ts';
import { workJobs } from '../../setup/work-jobs.ts';
import { instant, type SnapshotApi, startSnapshotApi } from '../../telemetry/snapshots/snapshot-api.ts';

/* What gateways send, and what else happens, at the moment at which a person is erased. */

let service: SnapshotApi;

beforeAll(async () => {
  service = await startSnapshotApi({});
  await service.admin.query('CREATE TABLE gate (name text); GRANT SELECT, INSERT ON gate TO PUBLIC');
});
beforeEach(() => service.admin.query('DELETE FROM gate'));
afterAll(() => service?.close());

const environment = () => ({
  DATABASE_OWNER_URL: service.api.database.ownerUrl,
  SECRET_PEPPER: service.api.deps.config.SECRET_PEPPER,
});
const erase = ({ customer }: { customer: string }) => [
  ...['customers', 'erase', customer, '--organization', service.organization, '--reason', 'asked'],
];
/** By the clock of the service: by the same one its jobs are due. */
const runErase = (home: { customer: string }, ...more: string[]) =>
  runCommandAt(service.clock, environment(), ...erase(home), ...more);

const WAIT = 'WHILE NOT EXISTS (SELECT FROM gate) LOOP PERFORM pg_sleep(0.02); END LOOP;';

/** Until somebody waits for the gate, or for a row that somebody has who waits there. */
async function waits(event: string): Promise<void> {
  const waiting =
    'SELECT FROM pg_stat_activity WHERE datname = current_database() AND $1 IN (wait_event, wait_event_type)';
  while ((await service.admin.query(waiting, [event])).rowCount === 0);
}

const left = async (key: number) =>
  (
    await service.admin.query(
      `SELECT (SELECT count(*)::int FROM asset_snapshots WHERE asset_id = $1) AS snapshots,
              (SELECT count(*)::int FROM late_quarter_hours WHERE asset_id = $1) AS late`,
      [key],
    )
  ).rows[0];

test('a batch that was accepted before an erasure and is stored after it is erased with its sums two minutes later', async () => {
  const { admin } = service;
  const [home, other] = [await service.addHousehold(), await service.addHousehold()];
  const rowOf = ({ assets }: typeof home, second: number) => ({
    ...{ asset: assets.household_net.id, timestamp: instant(second), power_kw: 1 },
  });
  for (const household of [home, other])
    expect((await household.send([rowOf(household, 0)])).status).toBe(200);
  /* Rows of that one second wait until the gate is open. */
  await addTrigger(admin, {
    name: 'wait_at_gate',
    when: `BEFORE INSERT ON asset_snapshots FOR EACH ROW WHEN (NEW.timestamp = '${instant(7)}')`,
    body: `${WAIT} RETURN NEW;`,
  });
  const sent = home.send([rowOf(home, 7)]);
  await waits('PgSleep');
  const erased = await runErase(home, '--yes');
  expect([erased.exitCode, erased.stderr]).toEqual([0, '']);
  await admin.query("INSERT INTO gate VALUES ('open')");
  expect((await sent).status).toBe(200);
  const { key } = home.assets.household_net;
  expect(await left(key)).toEqual({ snapshots: 1, late: 1 });

  const jobs = (columns: string) =>
    admin.query(`SELECT ${columns} FROM job_runs WHERE job = 'erase-late-snapshots'`);
  const twoMinutesLater = new Date(service.clock.nowMilliseconds() + 2 * 60_000);
  expect((await jobs('next_at')).rows).toEqual([{ next_at: twoMinutesLater }]);
  service.clock.set(twoMinutesLater.toISOString());
  await workJobs(service.api, jobWorkers);
  expect(await left(key)).toEqual({ snapshots: 0, late: 0 });
  expect(await left(other.assets.household_net.key)).toMatchObject({ snapshots: 1 });
  expect((await jobs('state, result')).rows).toEqual([{ state: 'done', result: { rows: 1 } }]);
});

test('the two minutes are counted from the erasure, however long the operator took to confirm it', async () => {
  const { admin } = service;
  const home = await service.addHousehold();
  /* Its job is due later than those of the tests below. */
  const clock = fakeClock('2026-12-01T12:05:00.000Z');
  async function* typed() {
    clock.advance(3 * 60_000);
    yield `${home.customer}\n`;
  }
  const io = { ...collectingIo(environment()), clock, stdin: Readable.from(typed()) };
  expect([await runCommandLine(erase(home), io), io.stderr.text]).toEqual([
    0,
    expect.stringContaining('Type'),
  ]);
  const { rows } = await admin.query(
    "SELECT next_at FROM job_runs WHERE job = 'erase-late-snapshots' AND payload ->> 'customer' = $1",
    [home.customer],
  );
  expect(rows).toEqual([{ next_at: new Date('2026-12-01T12:10:00.000Z') }]);
});

test.each(['suspended', 'deleted'] as const)(
  'an erasure is finished in an organization that is %s meanwhile, and counted until then',
  async (standing) => {
    const { admin, api, clock, organization } = service;
    const home = await service.addHousehold();
    const { id: asset, key } = home.assets.household_net;
    expect((await home.send([{ asset, timestamp: instant(0), power_kw: 1 }])).status).toBe(200);
    await addTrigger(admin, {
      name: `die_when_${standing}`,
      when: `BEFORE DELETE ON asset_snapshots FOR EACH ROW WHEN (OLD.asset_id = ${key})`,
      body: "IF NOT EXISTS (SELECT FROM public.gate) THEN RAISE EXCEPTION 'Broken'; END IF; RETURN OLD;",
    });
    expect((await runErase(home, '--yes')).exitCode).toBe(1);
    await admin.query("INSERT INTO gate VALUES ('open')");
    const { database } = api.deps;
    const act = { staff: 'tests', reason: 'asked', command: 'test', now: clock.now().toISOString() };
    await setStanding(database, organization, standing, act);
    try {
      clock.advance(2 * 60_000);
      const { rows } = await admin.query(
        "SELECT waiting FROM count_job_runs($1) WHERE job LIKE 'erase-late%'",
        [clock.now()],
      );
      expect(rows).toEqual([{ waiting: '1' }]);
      await workJobs(api, jobWorkers);
      expect(await left(key)).toEqual({ snapshots: 0, late: 0 });
    } finally {
      await setStanding(database, organization, 'in_order', act);
    }
  },
);

test('a device that is being added meanwhile is closed with the others, and one after it is refused', async () => {
  const { admin, client } = service;
  const home = await service.addHousehold();
  await addTrigger(admin, {
    name: 'wait_with_device',
    when: "BEFORE INSERT ON assets FOR EACH ROW WHEN (NEW.external_id = 'meanwhile')",
    body: `${WAIT} RETURN NEW;`,
  });
  const device = (external_id: string) => ({
    ...{ household: home.household, type: 'heat_pump', heat_pump: { max_power_kw: 3.5 }, external_id },
  });
  const adding = client.post<{ id: string }>('/assets', device('meanwhile'));
  await waits('PgSleep');
  const erasing = runErase(home, '--yes');
  await waits('Lock');
  await admin.query("INSERT INTO gate VALUES ('open')");
  const { status, body } = await adding;
  expect([status, (await erasing).exitCode]).toEqual([200, 0]);
  expect((await client.get(`/assets/${body.id}`)).body).toMatchObject({
    ...{ external_id: null, decommissioned_at: '1970-01-01T00:00:00.000Z' },
  });
  const later = await client.post('/assets', device('later'));
  expect([later.status, later.body]).toEqual([
    409,
    expect.objectContaining({
      errors: [
        { code: 'custom', field: 'household', message: 'The customer was erased: nothing new is taken' },
      ],
    }),
  ]);
});

test('a link into the portal that is being made meanwhile is erased with the others, and one after it is refused', async () => {
  const { admin, client } = service;
  const home = await service.addHousehold();
  await addTrigger(admin, {
    name: 'wait_with_link',
    when: `BEFORE INSERT ON magic_links FOR EACH ROW WHEN (NEW.customer_id = '${home.customer}')`,
    body: `${WAIT} RETURN NEW;`,
  });
  const make = () => client.post('/admin/magic_link', { customerId: home.customer });
  const making = make();
  await waits('PgSleep');
  const erasing = runErase(home, '--yes');
  await Promise.race([erasing, waits('Lock')]);
  await admin.query("INSERT INTO gate VALUES ('open')");
  expect([(await making).status, (await erasing).exitCode]).toEqual([200, 0]);
  const links = 'SELECT FROM magic_links WHERE customer_id = $1';
  expect((await admin.query(links, [home.customer])).rowCount).toBe(0);
  expect((await make()).status).toBe(409);
});

test('of a command that dies behind its decision the job erases the rest, and usage is made of none of it', async () => {
  const { admin, api, clock, organization } = service;
  const home = await service.addHousehold();
  const { id: asset, key } = home.assets.household_net;
  const contract = await createSubscription(
    api.deps,
    organization,
    { ...home, address: null },
    {
      ...{ status: 'ended', meter_type: 'smart' as const },
      ...{ start_at: '2026-01-31T23:00:00Z', end_at: '2026-11-30T23:00:00Z' },
    },
  );
  const row = { asset, timestamp: '2026-11-15T11:00:00Z', power_kw: 4 };
  expect((await home.send([row])).status).toBe(200);
  await addTrigger(admin, {
    name: 'break_once',
    when: `BEFORE DELETE ON asset_snapshots FOR EACH ROW WHEN (OLD.asset_id = ${key})`,
    body: "IF NOT EXISTS (SELECT FROM public.gate) THEN RAISE EXCEPTION 'Broken'; END IF; RETURN OLD;",
  });
  const died = await runErase(home, '--yes');
  expect([died.exitCode, died.stderr]).toEqual([1, expect.stringContaining('Broken')]);
  expect(await left(key)).toMatchObject({ snapshots: 1 });
  const lines = await auditRows(api, organization, 'customer.erase');
  expect(lines.filter(({ object_id }) => object_id === home.customer)).toHaveLength(1);

  clock.set('2027-01-20T11:00:00.000Z');
  const usage = `/subscriptions/${contract.id}/usage?start=2026-11-01&end=2026-12-01`;
  const answer = await (await service.signIn()).get(usage);
  expect(answer.status, answer.text).toBe(200);
  const kept = 'SELECT FROM usage_quarter_hours WHERE customer_id = $1';
  expect((await admin.query(kept, [home.customer])).rowCount).toBe(0);
  await admin.query("INSERT INTO gate VALUES ('open')");
  await workJobs(api, jobWorkers);
  expect(await left(key)).toMatchObject({ snapshots: 0 });
});

test('before it is confirmed an erasure counts up to a number: years of snapshots take longer than a statement may', async () => {
  const home = await service.addHousehold();
  await service.admin.query(
    `INSERT INTO asset_snapshots (asset_id, timestamp, power_kw)
     SELECT $1, $2::timestamptz + second * interval '1 s', 1 FROM generate_series(1, 100001) AS second`,
    [home.assets.household_net.key, '2026-11-25T00:00:00Z'],
  );
  const preview = await runErase(home);
  expect(preview.stderr).toContain('Nothing was erased');
  expect(preview.stdout).toMatch(/^asset_snapshots +deleted +more than 100000$/m);
});
