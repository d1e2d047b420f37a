import { z } from 'zod';
import { shownTextMetadata, textMetadata } from '../../platform/interface/metadata-schema.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { estimatedUsage } from '../meters/schema.ts';
import { accountHolder, ibanText } from '../payment-methods/schema.ts';

const { date, name, text, objectName, ownId, createdAt } = wireSchemas;

const NAME_CHARACTERS_MAX = 100;
const TEXT_CHARACTERS_MAX = 255;
/** RFC 5321, 4.5.3.1.3, less the angle brackets. */
const EMAIL_CHARACTERS_MAX = 254;

const personName = name({ max: NAME_CHARACTERS_MAX }).optional();

/** The known facts about somebody who may become a customer; most may be missing. */
export const newLead = z.object({
  plan: text({ max: TEXT_CHARACTERS_MAX }).meta({ description: 'Id of the plan that is offered' }),
  address: z
    .object({
      zip: text({ min: 5, max: NAME_CHARACTERS_MAX }).meta({ description: 'Must be one that is supplied' }),
      street: name({ max: NAME_CHARACTERS_MAX }).nullish().meta({ description: 'Street without the number' }),
      house_number: name({ max: NAME_CHARACTERS_MAX })
        .nullish()
        .meta({ description: 'Number with its additions: `7a`' }),
      city: name({ max: NAME_CHARACTERS_MAX }).nullish().meta({ description: 'City or municipality' }),
    })
    .meta({ description: 'Where electricity would be delivered' }),
  meter: z
    .object({
      estimated_usage: estimatedUsage.meta({ description: 'kWh a year' }),
      type: z
        .enum(['smart', 'analog'])
        .nullish()
        .meta({ description: '`smart`: it sends quarter hours; `analog`: somebody reads it' }),
      number: text({ max: NAME_CHARACTERS_MAX }).nullish().meta({ description: 'Number on the meter' }),
    })
    .meta({ description: 'The meter of the place' }),
  customer: z
    .object({
      type: z
        .enum(['person', 'company'])
        .default('person')
        .meta({ description: 'A natural person, or a company' }),
      first_name: personName.meta({ description: 'First name; of a company that of its contact' }),
      last_name: personName.meta({ description: 'Last name; of a company that of its contact' }),
      company_name: personName.meta({ description: 'Of companies' }),
      email: z.email().max(EMAIL_CHARACTERS_MAX).optional().meta({ description: 'E-mail address' }),
      vat_id: text({ max: NAME_CHARACTERS_MAX })
        .nullish()
        .meta({ description: 'Tax number or VAT identification number' }),
    })
    .nullish()
    .meta({ description: 'Who may become a customer' }),
  payment_method: z
    .object({
      type: z.literal('sepa_debit').default('sepa_debit').meta({ description: 'SEPA direct debit' }),
      sepa_debit: z
        .object({
          iban: ibanText.nullish().meta({ description: 'IBAN without blanks' }),
          account_holder: accountHolder.nullish().meta({ description: 'Whose account it is' }),
        })
        .optional()
        .meta({ description: 'The account that is debited' }),
    })
    .nullish()
    .meta({ description: 'How the person would pay' }),
  previous_supplier: text({ max: TEXT_CHARACTERS_MAX })
    .nullish()
    .meta({ description: 'Id or name of the supplier until now' }),
  created_by: text({ max: TEXT_CHARACTERS_MAX })
    .nullish()
    .meta({ description: 'E-mail address of the member of your staff' }),
  next_possible_start: z
    .boolean()
    .nullish()
    .meta({ description: '`true`: supply is wanted from the earliest date on' }),
  intended_start_date: date()
    .nullish()
    .meta({ description: 'First day of supply that is wanted, Berlin calendar' }),
  change_reason: z
    .enum(['supplier_change', 'move_in'])
    .optional()
    .meta({ description: 'Whether another supplier is left, or somebody moves in' }),
  metadata: textMetadata.optional(),
});

export const lead = z
  .object({
    object: objectName('lead'),
    id: ownId,
    link: z.string().meta({ description: 'Where the person signs up; works until the lead is converted' }),
    subscription: z.string().nullable().meta({ description: 'Id of the subscription it became' }),
    subscribed_at: z.iso.datetime().nullable().meta({ description: 'When the person signed up' }),
    created_by: z.string().nullable().meta({ description: 'E-mail address of the member of your staff' }),
    last_visited_at: z.iso.datetime().nullable().meta({ description: 'When the link was opened last' }),
    metadata: shownTextMetadata,
    created_at: createdAt,
  })
  .meta({ id: 'Lead' });

export type NewLead = z.output<typeof newLead>;
export type Lead = z.input<typeof lead>;
