import { audit } from '../../platform/audit.ts';
import type { Connection, Database } from '../../platform/database/db.ts';
import { badRequest, conflict, notFound } from '../../platform/errors.ts';
import { entriesOf } from '../../platform/interface/zod.ts';
import { type StaffAct, staffOf } from '../../platform/staff-act.ts';
import { berlinDayOf, firstOfMonth } from '../../platform/time/berlin-calendar.ts';
import { findIssuer, hasDocuments, type IssuerRow, lockEntry, lockIssuer, upsertIssuer } from './queries.ts';
import { ISSUER_DEFAULTS, type Issuer, issuer as issuerSchema } from './schema.ts';

/**
 * Enters who bills, or changes some of it: what is not given stays as it was. Documents that were issued keep what they say.
 * Bills begin with the month of the first entry where no other is given: the past may have been billed by another system.
 */
export function setIssuer(
  database: Database,
  organization: string,
  given: Partial<Issuer>,
  act: StaffAct,
): Promise<IssuerRow> {
  return database.inOrganization({ organization }, async (connection) => {
    await lockEntry(connection, organization);
    const before = await lockIssuer(connection, organization);
    const bills_from = firstOfMonth(berlinDayOf(act.now));
    const issuer = { ...ISSUER_DEFAULTS, bills_from, ...before, ...given };
    const checked = issuerSchema.safeParse(issuer);
    if (!checked.success) throw badRequest(entriesOf(checked.error.issues, issuer));
    if (before !== undefined) await refuseOtherBeginning(connection, organization, before, checked.data);
    await upsertIssuer(connection, organization, { ...checked.data, updated_at: act.now });
    await audit(connection, {
      ...staffOf(act, organization),
      act: 'issuer.set',
      object_id: organization,
      before: before === undefined ? null : auditedOf(before),
      after: auditedOf(checked.data),
    });
    const after = await findIssuer(connection, organization);
    if (after === undefined) throw new Error('The issuer was stored and is not there');
    return after;
  });
}

/** The first month makes past months due or takes them out of it. */
async function refuseOtherBeginning(
  connection: Connection,
  organization: string,
  before: IssuerRow,
  { bills_from }: Issuer,
): Promise<void> {
  if (bills_from === before.bills_from || !(await hasDocuments(connection, organization))) return;
  const message =
    `Documents were numbered and periods counted from ${before.bills_from} on: once there are documents ` +
    `it stays, and cannot become ${bills_from}`;
  throw conflict([{ code: 'custom', field: 'bills_from', message }]);
}

/**
 * The account is a security setting: whoever changes it can take all the money. By the first month bills of the past are
 * made that cannot be taken back.
 */
function auditedOf({ iban, creditor_id, bills_from }: Pick<Issuer, 'iban' | 'creditor_id' | 'bills_from'>) {
  return { iban, creditor_id, bills_from };
}

/**
 * Who bills, as documents go by it that are issued in this transaction. Until the first document of the organization the
 * first month may change: the row is held, so that it does not change between the periods and their documents.
 */
export async function issuerToBill(
  connection: Connection,
  organization: string,
): Promise<IssuerRow | undefined> {
  return (await hasDocuments(connection, organization))
    ? await findIssuer(connection, organization)
    : await lockIssuer(connection, organization);
}

export async function issuerOf(database: Database, organization: string): Promise<IssuerRow> {
  const issuer = await database.inOrganization({ organization }, (connection) =>
    findIssuer(connection, organization),
  );
  if (issuer === undefined) throw notFound();
  return issuer;
}
