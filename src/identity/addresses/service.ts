import type { Connection } from '../../platform/database/db.ts';
import { newId } from '../../platform/ids.ts';
import { findAddress, insertAddress, updateAddress } from './queries.ts';
import type { Address, NewAddress } from './schema.ts';

/** An address as others show it inside their own answer. */
export async function shownAddress(
  connection: Connection,
  organization: string,
  id: string,
): Promise<Address> {
  const row = await findAddress(connection, organization, id);
  if (row === undefined) throw new Error(`Address ${id} is referred to and does not exist`);
  return { object: 'address', ...row };
}

/** Creates an address of a customer. Each use has a row of its own, so that changing one changes no other. */
export async function createAddress(
  connection: Connection,
  organization: string,
  customer: string,
  address: NewAddress,
  now: string,
): Promise<string> {
  const id = newId('adr');
  await insertAddress(connection, organization, { ...address, id, customer_id: customer, created_at: now });
  return id;
}

/** Changes an address where it stands; false when it was the same already. */
export function changeAddress(
  connection: Connection,
  organization: string,
  id: string,
  { street, house_number, zip, city }: NewAddress,
): Promise<boolean> {
  return updateAddress(connection, organization, id, { street, house_number, zip, city });
}
