import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { VERSIONS } from '../../../src/config/versions.ts';
import { listRoute, route } from '../../../src/platform/interface/route.ts';
import type { VersionChange } from '../../../src/platform/interface/version-change.ts';
import { createVersionEngine } from '../../../src/platform/interface/versioning.ts';

const response = z.object({ object: z.string(), total_cents: z.number() });

const things = route({
  method: 'GET',
  path: '/things/{id}',
  summary: 'A thing',
  tag: 'things',
  customerTokens: 'all',
  query: z.object({ unit: z.enum(['cents', 'euros']).optional() }),
  response,
  handler: async () => ({ object: 'thing', total_cents: 1 }),
});
const removedRoute = route({
  method: 'GET',
  path: '/old-things',
  summary: 'Removed later',
  tag: 'things',
  customerTokens: 'all',
  response,
  handler: async () => ({ object: 'thing', total_cents: 1 }),
});
const changed = route({
  method: 'POST',
  path: '/things/{id}',
  summary: 'Change a thing',
  tag: 'things',
  customerTokens: 'no',
  body: z.object({ total_cents: z.number() }),
  response,
  handler: async () => ({ object: 'thing', total_cents: 1 }),
});
const alwaysChanged = route({
  ...{ method: 'PATCH', path: '/things/{id}', summary: 'Change it', tag: 'things', customerTokens: 'no' },
  body: z.object({ total_cents: z.number() }),
  response,
  handler: async () => ({ object: 'thing', total_cents: 1 }),
});

const renamed: VersionChange = {
  version: '2026-01-29.edison',
  summary: 'total becomes amount_cents',
  before: 'total',
  after: 'amount_cents',
  appliesTo: ['GET /things/{id}', 'POST /things/{id}', 'PATCH /things/{id}'],
  schema: { body: () => z.object({ total: z.number() }) },
  request: ({ query, body }) => ({ query, body: { amount_cents: (body as { total: number }).total } }),
  response: ({ amount_cents, ...rest }) => ({ ...rest, total: amount_cents }),
};
const renamedAgain: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'amount_cents becomes total_cents',
  before: 'amount_cents',
  after: 'total_cents',
  appliesTo: ['GET /things/{id}', 'POST /things/{id}', 'PATCH /things/{id}'],
  added: ['POST /things/{id}'],
  removed: [{ route: 'GET /old-things', instead: 'GET /things/{id}' }],
  schema: { body: () => z.object({ amount_cents: z.number() }) },
  request: ({ query, body }) => ({
    query,
    body: { total_cents: (body as { amount_cents: number }).amount_cents },
  }),
  response: ({ total_cents, ...rest }) => ({ ...rest, amount_cents: total_cents }),
};
const withoutErrors: VersionChange = {
  version: '2026-05-27.curie',
  summary: 'errors',
  before: 'none',
  after: 'errors',
  appliesTo: 'all',
  error: ({ errors, ...older }) => older,
};

const engine = createVersionEngine(
  VERSIONS,
  [renamedAgain, renamed, withoutErrors],
  [things, removedRoute, changed, alwaysChanged],
);

describe('dated versions', () => {
  test('an answer goes backward newest change first', () => {
    const body = { object: 'thing', total_cents: 5 };
    expect(engine.backward('GET /things/{id}', '2026-09-08.gauss', body)).toEqual(body);
    expect(engine.backward('GET /things/{id}', '2026-01-29.edison', body)).toEqual({
      object: 'thing',
      amount_cents: 5,
    });
    expect(engine.backward('GET /things/{id}', '2025-12-01.chucky', body)).toEqual({
      object: 'thing',
      total: 5,
    });
  });

  test('a request goes forward oldest change first', () => {
    const forward = engine.forward('PATCH /things/{id}', '2025-12-16.batman', {
      query: {},
      body: { total: 7 },
    });
    expect(forward.body).toEqual({ total_cents: 7 });
  });

  test('each version validates by its own schema', () => {
    const body = engine.contract('POST /things/{id}', '2026-05-27.curie').body;
    expect(body?.safeParse({ total_cents: 1 }).success).toBe(true);
    expect(() => engine.contract('POST /things/{id}', '2026-01-29.edison')).toThrow('is not available');
  });

  test('a route that comes later names its first version, a removed one its end and its replacement', () => {
    expect(engine.availability('POST /things/{id}', '2026-01-29.edison')).toEqual({
      state: 'not_yet',
      since: '2026-05-27.curie',
    });
    expect(engine.availability('GET /old-things', '2026-01-29.edison')).toEqual({ state: 'available' });
    expect(engine.availability('GET /old-things', '2026-09-08.gauss')).toEqual({
      state: 'removed',
      since: '2026-05-27.curie',
      instead: 'GET /things/{id}',
    });
    expect(engine.contracts('2026-01-29.edison').map((contract) => contract.route.path)).toEqual([
      '/things/{id}',
      '/old-things',
      '/things/{id}',
    ]);
  });

  test('errors lose their entries before structured errors, on unknown paths too', () => {
    const envelope = {
      code: 'NOT_FOUND' as const,
      message: 'm',
      requestId: 'r',
      docs: 'd',
      errors: [{ code: 'custom' as const, field: '', message: 'm' }],
    };
    expect(engine.backwardError(null, '2026-01-29.edison', envelope)).not.toHaveProperty('errors');
    expect(engine.backwardError(null, '2026-05-27.curie', envelope)).toEqual(envelope);
  });

  test('each version filters a list by its own fields, and a filter goes forward oldest change first', () => {
    const list = listRoute({
      ...{ path: '/things', summary: 'Things', tag: 'things', customerTokens: 'all', response },
      list: { filters: { name: { type: 'string', operators: ['eq'] } } },
      handler: async () => ({ items: [], next_page: null }),
    });
    const change = (version: VersionChange['version'], members: Partial<VersionChange>): VersionChange => ({
      ...{ version, summary: 'filters', before: 'some', after: 'others', appliesTo: ['GET /things'] },
      ...members,
    });
    const filtered = createVersionEngine(
      VERSIONS,
      [
        change('2026-09-08.gauss', {
          schema: { filters: (newer) => ({ ...newer, name: { type: 'string' } }) },
        }),
        change('2026-05-27.curie', {
          schema: { filters: ({ name, ...others }) => ({ ...others, title: name ?? { type: 'string' } }) },
          filter: (filter) => (filter.field === 'title' ? { ...filter, field: 'name' } : filter),
        }),
      ],
      [list],
    );
    const fieldsOf = (version: VersionChange['version']) => filtered.contract('GET /things', version).filters;
    expect(fieldsOf('2026-09-08.gauss')).toEqual({ name: { type: 'string', operators: ['eq'] } });
    expect(fieldsOf('2026-05-27.curie')).toEqual({ name: { type: 'string' } });
    expect(fieldsOf('2026-01-29.edison')).toEqual({ title: { type: 'string' } });
    const sent = { field: 'title', operator: 'eq', value: 'x', type: 'string' } as const;
    const forward = (version: VersionChange['version']) =>
      filtered.contract('GET /things', version).forwardFilter(sent).field;
    expect([forward('2026-01-29.edison'), forward('2026-05-27.curie')]).toEqual(['name', 'title']);
  });

  test('what needs a change is refused before it, with the field and the version to use', () => {
    const withName = createVersionEngine(
      VERSIONS,
      [{ ...renamedAgain, name: 'feed-in' }],
      [things, removedRoute, changed, alwaysChanged],
    );
    expect(withName.require('feed-in', '2026-05-27.curie', 'plan')).toBeUndefined();
    const message = 'Feed-in needs API version 2026-05-27.curie or later';
    expect(() => withName.require('feed-in', '2026-01-29.edison', 'plan')).toThrow(
      expect.objectContaining({
        status: 400,
        entries: [{ code: 'upgrade_api_version', field: 'plan', message }],
      }),
    );
    expect(() => withName.require('feed-out', '2026-01-29.edison', 'plan')).toThrow('is called "feed-out"');
  });

  test('a change that names a route nobody serves stops the start', () => {
    const wrong: VersionChange = { ...renamed, appliesTo: ['GET /nowhere'] };
    expect(() => createVersionEngine(VERSIONS, [wrong], [things])).toThrow('GET /nowhere, which is no route');
  });
});
