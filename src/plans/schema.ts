import { z } from 'zod';

export const PLAN_TYPES = ['consumption', 'feed_in'] as const;

/** With which a plan can have a smart meter ordered; `smart-meter-X` comes from provider `X`. */
export const SMART_METER_PRODUCTS = [
  'smart-meter-energy-metering',
  'smart-meter-partner-b',
  'smart-meter-partner-c',
] as const;

export const plan = z
  .object({
    object: z.literal('plan'),
    id: z.string(),
    name: z.string(),
    slug: z.string().meta({ description: 'Lower-case letters, digits, hyphens; unique' }),
    description: z.string().meta({ description: 'Empty when there is none' }),
    type: z.enum(PLAN_TYPES).meta({ description: '`feed_in`: the customer is paid for what is fed in' }),
    price: z.number().meta({
      description:
        'Base fee of the supplier in EUR per month, VAT included; grid and metering fees come on top',
    }),
    currency: z.literal('EUR'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Plan' });

export type Plan = z.input<typeof plan>;
