import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Demo } from '../../src/cli/start/demo.ts';
import { ensureDemoRecords } from '../../src/cli/start/demo-records.ts';
import { storeFirstReferenceData } from '../../src/cli/start/reference-data.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import type { ApiClient } from '../setup/client.ts';
import { createHousehold, createTenant } from '../setup/factories.ts';
import { storedRows } from '../setup/stored-rows.ts';

let api: TestApi;
let demo: Demo;
let client: ApiClient;

beforeAll(async () => {
  api = await startApi();
  await storeFirstReferenceData(api.deps.config);
  const tenant = await createTenant(api);
  const { household } = await createHousehold(api.deps, tenant.organization);
  demo = {
    organization: tenant.organization,
    ...tenant.client,
    redirect_uri: 'http://127.0.0.1:4399/callback',
    household,
    fleet_households: [],
  };
  client = api.client(tenant.token);
  await ensureDemoRecords(api.deps.config, api.baseUrl, demo);
}, 60_000);
afterAll(() => api?.close());

interface Contract {
  id: string;
  type: string;
  status: string;
  start_at: string | null;
  end_at: string | null;
  terminated_at: string | null;
  supplier: string | null;
  metadata: { demo: string };
}

async function contracts(): Promise<Contract[]> {
  return (await client.get<{ items: Contract[] }>('/subscriptions?limit=100')).body.items;
}

async function rowCounts() {
  const tables = [
    'plans',
    'plan_terms',
    'market_partners',
    'leads',
    'customers',
    'households',
    'subscriptions',
  ];
  const more = [
    'meters',
    'meter_readings',
    'usage_quarter_hours',
    'events',
    'meter_orders',
    'grid_fee_reductions',
  ];
  const counts = [...tables, ...more].map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  const [row] = await storedRows<Record<string, number>>(api, `SELECT ${counts.join(', ')}`);
  return row ?? {};
}

describe('the demo organization', () => {
  test('has contracts of every kind and in every status', async () => {
    const all = await contracts();
    const states = all.map(({ metadata, type, status, start_at, end_at, terminated_at }) => [
      metadata.demo,
      `${type} ${status}`,
      [start_at && 'start', terminated_at && 'terminated', end_at && 'end'].filter(Boolean).join(' '),
    ]);
    expect(states.toReversed()).toEqual([
      ['demo-smart', 'consumption active', 'start'],
      ['demo-feed-in', 'feed_in active', 'start'],
      ['demo-analog', 'consumption active', 'start'],
      ['demo-rejected', 'consumption ended', 'end'],
      ['demo-ended', 'consumption ended', 'start terminated end'],
      ['demo-terminated', 'consumption active', 'start terminated end'],
      ['demo-company', 'consumption pending', 'start'],
      ['demo-pending', 'consumption pending', ''],
    ]);
  });

  test.each([
    ['/plans', 3],
    ['/leads', 3],
    ['/market-partners', 3],
    ['/customers', 7],
    ['/households', 7],
    ['/meter-readings', 10],
  ])('GET %s answers something', async (path, atLeast) => {
    const { status, body } = await client.get<{ items: unknown[] }>(`${path}?limit=100`);
    expect(status).toBe(200);
    expect(body.items.length).toBeGreaterThanOrEqual(atLeast);
  });

  test('has an archived plan and a feed-in plan, open leads, one that was visited and a converted one', async () => {
    const plans = await client.get<{ items: { slug: string; type: string }[] }>(
      '/plans?filter[status][eq]=archived',
    );
    expect(plans.body.items.map(({ slug }) => slug)).toEqual(['basis-2024']);
    type Lead = { subscription: string | null; last_visited_at: string | null };
    const { items } = (await client.get<{ items: Lead[] }>('/leads')).body;
    expect(items.filter(({ subscription }) => subscription !== null)).toHaveLength(1);
    expect(items.filter(({ last_visited_at }) => last_visited_at !== null)).toHaveLength(1);
  });

  test('shows usage of yesterday where a meter is smart, and of months where it is not', async () => {
    const usage = async (key: string) => {
      const id = (await contracts()).find(({ metadata }) => metadata.demo === key)?.id;
      type Usage = { resolution: string; data: { usage: number }[] };
      return (await client.get<Usage>(`/subscriptions/${id}/usage`)).body;
    };
    for (const key of ['demo-smart', 'demo-feed-in']) {
      const { resolution, data } = await usage(key);
      expect(resolution).toBe('15min');
      expect([92, 96, 100]).toContain(data.length);
      expect(data.reduce((sum, one) => sum + one.usage, 0)).toBeGreaterThan(1);
    }
    const { resolution, data } = await usage('demo-analog');
    expect(resolution).toBe('month');
    expect(data.length).toBeGreaterThanOrEqual(12);
  });

  test('is left as it is by the next start, and completed when one was cut off', async () => {
    const before = await rowCounts();
    await ensureDemoRecords(api.deps.config, api.baseUrl, demo);
    expect(await rowCounts()).toEqual(before);
    await storedRows(api, `DELETE FROM leads WHERE metadata->>'demo' LIKE 'demo-open-%'`);
    await storedRows(api, 'DELETE FROM usage_quarter_hours');
    await ensureDemoRecords(api.deps.config, api.baseUrl, demo);
    expect(await rowCounts()).toEqual(before);
  });
});
