import type { RouteName } from '../../platform/interface/route.ts';

/** What the API description shows for a route: in the newest version, one item of a list. */
export interface RouteExample {
  response: object;
  body?: object;
}

export type RouteExamples = Readonly<Partial<Record<RouteName, RouteExample>>>;

export function example(response: object, body?: object): RouteExample {
  return body === undefined ? { response } : { response, body };
}

/** The same things in all examples, so that one answer leads to the next request. */
export const ID = {
  customer: 'cus_jule0brandt0hamburg02601',
  household: 'dom_lindenallee0hamburg00007',
  address: 'adr_lindenallee0hamburg00007',
  billingAddress: 'adr_lindenallee0invoices0007',
  plan: 'pln_strom0dynamisch000000001',
  lead: 'lead_jule0brandt0autumn000001',
  marketPartner: 'mp_stadtwerke0musterstadt01',
  subscription: 'sub_jule0brandt0strom0000001',
  meter: 'mtr_lindenallee0meter0000001',
  paymentMethod: 'pm_jule0brandt0sepa00000001',
  reading: 'mr_lindenallee0reading00001',
  inverter: 'ast_lindenallee0inverter0001',
  battery: 'ast_lindenallee0battery00001',
} as const;
