import { newId } from '../../src/platform/ids.ts';
import { storedRows } from '../setup/stored-rows.ts';
import { type Ids, idOf, type Noun, type Shown } from './table/row.ts';

declare module './table/row.ts' {
  interface Ids {
    /** Of the subscription, ordered. */
    meterOrder: string;
  }
  interface Place {
    meterOrders: readonly string[];
  }
}

const EDISON = '2026-01-29.edison';
const LIFECYCLE =
  'appointment_at installed_at activated_at cancelled_at cancelled_reason blocked_at blocked_reason';

const order: Shown = {
  object: 'meter_order',
  fields: 'id subscription customer provider status created_at',
  fieldsSince: { '2026-05-27.curie': LIFECYCLE },
  fieldsUntil: { '2026-05-27.curie': 'updated_at' },
};

const newOrder = ({ metered }: Pick<Ids, 'metered'>) => ({ subscription: metered });

/** A contract has one order for ever: here it is gone as soon as it is there, so that it can be ordered again and again. */
const GONE_AT_ONCE = `
  CREATE OR REPLACE FUNCTION forget_new_order() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    DELETE FROM public.meter_orders WHERE organization_id = NEW.organization_id AND id = NEW.id;
    RETURN NULL;
  END
  $$;
  CREATE OR REPLACE TRIGGER forget_new AFTER INSERT ON meter_orders
    FOR EACH ROW WHEN (NEW.status = 'waiting') EXECUTE FUNCTION forget_new_order();`;

export const noun: Noun = {
  routes: {
    'GET /meter-orders': {
      whose: 'customer',
      since: EDISON,
      path: ({ subscription }) => `/meter-orders?filter[subscription][eq]=${subscription}`,
      shows: { ...order, isList: true },
      list: {
        all: () => '/meter-orders?',
        shown: ({ meterOrders }) => meterOrders,
        idOf,
        filters: { customer: ({ customer }) => customer, subscription: ({ subscription }) => subscription },
      },
    },
    'POST /meter-orders': {
      whose: 'staff',
      since: EDISON,
      path: () => '/meter-orders',
      body: newOrder,
      shows: order,
      references: { subscription: (_own, { metered }) => newOrder({ metered }) },
      bodies: { full: (ids) => [newOrder(ids)] },
    },
    'GET /meter-orders/{id}': {
      whose: 'customer',
      since: EDISON,
      path: ({ meterOrder }) => `/meter-orders/${meterOrder}`,
      shows: order,
    },
  },
  make: async ({ api, organization, ids: { customer, metered, subscription } }) => {
    await storedRows(api, GONE_AT_ONCE);
    const meterOrders = [newId('prdo'), newId('prdo')];
    await storedRows(
      api,
      `INSERT INTO meter_orders
         (organization_id, customer_id, subscription_id, id, product, provider, status, unblocked_status)
       SELECT organization_id, customer_id, id, CASE id WHEN $4 THEN $5 ELSE $6 END, 'smart-meter-partner-b', 'partner-b',
              'ordered', 'ordered'
         FROM subscriptions
        WHERE organization_id = $1 AND customer_id = $2 AND id <> $3`,
      [organization, customer, metered, subscription, ...meterOrders],
    );
    return { meterOrder: meterOrders[0] ?? '', meterOrders, private: meterOrders };
  },
  missing: () => ({ meterOrder: newId('prdo') }),
};
