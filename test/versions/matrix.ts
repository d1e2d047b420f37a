import type { RouteName } from '../../src/platform/interface/route.ts';
import type { VersionName } from '../../src/versions/names.ts';
import type { World } from './world.ts';

/**
 * y: there. N: the path is not there yet. M: the path is there, not yet with this method. X: removed. One letter for each
 * version, the oldest first.
 */
export type Availability = 'y' | 'N' | 'M' | 'X';

export interface Row {
  available: string;
  /** A call that every version with this route answers with 200. */
  call(world: World, version: VersionName): { path: string; body?: Record<string, unknown> };
  /** `object` of the answer; of the items on lists; null where it has none. */
  object: string | null;
  /** What the answer shows, or each item of a list, beside `object`. */
  fields: string | ((version: VersionName) => string);
  isList?: true;
  since?: VersionName;
  /** What a version that has lost the route says to use instead. */
  instead?: string;
}

export const isFromCurie = (version: VersionName) => version >= '2026-05-27';

const customer = (version: VersionName) =>
  `id type first_name last_name email created_at${isFromCurie(version) ? ' vat_id' : ''}`;
const plan = (version: VersionName) =>
  `id name slug description price currency created_at${isFromCurie(version) ? ' type' : ''}`;
const subscription = (version: VersionName) =>
  `id plan customer household address meter payment_method supplier number status estimated_usage start_at terminated_at end_at metadata created_at updated_at${isFromCurie(version) ? ' type billing_address' : ''}`;
const lead = 'id link subscription subscribed_at created_by last_visited_at metadata created_at';
const reading = 'id customer subscription meter value timestamp type created_at';
const partner = (version: VersionName) =>
  `id name code code_type country created_at${isFromCurie(version) ? ' type' : ''}`;
const household = 'id customer address display_name created_at updated_at';
const asset =
  'id household type external_id display_name manufacturer model parent_inverter decommissioned_at created_at updated_at wallbox';
/* Of a wallbox. */
const snapshot = 'household asset timestamp power_kw connected vehicle_state_of_charge created_at';
const usage = 'meter_type resolution data';

const CURIE = '2026-05-27.curie';
const GAUSS = '2026-09-08.gauss';
const of = (filter: string, id: string) => `filter[${filter}][eq]=${id}`;

/** Every route of the interface with the versions that have it. */
export const matrix: Readonly<Record<RouteName, Row>> = {
  'GET /customers': {
    available: 'yyyyy',
    call: () => ({ path: '/customers' }),
    object: 'customer',
    fields: customer,
    isList: true,
  },
  'GET /customers/{id}': {
    available: 'yyyyy',
    call: (world) => ({ path: `/customers/${world.customer}` }),
    object: 'customer',
    fields: customer,
  },
  'PATCH /customers/{id}': {
    available: 'MMMyy',
    since: CURIE,
    call: (world) => ({ path: `/customers/${world.customer}`, body: { first_name: 'Käthe' } }),
    object: 'customer',
    fields: customer,
  },
  'GET /subscriptions': {
    available: 'yyyyy',
    call: () => ({ path: '/subscriptions' }),
    object: 'subscription',
    fields: subscription,
    isList: true,
  },
  'POST /subscriptions': {
    available: 'yyyyy',
    call: (world) => ({ path: '/subscriptions', body: world.newSubscription() }),
    object: 'subscription',
    fields: subscription,
  },
  'GET /subscriptions/{id}': {
    available: 'yyyyy',
    call: (world) => ({ path: `/subscriptions/${world.subscription}` }),
    object: 'subscription',
    fields: subscription,
  },
  'PATCH /subscriptions/{id}': {
    available: 'MMMyy',
    since: CURIE,
    call: (world) => ({ path: `/subscriptions/${world.subscription}`, body: { metadata: { crm: 'A-1' } } }),
    object: 'subscription',
    fields: subscription,
  },
  'POST /subscriptions/{id}/terminate': {
    available: 'NNNyy',
    since: CURIE,
    call: (world) => ({ path: `/subscriptions/${world.ending()}/terminate`, body: { reason: 'ORDINARY' } }),
    object: null,
    fields: 'reason intended_end_at',
  },
  'GET /subscriptions/{id}/consumption': {
    available: 'yyyXX',
    since: CURIE,
    instead: 'GET /subscriptions/{id}/usage',
    call: (world) => ({ path: `/subscriptions/${world.subscription}/consumption` }),
    object: 'consumption',
    fields: usage,
  },
  'GET /subscriptions/{id}/usage': {
    available: 'NNNyy',
    since: CURIE,
    call: (world) => ({ path: `/subscriptions/${world.subscription}/usage` }),
    object: 'usage',
    fields: usage,
  },
  'GET /subscriptions/{id}/meter_readings': {
    available: 'yyyXX',
    since: CURIE,
    instead: 'GET /meter-readings?filter[subscription][eq]={id}',
    call: (world) => ({ path: `/subscriptions/${world.subscription}/meter_readings` }),
    object: 'meter_reading',
    fields: reading,
    isList: true,
  },
  'POST /subscriptions/{id}/meter_readings': {
    available: 'yyyXX',
    since: CURIE,
    instead: 'POST /meter-readings',
    call: (world) => ({
      path: `/subscriptions/${world.subscription}/meter_readings`,
      body: world.newReading(),
    }),
    object: 'meter_reading',
    fields: reading,
  },
  'GET /meter-readings': {
    available: 'NNNyy',
    since: CURIE,
    call: (world) => ({ path: `/meter-readings?${of('subscription', world.subscription)}` }),
    object: 'meter_reading',
    fields: reading,
    isList: true,
  },
  'POST /meter-readings': {
    available: 'NNNyy',
    since: CURIE,
    call: (world) => ({
      path: '/meter-readings',
      body: { subscription: world.subscription, ...world.newReading() },
    }),
    object: 'meter_reading',
    fields: reading,
  },
  'GET /suppliers': {
    available: 'yyyXX',
    since: CURIE,
    instead: 'GET /market-partners',
    call: () => ({ path: '/suppliers' }),
    object: 'supplier',
    fields: partner,
    isList: true,
  },
  'GET /suppliers/search': {
    available: 'yyyXX',
    since: CURIE,
    instead: 'GET /market-partners?filter[name][contains]=<name>',
    call: () => ({ path: '/suppliers/search?name=Stadtwerke' }),
    object: 'supplier',
    fields: partner,
    isList: true,
  },
  'GET /market-partners': {
    available: 'NNNyy',
    since: CURIE,
    call: () => ({ path: '/market-partners' }),
    object: 'market_partner',
    fields: partner,
    isList: true,
  },
  'GET /plans': {
    available: 'yyyyy',
    call: () => ({ path: '/plans' }),
    object: 'plan',
    fields: plan,
    isList: true,
  },
  'GET /plans/{id}': {
    available: 'yyyyy',
    call: (world) => ({ path: `/plans/${world.plan}` }),
    object: 'plan',
    fields: plan,
  },
  'GET /leads': {
    available: 'yyyyy',
    call: () => ({ path: '/leads' }),
    object: 'lead',
    fields: lead,
    isList: true,
  },
  'POST /leads': {
    available: 'yyyyy',
    call: (world) => ({
      path: '/leads',
      body: { plan: world.plan, address: { zip: '20354' }, meter: { estimated_usage: 2500 }, customer: {} },
    }),
    object: 'lead',
    fields: lead,
  },
  'GET /leads/{id}': {
    available: 'yyyyy',
    call: (world) => ({ path: `/leads/${world.lead}` }),
    object: 'lead',
    fields: lead,
  },
  'POST /admin/magic_link': {
    available: 'yyyyy',
    call: (world) => ({ path: '/admin/magic_link', body: { customerId: world.customer } }),
    object: 'magic_link',
    fields: 'link',
  },
  'GET /spot-prices': {
    available: 'NNNNy',
    since: GAUSS,
    call: () => ({ path: '/spot-prices?start=2026-10-04' }),
    object: 'price',
    fields: 'type period currency unit resolution missing items',
  },
  'GET /households': {
    available: 'NNNNy',
    since: GAUSS,
    call: () => ({ path: '/households' }),
    object: 'household',
    fields: household,
    isList: true,
  },
  'GET /households/{id}': {
    available: 'NNNNy',
    since: GAUSS,
    call: (world) => ({ path: `/households/${world.household}` }),
    object: 'household',
    fields: household,
  },
  'GET /assets': {
    available: 'NNNNy',
    since: GAUSS,
    call: (world) => ({ path: `/assets?${of('external_id', world.externalId)}` }),
    object: 'asset',
    fields: asset,
    isList: true,
  },
  'GET /assets/{id}': {
    available: 'NNNNy',
    since: GAUSS,
    call: (world) => ({ path: `/assets/${world.asset}` }),
    object: 'asset',
    fields: asset,
  },
  'POST /assets': {
    available: 'NNNNy',
    since: GAUSS,
    call: (world) => ({ path: '/assets', body: world.newAsset() }),
    object: 'asset',
    fields: asset,
  },
  'PATCH /assets/{id}': {
    available: 'NNNNy',
    since: GAUSS,
    call: (world) => ({ path: `/assets/${world.asset}`, body: { display_name: 'Garage' } }),
    object: 'asset',
    fields: asset,
  },
  'POST /assets/{id}/decommission': {
    available: 'NNNNy',
    since: GAUSS,
    call: (world) => ({ path: `/assets/${world.spareAsset}/decommission`, body: {} }),
    object: 'asset',
    fields: asset,
  },
  'GET /asset-snapshots': {
    available: 'NNNNy',
    since: GAUSS,
    call: (world) => ({ path: `/asset-snapshots?${of('asset', world.asset)}` }),
    object: 'asset_snapshot',
    fields: snapshot,
    isList: true,
  },
  'POST /asset-snapshots': {
    available: 'NNNNy',
    since: GAUSS,
    call: (world) => ({ path: '/asset-snapshots', body: world.newSnapshots() }),
    object: 'asset_snapshot_batch',
    fields: 'household total stored duplicates start end',
  },
};
