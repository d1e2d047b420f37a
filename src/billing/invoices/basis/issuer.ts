import type { Connection } from '../../../platform/database/db.ts';
import { findIssuer, type IssuerRow } from '../../issuers/queries.ts';
import { issuerToBill } from '../../issuers/service.ts';
import type { DueDocument } from '../plan/due.ts';
import { BillingRefused } from '../refusal.ts';

/** Without a name and an account nobody can be asked to pay. */
export async function issuerOf(
  connection: Connection,
  organization: string,
): Promise<IssuerRow | BillingRefused> {
  return (await findIssuer(connection, organization)) ?? missing(organization);
}

/**
 * The same for new documents. They are refused if the first month was entered or changed since their periods were counted:
 * they are of months that nobody asked for, or have other numbers. The next run counts them anew.
 */
export async function issuerOfDue(
  connection: Connection,
  organization: string,
  due: readonly Pick<DueDocument, 'billsFrom'>[],
): Promise<IssuerRow | BillingRefused> {
  const issuer = await issuerToBill(connection, organization);
  if (issuer === undefined) return missing(organization);
  if (due.every(({ billsFrom }) => billsFrom === issuer.bills_from)) return issuer;
  const detail = `issuers: bills_from became ${issuer.bills_from} while the run went on; the next run goes by it.`;
  return new BillingRefused('missing_issuer', detail);
}

function missing(organization: string): BillingRefused {
  const detail = `issuers: nobody bills for ${organization}; it is entered with "issuers set".`;
  return new BillingRefused('missing_issuer', detail);
}
