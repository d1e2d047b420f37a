import { z } from 'zod';

/** In place of an id: behind nothing, from the oldest event on. */
export const BEGINNING = '0';

export const eventsQuery = z.object({
  after: z
    .string()
    .max(255)
    .optional()
    .meta({
      description:
        'Id of an event: those that were committed after it, oldest first, none left out and none twice. `0` begins with ' +
        'the oldest there is. Not with `filter[created_at]`',
    }),
});

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
export type EventsQuery = z.output<typeof eventsQuery>;
