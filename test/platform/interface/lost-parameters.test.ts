import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { versionEngine } from '../../../src/api/app.ts';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { namesOf } from '../../../src/platform/interface/check-input.ts';
import { lostParameters } from '../../../src/platform/interface/lost-parameters.ts';
import { queryPairs } from '../../../src/platform/interface/query.ts';
import { type RouteName, routeName } from '../../../src/platform/interface/route.ts';
import type { VersionName } from '../../../src/platform/version-name.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { createTenant } from '../../setup/factories.ts';
import { type ErrorBody, refusal } from '../../telemetry/assets/devices.ts';

const SERIES = new Set(['start', 'end', 'resolution']);

function meant(query: string, known: ReadonlySet<string> = SERIES): string[] {
  return lostParameters(queryPairs(`/x?${query}`), known).map(({ field, message }) => `${field}: ${message}`);
}

describe('a parameter is refused when it is meant for a known one', () => {
  test.each([
    'strat',
    'Start',
    'start_date',
    'startDate',
    'satrt',
    'stat',
    'starts',
    'sturt',
    'from',
    'start-on',
  ])('%s', (name) => {
    expect(meant(`${name}=2026-11-01`)).toEqual([`${name}: Unknown parameter. Did you mean start?`]);
  });

  test.each([
    'unknown',
    'limit',
    'utm_source',
    '_',
    'x',
    'toString',
    '__proto__',
    'e',
    'sta',
    '',
    'constructor',
  ])('%s is none of them', (name) => {
    expect(meant(`${name}=1`)).toEqual([]);
  });

  test('one with another number is another parameter', () => {
    const known = new Set(['14a_module_1']);
    expect(meant('14a_module_2=true&14a_module_3=true&15a_module_1=true', known)).toEqual([]);
    expect(meant('14a_modul_1=true', known)).toHaveLength(1);
  });

  test('15 kB of them cost no more than their bytes', () => {
    expect(meant('a'.repeat(15_000))).toEqual([]);
    expect(meant('strat&'.repeat(2_500))).toHaveLength(2_500);
  });
});

describe('through the interface', () => {
  let api: TestApi;
  let client: ApiClient;
  beforeAll(async () => {
    api = await startApi();
    const { token } = await createTenant(api);
    client = api.client(token, { version: '2026-09-08.gauss' });
  });
  afterAll(() => api?.close());

  const answer = async (path: string, version?: string) =>
    refusal(
      await client.get<ErrorBody>(
        path,
        version === undefined ? {} : { headers: { 'x-api-version': version } },
      ),
    );

  test.each([
    ['/spot-prices?strat=2026-11-01', 'strat'],
    ['/spot-prices?from=2026-11-01&x=1', 'from'],
    ['/customers?Limit=5', 'Limit'],
    ['/customers?page=2', 'page'],
    ['/customers?email=a@example.org', 'email'],
    ['/subscriptions?status=active', 'status'],
    ['/asset-snapshots?filter[household][eq]=dom_x&curser=x', 'curser'],
  ])('%s', async (path, field) => {
    expect(await answer(path)).toEqual([400, `unrecognized_keys ${field}`]);
  });

  test.each(['/spot-prices?x=1', '/customers?unknown=1&utm_source=x', '/plans?_=1700000000'])(
    '%s is answered: what means nothing here is ignored',
    async (path) => {
      expect((await client.get(path)).status).toBe(200);
    },
  );

  test('what a route lists in another version is no slip', () => {
    const engine = versionEngine(api.deps);
    const names = (route: RouteName, version: VersionName) => namesOf(engine.contract(route, version).query);
    let looked = 0;
    for (const route of engine.routes.filter(({ method }) => method === 'GET')) {
      const name = routeName(route);
      const versions = VERSION_NAMES.filter(
        (version) => engine.availability(name, version).state === 'available',
      );
      const listed = new Set(versions.flatMap((version) => [...names(name, version), 'limit', 'cursor']));
      for (const version of versions) {
        const pages = engine.hasPages(version) && route.list !== undefined ? ['limit', 'cursor'] : [];
        const known = new Set([...names(name, version), ...pages]);
        const query = queryPairs(`/x?${[...listed].join('&')}`);
        expect([name, version, lostParameters(query, known, route.list?.filters)]).toEqual([
          name,
          version,
          [],
        ]);
        looked += 1;
      }
    }
    expect(looked).toBeGreaterThan(50);
  });

  test('the oldest version knows no pages, so it loses none', async () => {
    const [oldest = ''] = VERSION_NAMES;
    const answered = await client.get('/customers?limit=0&cursor=x&page=2', {
      headers: { 'x-api-version': oldest },
    });
    expect(answered.status).toBe(200);
    expect(await answer('/customers?email=a@example.org', oldest)).toEqual([400]);
  });
});
