import { DUPLICATE_CUSTOMER_EMAIL } from '../../identity/customers/service.ts';
import { MISSING_HOUSEHOLD } from '../../identity/households/service.ts';
import { OVERLAP_SECONDS } from '../../platform/database/time-limits.ts';
import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute, route } from '../../platform/interface/route.ts';
import { MISSING_MODULE_1, UNSUPPORTED_PRODUCT } from '../../tariffs/plans/service.ts';
import { UNSERVICEABLE_ZIP } from '../../tariffs/reference-data/service.ts';
import { DUPLICATE_GRID_REDUCTION, MISSING_SMART_METER } from '../grid-fee-reductions/service.ts';
import { ENDED_SUBSCRIPTION, SUBSCRIPTION_NOT_STARTED } from '../held-contracts/service.ts';
import { DUPLICATE_METER_ORDER, UNSUPPORTED_METER_ORDER } from '../meter-orders/service.ts';
import { UNSUPPORTED_METER } from '../meters/service.ts';
import { INVALID_IBAN } from '../payment-methods/service.ts';
import { createSubscription, DUPLICATE_CONSUMPTION_SUBSCRIPTION } from './create.ts';
import { newSubscriptionExample, signedUpExample, subscriptionExample } from './examples.ts';
import { getSubscription, getSubscriptions } from './read.ts';
import {
  acceptedTermination,
  changedSubscription,
  newSubscription,
  SUBSCRIPTION_STATUSES,
  subscription,
  subscriptionListItem,
  termination,
} from './schema.ts';
import { INVALID_HOUSEHOLD_CUSTOMER, INVALID_HOUSEHOLD_METER } from './sign-up-place.ts';
import { INVALID_TERMINATION_DATE, terminateSubscription, WITHDRAWAL_NOT_ALLOWED } from './terminate.ts';
import { changeSubscription } from './update.ts';

const TAG = 'Subscriptions';

export function subscriptionRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/subscriptions',
      summary: 'List subscriptions',
      description: `Newest first. What belongs to a subscription is shown by its id here. To keep a copy, ask for what changed with \`filter[updated_at][gte]\`, from ${OVERLAP_SECONDS} seconds before the \`Date\` of the answer you had last: a change that is being stored while you ask carries an earlier instant, and is stored within that time or not at all. \`updated_at\` of a subscription never goes back.`,
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: subscriptionListItem,
      list: {
        filters: {
          status: { type: 'enum', values: SUBSCRIPTION_STATUSES },
          customer: { type: 'string' },
          plan: { type: 'string' },
          household: { type: 'string' },
          created_at: { type: 'date' },
          updated_at: { type: 'date' },
        },
      },
      example: { response: signedUpExample },
      handler: (request) => getSubscriptions(deps, request),
    }),
    route({
      method: 'POST',
      path: '/subscriptions',
      summary: 'Sign up',
      description:
        'Creates customer, household, meter and contract in one step, or joins what is there: a known e-mail address needs `household`, an id of a customer finds the household by its meter. Supply begins when the grid operator has confirmed it.',
      tag: TAG,
      customerTokens: 'no',
      refusals: [
        UNSUPPORTED_PRODUCT,
        UNSERVICEABLE_ZIP,
        MISSING_HOUSEHOLD,
        INVALID_HOUSEHOLD_CUSTOMER,
        INVALID_HOUSEHOLD_METER,
        UNSUPPORTED_METER,
        UNSUPPORTED_METER_ORDER,
        MISSING_MODULE_1,
        MISSING_SMART_METER,
        INVALID_IBAN,
        DUPLICATE_CUSTOMER_EMAIL,
        DUPLICATE_CONSUMPTION_SUBSCRIPTION,
        DUPLICATE_METER_ORDER,
        DUPLICATE_GRID_REDUCTION,
      ],
      idempotent: true,
      body: newSubscription,
      response: subscriptionListItem,
      example: { response: signedUpExample, body: newSubscriptionExample },
      handler: (request) => createSubscription(deps, request),
    }),
    route({
      method: 'GET',
      path: '/subscriptions/{id}',
      summary: 'Retrieve a subscription',
      description: 'With its customer, addresses, meter, payment method and previous supplier.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: subscription,
      example: { response: subscriptionExample },
      handler: (request) => getSubscription(deps, request),
    }),
    route({
      method: 'PATCH',
      path: '/subscriptions/{id}',
      summary: 'Change a subscription',
      description:
        'Only the sent fields change. The billing address changes in place, a payment method is replaced by a new ' +
        'one, and `metadata` is merged by key. An ended subscription cannot be changed. Another field of the ' +
        'subscription is refused when it is sent with another value than the stored one; unknown fields are ignored.',
      tag: TAG,
      customerTokens: 'no',
      refusals: [ENDED_SUBSCRIPTION, INVALID_IBAN],
      body: changedSubscription,
      response: subscription,
      example: {
        response: { ...subscriptionExample, metadata: { crm: 'A-1182', region: 'north' } },
        body: { metadata: { region: 'north' } },
      },
      handler: (request) => changeSubscription(deps, request),
    }),
    route({
      method: 'POST',
      path: '/subscriptions/{id}/terminate',
      summary: 'Terminate a subscription',
      description:
        'Supply ends at midnight in Berlin, after three working days of notice to the grid operator at the earliest. ' +
        '`ORDINARY` also keeps the cancellation period of the plan; `MOVE_OUT` needs the date; `WITHDRAWAL` is open ' +
        'to persons until 14 days after the confirmation and takes the earliest date; before the confirmation it ends ' +
        'the subscription at once, without supply. Feed-in ends with a month. A second termination is accepted only ' +
        'when it ends supply earlier.',
      tag: TAG,
      customerTokens: 'no',
      refusals: [
        ENDED_SUBSCRIPTION,
        SUBSCRIPTION_NOT_STARTED,
        INVALID_TERMINATION_DATE,
        WITHDRAWAL_NOT_ALLOWED,
      ],
      body: termination,
      response: acceptedTermination,
      example: {
        response: { reason: 'ORDINARY', intended_end_at: '2027-01-01T00:00:00+01:00' },
        body: { reason: 'ORDINARY', intended_end_at: '2026-12-31T23:00:00Z' },
      },
      handler: (request) => terminateSubscription(deps, request),
    }),
  ];
}
