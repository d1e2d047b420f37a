import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepExpiredRows } from '../../../src/governance/retention/service.ts';
import { createLogger } from '../../../src/platform/log/logger.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { fakeClock } from '../../setup/clock.ts';
import {
  createHousehold,
  createLead,
  createOrganization,
  createSubscription,
} from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi({ clock: fakeClock('2026-10-05T08:30:00.000Z'), alone: true });
});
afterAll(() => api?.close());

test('leads without a contract go after six months, in every organization; the others stay', async () => {
  const kept: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const organization = await createOrganization(api.deps);
    const place = await createHousehold(api.deps, organization);
    const { id: subscription_id, plan: plan_id } = await createSubscription(api.deps, organization, place);
    const add = async (input: object) => (await createLead(api.deps, organization, { plan_id, ...input })).id;
    await add({ created_at: '2026-04-05T08:29:59.999999Z' });
    kept.push(await add({ created_at: '2026-04-05T08:30:00Z' }));
    const converted = { subscription_id, subscribed_at: '2025-02-01T00:00:00Z' };
    kept.push(await add({ created_at: '2025-01-01T00:00:00Z', ...converted }));
  }
  const run = {
    signal: new AbortController().signal,
    log: createLogger({ level: 'silent', name: 'retention-test' }),
  };
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ leads: 2 });
  const rows = await storedRows<{ id: string }>(api, 'SELECT id FROM leads');
  expect(rows.map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
  expect(await sweepExpiredRows(api.deps, run)).toMatchObject({ leads: 0 });
});
