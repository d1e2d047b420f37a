import { subscriptionTopics } from '../../src/contracts/subscriptions/topics.ts';
import { recordEvents } from '../../src/events/record.ts';
import { newId } from '../../src/platform/ids.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { idOf, type Noun, type Shown } from './table/row.ts';

declare module './table/row.ts' {
  interface Ids {
    /** One of two, about the customer's contract; customers see no events. */
    event: string;
    /** The other one. */
    laterEvent: string;
  }
}

/** What no other noun of the table writes on its way. */
const TOLD = [subscriptionTopics.confirmed, subscriptionTopics.activated];

const event: Shown = { object: null, fields: 'id topic timestamp context' };

export const noun: Noun = {
  routes: {
    'GET /events': {
      whose: 'staff',
      path: () => '/events',
      shows: { ...event, isList: true },
      list: {
        all: () => `/events?filter[topic][in]=${TOLD.map(({ name }) => name).join(',')}&`,
        shown: ({ event, laterEvent }) => [event, laterEvent],
        idOf,
        filters: {},
      },
    },
    'GET /events/{id}': {
      whose: 'staff',
      path: ({ event }) => `/events/${event}`,
      shows: event,
    },
  },
  make: async ({ api, organization, ids }) => {
    const now = api.deps.clock.now().toISOString();
    const context = { subscription: ids.subscription };
    await api.deps.database.inOrganization({ organization }, (connection) =>
      recordEvents(
        connection,
        organization,
        TOLD.map((topic) => ({ topic, context, now })),
      ),
    );
    const [event = '', laterEvent = ''] = (
      await storedRows<{ id: string }>(
        api,
        `SELECT id FROM events WHERE organization_id = $1 AND context ->> 'subscription' = $2 ORDER BY position`,
        [organization, ids.subscription],
      )
    ).map(({ id }) => id);
    return { event, laterEvent, private: [event, laterEvent] };
  },
  missing: () => ({ event: newId('evt'), laterEvent: newId('evt') }),
};
