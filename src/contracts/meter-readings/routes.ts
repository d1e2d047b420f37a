import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute, route } from '../../platform/interface/route.ts';
import { UNSUPPORTED_METER } from '../meters/service.ts';
import { subscriptionExample } from '../subscriptions/examples.ts';
import { createMeterReading, createReadingOfSubscription } from './create.ts';
import { DUPLICATE_METER_READING, IMPLAUSIBLE_METER_READING } from './fits.ts';
import { getMeterReadings, getReadingsOfSubscription } from './read.ts';
import { OUT_OF_PERIOD_METER_READING, UNSUPPORTED_METER_READING } from './rules.ts';
import { type MeterReading, meterReading, newMeterReading, newReadingOfSubscription } from './schema.ts';

/** One reading is checked by the same rules, wherever it is sent. */
const REFUSALS = [
  UNSUPPORTED_METER,
  UNSUPPORTED_METER_READING,
  OUT_OF_PERIOD_METER_READING,
  DUPLICATE_METER_READING,
  IMPLAUSIBLE_METER_READING,
];

const TAG = 'Meter readings';

const CREATED =
  'For consumption on analog meters, one a day, from the first day of supply to the day of its end. The value must fit ' +
  'the other readings of the meter, and what the contract is expected to use. A day that is billed already, or lies ' +
  'between two readings that are no estimates, can be entered by the supplier only.';

const shown: MeterReading = {
  object: 'meter_reading',
  id: 'mr_lindenallee0reading00001',
  customer: subscriptionExample.customer.id,
  subscription: subscriptionExample.id,
  meter: subscriptionExample.meter.id,
  value: 18342.7,
  timestamp: '2026-12-30T23:00:00.000Z',
  type: 'customer_report',
  created_at: '2026-12-31T14:21:07.902Z',
};

const sent = { value: 18342.7, timestamp: '2026-12-31T14:20:00Z', message: 'Read twice' };

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
      example: { response: shown },
      handler: (request) => getMeterReadings(deps, request),
    }),
    route({
      method: 'POST',
      path: '/meter-readings',
      summary: 'Send a meter reading',
      description: CREATED,
      tag: TAG,
      customerTokens: 'own',
      refusals: REFUSALS,
      idempotent: true,
      body: newMeterReading,
      response: meterReading,
      example: { response: shown, body: { subscription: subscriptionExample.id, ...sent } },
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
      example: { response: shown },
      handler: (request) => getReadingsOfSubscription(deps, request),
    }),
    route({
      method: 'POST',
      path: '/subscriptions/{id}/meter_readings',
      summary: 'Send a meter reading',
      description: CREATED,
      tag: TAG,
      customerTokens: 'own',
      refusals: REFUSALS,
      idempotent: true,
      body: newReadingOfSubscription,
      response: meterReading,
      example: { response: shown, body: sent },
      handler: (request) => createReadingOfSubscription(deps, request),
    }),
  ];
}
