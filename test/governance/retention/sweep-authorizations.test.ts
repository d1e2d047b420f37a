import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepExpiredRows } from '../../../src/governance/retention/service.ts';
import { withDatabaseClient } from '../../../src/platform/database/setup.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import {
  clientWithCustomer,
  consented,
  exchange,
  loginPage,
  mailedCode,
  Visitor,
  wrongFor,
} from '../../identity/oauth/visitor.ts';
import { startApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import { storedRows } from '../../setup/stored-rows.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const clock = fakeClock('2026-11-20T10:00:00.000Z');
const run = {
  signal: new AbortController().signal,
  log: createLogger({ level: 'silent', name: 'retention-test' }),
};
let api: Awaited<ReturnType<typeof startApi>>;

beforeAll(async () => {
  api = await startApi({ clock, alone: true });
});
afterAll(() => api.close());

async function counts() {
  const { rows } = await withDatabaseClient(api.database.adminUrl, (admin) =>
    admin.query(
      `SELECT (SELECT count(*)::int FROM authorization_requests) AS requests,
              (SELECT count(*)::int FROM one_time_codes) AS one_time_codes,
              (SELECT count(*)::int FROM authorization_codes) AS codes,
              (SELECT count(*)::int FROM grants) AS grants`,
    ),
  );
  return rows[0];
}

test('wrong codes are kept for a day', async () => {
  const { client, email } = await clientWithCustomer(api);
  const visitor = new Visitor();
  const login = await loginPage(api, visitor, { client_id: client.id });
  const page = await visitor.follow(await visitor.submit(login, { email }), api.baseUrl);
  await visitor.submit(page, { code: wrongFor(await mailedCode(api, email)) });
  const kept = 'SELECT count(*)::int AS rows FROM wrong_one_time_codes';
  clock.advance(DAY);
  await sweepExpiredRows(api.deps, run);
  expect(await storedRows(api, kept)).toEqual([{ rows: 1 }]);
  clock.advance(1);
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ wrong_one_time_codes: 1 });
  expect(await storedRows(api, kept)).toEqual([{ rows: 0 }]);
});

test('what was typed goes after two hours, codes that gave nothing after a month, used ones with their grant', async () => {
  const made = await clientWithCustomer(api);
  const used = (await consented(api, made.client, made.email)).get('code') ?? '';
  expect((await exchange(api, made.client, used)).status).toBe(200);
  await consented(api, made.client, made.email);
  const all = { requests: 2, one_time_codes: 2, codes: 2, grants: 1 };

  clock.advance(2 * HOUR);
  await sweepExpiredRows(api.deps, run);
  expect(await counts()).toEqual(all);
  clock.advance(1);
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ authorization_requests: 2 });
  expect(await counts()).toEqual({ ...all, requests: 0, one_time_codes: 0 });

  clock.advance(31 * DAY);
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ authorization_codes: 1, grants: 0 });
  expect(await counts()).toMatchObject({ codes: 1, grants: 1 });
  clock.advance(30 * DAY);
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ refresh_tokens: 1, grants: 1 });
  expect(await counts()).toMatchObject({ codes: 0, grants: 0 });
});
