import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiRoutes } from '../../src/app.ts';
import { routeName } from '../../src/platform/interface/route.ts';
import { VERSION_NAMES, type VersionName } from '../../src/versions/names.ts';
import type { ErrorBody } from '../assets/devices.ts';
import { type Availability, isFromCurie, matrix, type Row } from './matrix.ts';
import { startWorld, type World } from './world.ts';

const CURIE = '2026-05-27.curie';

interface List {
  object: string;
  items: Record<string, unknown>[];
  has_more?: boolean;
  next_page?: string | null;
}

/** Tests of one version, to be called in a file of its own: every route of the interface, there or not. */
export function describeRoutes(version: VersionName): void {
  const column = VERSION_NAMES.indexOf(version);
  const rows = Object.entries(matrix).map(([route, row]) => ({
    route,
    row,
    state: row.available.charAt(column) as Availability,
  }));
  const methodsOf = (path: string) =>
    rows
      .filter(({ route, state }) => state === 'y' && route.endsWith(` ${path}`))
      .map(({ route }) => route.split(' ')[0] ?? '');
  const allow = (path: string) =>
    methodsOf(path)
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .sort();
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.api.close());

  const send = <Body>(method: string, path: string, body?: unknown) =>
    world.api.client(world.token, { version }).request<Body>(method, path, { body });
  const allowed = (headers: Headers) => headers.get('allow')?.split(', ').sort() ?? null;

  async function expectShape(route: string, row: Row): Promise<void> {
    const { path, body } = row.call(world, version);
    const answer = await send<Record<string, unknown>>(route.split(' ')[0] ?? '', path, body);
    expect([answer.status, answer.headers.get('x-api-version')], answer.text).toEqual([200, version]);
    const shown = row.isList === true ? expectEnvelope(answer.body as unknown as List) : answer.body;
    const fields = typeof row.fields === 'function' ? row.fields(version) : row.fields;
    expect(shown?.object ?? null).toBe(row.object);
    const expected = [...fields.split(' '), ...(row.object === null ? [] : ['object'])];
    expect(Object.keys(shown ?? {}).sort()).toEqual(expected.sort());
  }

  function expectEnvelope(list: List): Record<string, unknown> | undefined {
    const inPages = version === '2025-12-01.chucky' ? [] : ['has_more', 'next_page'];
    expect(Object.keys(list)).toEqual(['object', 'items', ...inPages]);
    expect(list.object).toBe('list');
    expect(list.items.length).toBeGreaterThan(0);
    return list.items[0];
  }

  describe(`${version}: routes that it has`, () => {
    const there = rows.filter(({ state }) => state === 'y');
    /* What is read by lists is written first. */
    const writing = (route: string) => (route.startsWith('POST') ? 0 : 1);
    const ordered = there.toSorted((one, other) => writing(one.route) - writing(other.route));
    test.each(ordered)('$route', ({ route, row }) => expectShape(route, row));
  });

  describe(`${version}: routes that it does not have`, () => {
    const missing = rows.filter(({ state }) => state !== 'y');
    test.each(missing)('$route is $state', async ({ route, row, state }) => {
      const [method = '', path = ''] = route.split(' ');
      const answer = await send<ErrorBody>(
        method,
        path.replace('{id}', 'any'),
        method === 'GET' ? undefined : {},
      );
      const message =
        state === 'X'
          ? `${route} was removed in API version ${row.since}.${row.instead ? ` Use ${row.instead}.` : ''}`
          : `${route} is available from API version ${row.since}. This request used ${version}.`;
      const status = state === 'M' ? 405 : 404;
      const code = state === 'M' ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND';
      expect([answer.status, answer.body.code, answer.body.message]).toEqual([status, code, message]);
      expect(answer.headers.get('x-api-version')).toBe(version);
      expect(allowed(answer.headers)).toEqual(state === 'M' ? allow(path) : null);
      const hint = version === CURIE && state !== 'X';
      const errors = [{ code: 'upgrade_api_version', field: '', message }];
      expect(answer.body.errors).toEqual(hint ? errors : undefined);
    });

    test('an unknown path is 404, an unknown method 405 with the methods of this version', async () => {
      const plain = (answer: { status: number; body: ErrorBody }) => [answer.status, answer.body.message];
      for (const path of ['/nowhere', '/customers/any/plans', '/admin', '/auth-clients']) {
        expect(plain(await send<ErrorBody>('GET', path))).toEqual([404, 'Resource not found']);
      }
      const paths = new Set(rows.map(({ route }) => route.split(' ')[1] ?? ''));
      for (const path of paths) {
        const answer = await send<ErrorBody>('DELETE', path.replace('{id}', 'any'));
        const methods = allow(path);
        expect([path, ...plain(answer)]).toEqual(
          methods.length === 0 ? [path, 404, 'Resource not found'] : [path, 405, 'Method not allowed'],
        );
        expect(allowed(answer.headers)).toEqual(methods.length === 0 ? null : methods);
        expect(answer.body.errors).toBeUndefined();
      }
    });

    test('the table names every route of the interface and no other', () => {
      expect(Object.keys(matrix).sort()).toEqual(apiRoutes(world.api.deps).map(routeName).sort());
      for (const { available } of Object.values(matrix)) expect(available).toMatch(/^[yNMX]{5}$/);
      expect(isFromCurie(CURIE)).toBe(true);
    });
  });
}
