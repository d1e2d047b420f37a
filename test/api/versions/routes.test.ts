import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION_NAMES, type VersionName } from '../../../src/config/versions.ts';
import type { RouteName } from '../../../src/platform/interface/route.ts';
import { addPlace, insertCommonRows, NOW } from '../../routes/table/place.ts';
import type { Place, RouteRow, Shown } from '../../routes/table/row.ts';
import {
  availabilityOf,
  goodStatusOf,
  methodOf,
  routeNames,
  rowOf,
  smallestBody,
} from '../../routes/table/table.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import type { ApiClient } from '../../setup/client.ts';
import { fakeClock } from '../../setup/clock.ts';
import { createTenant } from '../../setup/factories.ts';
import type { ErrorBody } from '../../telemetry/assets/devices.ts';

const CURIE = '2026-05-27.curie';

interface List {
  object: string;
  items: Record<string, unknown>[];
  has_more?: boolean;
  next_page?: string | null;
}

const pathOf = (name: RouteName) => name.slice(name.indexOf('/'));

const insteadOf = (removed: RouteRow['removed']) =>
  removed?.instead === undefined ? '' : ` Use ${removed.instead}.`;

let api: TestApi;
const clock = fakeClock(NOW);
beforeAll(async () => {
  api = await startApi({ clock, alone: true });
  await insertCommonRows(api);
});
afterAll(() => api?.close());

/** Every route of the interface in each version, there or not. */
describe.each(VERSION_NAMES)('%s', (version) => {
  const states = routeNames.map((route) => ({ route, state: availabilityOf(route, version) }));
  const there = states.filter(({ state }) => state === 'there').map(({ route }) => route);
  const allow = (path: string) =>
    there
      .filter((route) => pathOf(route) === path)
      .map(methodOf)
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .sort();
  let place: Place;
  let client: ApiClient;
  beforeAll(async () => {
    const tenant = await createTenant(api);
    place = await addPlace(api, clock, tenant);
    client = api.client(tenant.token, { version });
  });

  const allowed = (headers: Headers) => headers.get('allow')?.split(', ').sort() ?? null;

  async function expectShape(route: RouteName): Promise<void> {
    const { path, body, shows, leadsTo } = rowOf(route);
    const sent = body === undefined ? {} : { body: smallestBody(route, place) };
    const answer = await client.request(methodOf(route), path(place), sent);
    const spoken = answer.headers.get('x-api-version');
    expect([answer.status, spoken], answer.text).toEqual([goodStatusOf(route), version]);
    if (leadsTo !== undefined) {
      expect(answer.headers.get('location')).toMatch(leadsTo);
      expect(answer.text).toBe('');
      return;
    }
    const shown = shows.isList === true ? expectEnvelope(answer.body as unknown as List) : answer.body;
    expect(shown?.object ?? null).toBe(shows.object);
    expect(Object.keys(shown ?? {}).sort()).toEqual(fieldsOf(shows, version));
  }

  function expectEnvelope(list: List): Record<string, unknown> | undefined {
    const inPages = version === '2025-12-01.chucky' ? [] : ['has_more', 'next_page'];
    expect(Object.keys(list)).toEqual(['object', 'items', ...inPages]);
    expect(list.object).toBe('list');
    expect(list.items.length).toBeGreaterThan(0);
    return list.items[0];
  }

  describe('routes that it has', () => {
    /* What is read by lists is written first. */
    const writing = (route: string) => (route.startsWith('POST') ? 0 : 1);
    const ordered = there.toSorted((left, right) => writing(left) - writing(right));
    test.each(ordered)('%s', (route) => expectShape(route));
  });

  describe('routes that it does not have', () => {
    const missing = states.filter(({ state }) => state !== 'there');
    test.each(missing)('$route: $state', async ({ route, state }) => {
      const { since, removed } = rowOf(route);
      const path = pathOf(route);
      const body = methodOf(route) === 'GET' ? {} : { body: {} };
      const answer = await client.request<ErrorBody>(methodOf(route), path.replace('{id}', 'any'), body);
      const message =
        state === 'removed'
          ? `${route} was removed in API version ${removed?.in}.${insteadOf(removed)}`
          : `${route} is available from API version ${since}. This request used ${version}.`;
      const hasPath = state === 'other methods';
      const [status, code] = hasPath ? [405, 'METHOD_NOT_ALLOWED'] : [404, 'NOT_FOUND'];
      expect([answer.status, answer.body.code, answer.body.message]).toEqual([status, code, message]);
      expect(answer.headers.get('x-api-version')).toBe(version);
      expect(allowed(answer.headers)).toEqual(hasPath ? allow(path) : null);
      const hint = version === CURIE && state !== 'removed';
      const errors = [{ code: 'upgrade_api_version', field: '', message }];
      expect(answer.body.errors).toEqual(hint ? errors : undefined);
      const known = ['code', 'message', 'requestId', 'docs'];
      expect(Object.keys(answer.body)).toEqual(hint ? expect.arrayContaining(known) : known);
    });

    test('an unknown path is 404, an unknown method 405 with the methods of this version', async () => {
      const plain = (answer: { status: number; body: ErrorBody }) => [answer.status, answer.body.message];
      for (const path of ['/nowhere', '/customers/any/plans', '/admin', '/auth-clients']) {
        expect(plain(await client.get<ErrorBody>(path))).toEqual([404, 'Resource not found']);
      }
      for (const path of new Set(routeNames.map(pathOf))) {
        const answer = await client.request<ErrorBody>('DELETE', path.replace('{id}', 'any'));
        const methods = allow(path);
        expect([path, ...plain(answer)]).toEqual(
          methods.length === 0 ? [path, 404, 'Resource not found'] : [path, 405, 'Method not allowed'],
        );
        expect(allowed(answer.headers)).toEqual(methods.length === 0 ? null : methods);
        const [entry] = answer.body.errors ?? [];
        if (methods.length > 0 || version < CURIE) expect(entry).toBeUndefined();
        else expect(entry?.message).toMatch(`No such route: DELETE ${path.replace('{id}', 'any')}`);
      }
    });
  });

  test('a refusal lists its problems from curie on', async () => {
    const { status, body } = await client.get<ErrorBody>('/plans?filter[x][eq]=1');
    expect([status, body.message]).toEqual([
      400,
      "unrecognized_keys in 'filter[x][eq]': Unknown field here. Accepted: status, created_at",
    ]);
    expect(Object.hasOwn(body, 'errors')).toBe(version >= CURIE);
  });
});

function fieldsOf(shown: Shown, version: VersionName): string[] {
  const { object, fields, fieldsSince = {}, fieldsUntil = {} } = shown;
  const added = [
    ...Object.entries(fieldsSince).filter(([since]) => version >= since),
    ...Object.entries(fieldsUntil).filter(([until]) => version < until),
  ];
  const all = [fields, ...added.map(([, names]) => names)].flatMap((names) => names.split(' '));
  return [...all, ...(object === null ? [] : ['object'])].sort();
}
