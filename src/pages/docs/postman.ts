import type { DemoClient } from './demo-client.ts';

/*
 * What Postman imports: a collection of format 2.1, made of an API description. The converter that is kept by others would
 * bring 40 packages.
 */

const COLLECTION_SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
  examples?: Record<string, object>;
  schema?: { enum?: readonly unknown[]; example?: unknown };
}

export interface Operation {
  tags: readonly string[];
  summary: string;
  description?: string;
  parameters?: readonly (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

/** The members of a description that a collection is made of. */
export interface DescribedInterface {
  info: { title: string; version: string; description: string };
  servers: readonly { url: string }[];
  tags: readonly { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
}

/** `/plans/{id}/quote` is about `plans`. */
export const nounOf = (path: string) => path.split('/')[1] ?? '';

const text = (key: string, value: string) => ({ key, value, type: 'string' });

/** The token for all requests: Postman asks for it by itself. */
const AUTH = {
  type: 'oauth2',
  oauth2: [
    text('grant_type', 'client_credentials'),
    text('accessTokenUrl', '{{base_url}}/oauth/token'),
    text('clientId', '{{client_id}}'),
    text('clientSecret', '{{client_secret}}'),
    text('client_authentication', 'header'),
    text('addTokenTo', 'header'),
    text('tokenName', 'Voltstream'),
  ],
};

const CLIENT_AUTH = {
  type: 'basic',
  basic: [text('username', '{{client_id}}'), text('password', '{{client_secret}}')],
};

/**
 * One folder for each tag, one request for each operation, with the example of its body; on a demo with its client. What
 * several paths are about is a variable: `{{plan}}` in all that begin with `/plans/{id}`.
 */
export function postmanCollection(described: DescribedInterface, demo: DemoClient | null): object {
  const { info, servers, tags, paths } = described;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const folders = tags
    .map(({ name, description }) => ({
      name,
      description,
      item: operations
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ path, method, operation }) => itemOf(described, path, method, operation)),
    }))
    .filter(({ item }) => item.length > 0);
  return {
    info: {
      name: `${info.title} ${info.version}`,
      description: info.description,
      schema: COLLECTION_SCHEMA,
    },
    auth: AUTH,
    variable: [
      text('base_url', servers[0]?.url ?? ''),
      text('client_id', demo?.id ?? ''),
      text('client_secret', demo?.secret ?? ''),
      ...variablesOf(operations),
    ],
    item: folders,
  };
}

function variablesOf(operations: readonly { path: string; operation: Operation }[]) {
  const values = new Map<string, string>();
  for (const { path, operation } of operations)
    for (const parameter of operation.parameters ?? [])
      if ('in' in parameter && parameter.in === 'path')
        values.set(variableOf(path), String(parameter.example ?? ''));
  return [...values].toSorted().map(([key, value]) => text(key, value));
}

/** `grid_fee_reduction` for `/grid-fee-reductions/{id}`. */
const variableOf = (path: string) => nounOf(path).replace(/s$/, '').replaceAll('-', '_');

function itemOf({ components }: DescribedInterface, path: string, method: string, operation: Operation) {
  const { summary, description = summary, parameters = [] } = operation;
  const found = parameters.map((parameter) =>
    '$ref' in parameter ? components.parameters[parameter.$ref.split('/').at(-1) ?? ''] : parameter,
  ) as Parameter[];
  const body = bodyOf(operation);
  const request = {
    method: method.toUpperCase(),
    description,
    header: [
      ...(body?.mode === 'raw' ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      ...found.filter((parameter) => parameter.in === 'header').map(headerOf),
    ],
    url: urlOf(path, found),
    ...(body !== undefined && { body }),
    ...(body?.mode === 'urlencoded' && { auth: CLIENT_AUTH }),
  };
  return { name: summary, request, response: [] };
}

function urlOf(path: string, parameters: readonly Parameter[]) {
  const steps = path.slice(1).split('/');
  const shown = steps.map((step) => step.replace(/^\{(.*)\}$/, ':$1'));
  const of = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place);
  const query = of('query').map(({ name, required = false, description = '', example, schema }) => {
    const value = String(example ?? (required ? schema?.example : undefined) ?? '');
    return { key: name, value, description, ...(!required && value === '' && { disabled: true }) };
  });
  const sent = query
    .filter((parameter) => !('disabled' in parameter))
    .map(({ key, value }) => `${key}=${value}`);
  const variable = of('path').map(({ name, description = '' }) => ({
    ...{ key: name, value: `{{${variableOf(path)}}}`, description },
  }));
  return {
    raw: `{{base_url}}/${shown.join('/')}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
    host: ['{{base_url}}'],
    path: shown,
    ...(query.length > 0 && { query }),
    ...(variable.length > 0 && { variable }),
  };
}

/** A new key for each request is Postman's own variable. What needs a value that only the reader has is switched off. */
function headerOf({ name, example, description = '' }: Parameter) {
  const value = name === 'Idempotency-Key' ? '{{$guid}}' : String(example ?? '');
  return { key: name, value, description, ...(value === '' && { disabled: true }) };
}

function bodyOf({ requestBody }: Operation) {
  if (requestBody === undefined) return undefined;
  const form = requestBody.content['application/x-www-form-urlencoded'];
  if (form !== undefined) {
    const members = Object.entries(form.example ?? {}).map(([name, value]) => text(name, String(value)));
    return { mode: 'urlencoded', urlencoded: members } as const;
  }
  const raw = JSON.stringify(requestBody.content['application/json']?.example ?? {}, null, 2);
  return { mode: 'raw', raw, options: { raw: { language: 'json' } } } as const;
}
