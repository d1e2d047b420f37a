import { afterAll, beforeAll, expect, test } from 'vitest';
import { versionEngine } from '../../../src/api/app.ts';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { type RouteName, routeName } from '../../../src/platform/interface/route.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createTenant } from '../../setup/factories.ts';

/* Said once for all routes: a text in the path that no id can be is 404, and never reaches a statement. */

/** Bodies that pass the schema, where `{}` does not. */
const BODIES: Readonly<Partial<Record<RouteName, object>>> = {
  'POST /plans/{id}/quote': { zip_code: '10115', usage: { consumption: 2_500 } },
  'POST /plans/{id}/savings': { zip_code: '10115', household: { usage: 2_500 } },
  'POST /subscriptions/{id}/terminate': { reason: 'ORDINARY' },
  'POST /subscriptions/{id}/meter_readings': { value: 1, timestamp: '2026-06-01T08:00:00Z' },
};

/** Queries that pass the schema, where days do not. */
const QUERIES: Readonly<Partial<Record<RouteName, string>>> = {
  'GET /plans/{id}/quote': '?zip_code=10115&usage=2500',
};
const DAYS = '?start=2026-06-01&end=2026-06-01';

const NO_IDS = ['x', 'a%00b', 'AST_000000000000000000000000', `ast_${'0'.repeat(25)}`, '1%27--'];

let api: TestApi;
let token: string;
beforeAll(async () => {
  api = await startApi();
  ({ token } = await createTenant(api));
});
afterAll(() => api.close());

test('whatever is no id is 404 on every route with an id in its path', async () => {
  const versions = versionEngine(api.deps);
  const routes = versions.routes.filter(({ path }) => path.includes('{'));
  expect(routes.length).toBeGreaterThan(10);
  for (const { method, path, ...route } of routes) {
    const name = routeName({ method, path });
    const version = VERSION_NAMES.findLast(
      (candidate) => versions.availability(name, candidate).state === 'available',
    );
    const client = api.client(token, { version: version ?? null });
    for (const text of NO_IDS) {
      const body = route.body === undefined ? undefined : (BODIES[name] ?? {});
      const query = route.query === undefined ? '' : (QUERIES[name] ?? DAYS);
      const answer = await client.request<{ message: string }>(
        method,
        path.replace(/\{[a-z_]+\}/, text) + query,
        { body },
      );
      expect([name, text, answer.status, answer.body.message]).toEqual([
        name,
        text,
        404,
        'Resource not found',
      ]);
    }
  }
});
