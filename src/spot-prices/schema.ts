import { z } from 'zod';
import { wireSchemas } from '../platform/interface/wire-schemas.ts';

const { objectName } = wireSchemas;

export const PRICE_TYPES = ['day_ahead', 'day_ahead_forecast'] as const;
export type PriceType = (typeof PRICE_TYPES)[number];

/** Longest period of one answer, in delivery dates. */
export const DELIVERY_DATES_MAX = 366;

export const spotPricesQuery = z.object({
  type: z.enum(PRICE_TYPES).default('day_ahead').meta({
    description:
      '`day_ahead`: realized prices of the German day-ahead auction. `day_ahead_forecast`: forecast prices; the curve of a day is frozen at 12:00 Berlin time of the day before.',
  }),
  start: wireSchemas
    .date()
    .optional()
    .meta({ description: 'First delivery date, inclusive, Berlin calendar; today where absent' }),
  end: wireSchemas.date().optional().meta({
    description:
      'Last delivery date, inclusive; where absent the same as `start`, or tomorrow when `start` is absent too',
  }),
});

const start = z.iso.datetime().meta({ description: 'Start of the interval, UTC, whole seconds' });

export const spotPrices = z
  .object({
    object: objectName('price'),
    type: z.enum(PRICE_TYPES).meta({ description: 'As asked for: realized prices, or a forecast' }),
    period: z
      .object({
        start: z.iso.datetime({ offset: true }).meta({ description: 'Berlin midnight of the first date' }),
        end: z.iso
          .datetime({ offset: true })
          .meta({ description: 'Berlin midnight after the last date, exclusive' }),
      })
      .meta({ description: 'What was asked for' }),
    currency: z.literal('EUR').meta({ description: 'Currency of all amounts, ISO 4217' }),
    unit: z.literal('ct/kWh').meta({ description: 'Unit of all amounts: cents per kWh' }),
    resolution: z.enum(['hourly', '15min']).meta({
      description:
        '`hourly` when every date lies before 2025-10-01, the first day of quarter-hourly prices; else `15min`, with hourly prices repeated four times',
    }),
    missing: z.array(start).meta({
      description: 'Starts of the intervals without a published price; with `items` they cover the period',
    }),
    items: z
      .array(
        z.object({
          timestamp: start,
          amount: z.number().meta({
            description:
              'Market price in ct/kWh without fees, margins, taxes and levies; exact decimal, negative prices included',
          }),
        }),
      )
      .meta({ description: 'The intervals with a price, ascending' }),
  })
  .meta({ id: 'SpotPrices' });
