import fc from 'fast-check';
import { VERSION_NAMES, type VersionName } from '../../src/config/versions.ts';
import { checkedInDescriptions } from '../rules/openapi-difference.ts';
import { idMarkers, marker } from './markers.ts';
import type { Path } from './slots.ts';

/* What the checked-in API descriptions say of every operation, and values drawn from their schemas. */

/** The keywords that the descriptions use. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

export type Schemas = Readonly<Record<string, Schema>>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}

interface Described {
  parameters?: readonly ({ $ref: string } | Parameter)[];
  requestBody?: { content: Readonly<Record<string, { schema: Schema; example?: unknown }>> };
  responses: Readonly<Record<string, object>>;
}

/** One operation of one version. */
export interface Operation {
  version: VersionName;
  method: string;
  /** With placeholders: `/assets/{id}`. */
  path: string;
  parameters: readonly Parameter[];
  body: { types: readonly string[]; schema: Schema; example: unknown } | undefined;
  /** Of the answers that are described. */
  statuses: readonly string[];
  schemas: Schemas;
}

interface Description {
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  components: { schemas: Schemas; parameters: Readonly<Record<string, Parameter>> };
}

export const descriptions = checkedInDescriptions() as unknown as ReadonlyMap<VersionName, Description>;

export const operations: readonly Operation[] = VERSION_NAMES.flatMap((version) => {
  const { paths, components } = descriptions.get(version) as Description;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]): Operation => {
      const [body] = Object.values(requestBody?.content ?? {});
      return {
        ...{ version, path, method: method.toUpperCase(), schemas: components.schemas },
        parameters: parameters.map((given) =>
          '$ref' in given ? (components.parameters[lastOf(given.$ref)] as Parameter) : given,
        ),
        body: body && {
          types: Object.keys(requestBody?.content ?? {}),
          example: body.example,
          schema: body.schema,
        },
        statuses: Object.keys(responses),
      };
    }),
  );
});

function lastOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** A schema without references and alternatives: itself, or each of those that it stands for. */
function shapesOf(schema: Schema, schemas: Schemas): readonly Schema[] {
  if (schema.$ref !== undefined) return shapesOf(schemas[lastOf(schema.$ref)] ?? {}, schemas);
  const alternatives = schema.anyOf ?? schema.oneOf;
  return alternatives === undefined
    ? [schema]
    : alternatives.flatMap((alternative) => shapesOf(alternative, schemas));
}

/** What may stand at a place inside of a value of this schema. */
export function schemasAt(schema: Schema, path: Path, schemas: Schemas): readonly Schema[] {
  const [key, ...below] = path;
  const shapes = shapesOf(schema, schemas);
  if (key === undefined) return shapes;
  return shapes.flatMap(({ properties, items }) => {
    const next = typeof key === 'number' ? items : properties?.[key];
    return next === undefined ? [] : schemasAt(next, below, schemas);
  });
}

/** Texts that some pattern of the descriptions asks for. */
const PATTERNED = [
  '20354',
  '10115',
  'Gänsemarkt',
  'Hamburg',
  '12a',
  'DE89370400440532013000',
  'k@example.org',
];
const DAYS = [
  '2026-11-30',
  '2026-12-01',
  '2027-01-01',
  '2026-03-29',
  '2026-10-25',
  '2028-02-29',
  '2000-01-05',
];
const INSTANTS = ['2026-12-01T11:00:00Z', '2026-11-30T23:59:59.999999+01:00', '2027-01-31T23:00:00Z'];

const words = fc.oneof(
  fc.constantFrom('person', 'active', 'customer_report', 'subscription.created', 'Voß', '1'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
);

/** Values that this schema accepts; ids are those of records by chance, best of the kind that the name says. */
export function validValues(schema: Schema, schemas: Schemas, name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const shapes = shapesOf(schema, schemas);
  if (shapes.length > 1 || shapes[0] !== schema)
    return fc.oneof(...shapes.map((shape) => validValues(shape, schemas, name)));
  const { properties = {}, required = [], items = {}, minItems = 0, maxItems = 3, type } = schema;
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(properties).map(([key, property]) => [key, validValues(property, schemas, key)]),
        ),
        { requiredKeys: [...required] },
      );
    case 'array':
      return fc.array(validValues(items, schemas, name), {
        ...{ minLength: minItems, maxLength: Math.min(maxItems, 3) },
      });
    case 'string':
      return validTexts(schema, name);
    case 'integer':
      return fc.integer({ min: Math.ceil(schema.minimum ?? 0), max: Math.floor(schema.maximum ?? 1_000) });
    case 'number':
      return fc.double({
        min: schema.minimum ?? schema.exclusiveMinimum ?? -1_000,
        max: Math.min(schema.maximum ?? schema.exclusiveMaximum ?? 1_000, 10_000),
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function validTexts({ format, pattern, minLength = 0, maxLength = 30 }: Schema, name: string) {
  if (name === 'cursor') return fc.nat(50).map((at) => marker('cursor', at));
  if (format === 'date') return fc.constantFrom(...DAYS);
  if (format === 'date-time') return fc.constantFrom(...INSTANTS);
  if (pattern !== undefined) {
    const fitting = PATTERNED.filter((text) => new RegExp(pattern, 'u').test(text));
    if (fitting.length === 0) throw new Error(`No text fits ${pattern}`);
    return fc.constantFrom(...fitting);
  }
  const free = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 30) });
  return fc.oneof({ weight: 4, arbitrary: idMarkers(name) }, { weight: 2, arbitrary: words }, free);
}

/** Values at the bounds of a schema and one step beyond. */
export function edgesOf(schema: Schema): readonly unknown[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength } = schema;
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter(
    (bound) => bound !== undefined,
  );
  const lengths = [minLength, maxLength].filter((length) => length !== undefined);
  const choices = [...(schema.enum ?? []), schema.const].filter((choice) => typeof choice === 'string');
  return [
    ...bounds.flatMap((bound) => [bound - 1, bound - 1e-9, bound, bound + 1e-9, bound + 1, -bound]),
    ...lengths.flatMap((length) =>
      [length - 1, length, length + 1].flatMap((count) =>
        ['x', 'ß', '😀', ' '].map((unit) => unit.repeat(Math.max(count, 0))),
      ),
    ),
    ...choices.flatMap((choice) => [choice.toUpperCase(), ` ${choice}`, `${choice}\u0000`, choice.slice(1)]),
  ];
}
