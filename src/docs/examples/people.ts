import type { Customer } from '../../customers/schema.ts';
import type { Household, HouseholdListItem } from '../../households/schema.ts';
import type { Lead } from '../../leads/schema.ts';
import type { ListedSupplier, MarketPartner } from '../../market-partners/schema.ts';
import type { Plan } from '../../plans/schema.ts';
import { example, ID, type RouteExamples } from './example.ts';

const AT = '2026-10-05T08:40:12.345Z';

export const customer: Customer = {
  object: 'customer',
  id: ID.customer,
  type: 'person',
  first_name: 'Jule',
  last_name: 'Brandt',
  email: 'jule.brandt@example.org',
  vat_id: null,
  created_at: AT,
};

export const address = {
  object: 'address',
  id: ID.address,
  street: 'Lindenallee',
  house_number: '7a',
  zip: '20354',
  city: 'Hamburg',
  created_at: AT,
} as const;

const plan: Plan = {
  object: 'plan',
  id: ID.plan,
  name: 'Strom Dynamisch',
  slug: 'strom-dynamisch',
  description: 'The price of the exchange, quarter hour by quarter hour',
  type: 'consumption',
  price: 7.14,
  currency: 'EUR',
  created_at: '2026-06-01T08:00:00.000Z',
};

const lead: Lead = {
  object: 'lead',
  id: ID.lead,
  link: `https://strom-dynamisch.checkout.example.org/?id=${ID.lead}`,
  subscription: null,
  subscribed_at: null,
  created_by: 'staff@example.org',
  last_visited_at: null,
  metadata: { campaign: 'autumn' },
  created_at: AT,
};

const listedSupplier: ListedSupplier = {
  object: 'supplier',
  id: ID.marketPartner,
  name: 'Stadtwerke Musterstadt',
  country: 'DE',
  created_at: '2026-01-02T08:00:00.000Z',
  code: '9900000000015',
  code_type: 'BDEW',
};

export const supplier = listedSupplier;

const marketPartner: MarketPartner = { ...listedSupplier, object: 'market_partner', type: 'supplier' };

const household: Household = {
  object: 'household',
  id: ID.household,
  display_name: null,
  created_at: AT,
  updated_at: AT,
  customer,
  address,
};

const listedHousehold: HouseholdListItem = { ...household, customer: ID.customer, address: ID.address };

export const peopleExamples: RouteExamples = {
  'GET /customers': example(customer),
  'GET /customers/{id}': example(customer),
  'PATCH /customers/{id}': example({ ...customer, last_name: 'Brandt-Voss' }, { last_name: 'Brandt-Voss' }),
  'GET /households': example(listedHousehold),
  'GET /households/{id}': example(household),
  'GET /plans': example(plan),
  'GET /plans/{id}': example(plan),
  'GET /leads': example(lead),
  'GET /leads/{id}': example(lead),
  'POST /leads': example(lead, {
    plan: ID.plan,
    address: { zip: '20354' },
    meter: { estimated_usage: 3200 },
    customer: { first_name: 'Jule', last_name: 'Brandt', email: 'jule.brandt@example.org' },
    created_by: 'staff@example.org',
    metadata: { campaign: 'autumn' },
  }),
  'GET /market-partners': example(marketPartner),
  'GET /suppliers': example(listedSupplier),
  'GET /suppliers/search': example(listedSupplier),
  'POST /admin/magic_link': example(
    {
      object: 'magic_link',
      link: 'https://api.example.org/portal/auth/confirm?token_hash=ZXhhbXBsZQ&type=magiclink&next=/overview',
    },
    { customerId: ID.customer },
  ),
};
