import type { Connection } from '../../../platform/database/db.ts';
import { addDays, berlinDayOf, type CalendarDay } from '../../../platform/time/berlin-calendar.ts';
import { findIssuer, type IssuerRow } from '../../issuers/queries.ts';
import { issuerToBill } from '../../issuers/service.ts';
import type { Draft } from '../calculate/types.ts';
import { BillingRefused } from '../refusal.ts';
import type { WantedDocument } from '../runs/wanted.ts';

/** Credit is paid out within two weeks (§40c(3) EnWG); what is charged is due as the issuer says. */
const PAID_OUT_DAYS = 14;

export function dueOnOf(
  { sums }: Pick<Draft, 'sums'>,
  issuer: Pick<IssuerRow, 'due_days'>,
  now: string,
): CalendarDay {
  return addDays(berlinDayOf(now), sums.total.startsWith('-') ? PAID_OUT_DAYS : issuer.due_days);
}

/** Without a name and an account nobody can be asked to pay. */
export async function issuerOf(
  connection: Connection,
  organization: string,
): Promise<IssuerRow | BillingRefused> {
  return (await findIssuer(connection, organization)) ?? missing(organization);
}

/**
 * The same for new documents. Where the first month was entered or changed since their periods were counted, they are of
 * months that nobody asked for, or have other numbers: the next run counts them anew.
 */
export async function issuerOfWanted(
  connection: Connection,
  organization: string,
  wanted: readonly Pick<WantedDocument, 'billsFrom'>[],
): Promise<IssuerRow | BillingRefused> {
  const issuer = await issuerToBill(connection, organization);
  if (issuer === undefined) return missing(organization);
  if (wanted.every(({ billsFrom }) => billsFrom === issuer.bills_from)) return issuer;
  const detail = `issuers: bills_from became ${issuer.bills_from} while the run went on; the next run goes by it.`;
  return new BillingRefused('missing_issuer', detail);
}

function missing(organization: string): BillingRefused {
  const detail = `issuers: nobody bills for ${organization}; it is entered with "issuers set".`;
  return new BillingRefused('missing_issuer', detail);
}
