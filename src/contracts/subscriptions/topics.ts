import { topic } from '../../events/topic.ts';

const context = { subscription: { id: 'sub' } } as const;

/** What happens to contracts, in the order in which it does. */
export const subscriptionTopics = {
  created: topic({
    name: 'subscription.created',
    when: 'A sign-up was accepted. `lead` is there where it came from a lead.',
    since: '2025-12-01.chucky',
    context: { ...context, lead: { id: 'lead', optional: true } },
  }),
  confirmed: topic({
    name: 'subscription.confirmed',
    when: 'The day on which supply begins is fixed, or was changed.',
    since: '2025-12-01.chucky',
    context,
  }),
  activated: topic({
    name: 'subscription.activated',
    when: 'Supply has begun.',
    since: '2025-12-01.chucky',
    context,
  }),
  terminated: topic({
    name: 'subscription.terminated',
    when: 'A termination was accepted, or the day on which supply ends was changed.',
    since: '2026-05-27.curie',
    context,
  }),
  ended: topic({
    name: 'subscription.ended',
    when: 'The contract has ended; one that the grid operator refused, or that was withdrawn from before, never began.',
    since: '2025-12-01.chucky',
    context,
  }),
};
