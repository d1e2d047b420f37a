import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES, type VersionName } from '../../src/versions/names.ts';
import { startApi, type TestApi } from '../setup/api.ts';
import {
  createHousehold,
  createLead,
  createMarketPartner,
  createPlan,
  createTenant,
} from '../setup/factories.ts';
import { insertReferenceRows } from '../setup/reference-rows.ts';

let api: TestApi;
let token: string;
const ids = { customer: '', plan: '', lead: '' };

beforeAll(async () => {
  api = await startApi();
  await insertReferenceRows(api);
  const tenant = await createTenant(api);
  token = tenant.token;
  ids.customer = (await createHousehold(api.deps, tenant.organization)).customer;
  ids.plan = (await createPlan(api.deps, tenant.organization)).id;
  ids.lead = (await createLead(api.deps, tenant.organization, { plan_id: ids.plan })).id;
  await createMarketPartner(api.deps, { name: 'Stadtwerke' });
});
afterAll(() => api?.close());

const isFromCurie = (version: VersionName) => version >= '2026-05-27';
const removed = (route: string, instead: string) => [
  404,
  `${route} was removed in API version 2026-05-27.curie. Use ${instead}.`,
];
const notYet = (route: string, version: VersionName, status = 404) => [
  status,
  `${route} is available from API version 2026-05-27.curie. This request used ${version}.`,
];

const PERSON = ['object', 'id', 'type', 'first_name', 'last_name', 'email', 'created_at'];
const PLAN = ['object', 'id', 'name', 'slug', 'description', 'price', 'currency', 'created_at'];
const LEAD = ['object', 'id', 'link', 'subscription', 'subscribed_at', 'created_by'];
const LEAD_REST = ['last_visited_at', 'metadata', 'created_at'];
const PARTNER = ['object', 'id', 'name', 'country', 'created_at', 'code', 'code_type'];

interface Row {
  route: string;
  call?(): { path: string; body?: object };
  /** The fields of the answer, or of the items of a list; or status and message where the version has no such route. */
  expected(version: VersionName): readonly (string | number)[];
  object?: string;
}

const customer = (version: VersionName) => [...PERSON, ...(isFromCurie(version) ? ['vat_id'] : [])];
const plan = (version: VersionName) => [...PLAN, ...(isFromCurie(version) ? ['type'] : [])];
const lead = () => [...LEAD, ...LEAD_REST];
const address = { zip: '20354' };

const rows: Row[] = [
  { route: 'GET /customers', expected: customer, object: 'customer' },
  {
    route: 'GET /customers/{id}',
    call: () => ({ path: `/customers/${ids.customer}` }),
    expected: customer,
    object: 'customer',
  },
  {
    route: 'PATCH /customers/{id}',
    call: () => ({ path: `/customers/${ids.customer}`, body: {} }),
    expected: (version) =>
      isFromCurie(version) ? customer(version) : notYet('PATCH /customers/{id}', version, 405),
    object: 'customer',
  },
  { route: 'GET /plans', expected: plan, object: 'plan' },
  { route: 'GET /plans/{id}', call: () => ({ path: `/plans/${ids.plan}` }), expected: plan, object: 'plan' },
  { route: 'GET /leads', expected: lead, object: 'lead' },
  { route: 'GET /leads/{id}', call: () => ({ path: `/leads/${ids.lead}` }), expected: lead, object: 'lead' },
  {
    route: 'POST /leads',
    call: () => ({ path: '/leads', body: { plan: ids.plan, address, meter: { estimated_usage: 100 } } }),
    expected: lead,
    object: 'lead',
  },
  {
    route: 'GET /market-partners',
    expected: (version) =>
      isFromCurie(version) ? [...PARTNER, 'type'] : notYet('GET /market-partners', version),
    object: 'market_partner',
  },
  {
    route: 'GET /suppliers',
    expected: (version) =>
      isFromCurie(version) ? removed('GET /suppliers', 'GET /market-partners') : PARTNER,
    object: 'supplier',
  },
  {
    route: 'GET /suppliers/search',
    call: () => ({ path: '/suppliers/search?name=stadt' }),
    expected: (version) =>
      isFromCurie(version)
        ? removed('GET /suppliers/search', 'GET /market-partners?filter[name][contains]=<name>')
        : PARTNER,
    object: 'supplier',
  },
];

interface Answered extends Record<string, unknown> {
  message?: string;
  items?: Record<string, unknown>[];
  errors?: { code: string; field: string }[];
}

describe.each(VERSION_NAMES)('%s', (version) => {
  test.each(rows)('$route', async ({ route, call, expected, object }) => {
    const [method = '', place = ''] = route.split(' ');
    const { path, body } = call?.() ?? { path: place };
    const answer = await api
      .client(token, { version })
      .request<Answered>(method, path, { ...(body && { body }) });
    expect(answer.headers.get('x-api-version')).toBe(version);
    const [first, ...rest] = expected(version);
    if (typeof first === 'number') {
      expect([answer.status, answer.body.message]).toEqual([first, ...rest]);
      expect(Object.keys(answer.body)).toEqual(['code', 'message', 'requestId', 'docs']);
      return;
    }
    expect(answer.status, answer.text).toBe(200);
    const item = answer.body.items?.[0] ?? answer.body;
    expect(Object.keys(item).toSorted()).toEqual([first, ...rest].toSorted());
    expect(item.object).toBe(object);
    if (answer.body.items === undefined) return;
    const pages = version === '2025-12-01.chucky' ? [] : ['has_more', 'next_page'];
    expect(Object.keys(answer.body)).toEqual(['object', 'items', ...pages]);
  });

  test('a refusal lists its problems from curie on', async () => {
    const { status, body } = await api.client(token, { version }).get<Answered>('/plans?filter[x][eq]=1');
    expect([status, body.message]).toEqual([
      400,
      "unrecognized_keys in 'filter[x][eq]': Unknown field here. Accepted: status, created_at",
    ]);
    expect(Object.hasOwn(body, 'errors')).toBe(isFromCurie(version));
  });
});
