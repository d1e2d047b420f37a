import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

const { objectName, ownId, createdAt } = wireSchemas;

export const PLAN_TYPES = ['consumption', 'feed_in'] as const;

/** With which a plan can have a smart meter ordered; `smart-meter-X` comes from provider `X`. */
export const SMART_METER_PRODUCTS = [
  'smart-meter-energy-metering',
  'smart-meter-partner-b',
  'smart-meter-partner-c',
] as const;

export const plan = z
  .object({
    object: objectName('plan'),
    id: ownId,
    name: z.string().meta({ description: 'As it is shown to customers' }),
    slug: z.string().meta({ description: 'Lower-case letters, digits, hyphens; unique' }),
    description: z.string().meta({ description: 'Empty when there is none' }),
    type: z.enum(PLAN_TYPES).meta({ description: '`feed_in`: the customer is paid for what is fed in' }),
    price: z.number().meta({
      description:
        'Base fee of the supplier in EUR per month, VAT included; grid and metering fees come on top',
    }),
    currency: z.literal('EUR').meta({ description: 'Currency of `price`, ISO 4217' }),
    created_at: createdAt,
  })
  .meta({ id: 'Plan' });

export type Plan = z.input<typeof plan>;
