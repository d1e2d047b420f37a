import type { z } from 'zod';
import { csvLine } from '../csv/csv.ts';
import type { Contract } from '../interface/contract.ts';
import { type FilterField, type FilterOperator, operatorsOf } from '../interface/filters.ts';
import type { ApiRoute, CsvForm } from '../interface/route.ts';
import { meaningOf } from '../rule-codes.ts';
import { ANSWER_HEADERS, KEPT_HEADERS } from './parts.ts';
import type { SchemaComponents } from './schemas.ts';

type Json = Record<string, unknown>;

/** What a list shows beside its items in the version that is described. */
export interface ListEnvelope {
  properties: Json;
  /** Lists of versions without pages take no `limit` and no `cursor`. */
  hasPages: boolean;
  /** Whether failures list their problems with a code each. */
  namesProblems: boolean;
}

/** What readers see instead of values that a program made up from the schemas. */
export interface OperationExample {
  body?: Json;
  response: Json;
}

/** One route as one version has it. */
export function operationOf(
  contract: Contract,
  components: SchemaComponents,
  envelope: ListEnvelope,
  { security, example }: { security: Json[]; example: OperationExample | undefined },
): Json {
  const { route } = contract;
  const description = descriptionOf(route, envelope);
  return {
    operationId: operationIdOf(route),
    tags: [route.tag],
    summary: route.summary,
    ...(description === undefined ? {} : { description }),
    security,
    parameters: parametersOf(contract, components, envelope),
    ...(contract.body === undefined
      ? {}
      : {
          requestBody: {
            /* A missing body counts as {}. */
            required: !contract.body.safeParse({}).success,
            content: {
              'application/json': {
                schema: components.request(contract.body),
                ...(example?.body !== undefined && { example: example.body }),
              },
            },
          },
        }),
    responses: {
      ...(route.redirectsTo === undefined
        ? { '200': successOf(contract, components, envelope, example) }
        : { '302': redirectOf(route.redirectsTo) }),
      ...(route.prepared === true && { '304': NOT_MODIFIED }),
      ...Object.fromEntries(
        failureStatusesOf(contract).map((status) => [
          String(status),
          { $ref: `#/components/responses/${status}` },
        ]),
      ),
    },
  };
}

/** Facts for a caller, and the rules by which a call is refused: each in the words of the place that declares it. */
function descriptionOf({ description, refusals = [] }: ApiRoute, envelope: ListEnvelope): string | undefined {
  if (refusals.length === 0 || !envelope.namesProblems) return description;
  const lines = refusals.map((code) => `- \`${code}\`: ${meaningOf(code)}.`);
  return [description, `Refused by rule, with these codes in \`errors\`:\n\n${lines.join('\n')}`]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

const NOT_MODIFIED: Json = { description: 'The caller has it already; no body.', headers: KEPT_HEADERS };

function redirectOf(description: string): Json {
  const location = { description, schema: { type: 'string', format: 'uri' } };
  return { description: 'Success; no body.', headers: { ...ANSWER_HEADERS, Location: location } };
}

/** `POST /assets/{id}/decommission` becomes `postAssetsIdDecommission`: stable, and unique because routes are. */
function operationIdOf(route: ApiRoute): string {
  const words = route.path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return (
    route.method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  );
}

function failureStatusesOf({ route, query, body }: Contract): number[] {
  const hasBody = body !== undefined;
  const statuses = [400, 401, 402, 403, 429, 500, 503];
  if (route.path.includes('{') || hasBody) statuses.push(404);
  if (hasBody) statuses.push(408, 409, 413, 415);
  if (hasBody || query !== undefined) statuses.push(422);
  return statuses.sort((a, b) => a - b);
}

function successOf(
  contract: Contract,
  components: SchemaComponents,
  envelope: ListEnvelope,
  example: OperationExample | undefined,
): Json {
  const item = components.response(contract.response);
  const { idempotent, prepared, answerHeaders = {} } = contract.route;
  const headers = {
    ...(prepared === true ? KEPT_HEADERS : ANSWER_HEADERS),
    ...(idempotent === true && { 'Idempotent-Replayed': { $ref: '#/components/headers/replayed' } }),
    ...(contract.csv !== undefined && { 'Content-Disposition': DISPOSITION }),
    ...Object.fromEntries(
      Object.entries(answerHeaders).map(([name, description]) => [
        name,
        { description, schema: { type: 'string' } },
      ]),
    ),
  };
  const schema =
    contract.route.list === undefined
      ? item
      : {
          type: 'object',
          required: [...Object.keys(envelope.properties), 'items'],
          properties: {
            ...envelope.properties,
            items: { type: 'array', description: 'The entries, newest first.', items: item },
          },
        };
  const media = { schema, ...(example !== undefined && { example: example.response }) };
  const content = {
    'application/json': media,
    ...(contract.csv !== undefined && { 'text/csv': tableOf(contract.csv) }),
  };
  return { description: 'Success.', headers, content };
}

const DISPOSITION: Json = {
  description: 'Of CSV only: that it is a file, and its name.',
  schema: { type: 'string' },
};

function tableOf({ description, columns, example }: CsvForm): Json {
  const lines = [columns.join(','), ...example];
  return { schema: { type: 'string', description }, example: lines.map(csvLine).join('') };
}

function parametersOf(contract: Contract, components: SchemaComponents, envelope: ListEnvelope): Json[] {
  const { route, query } = contract;
  const inPath = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: 'Id of the resource.',
    schema: { type: 'string' },
  }));
  const reference = (name: string) => ({ $ref: `#/components/parameters/${name}` });
  return [
    ...inPath,
    ...(query === undefined ? [] : queryParameters(query, components)),
    ...(route.list !== undefined && envelope.hasPages ? [reference('limit'), reference('cursor')] : []),
    ...Object.entries(contract.filters ?? {}).flatMap(([name, field]) => filterParameters(name, field)),
    reference('version'),
    ...(route.prepared === true ? [reference('ifNoneMatch')] : []),
    ...(route.idempotent === true ? [reference('idempotencyKey')] : []),
  ];
}

function queryParameters(query: z.ZodType, components: SchemaComponents): Json[] {
  const { properties = {}, required = [] } = components.request(query) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function filterParameters(name: string, field: FilterField): Json[] {
  return operatorsOf(field).map((operator) => ({
    name: `filter[${name}][${operator}]`,
    in: 'query',
    description: OPERATOR_DESCRIPTIONS[operator],
    schema: filterSchema(field, operator),
  }));
}

const OPERATOR_DESCRIPTIONS: Readonly<Record<FilterOperator, string>> = {
  eq: 'Equal to the value.',
  ne: 'Different from the value; null does not match.',
  in: 'Equal to one of up to 100 values, separated by commas.',
  is_null: '`true`: without a value; `false`: with one.',
  gt: 'Greater than the value.',
  gte: 'The value or greater; dates: at that instant or later.',
  lt: 'Less than the value.',
  lte: 'The value or less; dates: at that instant or earlier.',
  contains: 'Contains the text, case ignored.',
  starts_with: 'Begins with the text, case ignored.',
  ends_with: 'Ends with the text, case ignored.',
};

function filterSchema(field: FilterField, operator: FilterOperator): Json {
  if (operator === 'is_null') return { type: 'boolean' };
  if (operator === 'in') return { type: 'string' };
  if (field.type === 'date') return { type: 'string', format: 'date-time' };
  if (field.type === 'enum') return { type: 'string', enum: [...(field.values ?? [])] };
  if (field.type === 'number' || field.type === 'boolean') return { type: field.type };
  return { type: 'string', maxLength: 255 };
}
