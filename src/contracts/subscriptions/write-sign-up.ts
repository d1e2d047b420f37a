import { recordEvents } from '../../events/record.ts';
import { createAddress } from '../../identity/addresses/service.ts';
import { createSignedUpCustomer } from '../../identity/customers/service.ts';
import { joinHousehold, openHousehold } from '../../identity/households/service.ts';
import { actorOf, audit } from '../../platform/audit.ts';
import type { Connection } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import type { CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { PlanWithTerms } from '../../tariffs/plans/queries.ts';
import { createIntendedReductions } from '../grid-fee-reductions/service.ts';
import { convertLead } from '../leads/service.ts';
import { createMeterOrder } from '../meter-orders/service.ts';
import { createMeter, learnFromSignUp } from '../meters/service.ts';
import { createPaymentMethod } from '../payment-methods/service.ts';
import { insertSubscription, type SubscriptionRow } from './queries.ts';
import type { NewSubscription } from './schema.ts';
import type { SignUpPlace } from './sign-up-place.ts';
import type { OrderedProducts } from './sign-up-products.ts';
import { findContractThatCounts } from './supply-queries.ts';
import { subscriptionTopics } from './topics.ts';

export type SignUpRequest = ApiRequest<unknown, NewSubscription>;

/** A sign-up whose rules all hold. */
export interface CheckedSignUp {
  request: SignUpRequest;
  plan: PlanWithTerms;
  place: SignUpPlace;
  supplier: string | null;
  startOn: CalendarDay;
  products: OrderedProducts;
  now: string;
}

/** Customer, household, addresses, meter, payment method, contract, orders and events: all of it or nothing. */
export async function writeSignUp(connection: Connection, signUp: CheckedSignUp): Promise<SubscriptionRow> {
  const { request, plan, place, products, now } = signUp;
  const { body } = request;
  const { organization } = request.principal;
  const customer =
    place.customer ?? (await createSignedUpCustomer(connection, organization, body.customer, now));
  const address = await createAddress(connection, organization, customer, body.address, now);
  const billing = await createAddress(connection, organization, customer, body.address, now);
  const { household, meter } = await placeInHousehold(connection, signUp, customer, address);
  const payment = await createPaymentMethod(connection, organization, customer, body.payment_method, now);
  const row = await insertSubscription(connection, organization, {
    id: newId('sub'),
    plan_id: plan.id,
    type: plan.type,
    customer_id: customer,
    household_id: household,
    address_id: address,
    billing_address_id: billing,
    meter_id: meter,
    meter_type: body.meter.type,
    payment_method_id: payment,
    supplier_id: signUp.supplier,
    status: 'pending',
    estimated_usage: String(body.meter.estimated_usage),
    intended_start_on: signUp.startOn,
    metadata: body.metadata === undefined || body.metadata === null ? null : JSON.stringify(body.metadata),
    created_at: now,
    updated_at: now,
  });
  if (body.lead !== undefined) {
    await convertLead(connection, organization, body.lead, { subscription: row.id, now });
  }
  await recordEvents(connection, organization, [
    { topic: subscriptionTopics.created, context: { subscription: row.id, ...leadOf(body) }, now },
  ]);
  const { smartMeter } = products;
  if (smartMeter !== null) {
    await createMeterOrder(connection, organization, row, { product: smartMeter, now });
  }
  await createIntendedReductions(connection, organization, row, products.modules, now);
  await audit(connection, {
    ...actorOf(request),
    act: 'subscription.create',
    object_id: row.id,
    result: 'done',
  });
  return row;
}

/** The household that is joined, with its meter; else new ones come into being. */
async function placeInHousehold(
  connection: Connection,
  { request, place, now }: CheckedSignUp,
  customer: string,
  address: string,
): Promise<{ household: string; meter: string }> {
  const { organization } = request.principal;
  const { meter: sent } = request.body;
  const household =
    place.household ?? (await openHousehold(connection, organization, { customer, address, now }));
  if (place.household !== null) {
    await joinHousehold(connection, organization, place.household, { address, now });
  }
  if (place.meter === null) {
    const owner = { customer, household };
    return { household, meter: await createMeter(connection, organization, owner, sent, now) };
  }
  const begunBy = sent.type === 'analog' ? now : undefined;
  const other = await findContractThatCounts(connection, organization, household, begunBy);
  await learnFromSignUp(
    connection,
    organization,
    place.meter,
    { ...sent, isFirst: other === undefined },
    now,
  );
  return { household, meter: place.meter.id };
}

function leadOf({ lead }: NewSubscription): { lead?: string } {
  return lead === undefined ? {} : { lead };
}
