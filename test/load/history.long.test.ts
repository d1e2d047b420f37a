import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cookbookOf } from '../../load/growth/cookbook.ts';
import { History, rowsOfDay } from '../../load/growth/history.ts';
import { Cleanup } from '../../load/surroundings/cleanup.ts';
import { planFleet } from '../../load/surroundings/seed.ts';
import type { Surroundings } from '../../load/surroundings/service.ts';
import { createOrganization } from '../../src/identity/organizations/service.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import { addDays, berlinDayAt, berlinMidnight } from '../../src/platform/time/berlin-calendar.ts';
import { sumQuarterHoursNow } from '../../src/telemetry/quarter-hours/sum.ts';
import { createTestDatabase, type TestDatabase } from '../setup/database.ts';

/* What the questions of `npm run load -- cookbook` are asked about: whole, and as the service would have it. */
const HOUSEHOLDS = 9;
const DAYS = 3;

let database: TestDatabase;
let admin: pg.Client;
let maintenance: Database;
const cleanup = new Cleanup();
const end = berlinDayAt(Date.now());

const open = (url: string) =>
  openDatabase({ url, applicationName: 'voltstream-tests', connectionsMax: 1, onError: () => {} });

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  maintenance = open(database.maintenanceUrl);
  const app = open(database.appUrl);
  const act = { staff: 'tests', reason: 'tests', command: 'tests', now: new Date().toISOString() };
  const { id: organization } = await createOrganization(app, { name: 'Load run' }, act);
  await app.close();
  const surroundings = {
    ...{ database: admin, databaseUrl: database.adminUrl, organization },
    environment: { DATABASE_URL: database.appUrl },
  } as unknown as Surroundings;
  const fleet = planFleet('tests', HOUSEHOLDS);
  const history = await History.open({ surroundings, fleet, end }, DAYS, cleanup);
  await history.growTo(1);
  await history.growTo(DAYS);
});
afterAll(async () => {
  await cleanup.run();
  await maintenance?.close();
  await admin?.end();
  await database?.drop();
});

const stored = async (text: string) => (await admin.query(text, [berlinMidnight(end)])).rows;
const sums = () =>
  stored(
    `SELECT asset_id, start, samples, connected_samples, first_at, last_at, power_kw_min, power_kw_max, covered_seconds,
            round(consumed_kwh::numeric, 9) AS consumed_kwh, round(fed_kwh::numeric, 9) AS fed_kwh, state_of_charge_first,
            state_of_charge_last, vehicle_state_of_charge_last
       FROM asset_quarter_hours WHERE start < $1 ORDER BY asset_id, start`,
  );
const days = () =>
  stored(
    `SELECT asset_id, day, quarter_hours, samples, round(consumed_kwh::numeric, 6) AS consumed_kwh, covered_seconds
       FROM asset_days WHERE day < ($1::timestamptz AT TIME ZONE 'Europe/Berlin')::date ORDER BY asset_id, day`,
  );

test('a history that grew has its snapshots, and the sums that the job makes of them', async () => {
  const [{ count } = { count: 0 }] = await stored(
    'SELECT count(*)::integer FROM asset_snapshots WHERE timestamp < $1',
  );
  /* The clock may have been changed on one of the days: an hour more or less. */
  expect(Math.abs(count - DAYS * rowsOfDay(HOUSEHOLDS))).toBeLessThanOrEqual(rowsOfDay(HOUSEHOLDS) / 24);
  const [seededSums, seededDays] = [await sums(), await days()];
  await admin.query('TRUNCATE asset_quarter_hours, asset_days');
  await admin.query(
    "UPDATE quarter_hour_progress SET summed_until = '-infinity', days_summed_until = '-infinity'",
  );
  const { signal } = new AbortController();
  while (!(await sumQuarterHoursNow({ maintenance, clock: systemClock() }, { signal })).is_current);
  expect(await sums()).toEqual(seededSums);
  expect(await days()).toEqual(seededDays);
});

test('each question about the fleet is about as many days as were named', async () => {
  const scope = { endDay: addDays(end, 1), household: 'dom_tests', days: 3 };
  const [all, measured] = [await cookbookOf(scope), await cookbookOf({ ...scope, measuredAlone: true })];
  expect(all.length).toBeGreaterThanOrEqual(35);
  expect(measured.length).toBeGreaterThan(20);
  for (const { name, statement } of measured) {
    expect([name, statement]).toEqual([
      name,
      expect.stringMatching(new RegExp(`date '(${scope.endDay}' AS end_day|${end}' AS day)\\b`)),
    ]);
    const [first] = /(?<=date ')\S+(?=' AS first_day)/.exec(statement) ?? [];
    if (first !== undefined)
      expect([name, berlinMidnight(end) > berlinMidnight(first as typeof end)]).toEqual([name, true]);
  }
});
