import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createTenant, tokenFor } from '../../setup/factories.ts';
import { storedRows } from '../../setup/stored-rows.ts';

/** More than may wait for a connection to the database. */
const GATEWAYS = 600;
const TOKENS = 300;

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ alone: true });
});
afterAll(() => api.close());

interface Home {
  household: string;
  asset: string;
}

/** Households with a device each, which the service has not heard of yet. */
function storeHomes(organization: string): Promise<Home[]> {
  return storedRows<Home>(
    api,
    `WITH homes AS (SELECT lpad(number::text, 24, '0') AS digits FROM generate_series(1, $2::int) AS number),
          people AS (
            INSERT INTO customers (organization_id, id, type, first_name, last_name, email, created_at, updated_at)
            SELECT $1, 'cus_' || digits, 'person', 'One', 'Of many', digits || '@example.org', now(), now() FROM homes),
          households AS (
            INSERT INTO households (organization_id, id, customer_id)
            SELECT $1, 'dom_' || digits, 'cus_' || digits FROM homes)
     INSERT INTO assets (organization_id, id, household_id, customer_id, type)
     SELECT $1, 'ast_' || digits, 'dom_' || digits, 'cus_' || digits, 'household_net' FROM homes
     RETURNING id AS asset, household_id AS household`,
    [organization, GATEWAYS],
  );
}

test('a fleet that comes at once, with tokens and devices that nobody has asked for yet, is served at once', async () => {
  const { organization, client, token } = await createTenant(api);
  const homes = await storeHomes(organization);
  const tokens = [token];
  while (tokens.length < TOKENS) tokens.push(await tokenFor(api, client));
  const answers = await Promise.all(
    homes.map(({ household, asset }, index) =>
      api.app.inject({
        method: 'POST',
        url: '/asset-snapshots',
        headers: {
          ...{ authorization: `Bearer ${tokens[index % TOKENS]}`, 'content-type': 'application/json' },
          'x-api-version': '2026-09-08.gauss',
        },
        payload: {
          household,
          snapshots: [{ asset, timestamp: '2026-03-01T12:00:00Z', power_kw: index / 100 }],
        },
      }),
    ),
  );
  const statuses = Map.groupBy(answers, ({ statusCode }) => statusCode);
  expect(Object.fromEntries([...statuses].map(([status, { length }]) => [status, length]))).toEqual({
    200: GATEWAYS,
  });
  const rows = await storedRows<{ power_kw: number }>(
    api,
    'SELECT power_kw FROM asset_snapshots ORDER BY power_kw',
  );
  expect(rows.map(({ power_kw }) => Math.round(power_kw * 100))).toEqual(homes.map((_, index) => index));
});
