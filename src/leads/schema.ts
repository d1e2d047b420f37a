import { z } from 'zod';
import { estimatedUsage } from '../meters/schema.ts';
import { accountHolder, ibanText } from '../payment-methods/schema.ts';
import { shownTextMetadata, textMetadata } from '../platform/interface/metadata-schema.ts';
import { wireSchemas } from '../platform/interface/wire-schemas.ts';

const { date, name, text } = wireSchemas;

const NAME_CHARACTERS_MAX = 100;
const TEXT_CHARACTERS_MAX = 255;
/** RFC 5321, 4.5.3.1.3, less the angle brackets. */
const EMAIL_CHARACTERS_MAX = 254;

const personName = name({ max: NAME_CHARACTERS_MAX }).optional();

/** What is known of somebody who may become a customer; most of it may be missing. */
export const newLead = z.object({
  plan: text({ max: TEXT_CHARACTERS_MAX }).meta({ description: 'Id of the plan that is offered' }),
  address: z.object({
    zip: text({ min: 5, max: NAME_CHARACTERS_MAX }).meta({ description: 'Must be one that is supplied' }),
    street: name({ max: NAME_CHARACTERS_MAX }).nullish(),
    house_number: name({ max: NAME_CHARACTERS_MAX }).nullish(),
    city: name({ max: NAME_CHARACTERS_MAX }).nullish(),
  }),
  meter: z.object({
    estimated_usage: estimatedUsage.meta({ description: 'kWh a year' }),
    type: z.enum(['smart', 'analog']).nullish(),
    number: text({ max: NAME_CHARACTERS_MAX }).nullish(),
  }),
  customer: z
    .object({
      type: z.enum(['person', 'company']).default('person'),
      first_name: personName,
      last_name: personName,
      company_name: personName.meta({ description: 'Of companies' }),
      email: z.email().max(EMAIL_CHARACTERS_MAX).optional(),
      vat_id: text({ max: NAME_CHARACTERS_MAX }).nullish(),
    })
    .nullish(),
  payment_method: z
    .object({
      type: z.literal('sepa_debit').default('sepa_debit'),
      sepa_debit: z.object({ iban: ibanText.nullish(), account_holder: accountHolder.nullish() }).optional(),
    })
    .nullish(),
  previous_supplier: text({ max: TEXT_CHARACTERS_MAX }).nullish(),
  created_by: text({ max: TEXT_CHARACTERS_MAX })
    .nullish()
    .meta({ description: 'E-mail address of the member of your staff' }),
  next_possible_start: z.boolean().nullish(),
  intended_start_date: date().nullish(),
  change_reason: z.enum(['supplier_change', 'move_in']).optional(),
  metadata: textMetadata.optional(),
});

export const lead = z
  .object({
    object: z.literal('lead'),
    id: z.string(),
    link: z.string().meta({ description: 'Where the person signs up; works until the lead is converted' }),
    subscription: z.string().nullable().meta({ description: 'Id of the subscription it became' }),
    subscribed_at: z.iso.datetime().nullable(),
    created_by: z.string().nullable().meta({ description: 'E-mail address of the member of your staff' }),
    last_visited_at: z.iso.datetime().nullable().meta({ description: 'When the link was opened last' }),
    metadata: shownTextMetadata,
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Lead' });

export type NewLead = z.output<typeof newLead>;
export type Lead = z.input<typeof lead>;
