import { customerExample } from '../../identity/customers/examples.ts';
import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute, route } from '../../platform/interface/route.ts';
import { UNSUPPORTED_PRODUCT } from '../../tariffs/plans/service.ts';
import { contractExample } from '../held-contracts/examples.ts';
import { ENDED_SUBSCRIPTION } from '../held-contracts/service.ts';
import { createOrderOfContract } from './create.ts';
import { getMeterOrder, getMeterOrders } from './read.ts';
import { type FullMeterOrder, meterOrder, newMeterOrder } from './schema.ts';
import { DUPLICATE_METER_ORDER, UNSUPPORTED_METER_ORDER } from './service.ts';

const TAG = 'Meter orders';

const ordered: FullMeterOrder = {
  object: 'meter_order',
  id: 'prdo_lindenallee0smart000001',
  subscription: contractExample,
  customer: customerExample.id,
  provider: 'partner-b',
  status: 'created',
  appointment_at: null,
  installed_at: null,
  activated_at: null,
  cancelled_at: null,
  cancelled_reason: null,
  blocked_at: null,
  blocked_reason: null,
  created_at: '2026-10-05T08:40:12.345Z',
  internal_status: 'waiting',
  updated_at: '2026-10-05T08:40:12.345Z',
};

const scheduled: FullMeterOrder = {
  ...ordered,
  status: 'scheduled',
  appointment_at: '2026-11-24T09:00:00.000Z',
  internal_status: 'installation_scheduled',
  updated_at: '2026-11-09T13:02:41.870Z',
};

export function meterOrderRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/meter-orders',
      summary: 'List meter orders',
      description: 'Orders of smart meters, newest first.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: meterOrder,
      list: {
        filters: {
          customer: { type: 'string', operators: ['eq'] },
          subscription: { type: 'string', operators: ['eq'] },
        },
      },
      example: { response: scheduled },
      handler: (request) => getMeterOrders(deps, request),
    }),
    route({
      method: 'POST',
      path: '/meter-orders',
      summary: 'Order a smart meter',
      description:
        'For a contract of consumption whose meter is analog and whose plan has a smart meter, once for each contract: ' +
        'an order that was cancelled counts as well. The metering partner moves the order on; each `status` that it ' +
        'reaches is an event. With the mounted meter the contract has another meter number, and usage by quarter hours.',
      tag: TAG,
      customerTokens: 'no',
      refusals: [ENDED_SUBSCRIPTION, UNSUPPORTED_METER_ORDER, UNSUPPORTED_PRODUCT, DUPLICATE_METER_ORDER],
      idempotent: true,
      body: newMeterOrder,
      response: meterOrder,
      example: { response: ordered, body: { subscription: contractExample } },
      handler: (request) => createOrderOfContract(deps, request),
    }),
    route({
      method: 'GET',
      path: '/meter-orders/{id}',
      summary: 'Retrieve a meter order',
      description: 'How far the order of a smart meter is.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: meterOrder,
      example: { response: scheduled },
      handler: (request) => getMeterOrder(deps, request),
    }),
  ];
}
