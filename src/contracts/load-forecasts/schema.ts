import { z } from 'zod';
import { boundedBy } from '../../platform/interface/bounded-schema.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

const { instant, number, text } = wireSchemas;

const ID_CHARACTERS_MAX = 255;
/** More than the connection of any household or business in low voltage. */
const KILOWATTS_MAX = 1_000_000;

export const DAYS_MAX = 31;
/** 31 days of 96 quarter hours, and the extra hour of one clock change. */
const POINTS_MAX = DAYS_MAX * 96 + 4;

const point = z.object({
  start: instant().meta({ description: 'Begin of a quarter hour, in UTC or with its offset' }),
  value: number({ min: 0, max: KILOWATTS_MAX }).meta({ description: 'Mean power in kW' }),
});

export const newLoadForecast = z.object({
  scope: z.literal('subscription').meta({ description: 'What the forecast is about' }),
  subscription: text({ max: ID_CHARACTERS_MAX }).meta({ description: 'Id of the subscription' }),
  resolution: z.literal('15min'),
  unit: z.literal('KW'),
  data: boundedBy(z.array(z.unknown()).max(POINTS_MAX), z.array(point).min(1).max(POINTS_MAX)).meta({
    description:
      'Whole days of Europe/Berlin, at most 31: one point for each quarter hour, 96 a day, 92 and 100 when the clock is changed',
  }),
});

export const loadForecast = z
  .object({
    scope: z.literal('subscription'),
    subscription: z.string().meta({ description: 'Id of the subscription' }),
    start: z.iso.datetime().meta({ description: 'Begin of the first interval' }),
    end: z.iso.datetime().meta({ description: 'End of the last interval, exclusive' }),
    total: z.number().meta({ description: 'Energy of all intervals in kWh' }),
  })
  .meta({ id: 'LoadForecast' });

/** A forecast is for one purchase: the auction of the day before, or the trade that follows it. */
export const PURCHASES = ['day_ahead', 'intraday'] as const;
export type Purchase = (typeof PURCHASES)[number];

export type NewLoadForecast = z.output<typeof newLoadForecast>;
export type LoadForecast = z.input<typeof loadForecast>;
