import { afterAll, beforeAll, expect, test } from 'vitest';
import { questionableContracts } from '../../../src/billing/invoices/corrections/changes.ts';
import { billingGauges } from '../../../src/billing/invoices/runs/gauges.ts';
import { ensureDemoBills } from '../../../src/cli/demo/start/demo-bills.ts';
import { ensureDemoRecords } from '../../../src/cli/demo/start/demo-records.ts';
import { storeFirstReferenceData } from '../../../src/cli/demo/start/reference-data.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { jobWorkers } from '../../../workers/index.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createHousehold, createTenant } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { workJobs } from '../../setup/work-jobs.ts';

const NOW = '2026-11-22T20:00:00.000Z';

const ALL =
  'SELECT type, status, count(*)::integer FROM invoices WHERE organization_id = $1 GROUP BY 1, 2 ORDER BY 1, 2';

const clock = fakeClock(NOW);
let api: TestApi;
let organization: string;
beforeAll(async () => {
  api = await startApi({ clock });
  await storeFirstReferenceData(api.deps.config);
  const tenant = await createTenant(api);
  organization = tenant.organization;
  const { household } = await createHousehold(api.deps, organization);
  const demo = {
    organization,
    ...tenant.client,
    redirect_uri: 'http://127.0.0.1:4399/',
    household,
    fleet_households: [],
  };
  await ensureDemoRecords(api.deps.config, api.baseUrl, demo, clock);
  /* Without the revisions of a source behind them. */
  await withDatabaseClient(api.database.adminUrl, async (admin) => {
    await admin.query('SET session_replication_role = replica');
    await admin.query(
      `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
       SELECT 'DE-LU', start, 15, (start AT TIME ZONE 'Europe/Berlin')::date, 80 + extract(hour FROM start), 'smard', 1
         FROM generate_series('2025-10-01T00:00:00+02:00'::timestamptz, '2026-11-22T22:45:00Z', '15 minutes') AS start`,
    );
    await admin.query(
      `INSERT INTO spot_prices (zone, interval_start, minutes, delivery_on, amount, source, revision)
       SELECT 'DE-LU', start, 60, (start AT TIME ZONE 'Europe/Berlin')::date, 80 + extract(hour FROM start), 'smard', 1
         FROM generate_series('2025-06-01T00:00:00+02:00'::timestamptz, '2025-09-30T21:00:00Z', '1 hour') AS start`,
    );
  });
});
afterAll(() => api?.close());

test('the demo has bills in every state and a payment that nobody assigned, and a second start adds nothing, and nothing to correct', async () => {
  clock.advance(60_000);
  const said = await ensureDemoBills(
    { ...api.deps.config, ownerUrl: api.database.ownerUrl },
    organization,
    clock,
  );
  expect(said).toContain(`invoices list --organization ${organization}`);
  const states = await storedRows<{ type: string; status: string }>(api, ALL, [organization]);
  expect(new Set(states.map(({ status }) => status))).toEqual(
    new Set(['open', 'paid', 'uncollectible', 'voided']),
  );
  expect(new Set(states.map(({ type }) => type))).toEqual(new Set(['prepayment', 'usage', 'void']));
  const credits = await storedRows(
    api,
    'SELECT FROM invoices WHERE organization_id = $1 AND total < 0 AND type = $2',
    [organization, 'usage'],
  );
  expect(credits.length).toBeGreaterThan(0);
  const ways = await storedRows<{ way: string }>(
    api,
    "SELECT DISTINCT way FROM payments WHERE organization_id = $1 AND status = 'settled' ORDER BY 1",
    [organization],
  );
  expect(ways.map(({ way }) => way)).toEqual(expect.arrayContaining(['direct_debit', 'entered']));
  const waiting = () =>
    storedRows(api, "SELECT name FROM bank_entries WHERE organization_id = $1 AND state = 'unmatched'", [
      organization,
    ]);
  expect(await waiting()).toEqual([{ name: 'Erika Beispiel' }]);
  await ensureDemoBills({ ...api.deps.config, ownerUrl: api.database.ownerUrl }, organization, clock);
  expect(await waiting()).toHaveLength(1);
  await workJobs(
    api,
    jobWorkers.filter(({ definition: { name } }) =>
      ['bill-portion', 'ask-corrections', 'correct-bills'].includes(name),
    ),
  );
  const questionable = await api.deps.database.inOrganization({ organization }, (connection) =>
    questionableContracts(connection, organization, {
      ...{ nowMilliseconds: clock.nowMilliseconds(), after: '', rowsMax: 5 },
    }),
  );
  expect(questionable).toEqual({ contracts: [], last: null, pricesChanged: false });
  const after = await storedRows(api, ALL, [organization]);
  expect(after).toEqual(states);
  /* A new operator would look for the cause of an alarm. */
  await billingGauges(api.deps)();
  expect(await api.deps.metrics.text()).not.toMatch(/^voltstream_invoices_missing\{.*\} [^0]/m);
});
