import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { topics } from '../../src/api/topics.ts';
import { listInvoices } from '../../src/billing/invoices/queries.ts';
import { listReductions } from '../../src/contracts/grid-fee-reductions/queries.ts';
import { listLeads } from '../../src/contracts/leads/queries.ts';
import { listMarketPartners } from '../../src/contracts/market-partners/queries.ts';
import { listMeterOrders } from '../../src/contracts/meter-orders/queries.ts';
import { listReadings } from '../../src/contracts/meter-readings/queries.ts';
import { listMetersKnownAs } from '../../src/contracts/meters/queries.ts';
import { listSubscriptions, listSubscriptionsKnownAs } from '../../src/contracts/subscriptions/queries.ts';
import { listEventsInSequence, listEventsOfTopics } from '../../src/events/queries.ts';
import { listCustomers } from '../../src/identity/customers/queries.ts';
import { listHouseholds } from '../../src/identity/households/queries.ts';
import type { Connection } from '../../src/platform/database/db.ts';
import type { FieldType, FilterOperator } from '../../src/platform/interface/filters.ts';
import type { PageRequest } from '../../src/platform/interface/newest-first.ts';
import { listPlans } from '../../src/tariffs/plans/queries.ts';
import { listAssets } from '../../src/telemetry/assets/queries.ts';
import type { TestDatabase } from '../setup/database.ts';
import { CountedPages, longLists, ORGANIZATION } from './many-rows.ts';

/** A walk through one of these lists looks at hundreds of pages and more. */
const ROWS = 10_000;
const PAGES_MAX = 150;
const UNKNOWN = 'zzzqqqzzzqqq';

let database: TestDatabase;
let counted: CountedPages;
beforeAll(async () => {
  database = await longLists(ROWS);
  const admin = new pg.Client(database.adminUrl);
  await admin.connect();
  for (const text of METERS) await admin.query(text);
  await admin.end();
  counted = await CountedPages.open(database);
});
afterAll(async () => {
  await counted?.close();
  await database?.drop();
});

/** One in each household but the first, which has one, with another device later. */
const METERS = [
  `INSERT INTO meters (organization_id, id, customer_id, household_id, number, type, malo, melo)
   SELECT organization_id, 'mtr_' || substr(id, 5), customer_id, id, '1EMH' || n, 'smart', lpad(n::text, 11, '4'), lpad(n::text, 33, 'D')
     FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM households) AS home
    WHERE id NOT IN (SELECT household_id FROM meters)`,
  `INSERT INTO meter_changes (organization_id, customer_id, meter_id, valid_from, number, register)
   SELECT organization_id, customer_id, id, '2026-01-01', '2' || number, 2 FROM meters`,
  'VACUUM (ANALYZE) meters',
  'VACUUM (ANALYZE) meter_changes',
];

type List = (connection: Connection, list: PageRequest) => Promise<unknown>;

const LISTS: Record<string, List> = {
  customers: (connection, list) => listCustomers(connection, ORGANIZATION, list),
  households: (connection, list) => listHouseholds(connection, ORGANIZATION, undefined, list),
  plans: (connection, list) =>
    listPlans(connection, ORGANIZATION, list, { on: '2026-10-05', withFeedIn: true }),
  leads: (connection, list) => listLeads(connection, ORGANIZATION, list),
  subscriptions: (connection, list) =>
    listSubscriptions(connection, ORGANIZATION, undefined, list, { withFeedIn: true }),
  'subscriptions before curie': (connection, list) =>
    listSubscriptions(connection, ORGANIZATION, undefined, list, { withFeedIn: false }),
  'subscriptions known as something': (connection, list) =>
    listSubscriptionsKnownAs(connection, ORGANIZATION, { number: 'ZZZZZ', customers: [UNKNOWN] }, list),
  'meter orders': (connection, list) => listMeterOrders(connection, ORGANIZATION, undefined, list),
  'meter readings': (connection, list) =>
    listReadings(connection, ORGANIZATION, { customer: undefined }, list),
  'grid fee reductions': (connection, list) => listReductions(connection, ORGANIZATION, undefined, list),
  invoices: (connection, list) =>
    listInvoices(connection, ORGANIZATION, undefined, list, { withExitSummaries: true }),
  'invoices before gauss': (connection, list) =>
    listInvoices(connection, ORGANIZATION, undefined, list, { withExitSummaries: false }),
  'invoices of a customer': (connection, list) =>
    listInvoices(connection, ORGANIZATION, `cus_${UNKNOWN}`, list, { withExitSummaries: true }),
  'market partners': (connection, list) => listMarketPartners(connection, list),
  assets: (connection, list) => listAssets(connection, ORGANIZATION, undefined, list),
  'assets of a customer': (connection, list) => listAssets(connection, ORGANIZATION, `cus_${UNKNOWN}`, list),
};

async function pagesOf(list: string, field?: string, operator?: FilterOperator, value: unknown = UNKNOWN) {
  const type: FieldType = field !== undefined && /_at$|^period_/.test(field) ? 'date' : 'string';
  const filters =
    field === undefined
      ? []
      : [{ field, operator: operator as FilterOperator, value: value as string, type }];
  const before = counted.pages;
  await LISTS[list]?.(counted.connection, { limit: 10, after: null, filters });
  return counted.pages - before;
}

const SEARCHED = ['eq', 'in', 'contains', 'starts_with', 'ends_with'] as const;
const TEXTS: readonly [list: string, ...fields: string[]][] = [
  ['customers', 'email', 'name', 'type'],
  ['households', 'customer'],
  ['plans', 'status'],
  ['subscriptions', 'status', 'customer', 'plan', 'household'],
  ['meter orders', 'status', 'internal_status', 'product', 'customer', 'subscription'],
  ['meter readings', 'type', 'subscription'],
  ['grid fee reductions', 'status', 'customer', 'subscription'],
  ['invoices', 'status', 'type', 'subscription'],
  ['market partners', 'name', 'code'],
  ['assets', 'household', 'external_id', 'parent_inverter'],
];
/** Fields that take only some operators, and those of few values, in which nobody searches for a part. */
const WHOLE_VALUES = new Set([
  ...['household assets', 'external_id', 'parent_inverter', 'status', 'internal_status', 'product', 'type'],
]);

const searches = TEXTS.flatMap(([list, ...fields]) =>
  fields.flatMap((field) => {
    const isWhole = WHOLE_VALUES.has(field) || list === 'assets';
    return SEARCHED.slice(0, isWhole ? 2 : undefined).map((operator) => [list, field, operator] as const);
  }),
);

test.each(searches)('%s by %s, %s: a value that nobody has costs a look', async (list, field, operator) => {
  expect(await pagesOf(list, field, operator, operator === 'in' ? [UNKNOWN] : UNKNOWN)).toBeLessThan(
    PAGES_MAX,
  );
});

test.each([
  ['customers', 'type', 'person'],
  ['subscriptions', 'status', 'pending'],
  ['plans', 'status', 'active'],
  ['meter orders', 'status', 'placed'],
  ['meter orders', 'internal_status', 'ordered'],
  ['meter orders', 'product', 'smart-meter-partner-b'],
  ['meter readings', 'type', 'grid_reading'],
  ['invoices', 'status', 'voided'],
  ['invoices', 'type', 'exit_summary'],
])('%s: %s other than what all of them have costs a look', async (list, field, value) => {
  expect(await pagesOf(list, field, 'ne', value)).toBeLessThan(PAGES_MAX);
});

test.each([
  ['customers', 'email', 'example'],
  ['market partners', 'name', 'stadtwerke'],
  ['subscriptions', 'plan', 'pln_'],
  ['meter orders', 'subscription', 'sub_'],
  ['invoices', 'subscription', 'sub_'],
])('%s: a part of %s that all of them have costs a page', async (list, field, value) => {
  expect(await pagesOf(list, field, 'contains', value)).toBeLessThan(PAGES_MAX);
});

test.each([
  'customers',
  'households',
  'plans',
  'leads',
  'subscriptions',
  'meter orders',
  'meter readings',
  'grid fee reductions',
  'market partners',
])('%s of a time in which there were none cost a look', async (list) => {
  expect(await pagesOf(list, 'created_at', 'lte', '1990-01-01T00:00:00Z')).toBeLessThan(PAGES_MAX);
  expect(await pagesOf(list, 'created_at', 'gte', '2990-01-01T00:00:00Z')).toBeLessThan(PAGES_MAX);
});

test.each([
  'subscriptions before curie',
  'subscriptions known as something',
  'assets of a customer',
  'invoices before gauss',
  'invoices of a customer',
])('%s, of which there are none', async (list) => {
  expect(await pagesOf(list)).toBeLessThan(PAGES_MAX);
});

test.each(['subscriptions', 'meter orders', 'grid fee reductions'])(
  '%s that changed since a moment after which none did',
  async (list) => {
    expect(await pagesOf(list, 'updated_at', 'gte', '2990-01-01T00:00:00Z')).toBeLessThan(PAGES_MAX);
  },
);

test.each(['period_start', 'period_end'])(
  'invoices by %s, of a time in which there were none',
  async (field) => {
    expect(await pagesOf('invoices', field, 'lte', '1990-01-01T00:00:00Z')).toBeLessThan(PAGES_MAX);
    expect(await pagesOf('invoices', field, 'gte', '2990-01-01T00:00:00Z')).toBeLessThan(PAGES_MAX);
  },
);

test.each(['1EMH77', '21EMH77', 'D77'.padStart(33, 'D'), '77'.padStart(11, '4'), UNKNOWN])(
  'the meters that the market names as %s cost a look',
  async (number) => {
    const before = counted.pages;
    await listMetersKnownAs(counted.connection, ORGANIZATION, number);
    expect(counted.pages - before).toBeLessThan(PAGES_MAX);
  },
);

test('a page of invoices costs a page, however many newer ones are restricted', async () => {
  expect(await pagesOf('invoices')).toBeLessThan(PAGES_MAX);
});

/** Of the stored events one in two is of the first topic; of the others there is none. */
test.each([
  ['of all topics', topics.map(({ name }) => name), {}],
  ['of topics that are rare', ['invoice.paid', 'subscription.ended'], {}],
  ['of a time in which there were none', ['meter_order.created'], { from: '2990-01-01T00:00:00Z' }],
  ['far down', ['meter_order.created'], { before: { at: '2026-01-04T00:00:00Z', position: '1' } }],
  ['of long ago', ['meter_order.created'], { before: { at: '1990-01-01T00:00:00Z', position: '1' } }],
])('a page of events %s costs a page', async (_which, topics, range) => {
  const newest = { limit: 10, from: '-infinity', before: { at: 'infinity', position: String(2 ** 52) } };
  const before = counted.pages;
  await listEventsOfTopics(counted.connection, ORGANIZATION, topics, { ...newest, ...range });
  expect(counted.pages - before).toBeLessThan(PAGES_MAX);
});

test.each([
  ['of all topics', topics.map(({ name }) => name), 0],
  ['of topics that are rare', ['invoice.paid', 'subscription.ended'], 0],
  ['far down', ['meter_order.created'], 4_000],
  ['behind the newest', ['meter_order.created'], 1e9],
])('a page of events in the order of commits, %s, costs a page', async (_which, topics, behind) => {
  const before = counted.pages;
  await listEventsInSequence(counted.connection, ORGANIZATION, topics, { limit: 10, behind });
  expect(counted.pages - before).toBeLessThan(PAGES_MAX);
});
