import { z } from 'zod';
import { compiled } from './zod.ts';

/**
 * A schema that is asked only of values that a cheap question about their size has let through. Zod lists every problem
 * of a value, and a list or an object that is too large to be right holds as many as a body has room for: 1 MiB took
 * 4.3 s and was answered with 32 MB. `described` as the schema itself.
 */
export function boundedBy<Schema extends z.ZodType>(size: z.ZodType<unknown>, schema: Schema) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return size
    .transform((value, context): z.output<Schema> => {
      const result = compiled(schema).safeParse(value);
      if (result.success) return result.data;
      for (const issue of result.error.issues) context.addIssue({ ...issue });
      return z.NEVER;
    })
    .meta(described);
}

/** A list whose length is asked before its items. */
export function boundedList<Item extends z.ZodType>(item: Item, max: number) {
  return boundedBy(z.array(z.unknown()).max(max), z.array(item).max(max));
}
