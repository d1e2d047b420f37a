import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { type FakeClock, fakeClock } from '../../setup/clock.ts';
import {
  createClient,
  createHousehold,
  createMarketPartner,
  createTenant,
  tokenFor,
} from '../../setup/factories.ts';
import { filterRefusals, idsOf, idsOfAllPages } from '../../setup/lists.ts';
import { storedRows } from '../../setup/stored-rows.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';

let api: TestApi;
let clock: FakeClock;
let organization: string;
let token: string;

beforeAll(async () => {
  clock = fakeClock('2026-10-05T08:30:00.000Z');
  api = await startApi({ clock, alone: true });
  ({ organization, token } = await createTenant(api));
});
afterAll(() => api?.close());
beforeEach(() => storedRows(api, 'DELETE FROM market_partners'));

async function add(input: Parameters<typeof createMarketPartner>[1] = {}): Promise<string> {
  clock.advance(1);
  return (await createMarketPartner(api.deps, input)).id;
}

const EDISON = '2026-01-29.edison';
const CHUCKY = '2025-12-01.chucky';

/** The list under its two names, each in the newest version that has it. */
const lists = [
  { path: '/market-partners', version: '2026-09-08.gauss' },
  { path: '/suppliers', version: EDISON },
];

describe.each(lists)('$path', ({ path, version }) => {
  let client: ApiClient;
  beforeAll(() => {
    client = api.client(token, { version });
  });

  test('all pages together have every partner once, also while others are added', async () => {
    for (let count = 0; count < 7; count += 1) await add();
    await storedRows(api, "UPDATE market_partners SET created_at = '2026-10-01T00:00:00.000001Z'");
    const known = await idsOf(client, `${path}?limit=100`);
    expect(known).toEqual(known.toSorted().toReversed());
    expect(await idsOfAllPages(client, path, () => add())).toEqual(known);
  });

  test.each(['name', 'code'])('%s takes every operator of a string', async (field) => {
    const first = await add({ name: 'Stadtwerke_1', code: '9900000000001' });
    const second = await add({ name: 'Überlandwerk', code: '9911111111112' });
    const [value, other] =
      field === 'name' ? ['Stadtwerke_1', 'Überlandwerk'] : ['9900000000001', '9911111111112'];
    const found = (operator: string, text: string) =>
      idsOf(client, `${path}?filter[${field}][${operator}]=${encodeURIComponent(text)}`);
    expect(await found('eq', value)).toEqual([first]);
    expect(await found('ne', value)).toEqual([second]);
    expect(await found('in', `${other},x`)).toEqual([second]);
    expect(await found('in', '')).toEqual([]);
    expect(await found('contains', value.slice(2, 12).toUpperCase())).toEqual([first]);
    expect(await found('contains', '%')).toEqual([]);
    expect(await found('starts_with', other.slice(0, 4).toLowerCase())).toEqual([second]);
    expect(await found('ends_with', value.slice(-2))).toEqual([first]);
    expect(await found('is_null', 'true')).toEqual([]);
    expect(await found('is_null', 'false')).toEqual([second, first]);
  });

  test('created_at is inclusive', async () => {
    const first = await add({ created_at: '2026-10-01T08:00:00.000001Z' });
    const second = await add({ created_at: '2026-10-01T08:00:00.000002Z' });
    const found = (query: string) => idsOf(client, `${path}?filter[created_at]${query}`);
    expect(await found('[gte]=2026-10-01T08:00:00.000002Z')).toEqual([second]);
    expect(await found('[lte]=2026-10-01T08:00:00.000001Z')).toEqual([first]);
    expect(await found('[is_null]=true')).toEqual([]);
  });

  test.each([
    ...filterRefusals({ name: { type: 'string' }, code: { type: 'string' }, created_at: { type: 'date' } }),
    ['filter[type][eq]=supplier', 'unrecognized_keys filter[type][eq]'],
    ['limit=0', 'too_small limit'],
    ['cursor=x', 'custom cursor'],
  ])('%s is refused', async (query, entry) => {
    const answer = await client.get<ErrorBody>(`${path}?${query}`);
    /* Before curie the message alone names the rule: its code, where that is a word, and the field. */
    const [code, field] = entry.split(' ');
    const beginning = code === 'custom' ? `In '${field}': ` : `${code} in '${field}': `;
    if (version === EDISON) expect(answer.body.message.startsWith(beginning)).toBe(true);
    else expect(refusal(answer)).toEqual([400, entry]);
    expect(answer.status).toBe(400);
  });

  test('every organization sees the same; customer tokens are turned away', async () => {
    const id = await add();
    const other = await createTenant(api);
    expect(await idsOf(api.client(other.token, { version }), path)).toEqual([id]);
    const { customer } = await createHousehold(api.deps, organization);
    const credentials = await createClient(api.deps, organization, { customer_id: customer });
    expect((await api.client(await tokenFor(api, credentials), { version }).get(path)).status).toBe(403);
    expect((await api.client(null, { version }).get(path)).status).toBe(401);
    expect((await client.post(path, {})).status).toBe(405);
  });
});

const partner = { name: 'Stadtwerke Musterstadt', code: '9907248000001', country: 'DE' };

test('from curie a market partner has its type', async () => {
  const id = await add(partner);
  for (const version of ['2026-05-27.curie', '2026-09-08.gauss']) {
    const { body } = await api.client(token, { version }).get('/market-partners');
    expect(body).toEqual({
      object: 'list',
      items: [
        {
          object: 'market_partner',
          id,
          ...partner,
          code_type: 'BDEW',
          type: 'supplier',
          created_at: clock.now().toISOString(),
        },
      ],
      has_more: false,
      next_page: null,
    });
  }
});

test('before curie it is a supplier without a type, also when it is searched for', async () => {
  const id = await add(partner);
  const created_at = clock.now().toISOString();
  const items = [{ object: 'supplier', id, ...partner, code_type: 'BDEW', created_at }];
  for (const version of [CHUCKY, '2025-12-16.batman', EDISON]) {
    const pages = version === CHUCKY ? {} : { has_more: false, next_page: null };
    for (const path of ['/suppliers', '/suppliers/search?name=MUSTER']) {
      const { body } = await api.client(token, { version }).get(path);
      expect(body).toEqual({ object: 'list', items, ...pages });
    }
  }
});

test('chucky answers all at once', async () => {
  await storedRows(
    api,
    `INSERT INTO market_partners (id, code, name, country)
     SELECT 'mp_' || lpad(n::text, 24, '0'), lpad(n::text, 13, '0'), 'Werk ' || n, 'DE'
       FROM generate_series(1, 1500) AS n`,
  );
  const chucky = api.client(token, { version: CHUCKY });
  expect(new Set(await idsOf(chucky, '/suppliers?limit=1&cursor=x')).size).toBe(1500);
  expect(new Set(await idsOf(chucky, '/suppliers/search?name=werk+1&limit=1')).size).toBe(612);
});

test('each list is there in its own versions only, and says where the other is', async () => {
  const message = async (path: string, version: string) => {
    const { status, body } = await api.client(token, { version }).get<ErrorBody>(path);
    return [status, body.message];
  };
  for (const version of [CHUCKY, '2025-12-16.batman', EDISON]) {
    expect(await message('/market-partners', version)).toEqual([
      404,
      `GET /market-partners is available from API version 2026-05-27.curie. This request used ${version}.`,
    ]);
  }
  for (const version of ['2026-05-27.curie', '2026-09-08.gauss']) {
    expect(await message('/suppliers', version)).toEqual([
      404,
      'GET /suppliers was removed in API version 2026-05-27.curie. Use GET /market-partners.',
    ]);
    expect(await message('/suppliers/search?name=x', version)).toEqual([
      404,
      'GET /suppliers/search was removed in API version 2026-05-27.curie. Use GET /market-partners?filter[name][contains]=<name>.',
    ]);
  }
});
