import { z } from 'zod';
import { address, newAddress } from '../../identity/addresses/schema.ts';
import { customer, newCustomerOrPerson } from '../../identity/customers/schema.ts';
import { boundedList } from '../../platform/interface/bounded-schema.ts';
import { metadata, shownMetadata } from '../../platform/interface/metadata-schema.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { compiled } from '../../platform/interface/zod.ts';
import { isBerlinMidnight } from '../../platform/time/berlin-calendar.ts';
import { isInstant } from '../../platform/time/instant.ts';
import { METER_TYPES } from '../../tariffs/reference-data/codes.ts';
import { supplier } from '../market-partners/schema.ts';
import { estimatedUsage, meter, meterNumberText } from '../meters/schema.ts';
import { changedPaymentMethod, newPaymentMethod, paymentMethod } from '../payment-methods/schema.ts';

const { date, text, objectName, ownId, createdAt, updatedAt } = wireSchemas;

export const SUBSCRIPTION_STATUSES = ['pending', 'active', 'ended'] as const;

const id = (what: string) => z.string().meta({ description: `Id of the ${what}` });
const instant = (description: string) => z.iso.datetime().nullable().meta({ description });

const shownFields = {
  object: objectName('subscription'),
  id: ownId,
  plan: id('plan'),
  household: id('household'),
  number: z.string().nullable().meta({ description: 'Eight characters for people' }),
  status: z.enum(SUBSCRIPTION_STATUSES).meta({
    description:
      '`pending` until supply begins, `active` while it lasts, `ended` after it or when it was refused',
  }),
  type: z
    .enum(['consumption', 'feed_in'])
    .meta({ description: '`feed_in`: the customer is paid for what is fed in' }),
  estimated_usage: z.number().meta({ description: 'kWh a year; for feed-in the expected feed-in' }),
  start_at: instant('Beginning of supply, Berlin midnight; null until the grid operator has confirmed'),
  terminated_at: instant('When the termination in force was recorded'),
  end_at: instant('End of supply, exclusive'),
  metadata: shownMetadata,
  created_at: createdAt,
  updated_at: updatedAt,
};

/** One contract with what belongs to it in full. */
export const subscription = z
  .object({
    ...shownFields,
    customer,
    address: address.nullable().meta({ description: 'Delivery address' }),
    billing_address: address,
    meter,
    payment_method: paymentMethod,
    supplier: supplier
      .nullable()
      .meta({ description: 'Previous supplier; null for a move-in and for feed-in' }),
  })
  .meta({ id: 'Subscription' });

/** In lists, and as the answer to a sign-up: ids. */
export const subscriptionListItem = z
  .object({
    ...shownFields,
    customer: id('customer'),
    address: id('delivery address').nullable().meta({ description: 'Id of the delivery address' }),
    billing_address: id('billing address'),
    meter: id('meter'),
    payment_method: id('payment method'),
    supplier: id('previous supplier')
      .nullable()
      .meta({ description: 'Id of the previous supplier; null for a move-in and for feed-in' }),
  })
  .meta({ id: 'SubscriptionListItem' });

const TEXT_CHARACTERS_MAX = 255;
const PRODUCT_ORDERS_MAX = 100;

const reference = (what: string) => text({ max: TEXT_CHARACTERS_MAX }).meta({ description: `Id of ${what}` });

/** A person or a company; older versions take another pair of them. */
type CustomerObject = z.ZodDiscriminatedUnion<readonly [z.ZodObject, z.ZodObject], 'type'>;

export function customerOrId(object: CustomerObject) {
  /* First by JSON type: a union of id and object would report no path inside the object. */
  return z
    .union([z.string(), z.looseObject({})])
    .superRefine((value, context) => {
      if (typeof value === 'string') return;
      const result = compiled(object).safeParse(value);
      if (!result.success) for (const issue of result.error.issues) context.addIssue({ ...issue });
    })
    .meta({
      description: 'Id of a customer, or a person or company who becomes one',
      anyOf: [{ type: 'string', description: 'Id of a customer' }, ...object.options.map(describedInput)],
    });
}

function describedInput(schema: z.ZodType) {
  const { $schema, ...described } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return described;
}

const reductions = z.object({
  module_1: z.boolean().default(false).meta({ description: 'Flat reduction of the grid fee' }),
  module_2: z.boolean().default(false).meta({ description: 'Reduction in percent; not with 1 or 3' }),
  module_3: z.boolean().default(false).meta({ description: 'Time-variable grid fee; needs module 1' }),
});

const productOrder = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('smart-meter').meta({ description: 'Orders a smart meter; the plan decides which' }),
  }),
  z.object({
    type: z.literal('14a_enwg').meta({ description: 'Orders reductions of the grid fee (§14a EnWG)' }),
    '14a_enwg': reductions
      .default({ module_1: false, module_2: false, module_3: false })
      .meta({ description: 'Which modules' }),
  }),
]);

export const newSubscription = z.object({
  plan: reference('the plan'),
  customer: customerOrId(newCustomerOrPerson),
  address: newAddress.meta({ description: 'Delivery address; the billing address begins as a copy' }),
  meter: z
    .object({
      number: meterNumberText.meta({ description: 'Kept in upper case, without blanks' }),
      type: z
        .enum(METER_TYPES)
        .meta({ description: '`smart`: it sends quarter hours; `analog`: somebody reads it' }),
      estimated_usage: estimatedUsage.meta({
        description: 'kWh a year; for feed-in the expected feed-in',
      }),
      malo: text({ max: TEXT_CHARACTERS_MAX }).nullish().meta({
        description: 'Market location, 11 digits; anything else is not kept',
      }),
    })
    .meta({ description: 'The meter of the place' }),
  payment_method: newPaymentMethod.meta({ description: 'How the contract is paid' }),
  next_possible_start: z
    .boolean()
    .meta({ description: '`true`: the earliest date; `intended_start_date` is then ignored' }),
  intended_start_date: date().optional().meta({ description: 'Berlin calendar; absent: the earliest date' }),
  previous_supplier: reference('a market partner; left out for a move-in, ignored on feed-in').optional(),
  lead: reference('the lead that this sign-up converts').optional(),
  household: reference('the household that the contract joins').optional(),
  product_orders: boundedList(productOrder, PRODUCT_ORDERS_MAX)
    .optional()
    .meta({ description: 'What is ordered with the contract' }),
  metadata: metadata
    .nullish()
    .meta({ description: 'Values of your own, kept with the contract and shown again' }),
});

export const changedSubscription = z.object({
  billing_address: newAddress.optional().meta({
    description: 'All four fields. The address keeps its id; the delivery address never changes',
  }),
  payment_method: changedPaymentMethod.optional().meta({
    description:
      'Replaces the current one, with a new id. Open bills are debited from the new account, those too that name the old one: tell the customer',
  }),
  metadata: metadata
    .nullish()
    .meta({ description: 'Merged by key; a key with `null` is removed, `null` removes all of them' }),
});

export const TERMINATION_REASONS = ['ORDINARY', 'MOVE_OUT', 'WITHDRAWAL'] as const;

const END = 'End of supply, exclusive: 00:00 in Berlin, in any notation';
const intendedEndAt = wireSchemas
  .instant()
  .refine((value) => !isInstant(value) || isBerlinMidnight(value), {
    error: 'Not 00:00 in Berlin',
    params: { code: 'custom' },
  })
  .meta({ description: END, format: 'date-time' });

/** A withdrawal ends as early as it can: what is sent as its end is not looked at. */
export const termination = z.discriminatedUnion('reason', [
  z.object({
    reason: z.literal('ORDINARY').meta({ description: 'With the notice of the contract' }),
    intended_end_at: intendedEndAt
      .optional()
      .meta({ description: `${END}; the earliest possible one where absent` }),
  }),
  z.object({
    reason: z.literal('MOVE_OUT').meta({ description: 'The customer leaves the place' }),
    intended_end_at: intendedEndAt,
  }),
  z.object({
    reason: z.literal('WITHDRAWAL').meta({ description: 'Until 14 days after the confirmation (§355 BGB)' }),
  }),
]);

export const acceptedTermination = z
  .object({
    reason: z.enum(TERMINATION_REASONS).meta({ description: 'As it was sent' }),
    intended_end_at: z.iso.datetime({ offset: true }).meta({
      description:
        'End of supply, exclusive, with the offset of Berlin; the second of the call where supply is not confirmed',
    }),
  })
  .meta({ id: 'Termination' });

export type NewSubscription = z.output<typeof newSubscription>;
export type ChangedSubscription = z.output<typeof changedSubscription>;
export type Termination = z.output<typeof termination>;
export type TerminationReason = (typeof TERMINATION_REASONS)[number];
export type AcceptedTermination = z.input<typeof acceptedTermination>;
export type Subscription = z.input<typeof subscription>;
export type SubscriptionListItem = z.input<typeof subscriptionListItem>;
