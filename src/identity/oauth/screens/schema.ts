import { z } from 'zod';
import { wireSchemas } from '../../../platform/interface/wire-schemas.ts';

/*
 * Fields that the forms of the screens may send: exactly these, once each. The content of the request stays on the server; a
 * form that names a client, an address or a scope was tampered with.
 */

const NAME_CHARACTERS_MAX = 100;
const EMAIL_CHARACTERS_MAX = 254;

/** Blanks around what people type, or that come along when they paste, are not meant. */
const trimmed = z.string().trim();
const email = trimmed.pipe(z.email().max(EMAIL_CHARACTERS_MAX));
const personName = trimmed.pipe(wireSchemas.name({ max: NAME_CHARACTERS_MAX }));

const forgery = { _csrf: z.string() };

export const loginForm = z.strictObject({ ...forgery, email });

export const verifyForm = z.strictObject({
  ...forgery,
  code: z
    .string()
    .transform((text) => text.replaceAll(/[\s-]/g, '').toUpperCase())
    .pipe(z.string().regex(/^(?:\d{6}|[2-9A-HJ-NP-Z]{10})$/)),
});
export const newCodeForm = z.strictObject({ ...forgery, again: z.literal('1') });

export const signUpForm = z
  .strictObject({
    ...forgery,
    type: z.enum(['person', 'company']),
    first_name: personName,
    last_name: personName,
    company_name: trimmed,
    email,
  })
  .superRefine((form, context) => {
    if (form.type !== 'company') return;
    const checked = personName.safeParse(form.company_name);
    if (!checked.success) context.addIssue({ code: 'custom', path: ['company_name'], message: 'Required' });
  });

export const consentForm = z.strictObject({ ...forgery, decision: z.enum(['allow', 'deny']) });

export type ReadForm<Form> = { form: Form } | { wrong: string[] };

/** Thrown for a form that no screen of ours sends. */
export class ForeignForm extends Error {}

/** The form, or the names of the fields that a person should look at again. */
export function readForm<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): ReadForm<z.output<Schema>> {
  const result = schema.safeParse(body ?? {});
  if (result.success) return { form: result.data };
  const wrong = result.error.issues.map((issue) => {
    const field = issue.path[0];
    if (issue.code === 'unrecognized_keys' || typeof field !== 'string' || field === 'decision') {
      throw new ForeignForm('A form with fields that it does not have');
    }
    return field;
  });
  return { wrong: [...new Set(wrong)] };
}

/** Typed fields that a page shows again: texts only, cut to a length. */
export function typedTexts(body: unknown): Record<string, string> {
  const fields = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value.slice(0, 300)]] : [])),
  );
}
