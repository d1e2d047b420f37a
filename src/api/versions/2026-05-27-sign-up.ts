import { z } from 'zod';
import { customerOrId } from '../../contracts/subscriptions/schema.ts';
import { newCustomerOrPerson } from '../../identity/customers/schema.ts';
import type { VersionChange } from '../../platform/interface/version-change.ts';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';

const version = '2026-05-27.curie';
const appliesTo = ['POST /subscriptions'] as const;

type Json = Record<string, unknown>;

const addressBefore = z
  .object({
    street: wireSchemas.name(),
    house_number: wireSchemas.name(),
    zip: wireSchemas.text({ min: 5 }),
    city: wireSchemas.name(),
  })
  .meta({ description: 'Delivery address' });

export const signUpAddress: VersionChange = {
  version,
  summary: 'Addresses of a sign-up are checked',
  before: 'The parts of an address had a length and nothing else to fulfil.',
  after: '`street`, `house_number`, `zip` and `city` have patterns: five digits, no digit in a city.',
  appliesTo,
  schema: { body: (newer) => (newer as z.ZodObject).extend({ address: addressBefore }) },
};

const [person, company] = newCustomerOrPerson.options;
const customerBefore = z.discriminatedUnion('type', [
  person.omit({ vat_id: true }),
  company.omit({ vat_id: true }),
]);

export const signUpVatId: VersionChange = {
  version,
  summary: 'A sign-up takes a tax number',
  before: '`customer.vat_id` was ignored.',
  after: '`customer.vat_id` is kept; a company that feeds in needs it.',
  appliesTo,
  schema: { body: (newer) => (newer as z.ZodObject).extend({ customer: customerOrId(customerBefore) }) },
  request: ({ query, body }) => ({ query, body: withoutVatId(body as Json) }),
};

function withoutVatId(body: Json): Json {
  if (typeof body.customer === 'string') return body;
  const { vat_id, ...customer } = body.customer as Json;
  return { ...body, customer };
}
