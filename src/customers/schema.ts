import { z } from 'zod';
import { wireSchemas } from '../platform/interface/wire-schemas.ts';

const { name, text } = wireSchemas;

const NAME_CHARACTERS_MAX = 100;
/** RFC 5321, 4.5.3.1.3, less the angle brackets: the longest address that a mail server takes. */
const EMAIL_CHARACTERS_MAX = 254;
const VAT_ID_CHARACTERS_MAX = 100;

const personName = name({ max: NAME_CHARACTERS_MAX });

const newFields = z.object({
  first_name: personName,
  last_name: personName,
  email: z.email().max(EMAIL_CHARACTERS_MAX),
  vat_id: text({ max: VAT_ID_CHARACTERS_MAX }).nullish(),
});

/** A customer who comes into being with the first household. */
export const newCustomer = z.discriminatedUnion('type', [
  newFields.extend({ type: z.literal('person') }),
  newFields.extend({ type: z.literal('company'), company_name: personName }),
]);

/** The same as it comes in a sign-up: who says nothing about the type is a person. */
export const newCustomerOrPerson = z.discriminatedUnion('type', [
  newFields.extend({ type: z.literal('person').optional().meta({ description: 'Also where it is absent' }) }),
  newFields.extend({ type: z.literal('company'), company_name: personName }),
]);

/** What a client may change of a customer. */
export const changedCustomer = z.object({
  first_name: personName.optional(),
  last_name: personName.optional(),
  company_name: personName.optional().meta({ description: 'Of companies only' }),
});

const shownId = { object: z.literal('customer'), id: z.string() };
const shownNames = { first_name: z.string(), last_name: z.string() };
const shownDetails = {
  email: z.string().meta({ description: 'As spelt at sign-up; compared without regard to case' }),
  vat_id: z.string().nullable().meta({ description: 'Tax number or VAT identification number' }),
  created_at: z.iso.datetime(),
};

export const customer = z
  .discriminatedUnion('type', [
    z.object({ ...shownId, type: z.literal('person'), ...shownNames, ...shownDetails }),
    z.object({
      ...shownId,
      type: z.literal('company'),
      ...shownNames,
      company_name: z.string(),
      ...shownDetails,
    }),
  ])
  .meta({ id: 'Customer' });

export type NewCustomer = z.input<typeof newCustomer>;
export type ChangedCustomer = z.output<typeof changedCustomer>;
export type Customer = z.input<typeof customer>;
