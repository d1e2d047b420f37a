import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { topics } from '../../../src/api/topics.ts';
import type { Demo } from '../../../src/cli/demo/start/demo.ts';
import { contractsWithOrders } from '../../../src/cli/demo/start/demo-orders.ts';
import { ensureDemoRecords } from '../../../src/cli/demo/start/demo-records.ts';
import { storeFirstReferenceData } from '../../../src/cli/demo/start/reference-data.ts';
import { REDUCTION_STATUSES } from '../../../src/contracts/grid-fee-reductions/schema.ts';
import { STAGE_NAMES } from '../../../src/contracts/meter-orders/moves.ts';
import { PUBLIC_STATUSES } from '../../../src/contracts/meter-orders/schema.ts';
import type { DatabaseClock } from '../../../src/platform/clock.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createHousehold, createTenant } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

interface Place {
  api: TestApi;
  demo: Demo;
  client: ApiClient;
  /** What each start does. */
  ensure(): Promise<void>;
}

/** A clock that each look moves on by a millisecond: what is made later is newer. */
function movingClock(instant: string): DatabaseClock {
  const clock = fakeClock(instant);
  const nowMilliseconds = () => {
    clock.advance(1);
    return clock.nowMilliseconds();
  };
  return { ...clock, nowMilliseconds, now: () => new Date(nowMilliseconds()) };
}

/** A demo organization with nothing but its client and its household. */
async function startAt(instant: string): Promise<Place> {
  const clock = movingClock(instant);
  const api = await startApi({ clock });
  await storeFirstReferenceData(api.deps.config);
  const tenant = await createTenant(api);
  const { household } = await createHousehold(api.deps, tenant.organization);
  const demo = {
    organization: tenant.organization,
    ...tenant.client,
    redirect_uri: 'http://127.0.0.1:4399/callback',
    household,
    fleet_households: [],
  };
  const ensure = () => ensureDemoRecords(api.deps.config, api.baseUrl, demo, clock);
  return { api, demo, client: api.client(tenant.token), ensure };
}

let place: Place;
beforeAll(async () => {
  /* In Berlin the new year is twenty minutes old, in UTC it is the last evening of the old one. */
  place = await startAt('2026-12-31T23:20:00.000Z');
  await place.ensure();
});
afterAll(() => place?.api.close());

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

async function contracts({ client } = place): Promise<Contract[]> {
  return (await client.get<{ items: Contract[] }>('/subscriptions?limit=100')).body.items;
}

/** Oldest first. */
async function states(at: Place) {
  const all = await contracts(at);
  return all
    .toReversed()
    .map(({ metadata, type, status, start_at, end_at, terminated_at }) => [
      metadata.demo,
      `${type} ${status}`,
      [start_at && 'start', terminated_at && 'terminated', end_at && 'end'].filter(Boolean).join(' '),
    ]);
}

const STATES = [
  ['demo-smart', 'consumption active', 'start'],
  ['demo-feed-in', 'feed_in active', 'start'],
  ['demo-analog', 'consumption active', 'start'],
  ['demo-rejected', 'consumption ended', 'end'],
  ['demo-ended', 'consumption ended', 'start terminated end'],
  ['demo-terminated', 'consumption active', 'start terminated end'],
  ['demo-company', 'consumption pending', 'start'],
  ['demo-pending', 'consumption pending', ''],
  ...contractsWithOrders().map(({ key }) => [key, 'consumption pending', '']),
];

interface Usage {
  resolution: string;
  data: { usage: number }[];
}

async function usage(at: Place, key: string): Promise<Usage> {
  const id = (await contracts(at)).find(({ metadata }) => metadata.demo === key)?.id;
  return (await at.client.get<Usage>(`/subscriptions/${id}/usage`)).body;
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
  const [row] = await storedRows<Record<string, number>>(place.api, `SELECT ${counts.join(', ')}`);
  return row ?? {};
}

describe('the demo organization', () => {
  test('has contracts of every kind and in every status', async () => {
    expect(await states(place)).toEqual(STATES);
  });

  test.each([
    ['/plans', 3],
    ['/leads', 3],
    ['/market-partners', 3],
    ['/customers', 7],
    ['/households', 7],
    ['/meter-readings', 10],
  ])('GET %s answers something', async (path, atLeast) => {
    const { status, body } = await place.client.get<{ items: unknown[] }>(`${path}?limit=100`);
    expect(status).toBe(200);
    expect(body.items.length).toBeGreaterThanOrEqual(atLeast);
  });

  test('has an archived plan and a feed-in plan, open leads, one that was visited and a converted one', async () => {
    const plans = await place.client.get<{ items: { slug: string; type: string }[] }>(
      '/plans?filter[status][eq]=archived',
    );
    expect(plans.body.items.map(({ slug }) => slug)).toEqual(['basis-2024']);
    type Lead = { subscription: string | null; last_visited_at: string | null };
    const { items } = (await place.client.get<{ items: Lead[] }>('/leads')).body;
    expect(items.filter(({ subscription }) => subscription !== null)).toHaveLength(1);
    expect(items.filter(({ last_visited_at }) => last_visited_at !== null)).toHaveLength(1);
  });

  test('sells the two plans that reference figures are made with', async () => {
    const rows = await storedRows(
      place.api,
      `SELECT name, type, base_fee_net::float8 AS base_fee, margin_ct_net::float8 AS margin,
              optimization_rate::float8 AS rate, sells_module_1 AND sells_module_2 AND sells_module_3 AS modules,
              discount_name, feed_in_kind, feed_in_scope, feed_in_up_to_kw::int AS up_to_kw
         FROM plans JOIN plan_terms ON plan_terms.plan_id = plans.id
        WHERE status = 'active' ORDER BY name`,
    );
    const none = { discount_name: null };
    expect(rows).toEqual([
      {
        ...none,
        ...{ name: 'Dynamisch', type: 'consumption', base_fee: 5, margin: 1.8, rate: 0.1, modules: true },
        ...{ feed_in_kind: null, feed_in_scope: null, up_to_kw: null },
      },
      {
        ...none,
        ...{ name: 'Einspeisung', type: 'feed_in', base_fee: 2.5, margin: 0, rate: null, modules: false },
        ...{ feed_in_kind: 'eeg', feed_in_scope: 'partial', up_to_kw: 10 },
      },
    ]);
  });

  test('has a meter order in every stage that the back office moves one to', async () => {
    const rows = await storedRows<{ status: string }>(
      place.api,
      `SELECT DISTINCT CASE WHEN status = 'ordered' AND details_received_at IS NOT NULL THEN 'details_received'
                            ELSE status END AS status FROM meter_orders`,
    );
    /* Nothing but a checkout that was left before its end makes an order that is only intended. */
    const stages = STAGE_NAMES.filter((name) => name !== 'intended');
    expect(rows.map(({ status }) => status).toSorted()).toEqual(stages.toSorted());
    const { items } = (await place.client.get<{ items: { status: string }[] }>('/meter-orders?limit=100'))
      .body;
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(PUBLIC_STATUSES));
  });

  test('has a grid fee reduction in every status', async () => {
    const { items } = (
      await place.client.get<{ items: { status: string }[] }>('/grid-fee-reductions?limit=100')
    ).body;
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(REDUCTION_STATUSES));
  });

  test('has told an event of every topic but those of invoices', async () => {
    const told = await storedRows<{ topic: string }>(place.api, 'SELECT DISTINCT topic FROM events');
    const expected = topics.map(({ name }) => name).filter((name) => !name.startsWith('invoice.'));
    expect(told.map(({ topic }) => topic).toSorted()).toEqual(expected.toSorted());
  });

  test('shows usage of yesterday where a meter is smart, and of months where it is not', async () => {
    for (const key of ['demo-smart', 'demo-feed-in']) {
      const { resolution, data } = await usage(place, key);
      expect([resolution, data.length]).toEqual(['15min', 96]);
      expect(data.reduce((sum, day) => sum + day.usage, 0)).toBeGreaterThan(1);
    }
    const { resolution, data } = await usage(place, 'demo-analog');
    expect(resolution).toBe('month');
    expect(data.length).toBeGreaterThanOrEqual(11);
  });

  test('has no contract that was confirmed behind its start, or whose end was declared behind it', async () => {
    const rows = await storedRows<{ supplied: number; late: number }>(
      place.api,
      `SELECT count(start_at)::int AS supplied,
              (count(*) FILTER (WHERE confirmed_at > start_at OR terminated_at > end_at))::int AS late FROM subscriptions`,
    );
    expect(rows).toEqual([{ supplied: 6, late: 0 }]);
  });

  test('leaves whoever tries the portal a meter reading of today to send', async () => {
    const newest = 'SELECT max(read_on)::text AS newest FROM meter_readings';
    expect(await storedRows(place.api, newest)).toEqual([{ newest: '2026-12-31' }]);
  });

  test('is left as it is by the next start, and completed when one was cut off', async () => {
    const before = await rowCounts();
    await place.ensure();
    expect(await rowCounts()).toEqual(before);
    await storedRows(place.api, `DELETE FROM leads WHERE metadata->>'demo' LIKE 'demo-open-%'`);
    await storedRows(place.api, 'DELETE FROM usage_quarter_hours');
    await place.ensure();
    expect(await rowCounts()).toEqual(before);
  });
});

/* Both just after midnight in Berlin: yesterday had 23 hours, and 25 before the first day of a month. */
test.each([
  ['2027-03-28T22:10:00.000Z', 92],
  ['2027-10-31T23:10:00.000Z', 100],
])('is complete when it is made at %s', async (instant, quarterHours) => {
  const other = await startAt(instant);
  try {
    await other.ensure();
    expect(await states(other)).toEqual(STATES);
    expect((await usage(other, 'demo-smart')).data).toHaveLength(quarterHours);
    expect((await usage(other, 'demo-analog')).data.length).toBeGreaterThanOrEqual(12);
  } finally {
    await other.api.close();
  }
});
