import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { VERSIONS, type VersionName } from '../../../src/config/versions.ts';
import { accessDescription } from '../../../src/identity/oauth/description.ts';
import { listRoute, route } from '../../../src/platform/interface/route.ts';
import type { VersionChange } from '../../../src/platform/interface/version-change.ts';
import { createVersionEngine } from '../../../src/platform/interface/versioning.ts';
import { wireSchemas } from '../../../src/platform/interface/wire-schemas.ts';
import { openApiDocument } from '../../../src/platform/openapi/openapi.ts';
import { nodeEnvironment } from '../../setup/node-environment.ts';

const part = z.strictObject({ power_kw: wireSchemas.number({ min: 0, max: 1000 }) }).meta({ id: 'Part' });
const thing = z
  .object({
    object: z.literal('thing'),
    id: z.string(),
    created_at: z.string().meta({ format: 'date-time', description: 'When it was made.' }),
    note: z.string().nullable(),
  })
  .meta({ id: 'Thing' });

const versions = createVersionEngine(
  VERSIONS,
  [
    {
      version: '2026-05-27.curie',
      summary: 'Things come, lists have pages, errors list their problems',
      before: '',
      after: '',
      added: ['POST /things'],
      appliesTo: 'lists',
      envelope: ({ has_more: _more, next_page: _page, ...older }) => older,
    },
    {
      version: '2026-05-27.curie',
      summary: 'Errors list their problems',
      before: '',
      after: '',
      appliesTo: 'all',
      error: ({ errors: _errors, ...older }) => older,
    },
  ] satisfies VersionChange[],
  [
    listRoute({
      path: '/things',
      summary: 'List things',
      tag: 'Things',
      customerTokens: 'own',
      response: thing,
      list: { filters: { note: { type: 'string', operators: ['eq', 'in'] }, created_at: { type: 'date' } } },
      handler: async () => ({ items: [], next_page: null }),
    }),
    route({
      method: 'POST',
      path: '/things',
      summary: 'Create a thing',
      description: 'With its parts.',
      tag: 'Things',
      customerTokens: 'no',
      idempotent: true,
      body: z.object({
        name: wireSchemas.name({ max: 100 }),
        at: wireSchemas.instant(),
        parts: z.array(part),
      }),
      response: thing.extend({ parts: z.array(part) }),
      handler: async () => {
        throw new Error('not called');
      },
    }),
    route({
      method: 'GET',
      path: '/things/{id}',
      summary: 'One thing',
      tag: 'Things',
      customerTokens: 'own',
      query: z.object({ unit: z.enum(['kw', 'w']).optional().describe('Unit of powers.') }),
      response: thing,
      handler: async () => {
        throw new Error('not called');
      },
    }),
  ],
);

// biome-ignore lint/suspicious/noExplicitAny: a document is read at many places
const documentOf = (version: VersionName): any =>
  openApiDocument(version, {
    access: accessDescription,
    webhooks: [],
    config: { BASE_URL: 'https://api.voltstream.test', docsBase: 'https://api.voltstream.test/docs' },
    versions,
  });

describe('the description of an API version', () => {
  const newest = documentOf('2026-09-08.gauss');
  const oldest = documentOf('2025-12-01.chucky');

  test.each(['2026-09-08.gauss', '2025-12-01.chucky'] as const)(
    '%s lints clean by the strict rules',
    async (version) => {
      const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
      const file = join(folder, 'document.json');
      await writeFile(file, JSON.stringify(documentOf(version)));
      const cli = 'node_modules/@redocly/cli/bin/cli.js';
      const environment = {
        ...nodeEnvironment(),
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      };
      await promisify(execFile)(process.execPath, [cli, 'lint', file, '--extends', 'recommended-strict'], {
        env: environment,
      });
      await rm(folder, { recursive: true });
    },
  );

  test('names every route of the version, with the scope that its method needs', () => {
    expect(Object.keys(newest.paths['/things'])).toEqual(['get', 'post']);
    expect(newest.paths['/things'].get.security).toEqual([{ oauth2: ['read:*'] }]);
    expect(newest.paths['/things'].post.security).toEqual([{ oauth2: ['write:*'] }]);
    expect(Object.keys(oldest.paths['/things'])).toEqual(['get']);
    expect(newest.paths['/things/{id}'].get.operationId).toBe('getThingsId');
  });

  test('shows envelopes as the version has them', () => {
    const list = (document: typeof newest) =>
      document.paths['/things'].get.responses['200'].content['application/json'].schema;
    expect(Object.keys(list(newest).properties)).toEqual(['object', 'has_more', 'next_page', 'items']);
    expect(Object.keys(list(oldest).properties)).toEqual(['object', 'items']);
    expect(newest.components.schemas.Error.properties).toHaveProperty('errors');
    expect(oldest.components.schemas.Error.properties).not.toHaveProperty('errors');
  });

  test('lists the parameters: page, each filter with each operator, query, version, idempotency key', () => {
    const names = (operation: { parameters: { name?: string; $ref?: string }[] }) =>
      operation.parameters.map((parameter) => parameter.name ?? parameter.$ref?.split('/').pop());
    expect(names(newest.paths['/things'].get)).toEqual([
      'limit',
      'cursor',
      'filter[note][eq]',
      'filter[note][in]',
      'filter[created_at][gte]',
      'filter[created_at][lte]',
      'filter[created_at][is_null]',
      'version',
    ]);
    expect(names(oldest.paths['/things'].get)).not.toContain('limit');
    expect(names(newest.paths['/things'].post)).toEqual(['version', 'idempotencyKey']);
    expect(names(newest.paths['/things/{id}'].get)).toEqual(['id', 'unit', 'version']);
  });

  test('forbids unknown fields in requests only: answers may grow', () => {
    const { schemas } = newest.components;
    const request = newest.paths['/things'].post.requestBody.content['application/json'].schema;
    expect(request.properties.parts.items).toEqual({ $ref: '#/components/schemas/Part' });
    expect(schemas.Part.additionalProperties).toBe(false);
    expect(schemas.Thing).not.toHaveProperty('additionalProperties');
    expect(JSON.stringify(newest.paths['/things'].post.responses)).not.toContain('additionalProperties');
  });

  test('refers to nothing that is not there', () => {
    const text = JSON.stringify(newest);
    const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, kind = '', name = ''] of references) expect(newest.components[kind]).toHaveProperty(name);
    expect(text).not.toContain('$defs');
    expect(text).not.toContain('$schema');
  });
});
