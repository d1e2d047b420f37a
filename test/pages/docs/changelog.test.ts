import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { versionChanges } from '../../../src/api/versions/index.ts';
import { VERSION_NAMES } from '../../../src/config/versions.ts';
import { startApi, type TestApi } from '../../setup/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

interface Entry {
  version: string;
  route: string;
  summary: string;
  before: string;
  after: string;
}

async function changelog(accept: string | null) {
  const headers: Record<string, string> = accept === null ? {} : { accept };
  const answer = await fetch(`${api.baseUrl}/changelog`, { headers });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function entries(): Promise<Entry[]> {
  const { text } = await changelog('application/json');
  return (JSON.parse(text) as { items: Entry[] }).items;
}

describe('GET /changelog as JSON', () => {
  test('is a list of every change, without a token', async () => {
    const { status, headers, text } = await changelog('application/json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('vary')?.toLowerCase()).toContain('accept');
    const { items, ...envelope } = JSON.parse(text) as { items: Entry[] };
    expect(envelope).toEqual({ object: 'list', has_more: false, next_page: null });
    expect(items).toHaveLength(versionChanges.length);
    for (const item of items) {
      expect(Object.keys(item)).toEqual(['version', 'route', 'summary', 'before', 'after']);
      for (const text of Object.values(item)) expect(text).not.toBe('');
    }
  });

  test('shows the newest version first', async () => {
    const places = (await entries()).map(({ version }) =>
      VERSION_NAMES.indexOf(version as (typeof VERSION_NAMES)[number]),
    );
    expect(places).toEqual(places.toSorted((left, right) => right - left));
    expect(places[0]).toBe(VERSION_NAMES.length - 1);
  });

  test('names every route that came, went or changed', async () => {
    const all = await entries();
    const named = (version: string) =>
      all.filter((entry) => entry.version === version).flatMap(({ route }) => route.split(', '));
    for (const change of versionChanges) {
      const { appliesTo = [], added = [], removed = [] } = change;
      const routes = [
        ...(typeof appliesTo === 'string' || 'object' in appliesTo ? [] : appliesTo),
        ...added,
        ...removed.map(({ route }) => route),
      ];
      for (const route of routes) expect(named(change.version)).toContain(route);
    }
    const ofTopics = all.find(({ summary }) => summary.startsWith('Events of terminations'));
    expect(ofTopics?.route).toBe('GET /events, GET /events/{id}');
    const byObject = all.find(({ summary }) => summary === 'Customers show their tax number');
    expect(byObject?.route).toBe('GET /customers, GET /customers/{id}, GET /subscriptions/{id}');
    expect(named('2025-12-16.batman')).toContain('every list');
    expect(named('2026-05-27.curie')).toContain('every route');
  });
});

describe('GET /changelog as a page', () => {
  test.each([
    [null, 'text/html'],
    ['*/*', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['text/html, application/json;q=0.9', 'text/html'],
    ['application/json, text/html;q=0.5', 'application/json'],
    ['application/json, */*;q=0.1', 'application/json'],
    ['Application/JSON', 'application/json'],
  ])('Accept %j gets %s', async (accept, type) => {
    const { status, headers } = await changelog(accept);
    expect([status, headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
  });

  test('tells every change with before and after, newest version first, and is linked from the home page', async () => {
    const { text } = await changelog('text/html');
    const escaped = (words: string) =>
      words
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#39;');
    const plain = text.replaceAll(/<\/?code>/g, '');
    for (const { summary, before, after } of versionChanges) {
      expect(text).toContain(`<h3>${escaped(summary)}</h3>`);
      for (const words of [before, after]) expect(plain).toContain(escaped(words.replaceAll('`', '')));
    }
    const places = VERSION_NAMES.toReversed().map((version) => text.indexOf(`<h2 id="${version}">`));
    expect(places).toEqual(places.toSorted((left, right) => left - right));
    expect(places).not.toContain(-1);
    expect(await (await fetch(`${api.baseUrl}/`)).text()).toContain('<a href="/changelog">');
  });
});

test('docs/versions.md names every version, oldest first', async () => {
  const page = await readFile(new URL('../../../docs/versions.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\d{4}-\d\d-\d\d\.[a-z]+) \| (.+) \|$/gm)];
  expect(rows.map(([, version]) => version)).toEqual([...VERSION_NAMES]);
});
