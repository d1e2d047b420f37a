import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

const { objectName } = wireSchemas;

export const subscriptionPricesQuery = z.object({
  start: wireSchemas
    .date()
    .meta({ description: 'First day, inclusive, Europe/Berlin', example: '2026-11-20' }),
  end: wireSchemas
    .date()
    .meta({ description: 'Last day, inclusive; at most 366 days from `start`', example: '2026-11-21' }),
});

export type SubscriptionPricesQuery = z.output<typeof subscriptionPricesQuery>;

const amount = z.number().nullable().meta({
  description:
    'ct/kWh with at most 6 decimals; null without a published price, or without a price list that counts on the day',
});

export const subscriptionPrices = z
  .object({
    object: objectName('price'),
    subscription: z.string().meta({ description: 'Id of the subscription' }),
    period: z
      .object({
        start: z.iso.date().meta({ description: 'First day, Europe/Berlin' }),
        end: z.iso.date().meta({ description: 'Last day, Europe/Berlin' }),
      })
      .meta({ description: 'As asked for; both days are included' }),
    currency: z.literal('EUR').meta({ description: 'Currency of all amounts, ISO 4217' }),
    unit: z.literal('ct/kWh').meta({ description: 'Unit of all amounts: cents per kWh' }),
    resolution: z.enum(['hourly', '15min']).meta({
      description:
        '`hourly` when every day lies before 2025-10-01, the first day of quarter-hourly prices; else `15min`, with hourly prices repeated four times',
    }),
    reference: z
      .enum(['EPEX Day-Ahead Hourly', 'EPEX Day-Ahead 15min'])
      .meta({ description: 'The market price on which `electricity` is based' }),
    items: z
      .array(
        z.object({
          timestamp: z.iso.datetime().meta({ description: 'Start of the interval, UTC, whole seconds' }),
          amount: amount.meta({
            description: 'Sum of the components, VAT included; null when one of them is',
          }),
          components: z
            .array(
              z.object({
                type: z
                  .enum(['electricity', 'grid', 'levies'])
                  .meta({ description: 'What the part pays for' }),
                amount,
              }),
            )
            .meta({
              description:
                'In this order; of a feed-in contract `electricity` only. `electricity`: market price and procurement margin, or the compensation. `grid`: working price of the grid with the active reductions (§14a EnWG). `levies`: Konzessionsabgabe, Stromsteuer and the levies of the day',
            }),
        }),
      )
      .nullable()
      .meta({
        description:
          'Intervals outside supply are left out; null when supply does not cover any part of the period',
      }),
  })
  .meta({ id: 'SubscriptionPrices' });

export type SubscriptionPrices = z.input<typeof subscriptionPrices>;
