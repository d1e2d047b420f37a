import { customerExample } from '../../identity/customers/examples.ts';
import type { Deps } from '../../platform/deps.ts';
import { type ApiRoute, listRoute, route } from '../../platform/interface/route.ts';
import { MISSING_MODULE_1, UNSUPPORTED_PRODUCT } from '../../tariffs/plans/service.ts';
import { contractExample } from '../held-contracts/examples.ts';
import { ENDED_SUBSCRIPTION } from '../held-contracts/service.ts';
import { createReduction } from './create.ts';
import { getReduction, getReductions } from './read.ts';
import {
  type GridFeeReduction,
  gridFeeReduction,
  newGridFeeReduction,
  REDUCTION_STATUSES,
} from './schema.ts';
import { DUPLICATE_GRID_REDUCTION, MISSING_SMART_METER } from './service.ts';

const TAG = 'Grid fee reductions';

const shown: GridFeeReduction = {
  object: 'grid_fee_reduction',
  id: 'gfr_lindenallee0module10001',
  customer: customerExample.id,
  subscription: contractExample,
  type: 'enwg-14a-module-1',
  status: 'activated',
  valid_from: '2026-11-30T23:00:00.000Z',
  valid_until: null,
  created_at: '2026-11-09T10:12:44.018Z',
  updated_at: '2026-11-23T08:02:31.550Z',
};

const ordered: GridFeeReduction = {
  ...shown,
  status: 'ordered',
  valid_from: null,
  updated_at: shown.created_at,
};

export function gridFeeReductionRoutes(deps: Deps): ApiRoute[] {
  return [
    listRoute({
      path: '/grid-fee-reductions',
      summary: 'List grid fee reductions',
      description: 'Newest first.',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: gridFeeReduction,
      list: {
        filters: {
          status: { type: 'enum', values: REDUCTION_STATUSES },
          customer: { type: 'string' },
          subscription: { type: 'string' },
          created_at: { type: 'date' },
          updated_at: { type: 'date' },
        },
      },
      example: { response: shown },
      handler: (request) => getReductions(deps, request),
    }),
    route({
      method: 'POST',
      path: '/grid-fee-reductions',
      summary: 'Order a grid fee reduction',
      description:
        'For a subscription of a plan that sells the module. Module 3 needs module 1 and a smart meter; module 2 stands ' +
        'alone. It is `ordered` where the subscription is active, else `intended` until the grid operator has confirmed it.',
      tag: TAG,
      customerTokens: 'no',
      refusals: [
        ENDED_SUBSCRIPTION,
        UNSUPPORTED_PRODUCT,
        MISSING_MODULE_1,
        MISSING_SMART_METER,
        DUPLICATE_GRID_REDUCTION,
      ],
      idempotent: true,
      body: newGridFeeReduction,
      response: gridFeeReduction,
      example: { response: ordered, body: { subscription: contractExample, type: shown.type } },
      handler: (request) => createReduction(deps, request),
    }),
    route({
      method: 'GET',
      path: '/grid-fee-reductions/{id}',
      summary: 'Retrieve a grid fee reduction',
      tag: TAG,
      customerTokens: 'own',
      readsPersonalData: true,
      response: gridFeeReduction,
      example: { response: shown },
      handler: (request) => getReduction(deps, request),
    }),
  ];
}
