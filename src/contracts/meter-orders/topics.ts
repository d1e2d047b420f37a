import { topic } from '../../events/topic.ts';

const context = { meter_order: { id: 'prdo' }, subscription: { id: 'sub' } } as const;

const of = (what: string, when: string) =>
  topic({ name: `meter_order.${what}`, when, since: '2026-05-27.curie', context });

/** By the public status that is reached; `blocked` is a mark on top of one. A status that was skipped is not told. */
export const meterOrderTopics = {
  created: of('created', 'A smart meter was ordered, by itself or with a sign-up.'),
  placed: of('placed', 'The order was handed to the metering partner.'),
  check_submitted: of('check_submitted', 'The customer has sent the details for the technical check.'),
  check_reviewed: of('check_reviewed', 'The partner has finished the technical check.'),
  scheduled: of('scheduled', 'The visit has a date.'),
  installed: of('installed', 'The smart meter is mounted.'),
  activated: of('activated', 'The smart meter delivers readings.'),
  blocked: of('blocked', 'The order is held back; its `blocked_reason` says why.'),
  cancelled: of(
    'cancelled',
    'The order has ended before the meter delivered readings: it was called off, the contract ended, or there was a smart meter already.',
  ),
};
