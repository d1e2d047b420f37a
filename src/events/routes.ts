import type { Deps } from '../platform/deps.ts';
import { type ApiRoute, listRoute, route } from '../platform/interface/route.ts';
import { getEvent, getEvents } from './read.ts';
import { type Event, type EventsQuery, event, eventsQuery } from './schema.ts';
import type { Topic } from './topic.ts';

const TAG = 'Events';

const eventExample: Event = {
  id: 'evt_096h7tbtcaoe2c1exfawakq3',
  topic: 'subscription.activated',
  timestamp: '2026-11-30T23:00:04.481Z',
  context: { subscription: 'sub_jule0brandt0strom0000001' },
};

/** `topics`: those of all nouns, which events do not know. */
export function eventRoutes(deps: Deps, topics: readonly Topic[]): ApiRoute[] {
  const parts = { database: deps.database, topics };
  return [
    listRoute({
      path: '/events',
      summary: 'List events',
      description:
        'What happened to contracts and orders in the last 13 months, newest first. `filter[created_at]` compares ' +
        '`timestamp`, which is older than the moment at which an event can be read: to hear of every event ask with ' +
        '`after`, else go back by 60 seconds each time and leave out what is known by its id.',
      tag: TAG,
      customerTokens: 'no',
      query: eventsQuery,
      response: event,
      list: {
        filters: {
          topic: { type: 'enum', values: topics.map(({ name }) => name) },
          created_at: { type: 'date' },
        },
      },
      example: { response: eventExample },
      handler: (request) => getEvents(parts, request as typeof request & { query: EventsQuery }),
    }),
    route({
      method: 'GET',
      path: '/events/{id}',
      summary: 'Retrieve an event',
      description: 'The same document as the body of its webhooks.',
      tag: TAG,
      customerTokens: 'no',
      response: event,
      example: { response: eventExample },
      handler: (request) => getEvent(parts, request),
    }),
  ];
}
