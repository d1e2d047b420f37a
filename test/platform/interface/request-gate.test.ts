import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LATEST_STABLE_VERSION, VERSION_NAMES } from '../../../src/config/versions.ts';
import { setStanding } from '../../../src/identity/organizations/service.ts';
import { actAt } from '../../identity/oauth/token-requests.ts';
import { startApi, type TestApi } from '../../setup/api.ts';
import { createClient, createTenant, tokenFor } from '../../setup/factories.ts';

const GAUSS = '2026-09-08.gauss';
const CURIE = '2026-05-27.curie';
const EDISON = '2026-01-29.edison';

let api: TestApi;
let token: string;
let organization: string;

beforeAll(async () => {
  api = await startApi();
  ({ token, organization } = await createTenant(api));
});
afterAll(() => api.close());

const anonymous = () => api.client(null);
const raw = (version: string | null = null) => api.client(token, { version });

describe('the order of checks', () => {
  test('without a token an unknown path is 401, not 404', async () => {
    const answer = await anonymous().get('/no-such-path');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.body.code).toBe('UNAUTHORIZED');
  });

  test('a refused token names the error in its challenge', async () => {
    const answer = await api.client('not.a.token').get('/assets');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  });

  test('past due is answered 402 before version, path and scope; public routes go on', async () => {
    const late = await createTenant(api);
    await setStanding(api.deps.database, late.organization, 'past_due', actAt(api.deps));
    const client = api.client(late.token, { version: 'nonsense' });
    const answer = await client.get('/no-such-path');
    expect(answer.status).toBe(402);
    expect(answer.body.message).toBe("Your organization's account is past due");
    expect((await anonymous().get('/livez')).text).toBe('OK');
    expect(await tokenFor(api, late.client)).toMatch(/^ey/);
  });

  test('a 402 speaks the version of the request: that of the header, else the pinned one', async () => {
    const late = await createTenant(api);
    const pinned = await createClient(api.deps, late.organization, { version: EDISON });
    await setStanding(api.deps.database, late.organization, 'past_due', actAt(api.deps));
    const theirs = await tokenFor(api, pinned);
    const versionOf = async (version: string | null) => {
      const { status, headers } = await api.client(theirs, { version }).get('/plans');
      return [status, headers.get('x-api-version')];
    };
    expect(await versionOf(null)).toEqual([402, EDISON]);
    expect(await versionOf(GAUSS)).toEqual([402, GAUSS]);
    expect(await versionOf('nonsense')).toEqual([402, LATEST_STABLE_VERSION]);
  });

  test('an unknown version is refused before the path is looked at', async () => {
    const answer = await raw('2026-09-08.gaus').get('/no-such-path');
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-api-version')).toBe(LATEST_STABLE_VERSION);
    expect(answer.body.errors).toEqual([
      {
        code: 'invalid_value',
        field: 'X-API-Version',
        message: `Unknown version. Valid values: ${VERSION_NAMES.join(', ')}`,
      },
    ]);
    expect(answer.body.message).toBe(
      `invalid_value in 'X-API-Version': Unknown version. Valid values: ${VERSION_NAMES.join(', ')}`,
    );
  });

  test.each([
    ['empty', ''],
    ['other case', '2026-09-08.GAUSS'],
    ['without codename', '2026-09-08'],
    ['a list', `${CURIE}, ${GAUSS}`],
    ['10 kB', 'x'.repeat(10_000)],
  ])('B99 X-API-Version %s: 400 naming the header and the valid values', async (_name, value) => {
    const answer = await raw().get('/households', { headers: { 'x-api-version': value } });
    expect(answer.status).toBe(400);
    expect((answer.body.errors as { field: string }[])[0]?.field).toBe('X-API-Version');
  });

  test('a read-only key is refused on a write before its body is read', async () => {
    const client = await createClient(api.deps, organization, { read_only: true });
    const readOnly = api.client(await tokenFor(api, client));
    const answer = await readOnly.request('POST', '/assets', { body: '{ not json' });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
    expect(answer.body).toMatchObject({
      message: 'You are not allowed to access this resource',
      errors: [
        {
          ...{ code: 'custom', field: 'Authorization' },
          message: 'Needs the scope write:*, the token has read:*',
        },
      ],
    });
    expect((await readOnly.get('/assets')).status).toBe(200);
  });
});

describe('versions of a request', () => {
  test('without a header the version pinned in the token is used and echoed', async () => {
    const pinned = await createClient(api.deps, organization, { version: EDISON });
    const answer = await api.client(await tokenFor(api, pinned), { version: null }).get('/no-such-path');
    expect(answer.headers.get('x-api-version')).toBe(EDISON);
    expect(answer.body).not.toHaveProperty('errors');
  });

  test('a new client is pinned to the latest stable version, never to the preview', async () => {
    const answer = await raw().get('/no-such-path');
    expect(answer.headers.get('x-api-version')).toBe(CURIE);
    await expect(createClient(api.deps, organization, { version: GAUSS as typeof CURIE })).rejects.toThrow();
  });

  test('a 401 speaks the version that was asked for, where it is known', async () => {
    expect((await api.client(null, { version: EDISON }).get('/x')).headers.get('x-api-version')).toBe(EDISON);
    expect((await api.client(null, { version: 'x' }).get('/x')).headers.get('x-api-version')).toBe(CURIE);
  });

  test('a route of a later version says so with placeholders, on curie with an entry', async () => {
    const message = `GET /assets/{id} is available from API version ${GAUSS}. This request used ${CURIE}.`;
    const curie = await raw(CURIE).get('/assets/ast_000000000000000000000000');
    expect(curie.status).toBe(404);
    expect(curie.body.message).toBe(message);
    expect(curie.body.errors).toEqual([{ code: 'upgrade_api_version', field: '', message }]);
    const edison = await raw(EDISON).get('/assets/ast_000000000000000000000000');
    expect(edison.status).toBe(404);
    expect(edison.body.message).toBe(message.replace(CURIE, EDISON));
    expect(edison.body).not.toHaveProperty('errors');
  });
});

describe('paths and methods', () => {
  test('an unknown path is 404, and says that there is no such route', async () => {
    const answer = await raw(GAUSS).get('/no-such-path');
    expect(answer.status).toBe(404);
    expect(answer.body.message).toBe('Resource not found');
    expect(answer.body.errors).toEqual([
      { code: 'custom', field: '', message: 'No such route: GET /no-such-path' },
    ]);
    const edison = await raw(EDISON).get('/no-such-path');
    expect([edison.status, edison.body.message, edison.body.errors]).toEqual([
      404,
      'Resource not found',
      undefined,
    ]);
  });

  test.each([
    ['GET', '/asset-snapshot', 'GET /asset-snapshots'],
    ['POST', '/asset_snapshots', 'POST /asset-snapshots'],
    ['GET', '/v1/plans?limit=1', 'GET /plans'],
    ['GET', '/Customers', 'GET /customers'],
    ['GET', '/asset/ast_000000000000000000000000', 'GET /assets/{id}'],
    ['POST', '/plans/pln_000000000000000000000000/quotes', 'POST /plans/{id}/quote'],
  ])('%s %s is told the nearest route of its version', async (method, path, nearest) => {
    const answer = await raw(GAUSS).request(method, path);
    const [entry] = answer.body.errors as { message: string }[];
    expect([answer.status, entry?.message.split('. ')[1]]).toEqual([404, `The nearest is ${nearest}`]);
  });

  test('the nearest route is one that the version has, and a long path is compared with none', async () => {
    const curie = await raw(CURIE).get('/asset');
    expect(JSON.stringify(curie.body.errors)).not.toContain('/assets');
    const long = await raw(GAUSS).get(`/assets${'x'.repeat(10_000)}`);
    const [entry] = long.body.errors as { message: string }[];
    expect([long.status, entry?.message.length]).toEqual([404, 'No such route: GET '.length + 100]);
  });

  test.each([
    ['PUT', '/assets', 'GET, HEAD, POST'],
    ['DELETE', '/assets/ast_000000000000000000000000', 'GET, HEAD, PATCH'],
    ['POST', '/households', 'GET, HEAD'],
    ['GET', '/assets/ast_000000000000000000000000/decommission', 'POST'],
    ['OPTIONS', '/assets', 'GET, HEAD, POST'],
  ])('B88 %s %s: 405 with Allow', async (method, path, allow) => {
    const answer = await raw(GAUSS).request(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allow.split(', ').sort());
    expect(answer.body.message).toBe('Method not allowed');
  });

  test('an unknown method on a path of a later version is 404: the path is not there yet', async () => {
    expect((await raw(CURIE).request('PUT', '/assets')).status).toBe(404);
  });

  test.each(['//assets', '/assets/', '/Assets', '/assets;a=b'])(
    'B92 %s is another path: 404',
    async (path) => {
      expect((await raw(GAUSS).get(path)).status).toBe(404);
      expect((await anonymous().get(path)).status).toBe(401);
    },
  );

  test('B92 a percent-encoded letter is the same path', async () => {
    expect((await raw(GAUSS).get('/%61ssets')).status).toBe(200);
    expect((await raw(GAUSS).request('PUT', '/%61ssets')).status).toBe(405);
  });

  test('HEAD is answered like GET without a body', async () => {
    const answer = await raw(GAUSS).request('HEAD', '/assets');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
  });

  test('B93 headers of proxies and overrides change nothing', async () => {
    const headers = {
      'x-http-method-override': 'DELETE',
      'x-original-url': '/households',
      'x-forwarded-host': 'evil.example',
      'x-request-id': 'mine',
    };
    const answer = await raw(GAUSS).get('/assets', { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-request-id')).not.toBe('mine');
  });
});

describe('every answer', () => {
  test('carries request id, version, no-store and nosniff, and a new id each time', async () => {
    const ids = new Set<string>();
    for (const path of ['/assets', '/no-such-path', '/livez']) {
      const answer = await raw(GAUSS).get(path);
      ids.add(answer.headers.get('x-request-id') ?? '');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('x-api-version')).toBeTruthy();
    }
    expect(ids.size).toBe(3);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('an error is the envelope: code, message, requestId equal to the header, docs', async () => {
    const answer = await raw(GAUSS).get(`/assets/${randomUUID()}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      code: 'NOT_FOUND',
      message: 'Resource not found',
      requestId: answer.headers.get('x-request-id'),
      docs: `${api.baseUrl}/docs/errors/NOT_FOUND`,
    });
    expect((await fetch(String(answer.body.docs))).status).toBe(200);
  });

  test('query problems come in the order in which the parameters were sent', async () => {
    const answer = await raw(GAUSS).get('/assets?filter[x][eq]=1&limit=0&cursor=%zz&filter[household][gt]=1');
    expect(answer.status).toBe(400);
    expect((answer.body.errors as { field: string }[]).map((entry) => entry.field)).toEqual([
      'filter[x][eq]',
      'limit',
      'cursor',
      'filter[household][gt]',
    ]);
  });
});

describe('cross-origin access', () => {
  test('is off unless origins are configured', async () => {
    const answer = await anonymous().request('OPTIONS', '/assets', {
      headers: { origin: 'https://app.example' },
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('T34 a preflight from a configured origin is 204 before any check, from another one it has no CORS headers', async () => {
    const open = await startApi({ environment: { CORS_ORIGINS: 'https://app.example' } });
    try {
      const preflight = (origin: string) =>
        open.client(null).request('OPTIONS', '/assets', {
          headers: { origin, 'access-control-request-method': 'POST' },
        });
      const allowed = await preflight('https://app.example');
      expect(allowed.status).toBe(204);
      expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
      const other = await preflight('https://evil.example');
      expect(other.headers.get('access-control-allow-origin')).not.toBe('https://evil.example');
    } finally {
      await open.close();
    }
  });
});
