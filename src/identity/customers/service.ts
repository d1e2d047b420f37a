import type { Connection } from '../../platform/database/db.ts';
import type { Deps } from '../../platform/deps.ts';
import { conflict, notFound } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { pageHandler } from '../../platform/interface/newest-first.ts';
import type { ApiRequest } from '../../platform/interface/route.ts';
import { compiled } from '../../platform/interface/zod.ts';
import { ruleCode } from '../../platform/rule-codes.ts';
import { type CustomerRow, findCustomer, insertCustomer, listCustomers, lockCustomer } from './queries.ts';
import { type Customer, type NewCustomer, newCustomerOrPerson } from './schema.ts';

export const DUPLICATE_CUSTOMER_EMAIL = ruleCode(
  'duplicate_customer_email',
  'A customer has this e-mail address: send its id as `customer`, or one of its households as `household`',
);

export const getCustomers = pageHandler(
  (connection, organization, _customer, list) => listCustomers(connection, organization, list),
  shownCustomerRow,
);

export async function getCustomer(
  { database }: Pick<Deps, 'database'>,
  request: ApiRequest,
): Promise<Customer> {
  const { organization, customer } = request.principal;
  const id = request.pathId;
  if (customer !== undefined && customer !== id) throw notFound();
  const row = await database.inOrganization(request.principal, (connection) =>
    findCustomer(connection, organization, id),
  );
  if (row === undefined) throw notFound();
  return shownCustomerRow(row);
}

/** A customer as others show it inside their own answer. */
export async function shownCustomer(
  connection: Connection,
  organization: string,
  id: string,
): Promise<Customer> {
  const row = await findCustomer(connection, organization, id);
  if (row === undefined) throw new Error(`Customer ${id} is referred to and does not exist`);
  return shownCustomerRow(row);
}

/** The schema lets `company_name` through for companies only. */
export function shownCustomerRow({ erased_at: _, restricted_at: __, ...row }: CustomerRow): Customer {
  return { object: 'customer', ...row } as Customer;
}

export const CUSTOMER_ERASED = 'The customer was erased: nothing new is taken';

const refusedAsErased = (field: string) => conflict([{ code: 'custom', field, message: CUSTOMER_ERASED }]);

/** Who was erased stays erased. `field`: what of the request leads to the customer, who is held. */
export function assertNotErased({ erased_at }: Pick<CustomerRow, 'erased_at'>, field: string): void {
  if (erased_at !== null) throw refusedAsErased(field);
}

/** Asked where something of the customer is held that an erasure holds as well: whoever waited for one comes behind it. */
export async function isCustomerErased(
  connection: Connection,
  organization: string,
  id: string,
): Promise<boolean> {
  const row = await findCustomer(connection, organization, id);
  return row !== undefined && row.erased_at !== null;
}

export async function assertCustomerNotErased(
  connection: Connection,
  organization: string,
  id: string,
  field: string,
): Promise<void> {
  if (await isCustomerErased(connection, organization, id)) throw refusedAsErased(field);
}

/** The customer for this transaction alone; undefined when there is none. */
export async function holdCustomer(
  connection: Connection,
  organization: string,
  id: string,
): Promise<CustomerRow | undefined> {
  return isId(id) ? lockCustomer(connection, organization, id) : undefined;
}

/** Creates the customer of a sign-up, which every version sends in its own form: known fields only are kept. */
export function createSignedUpCustomer(
  connection: Connection,
  organization: string,
  sent: unknown,
  now: string,
): Promise<string> {
  const checked = compiled(newCustomerOrPerson).parse(sent);
  const customer = checked.type === 'company' ? checked : { ...checked, type: 'person' as const };
  return createCustomer(connection, organization, customer, now);
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
    throw conflict([{ code: DUPLICATE_CUSTOMER_EMAIL, field: 'customer.email', message }]);
  }
  return id;
}
