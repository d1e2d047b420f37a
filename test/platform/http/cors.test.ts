import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from '../../setup/api.ts';

const ORIGIN = 'https://app.example.org';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ environment: { CORS_ORIGINS: `${ORIGIN}, https://other.example.org` } });
});
afterAll(() => api.close());

const preflight = (path: string, origin: string, base = api.baseUrl) =>
  fetch(`${base}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization, content-type, x-api-version',
    },
  });

describe('calls from pages of other origins', () => {
  test('a preflight of a configured origin is 204 before any check, also without a token', async () => {
    for (const path of ['/assets', '/assets/ast_1', '/oauth/token', '/no-such-path']) {
      const answer = await preflight(path, ORIGIN);
      expect([path, answer.status]).toEqual([path, 204]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH');
      expect(answer.headers.get('access-control-allow-headers')).toContain('authorization');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  test('answers, errors included, can be read with the headers that clients need', async () => {
    const answer = await fetch(`${api.baseUrl}/assets`, { headers: { origin: ORIGIN } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('origin');
  });

  test('every header that the description names can be read', async () => {
    const answer = await fetch(`${api.baseUrl}/openapi.2026-09-08.gauss.json`, {
      headers: { origin: ORIGIN },
    });
    const readable = (answer.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
    const { paths, components } = (await answer.json()) as {
      paths: object;
      components: { responses: object };
    };
    const named = new Set<string>();
    JSON.stringify([paths, components.responses], (key, value) => {
      if (key === 'headers') for (const name of Object.keys(value)) named.add(name.toLowerCase());
      return value;
    });
    expect(named).toContain('x-request-id');
    /* A browser shows the first to every page, and follows the second by itself. */
    for (const name of ['cache-control', 'location']) named.delete(name);
    expect([...named].filter((name) => !readable.includes(name))).toEqual([]);
  });

  test('another origin is not let in', async () => {
    for (const origin of ['https://evil.example.org', `${ORIGIN}.evil.org`, 'null']) {
      expect((await preflight('/assets', origin)).headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('pages on which people sign in are closed to other origins, however their path is typed', async () => {
    const pages = [
      '/auth/login',
      '/auth/consent',
      '/auth/none',
      '/oauth/authorize',
      '/portal/overview',
      '/portal/none',
    ];
    for (const page of pages) {
      const last = page.at(-1) ?? '';
      const typed = `${page.slice(0, -1)}%${last.charCodeAt(0).toString(16)}`;
      for (const path of [page, typed, `${typed}?a=b`]) {
        const answers = [
          await fetch(`${api.baseUrl}${path}`, { headers: { origin: ORIGIN }, redirect: 'manual' }),
          await preflight(path, ORIGIN),
        ];
        for (const answer of answers) {
          expect([path, answer.headers.get('access-control-allow-origin')]).toEqual([path, null]);
        }
      }
    }
    const typed = await fetch(`${api.baseUrl}/%61ssets`, { headers: { origin: ORIGIN } });
    expect(typed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });

  test('every public answer that an origin may read says that it depends on the origin', async () => {
    const paths = [
      '/',
      '/prices',
      '/prices/curve.json',
      '/docs/data-sources',
      '/changelog',
      '/docs/errors/NOT_FOUND',
    ];
    const page = await (await fetch(`${api.baseUrl}/prices`)).text();
    const files = [...page.matchAll(/"(\/prices\/files\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files.length).toBeGreaterThan(1);
    for (const path of [...paths, ...files, '/spot-prices', '/health', '/.well-known/jwks.json']) {
      const answer = await fetch(`${api.baseUrl}${path}`, { headers: { origin: ORIGIN } });
      expect([path, answer.headers.get('access-control-allow-origin')]).toEqual([path, ORIGIN]);
      expect([path, answer.headers.get('vary')?.toLowerCase()]).toEqual([
        path,
        expect.stringContaining('origin'),
      ]);
    }
  });

  test('without configured origins there is no cross-origin access at all', async () => {
    const closed = await startApi();
    try {
      const answer = await preflight('/assets', ORIGIN, closed.baseUrl);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    } finally {
      await closed.close();
    }
  });
});
