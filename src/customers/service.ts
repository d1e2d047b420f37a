import type { Connection } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { findCustomer, insertCustomer } from './queries.ts';
import type { Customer, NewCustomer } from './schema.ts';

/** A customer as others show it inside their own answer. */
export async function shownCustomer(
  connection: Connection,
  organization: string,
  id: string,
): Promise<Customer> {
  const row = await findCustomer(connection, organization, id);
  if (row === undefined) throw new Error(`Customer ${id} is referred to and does not exist`);
  /* The schema lets `company_name` through for companies only. */
  return { object: 'customer', ...row } as Customer;
}

/** Creates a customer; an e-mail address belongs to one customer of the organization. */
export async function createCustomer(
  connection: Connection,
  organization: string,
  customer: NewCustomer,
  now: string,
): Promise<string> {
  const id = newId('cus');
  const inserted = await insertCustomer(connection, organization, {
    ...customer,
    vat_id: customer.vat_id ?? null,
    id,
    created_at: now,
    updated_at: now,
  });
  if (inserted === undefined) {
    const message = 'A customer with this e-mail address exists';
    throw conflict([{ code: 'custom', field: 'customer.email', message }]);
  }
  return id;
}
