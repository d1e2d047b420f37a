import { audit } from '../platform/audit.ts';
import type { Database } from '../platform/database/db.ts';
import { badRequest, notFound } from '../platform/errors.ts';
import { entriesOf } from '../platform/interface/zod.ts';
import { type StaffAct, staffOf } from '../platform/staff-act.ts';
import { findIssuer, type IssuerRow, lockIssuer, upsertIssuer } from './queries.ts';
import { ISSUER_DEFAULTS, type Issuer, issuer as issuerSchema } from './schema.ts';

/**
 * Enters who bills, or changes some of it: what is not given stays as it was. Documents that were issued keep what they say.
 */
export function setIssuer(
  database: Database,
  organization: string,
  given: Partial<Issuer>,
  act: StaffAct,
): Promise<IssuerRow> {
  return database.inOrganization({ organization }, async (connection) => {
    const before = await lockIssuer(connection, organization);
    const wanted = { ...ISSUER_DEFAULTS, ...before, ...given };
    const checked = issuerSchema.safeParse(wanted);
    if (!checked.success) throw badRequest(entriesOf(checked.error.issues, wanted));
    await upsertIssuer(connection, organization, { ...checked.data, updated_at: act.now });
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'issuer.set',
      object_id: organization,
      before: before === undefined ? null : accountOf(before),
      after: accountOf(checked.data),
    });
    const after = await findIssuer(connection, organization);
    if (after === undefined) throw new Error('The issuer was stored and is not there');
    return after;
  });
}

/** Where the money goes is the security setting of it: whoever changes that can take it all. */
function accountOf({ iban, creditor_id }: Pick<Issuer, 'iban' | 'creditor_id'>) {
  return { iban, creditor_id };
}

export async function issuerOf(database: Database, organization: string): Promise<IssuerRow> {
  const found = await database.inOrganization({ organization }, (connection) =>
    findIssuer(connection, organization),
  );
  if (found === undefined) throw notFound();
  return found;
}
