import { z } from 'zod';
import { wireSchemas } from '../../platform/interface/wire-schemas.ts';
import { address, newAddress } from '../addresses/schema.ts';
import { customer, newCustomer } from '../customers/schema.ts';

const { objectName, ownId, createdAt, updatedAt } = wireSchemas;

const shownFields = z.object({
  object: objectName('household'),
  id: ownId,
  display_name: z.string().nullable().meta({ description: 'Null until the operator sets it' }),
  created_at: createdAt,
  updated_at: updatedAt,
});

export const household = shownFields
  .extend({
    customer,
    address: address.nullable().meta({ description: 'Delivery address' }),
  })
  .meta({ id: 'Household', description: 'The contracts and devices at one metering point' });

export const householdListItem = shownFields
  .extend({
    customer: z.string().meta({ description: 'Id of the customer' }),
    address: z.string().nullable().meta({ description: 'Id of the delivery address' }),
  })
  .meta({ id: 'HouseholdListItem' });

/** What the operator's command line gives. */
export const newHousehold = z.object({
  /** An existing customer's id, or a new customer. */
  customer: z.union([z.string(), newCustomer]),
  address: newAddress.nullable(),
  display_name: wireSchemas.name({ max: 100 }).nullable(),
});

export type NewHousehold = z.input<typeof newHousehold>;
export type Household = z.input<typeof household>;
export type HouseholdListItem = z.input<typeof householdListItem>;
