import { audit } from '../../platform/audit.ts';
import type { Database } from '../../platform/database/db.ts';
import { notFound } from '../../platform/errors.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { updateRestricted } from './queries.ts';
import { assertNotErased, holdCustomer } from './service.ts';

/**
 * Restricts the processing of a customer's data (Art. 18 GDPR), or lifts the restriction. What it hides, and from whom, the
 * policies `restriction_for_…` of the tables say. Done again it changes nothing.
 */
export async function setRestriction(
  database: Database,
  { organization, customer: id }: { organization: string; customer: string },
  isRestricted: boolean,
  act: StaffAct,
): Promise<{ customer: string; restricted_at: string | null }> {
  return await database.inOrganization({ organization }, async (connection) => {
    const customer = await holdCustomer(connection, organization, id);
    if (customer === undefined) throw notFound();
    assertNotErased(customer, 'customer');
    const isChanged = (customer.restricted_at !== null) !== isRestricted;
    const restricted_at = isRestricted ? (customer.restricted_at ?? act.now) : null;
    if (isChanged)
      await updateRestricted(connection, organization, id, { restricted_at, updated_at: act.now });
    await audit(connection, {
      ...staffOf(act, organization),
      act: isRestricted ? 'customer.restrict' : 'customer.lift_restriction',
      object_id: id,
      result: isChanged ? 'done' : 'unchanged',
    });
    return { customer: id, restricted_at };
  });
}
