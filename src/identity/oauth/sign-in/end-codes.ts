import type { Connection } from '../../../platform/database/db.ts';
import { deleteCodesOfAddress, lockCounted } from './one-time-code-queries.ts';
import { addressHash } from './one-time-codes.ts';

/**
 * Ends what was begun with the address of a customer. A person who types a code at this moment is through before, or finds
 * none: both hold the same lock until their transaction ends.
 */
export async function endCodesOf(
  connection: Connection,
  pepper: string,
  { organization, email }: { organization: string; email: string },
): Promise<number> {
  const address_hash = addressHash({ pepper, request: { organization_id: organization } }, email);
  await lockCounted(connection, address_hash);
  return await deleteCodesOfAddress(connection, organization, address_hash);
}
