import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

const OWN_DEFINITIONS = '#/$defs/';
const COMPONENTS = '#/components/schemas/';

/**
 * Turns schemas into those of one API document. What has an id becomes a component; Zod writes such parts into `$defs`
 * of each single schema, from where a document with many of them could not refer to them.
 */
export class SchemaComponents {
  readonly #schemas = new Map<string, JsonSchema>();

  request(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'input');
  }

  /**
   * Clients ignore fields that they do not know, so that new ones can be added in any version: a document that forbids
   * them would break every generated client with the next field.
   */
  response(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'output');
  }

  add(name: string, schema: JsonSchema): { $ref: string } {
    this.#schemas.set(name, schema);
    return { $ref: `${COMPONENTS}${name}` };
  }

  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const {
      $schema: _,
      $defs,
      ...root
    } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' }) as JsonSchema & {
      $defs?: Record<string, JsonSchema>;
    };
    const names = this.#namesFor($defs ?? {}, io);
    for (const [id, definition] of Object.entries($defs ?? {})) {
      this.#schemas.set(names.get(id) ?? id, rewritten(definition, names, io) as JsonSchema);
    }
    return rewritten(root, names, io) as JsonSchema;
  }

  /** A schema that is read otherwise than it is written (defaults, transforms) has two components. */
  #namesFor(definitions: Record<string, JsonSchema>, io: 'input' | 'output'): Map<string, string> {
    const same = new Map(Object.keys(definitions).map((id) => [id, id]));
    const names = new Map<string, string>();
    for (const [id, definition] of Object.entries(definitions)) {
      const known = this.#schemas.get(id);
      const isFree =
        known === undefined || JSON.stringify(known) === JSON.stringify(rewritten(definition, same, io));
      names.set(id, isFree ? id : `${id}${io === 'input' ? 'Request' : 'Response'}`);
    }
    return names;
  }
}

function rewritten(value: unknown, names: ReadonlyMap<string, string>, io: 'input' | 'output'): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, names, io));
  if (typeof value !== 'object' || value === null) return value;
  const copy: JsonSchema = {};
  for (const [key, member] of Object.entries(describedBranches(value))) {
    if (key === 'id' && typeof member === 'string') continue;
    if (key === 'additionalProperties' && member === false && io === 'output') continue;
    if (key === '$ref' && typeof member === 'string' && member.startsWith(OWN_DEFINITIONS)) {
      const id = member.slice(OWN_DEFINITIONS.length);
      copy.$ref = `${COMPONENTS}${names.get(id) ?? id}`;
    } else copy[key] = rewritten(member, names, io);
  }
  return copy;
}

/**
 * A union with "anything else" as one branch is checked later, by a rule that knows more; what belongs into the
 * document is the branch that is described.
 */
function describedBranches(schema: object): JsonSchema {
  const { anyOf, ...rest } = schema as JsonSchema;
  if (!Array.isArray(anyOf)) return schema as JsonSchema;
  const described = anyOf.filter((branch: object) => Object.keys(branch).length > 0);
  if (described.length === anyOf.length) return schema as JsonSchema;
  return described.length === 1 ? { ...described[0], ...rest } : { ...rest, anyOf: described };
}
