import type { Deps } from '../deps.ts';
import { type ApiRoute, listRoute, route } from '../platform/interface/route.ts';
import { createMeterReading, createReadingOfSubscription } from './create.ts';
import { getMeterReadings, getReadingsOfSubscription } from './read.ts';
import { meterReading, newMeterReading, newReadingOfSubscription } from './schema.ts';

const TAG = 'Meter readings';

const CREATED =
  'For consumption on analog meters, one a day, from the first day of supply to the day of its end. The value must fit ' +
  'the other readings of the meter, and what the contract is expected to use.';

export function meterReadingRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/meter-readings',
      summary: 'List meter readings',
      description: 'Newest first.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: meterReading,
      list: {
        filters: {
          type: { type: 'string' },
          subscription: { type: 'string' },
          created_at: { type: 'date' },
        },
      },
      handler: (request) => getMeterReadings(deps, request),
    }),
    route({
      method: 'POST',
      path: '/meter-readings',
      summary: 'Send a meter reading',
      description: CREATED,
      tag: TAG,
      customerTokens: 'own',
      idempotent: true,
      body: newMeterReading,
      response: meterReading,
      handler: (request) => createMeterReading(deps, request),
    }),
    listRoute({
      path: '/subscriptions/{id}/meter_readings',
      summary: 'List meter readings of a subscription',
      description: 'Newest first.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: meterReading,
      list: { filters: {} },
      handler: (request) => getReadingsOfSubscription(deps, request),
    }),
    route({
      method: 'POST',
      path: '/subscriptions/{id}/meter_readings',
      summary: 'Send a meter reading',
      description: CREATED,
      tag: TAG,
      customerTokens: 'own',
      idempotent: true,
      body: newReadingOfSubscription,
      response: meterReading,
      handler: (request) => createReadingOfSubscription(deps, request),
    }),
  ];
}
