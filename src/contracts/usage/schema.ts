import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { METER_TYPES } from '../../tariffs/reference-data/codes.ts';

const { objectName } = wireSchemas;

/** Finest first. */
export const RESOLUTIONS = ['15min', 'hour', 'day', 'week', 'month'] as const;

export type Resolution = (typeof RESOLUTIONS)[number];

export const usageQuery = z.object({
  resolution: z
    .enum(['auto', ...RESOLUTIONS])
    .default('auto')
    .meta({
      description:
        '`auto`: `15min` up to 2 days, `hour` up to 7, `day` up to 62, `week` up to 366, then `month`. Analog meters give `month`, whatever is asked for',
    }),
  start: wireSchemas.date().optional().meta({
    description:
      'First day, Europe/Berlin. Where absent: of a smart meter yesterday, of an analog one the later of the start of supply and 12 months ago',
  }),
  end: wireSchemas.date().optional().meta({
    description:
      'The day behind the last one. Where absent: of a smart meter today, of an analog one the day of the latest reading',
  }),
});

const shownFields = {
  meter_type: z.enum(METER_TYPES).meta({ description: 'Kind of the meter that the figures come from' }),
  resolution: z.enum(RESOLUTIONS).meta({ description: 'The one that is delivered' }),
  data: z
    .array(
      z.object({
        start: z.iso.datetime().meta({ description: 'UTC; each interval ends where the next one may begin' }),
        usage: z.number().meta({ description: 'kWh, positive in both directions' }),
        type: z
          .enum(['final', 'preliminary'])
          .meta({ description: '`preliminary`: an estimate, or not complete yet' }),
      }),
    )
    .meta({ description: 'Ascending; intervals of which nothing is known are left out' }),
};

export const usage = z.object({ object: objectName('usage'), ...shownFields }).meta({ id: 'Usage' });

/** The same under its older name. */
export const consumption = z
  .object({ object: objectName('consumption'), ...shownFields })
  .meta({ id: 'Consumption' });

export type UsageQuery = z.output<typeof usageQuery>;
export type Usage = z.input<typeof usage>;
export type Consumption = z.input<typeof consumption>;
