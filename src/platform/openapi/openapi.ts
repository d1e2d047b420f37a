import type { FastifyInstance } from 'fastify';
import type { ServiceConfig } from '../../config/config.ts';
import { Failure } from '../errors.ts';
import type { Contract } from '../interface/contract.ts';
import { routeName } from '../interface/route.ts';
import type { VersionEngine } from '../interface/versioning.ts';
import type { VersionName } from '../version-name.ts';
import type { AccessDescription } from './access.ts';
import { type ListEnvelope, type OperationExample, operationOf } from './operation.ts';
import { ERROR, ERROR_ENTRY, HEADERS, LIST_PROPERTIES, parametersOf, responsesOf } from './parts.ts';
import { SchemaComponents } from './schemas.ts';
import { type WebhookDescription, webhooksOf } from './webhooks.ts';

type Json = Record<string, unknown>;

export interface DocumentOptions {
  config: Pick<ServiceConfig, 'BASE_URL' | 'docsBase'>;
  versions: VersionEngine;
  access: AccessDescription;
  /** What the service sends by itself. It has no version: all descriptions show the same. */
  webhooks: readonly WebhookDescription[];
  /** What is said of each tag. */
  tags?: Readonly<Record<string, string>>;
}

/** `GET /openapi.{version}.json`, made on the first call and kept: it changes with the program only. */
export function openApiRoutes(app: FastifyInstance, options: DocumentOptions): void {
  const texts = new Map<VersionName, string>();
  app.get<{ Params: { file: string } }>('/openapi.:file', async (request, reply) => {
    const fileName = /^(.+)\.json$/.exec(request.params.file)?.[1];
    const version = options.versions.list.names.find((name) => name === fileName);
    if (version === undefined) throw new Failure('NOT_FOUND');
    const text = texts.get(version) ?? JSON.stringify(openApiDocument(version, options));
    texts.set(version, text);
    return reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json; charset=utf-8')
      .send(text);
  });
}

/** The OpenAPI 3.1 description of one version, made of the schemas that validate its requests and answers. */
export function openApiDocument(version: VersionName, options: DocumentOptions): Json {
  const components = new SchemaComponents();
  const envelope = describeEnvelopes(version, options.versions, components);
  const contracts = options.versions.contracts(version);
  const paths = options.access.paths(components) as Record<string, Json>;
  for (const contract of contracts) {
    const { path, method } = contract.route;
    const shown = exampleOf(contract, version, options.versions);
    const security = options.access.securityOf(contract.route);
    const operation = operationOf(contract, components, envelope, { security, example: shown });
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  const webhooks = webhooksOf(options.webhooks, components);
  const tags = [
    options.access.tag,
    ...contracts.map(({ route }) => route.tag),
    ...options.webhooks.map(({ tag }) => tag),
  ];
  return {
    openapi: '3.1.1',
    info: {
      title: 'Voltstream',
      version,
      summary: 'Telemetry, day-ahead prices and the interface of an electricity supplier',
      description: descriptionOf(version, options),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.config.BASE_URL }],
    tags: [...new Set(tags)]
      .sort()
      .map((name) => ({ name, description: options.tags?.[name] ?? `Operations on ${name.toLowerCase()}.` })),
    paths,
    ...(options.webhooks.length > 0 && { webhooks }),
    components: {
      securitySchemes: namedSchemes(options.access.schemes(options.config.BASE_URL), paths),
      ...usedComponents(
        { paths, webhooks },
        {
          parameters: parametersOf(version, options.versions.list.names),
          headers: HEADERS,
          responses: responsesOf(),
          schemas: components.all(),
        },
      ),
    },
  };
}

/** The example as this version has it: rewritten backward as an answer of the service is. */
function exampleOf(
  { route, encoded }: Contract,
  version: VersionName,
  versions: VersionEngine,
): OperationExample | undefined {
  const newest = route.example;
  if (newest === undefined) return undefined;
  const object = versions.backward(routeName(route), version, encoded.parse(newest.response) as Json);
  const list = { object: 'list', items: [object], has_more: false, next_page: null };
  const response = route.list === undefined ? object : versions.backwardEnvelope(version, list);
  return { response, ...(newest.body !== undefined && { body: newest.body as Json }) };
}

/** The components that are referred to, directly or through others: versions differ in them. */
function usedComponents(described: Json, all: Record<string, Json>): Json {
  const used: Record<string, Json> = {};
  const waiting: unknown[] = [described];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const { $ref } = value as { $ref?: unknown };
    const [, kind = '', name = ''] = /^#\/components\/([a-z]+)\/(.+)$/i.exec(String($ref)) ?? [];
    const component = all[kind]?.[name];
    if (component !== undefined && used[kind]?.[name] === undefined) {
      used[kind] = { ...used[kind], [name]: component };
      waiting.push(component);
    }
    waiting.push(...Object.values(value));
  }
  return Object.fromEntries(
    Object.entries(used).map(([kind, members]) => [
      kind,
      Object.fromEntries(Object.entries(members).sort(([first], [second]) => (first < second ? -1 : 1))),
    ]),
  );
}

function namedSchemes(schemes: Json, paths: Record<string, Json>): Json {
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as { security: Json[] }[]);
  const named = new Set(
    operations.flatMap(({ security }) => security.flatMap((requirement) => Object.keys(requirement))),
  );
  return Object.fromEntries(Object.entries(schemes).filter(([name]) => named.has(name)));
}

function descriptionOf(version: VersionName, { config, versions }: DocumentOptions): string {
  const { preview, latestStable } = versions.list;
  const standing =
    version === preview
      ? 'Preview: it may still change and is reached only by sending its name in `X-API-Version`.'
      : version === latestStable
        ? 'The latest stable version.'
        : 'An older version, kept for clients that are pinned to it.';
  return `${standing} Guides and all error codes: ${config.docsBase}. Clients ignore response fields that they do not know.`;
}

/*
 * The version changes themselves tell the form of an envelope in this version: a full one goes through them, and the members
 * that come out are described.
 */
function describeEnvelopes(
  version: VersionName,
  versions: VersionEngine,
  components: SchemaComponents,
): ListEnvelope {
  const list = versions.backwardEnvelope(version, {
    object: 'list',
    items: [],
    has_more: false,
    next_page: null,
  });
  const error = versions.backwardError(null, version, {
    code: 'BAD_REQUEST',
    message: '',
    requestId: '',
    docs: '',
    errors: [{ code: 'custom', field: '', message: '' }],
  });
  components.add('ErrorEntry', ERROR_ENTRY);
  components.add('Error', { ...ERROR, properties: pick(ERROR.properties, Object.keys(error)) });
  return {
    properties: pick(LIST_PROPERTIES, Object.keys(list)),
    hasPages: 'next_page' in list,
    namesProblems: 'errors' in error,
  };
}

function pick(properties: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));
}
