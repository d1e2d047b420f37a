import { z } from 'zod';

export const event = z
  .object({
    id: z.string().meta({ description: 'The `webhook-id` of its deliveries, too' }),
    topic: z.string().meta({ description: 'Noun and what happened; new topics may come with any release' }),
    timestamp: z.iso.datetime().meta({ description: 'When it happened' }),
    context: z
      .record(z.string(), z.string())
      .meta({ description: 'Ids of what it is about, by name. Read the resource for everything else' }),
  })
  .meta({ id: 'Event' });

export type Event = z.input<typeof event>;
