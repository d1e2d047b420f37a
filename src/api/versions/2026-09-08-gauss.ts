import { z } from 'zod';
import { INVOICE_TYPES, type invoice } from '../../billing/invoices/schema.ts';
import { PUBLIC_STATUSES } from '../../contracts/meter-orders/schema.ts';
import type { VersionChange } from '../../platform/interface/version-change.ts';
import { Exact } from '../../platform/money.ts';
import { SMART_METER_PRODUCTS } from '../../tariffs/plans/schema.ts';
import { component, type Quote, quote, subcomponent } from '../../tariffs/quotes/schema.ts';

/* Each change that came with 2026-09-08.gauss by itself, noun by noun. */

const version = '2026-09-08.gauss';

const households: VersionChange = {
  version,
  summary: 'Households can be read',
  before: 'A household was known only as the place of its contracts.',
  after: '`GET /households` and `GET /households/{id}` show the metering points of the customers.',
  added: ['GET /households', 'GET /households/{id}'],
};

const assets: VersionChange = {
  version,
  summary: 'Devices of a household are assets',
  before: 'Devices were not part of the interface.',
  after:
    'Inverters, solar arrays, batteries, wallboxes and heat pumps are added, read, changed and decommissioned.',
  added: [
    'GET /assets',
    'POST /assets',
    'GET /assets/{id}',
    'PATCH /assets/{id}',
    'POST /assets/{id}/decommission',
  ],
};

const assetSnapshots: VersionChange = {
  version,
  summary: 'Gateways send asset snapshots',
  before: 'Measured values of devices were not part of the interface.',
  after:
    '`POST /asset-snapshots` stores up to 10,000 snapshots entirely or not at all; `GET /asset-snapshots` shows the newest.',
  added: ['GET /asset-snapshots', 'POST /asset-snapshots'],
};

const meterOrderFilters: VersionChange = {
  version,
  summary: 'Meter orders are filtered by customer and subscription only',
  before:
    'Meter orders were filtered by `status`, `product`, `customer`, `subscription`, `created_at` and `updated_at`, with every operator of these types.',
  after: '`filter[customer][eq]` and `filter[subscription][eq]` are the filters of meter orders.',
  appliesTo: ['GET /meter-orders'],
  schema: {
    filters: () => ({
      status: { type: 'enum', values: PUBLIC_STATUSES },
      product: { type: 'enum', values: SMART_METER_PRODUCTS },
      customer: { type: 'string' },
      subscription: { type: 'string' },
      created_at: { type: 'date' },
      updated_at: { type: 'date' },
    }),
  },
};

const spotPrices: VersionChange = {
  version,
  summary: 'Day-ahead prices can be read',
  before: 'Prices were seen only inside quotes and invoices.',
  after: '`GET /spot-prices` answers realized or forecast day-ahead prices of any delivery dates.',
  added: ['GET /spot-prices'],
};

const priceTables: VersionChange = {
  version,
  name: 'price-tables',
  appliesTo: ['GET /spot-prices', 'GET /subscriptions/{id}/prices'],
  summary: 'Prices can be had as CSV',
  before: 'Prices were answered as JSON, whatever `Accept` said.',
  after:
    '`GET /spot-prices` and `GET /subscriptions/{id}/prices` answer a table to who sends `Accept: text/csv`; to all others JSON, as before.',
};

type Subcomponent = Quote['components'][number]['subcomponents'][number];

const OPTIMIZATION = 'optimization';

const componentBefore = component.extend({
  subcomponents: z.array(
    subcomponent.extend({ subgroup: subcomponent.shape.subgroup.exclude([OPTIMIZATION]) }),
  ),
});

const quoteByPost: VersionChange = {
  version,
  summary: 'A quote is asked for by POST',
  before:
    '`GET /plans/{id}/quote` took parameters, `meter_type` among them; `energy` was shown with the discount for shifting load in it.',
  after:
    '`POST /plans/{id}/quote` takes `usage` as an object, `optimization_rate`, module 3 and no `meter_type`; `optimization` is a row of its own; `resolution` names the period of the amounts.',
  added: ['POST /plans/{id}/quote'],
  removed: [{ route: 'GET /plans/{id}/quote', instead: 'POST /plans/{id}/quote' }],
  appliesTo: ['GET /plans/{id}/quote'],
  schema: {
    response: (newer) =>
      (newer as typeof quote)
        .omit({ resolution: true })
        .extend({ components: z.array(componentBefore).meta(quote.shape.components.meta() ?? {}) })
        .meta({ id: 'Quote' }),
  },
  response: (newer) => {
    const { resolution, components, ...older } = newer as unknown as Quote;
    const folded = components.map((component) => ({
      ...component,
      subcomponents: foldedRows(component.subcomponents),
    }));
    return withComponents(older, folded);
  },
};

/** In the place where they were shown. */
function withComponents(
  { quoted_at, ...older }: Omit<Quote, 'resolution' | 'components'>,
  components: unknown,
) {
  return { ...older, components, quoted_at };
}

/** Both rows are decimals of 6 digits, and so is their sum. */
function foldedRows(rows: readonly Subcomponent[]): Subcomponent[] {
  const discount = rows.find(({ subgroup }) => subgroup === OPTIMIZATION)?.amount ?? 0;
  return rows
    .filter(({ subgroup }) => subgroup !== OPTIMIZATION)
    .map((row) =>
      row.subgroup === 'energy' ? { ...row, amount: new Exact(row.amount).plus(discount).toNumber() } : row,
    );
}

const loadForecasts: VersionChange = {
  version,
  summary: 'Load forecasts are no longer taken',
  before: '`POST /load-forecasts` took what a subscription would probably draw, by quarter hour.',
  after: 'The route is gone, and nothing takes its place.',
  removed: [{ route: 'POST /load-forecasts' }],
};

const savings: VersionChange = {
  version,
  summary: 'What a household saves with a plan can be asked for',
  before: 'A client compared quotes and worked out by itself what a car, a heat pump or a battery changes.',
  after:
    '`POST /plans/{id}/savings` prices a plan for a described household against its current tariff or the mean of the market.',
  added: ['POST /plans/{id}/savings'],
};

const older = INVOICE_TYPES.filter((type) => type !== 'exit_summary');

const exitSummaries: VersionChange = {
  version,
  name: 'exit summaries',
  summary: 'Exit summaries of ended contracts are shown',
  before: 'Exit summaries were left out of lists; by id they were not found.',
  after: '`type` may be `exit_summary`: the document that settles corrections of an ended contract.',
  appliesTo: { object: 'invoice' },
  schema: {
    response: (newer) => {
      const { shape } = newer as typeof invoice;
      return (newer as typeof invoice).extend({ type: shape.type.exclude(['exit_summary']) });
    },
  },
};

const exitSummaryFilter: VersionChange = {
  version,
  summary: 'Invoices are filtered by exit summaries too',
  before: '`filter[type]` took `usage`, `prepayment` and `void`.',
  after: '`filter[type]` takes `exit_summary` too.',
  appliesTo: ['GET /invoices'],
  schema: { filters: (newer) => ({ ...newer, type: { type: 'enum', values: older } }) },
};

/** Oldest first. */
export const gauss: readonly VersionChange[] = [
  households,
  assets,
  assetSnapshots,
  meterOrderFilters,
  spotPrices,
  priceTables,
  quoteByPost,
  loadForecasts,
  savings,
  exitSummaries,
  exitSummaryFilter,
];
