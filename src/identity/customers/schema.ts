import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

const { name, text, objectName, ownId, createdAt } = wireSchemas;

const NAME_CHARACTERS_MAX = 100;
/** RFC 5321, 4.5.3.1.3, less the angle brackets: the longest address that a mail server takes. */
const EMAIL_CHARACTERS_MAX = 254;
const VAT_ID_CHARACTERS_MAX = 100;

const personName = name({ max: NAME_CHARACTERS_MAX });
const firstName = personName.meta({ description: 'First name; of a company that of its contact' });
const lastName = personName.meta({ description: 'Last name; of a company that of its contact' });
const companyName = personName.meta({ description: 'Name of the company' });

const companyType = z.literal('company').meta({ description: 'A company, with a contact' });

const newFields = z.object({
  first_name: firstName,
  last_name: lastName,
  email: z
    .email()
    .max(EMAIL_CHARACTERS_MAX)
    .meta({ description: 'E-mail address: one customer of the organization for each, whatever its case' }),
  vat_id: text({ max: VAT_ID_CHARACTERS_MAX })
    .nullish()
    .meta({ description: 'Tax number or VAT identification number; a company that feeds in needs one' }),
});

/** A customer who comes into being with the first household. */
export const newCustomer = z.discriminatedUnion('type', [
  newFields.extend({ type: z.literal('person').meta({ description: 'A natural person' }) }),
  newFields.extend({ type: companyType, company_name: companyName }),
]);

/** The same as it comes in a sign-up: who says nothing about the type is a person. */
export const newCustomerOrPerson = z.discriminatedUnion('type', [
  newFields.extend({ type: z.literal('person').optional().meta({ description: 'Also where it is absent' }) }),
  newFields.extend({ type: companyType, company_name: companyName }),
]);

const stored = z
  .unknown()
  .optional()
  .meta({ readOnly: true, description: 'Cannot change: refused with another value than the stored one' });

/** What a client may change of a customer, and what it may send back as it read it. */
export const changedCustomer = z.strictObject({
  first_name: firstName.optional(),
  last_name: lastName.optional(),
  company_name: companyName.optional().meta({ description: 'Of companies only' }),
  object: stored,
  id: stored,
  type: stored,
  email: stored,
  vat_id: stored,
  created_at: stored,
});

const shownId = { object: objectName('customer'), id: ownId };
const shownNames = {
  first_name: z.string().meta({ description: 'First name; of a company that of its contact' }),
  last_name: z.string().meta({ description: 'Last name; of a company that of its contact' }),
};
const shownDetails = {
  email: z.string().meta({ description: 'As spelt at sign-up; compared without regard to case' }),
  vat_id: z.string().nullable().meta({ description: 'Tax number or VAT identification number' }),
  created_at: createdAt,
};

export const customer = z
  .discriminatedUnion('type', [
    z.object({
      ...shownId,
      type: z.literal('person').meta({ description: 'A natural person' }),
      ...shownNames,
      ...shownDetails,
    }),
    z.object({
      ...shownId,
      type: companyType,
      ...shownNames,
      company_name: z.string().meta({ description: 'Name of the company' }),
      ...shownDetails,
    }),
  ])
  .meta({ id: 'Customer', description: 'A person or a company' });

export type NewCustomer = z.input<typeof newCustomer>;
export type ChangedCustomer = z.output<typeof changedCustomer>;
export type Customer = z.input<typeof customer>;
