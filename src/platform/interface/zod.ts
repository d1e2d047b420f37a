import { z } from 'zod';
import type { EntryCode, ErrorEntry } from '../errors.ts';

/*
 * The bridge between the schemas and the entries of an error answer. Zod's issue codes are the interface's codes but for
 * three verdicts, which are translated here: about a missing or mistyped enum value it says `invalid_value`, about an
 * unknown discriminator `invalid_union`, and unknown keys it reports once, at their parent.
 */

type SchemaIssue = z.core.$ZodIssue;

const compiledSchemas = new WeakMap<z.ZodType, z.ZodType>();

/**
 * The schema as generated code, made once. A schema that cannot be compiled (cycles, async refinements) throws here,
 * when the service starts, and does not run four times slower unnoticed.
 */
export function compiled<Schema extends z.ZodType>(schema: Schema): Schema {
  const known = compiledSchemas.get(schema);
  if (known !== undefined) return known as Schema;
  const fast = z.compile(schema, { strict: true });
  compiledSchemas.set(schema, fast);
  return fast;
}

/** One entry per problem, in Zod's order: fields as the schema lists them, rows ascending. */
export function entriesOf(issues: readonly SchemaIssue[], input: unknown): ErrorEntry[] {
  const entries: ErrorEntry[] = [];
  for (const issue of issues) {
    const field = issue.path.join('.');
    if (issue.code === 'unrecognized_keys') {
      addUnknownKeys(entries, field, issue);
    } else {
      const entry = entryOf(issue, field, valueAt(input, issue.path));
      /* Both sides of an intersection say that the whole is no object. */
      if (field !== '' || !entries.some((known) => known.field === '' && known.code === entry.code))
        entries.push(entry);
    }
  }
  return entries;
}

/**
 * As many as a snapshot or the data of a device has fields, and one more. A body with more unknown ones is another kind of
 * object, and each of them would make an entry of a hundred bytes out of five.
 */
const UNKNOWN_KEYS_LISTED_MAX = 8;

function addUnknownKeys(
  entries: ErrorEntry[],
  field: string,
  { keys, message: said }: Extract<SchemaIssue, { code: 'unrecognized_keys' }>,
): void {
  /* The library's own sentence repeats the keys, which the fields of the entries name already. */
  const message = said.startsWith('Unrecognized key.') ? said : 'Unrecognized key';
  for (const key of keys.slice(0, UNKNOWN_KEYS_LISTED_MAX)) {
    const path = field === '' ? key : `${field}.${key}`;
    entries.push({ code: 'unrecognized_keys', field: path, message });
  }
  const rest = keys.length - UNKNOWN_KEYS_LISTED_MAX;
  if (rest > 0) entries.push({ code: 'unrecognized_keys', field, message: `${rest} more unrecognized keys` });
}

function entryOf(
  issue: Exclude<SchemaIssue, { code: 'unrecognized_keys' }>,
  field: string,
  value: unknown,
): ErrorEntry {
  if (issue.code === 'custom') {
    return { code: (issue.params?.code as EntryCode | undefined) ?? 'custom', field, message: issue.message };
  }
  /* What is not there has the wrong type, whatever rule noticed it first. */
  if (value === undefined) return { code: 'invalid_type', field, message: 'Required' };
  const options = allowedValues(issue);
  if (options !== undefined) {
    return isOneOfTheirTypes(value, options)
      ? { code: 'invalid_value', field, message: `Accepted: ${options.map(String).join(', ')}` }
      : { code: 'invalid_type', field, message: expectedType(options, value) };
  }
  if (issue.code === 'invalid_union')
    return { code: issue.code, field, message: 'Fits none of the accepted shapes' };
  return { code: issue.code, field, message: issue.message };
}

/** The values that an enum, a literal or a discriminator accepts. */
function allowedValues(issue: SchemaIssue): readonly unknown[] | undefined {
  if (issue.code === 'invalid_value') return issue.values;
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined && 'options' in issue)
    return issue.options.filter((option) => option !== undefined);
  return undefined;
}

/** Own members only: a path through `constructor` must not find the prototype's. */
function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function isOneOfTheirTypes(value: unknown, values: readonly unknown[]): boolean {
  return values.some((allowed) => jsonType(allowed) === jsonType(value));
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  /* What JSON.parse makes of 1e400: no number that JSON could have meant. */
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return 'Infinity';
  return Array.isArray(value) ? 'array' : typeof value;
}

function expectedType(values: readonly unknown[], value: unknown): string {
  const types = [...new Set(values.map(jsonType))].join(' or ');
  return `Invalid input: expected ${types}, received ${jsonType(value)}`;
}
