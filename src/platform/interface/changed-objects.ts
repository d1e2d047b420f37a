import { z } from 'zod';

/*
 * Finds one kind of object in the schema of an answer: the answer itself, an item of it, or a member at any depth. The kind
 * is the value of its member `object`. Both are made once, at start: the older schema, and a function that walks only to the
 * places where the schema has such an object.
 */

type Json = Record<string, unknown>;
type Rewrite = (value: unknown) => unknown;

/** Types of schemas that hold no other schema. */
const LEAVES: ReadonlySet<string> = new Set([
  ...['string', 'number', 'int', 'boolean', 'bigint', 'date', 'null', 'undefined', 'void', 'never'],
  ...['literal', 'enum', 'template_literal', 'any', 'unknown', 'custom'],
]);

/** The schema with each object of this kind changed; the same one where there is none. */
export function changedObjects(
  schema: z.ZodType,
  kind: string,
  change: (newer: z.ZodType) => z.ZodType,
): z.ZodType {
  /* An object that is shown at two places stays one schema: one description cannot have two of the same name. */
  const known = new Map<z.ZodType, z.ZodType>();
  const walk = (part: z.ZodType): z.ZodType => {
    const made = known.get(part) ?? changedHere(part, kind, change, walk);
    known.set(part, made);
    return made;
  };
  return walk(schema);
}

function changedHere(
  schema: z.ZodType,
  kind: string,
  change: (newer: z.ZodType) => z.ZodType,
  walk: (part: z.ZodType) => z.ZodType,
): z.ZodType {
  if (!isOfKind(schema, kind)) return withParts(schema, walk);
  const isUnion = schema instanceof z.ZodUnion;
  const inside = withParts(schema, isUnion ? (option) => withParts(option, walk) : walk);
  return likeBefore(change(inside), schema);
}

/** Rewrites each object of this kind in a value of this schema; null where there is none. */
export function rewriteOfObjects(
  schema: z.ZodType,
  kind: string,
  rewrite: (object: Json) => Json,
): Rewrite | null {
  const own = isOfKind(schema, kind) ? (rewrite as Rewrite) : null;
  const inside = rewriteInside(schema, kind, rewrite);
  if (own === null || inside === null) return own ?? inside;
  return (value) => own(inside(value));
}

/** A union is of a kind when all its options are: a person and a company are both customers. */
function isOfKind(schema: z.ZodType, kind: string): boolean {
  if (schema instanceof z.ZodUnion)
    return schema.options.every((option) => isOfKind(option as z.ZodType, kind));
  return kindOf(schema) === kind;
}

function kindOf(schema: z.ZodType): unknown {
  const named: unknown = schema instanceof z.ZodObject ? schema.shape.object : undefined;
  return named instanceof z.ZodLiteral ? named.value : undefined;
}

/** Each schema that this one is made of may be replaced by another; where none is, it stays the same object. */
function withParts(schema: z.ZodType, replaced: (part: z.ZodType) => z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape as Record<string, z.ZodType>);
    const changed = shape.map(([name, part]) => [name, replaced(part)] as const);
    if (changed.every(([name, part]) => part === schema.shape[name])) return schema;
    return remade(schema, { shape: Object.fromEntries(changed) });
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options as readonly z.ZodType[];
    const changed = options.map(replaced);
    return changed.every((part, index) => part === options[index])
      ? schema
      : remade(schema, { options: changed });
  }
  const place = placeOfPart(schema);
  if (place === null) return schema;
  const part = partAt(schema, place);
  const changed = replaced(part);
  return changed === part ? schema : remade(schema, { [place]: changed });
}

function rewriteInside(schema: z.ZodType, kind: string, rewrite: (object: Json) => Json): Rewrite | null {
  const within = (part: z.ZodType) => rewriteOfObjects(part, kind, rewrite);
  if (schema instanceof z.ZodObject) return rewriteMembers(schema, within);
  if (schema instanceof z.ZodUnion) {
    const isWhole = isOfKind(schema, kind);
    return rewriteOption(schema, isWhole ? (option) => rewriteInside(option, kind, rewrite) : within);
  }
  const place = placeOfPart(schema);
  const part = place === null ? null : within(partAt(schema, place));
  if (part === null) return null;
  if (place === 'element') return (value) => (value as unknown[]).map(part);
  if (place === 'valueType') return (value) => mapValues(value as Json, part);
  return (value) => (value === null || value === undefined ? value : part(value));
}

function rewriteMembers(schema: z.ZodObject, within: (part: z.ZodType) => Rewrite | null): Rewrite | null {
  const members = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, part]) => {
    const rewriteMember = within(part);
    return rewriteMember === null ? [] : [{ name, rewriteMember }];
  });
  if (members.length === 0) return null;
  return (value) => {
    const copy = { ...(value as Json) };
    for (const { name, rewriteMember } of members) {
      if (Object.hasOwn(copy, name)) copy[name] = rewriteMember(copy[name]);
    }
    return copy;
  };
}

/** Which option a value took is seen by its `object` where that tells them apart, or else by the schema of the option. */
function rewriteOption(schema: z.ZodUnion, within: (part: z.ZodType) => Rewrite | null): Rewrite | null {
  const options = (schema.options as readonly z.ZodType[]).map((option) => ({
    option,
    kind: kindOf(option),
    rewriteOne: within(option),
  }));
  if (options.every(({ rewriteOne }) => rewriteOne === null)) return null;
  const kinds = new Set(options.map(({ kind }) => kind));
  const isTold = kinds.size === options.length && !kinds.has(undefined);
  return (value) => {
    const taken = options.find(({ option, kind }) =>
      isTold ? kind === (value as Json).object : option.safeParse(value).success,
    );
    return taken?.rewriteOne == null ? value : taken.rewriteOne(value);
  };
}

function mapValues(value: Json, rewrite: Rewrite): Json {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewrite(member)]));
}

type ObjectPlace = 'element' | 'valueType' | 'innerType';

/** Where a schema of one part keeps it; null for one without parts. */
function placeOfPart(schema: z.ZodType): ObjectPlace | null {
  const { type } = schema.def;
  if (type === 'array') return 'element';
  if (type === 'record') return 'valueType';
  if (['nullable', 'optional', 'default', 'prefault', 'readonly', 'nonoptional'].includes(type))
    return 'innerType';
  if (LEAVES.has(type)) return null;
  throw new Error(`An answer has a schema of type ${type}: how to find objects inside is not known`);
}

function partAt(schema: z.ZodType, place: ObjectPlace): z.ZodType {
  return (schema.def as unknown as Record<ObjectPlace, z.ZodType>)[place];
}

function remade(schema: z.ZodType, parts: object): z.ZodType {
  return likeBefore(schema.clone({ ...schema.def, ...parts } as typeof schema.def), schema);
}

/** The older schema is described like the newer one, under the name of the same component. */
function likeBefore(older: z.ZodType, newer: z.ZodType): z.ZodType {
  const described = newer.meta();
  return older === newer || described === undefined ? older : older.meta(described);
}
