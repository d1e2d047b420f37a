import { z } from 'zod';
import { newId } from '../../platform/ids.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

export const newMeterReadingId = () => newId('mr');

const { instant, multilineText, number, text, objectName, ownId, createdAt } = wireSchemas;

export const READING_TYPES = ['customer_report', 'grid_reading', 'grid_estimation'] as const;

/** No meter of the trade counts so far. */
export const READING_KWH_MAX = 10_000_000_000;

const ID_CHARACTERS_MAX = 255;
const MESSAGE_CHARACTERS_MAX = 500;

/** Where the subscription stands in the path. */
export const newReadingOfSubscription = z.object({
  value: number({ max: READING_KWH_MAX })
    .gt(0)
    .meta({ description: 'Cumulative kWh, as the meter shows them' }),
  timestamp: instant().meta({ description: 'When it was read; moved to the start of its day in Berlin' }),
  message: multilineText({ min: 0, max: MESSAGE_CHARACTERS_MAX })
    .optional()
    .meta({ description: 'Kept for your staff, not shown again' }),
});

export const newMeterReading = z.object({
  subscription: text({ max: ID_CHARACTERS_MAX }).meta({ description: 'Id of the subscription' }),
  ...newReadingOfSubscription.shape,
});

export const meterReading = z
  .object({
    object: objectName('meter_reading'),
    id: ownId,
    customer: z.string().meta({ description: 'Id of the customer' }),
    subscription: z.string().meta({ description: 'Id of the subscription' }),
    meter: z.string().meta({ description: 'Id of the meter' }),
    value: z.number().meta({ description: 'Cumulative kWh' }),
    timestamp: z.iso.datetime().meta({ description: 'Start of the day in Berlin' }),
    type: z.enum(READING_TYPES).meta({
      description: '`customer_report`: sent here; the other two come from the metering operator',
    }),
    created_at: createdAt,
  })
  .meta({ id: 'MeterReading' });

export type NewReadingOfSubscription = z.output<typeof newReadingOfSubscription>;
export type NewMeterReading = z.output<typeof newMeterReading>;
export type MeterReading = z.input<typeof meterReading>;
