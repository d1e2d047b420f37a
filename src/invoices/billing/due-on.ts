import { findIssuer, type IssuerRow } from '../../issuers/queries.ts';
import type { Connection } from '../../platform/database/db.ts';
import { addDays, berlinDayOf, type CalendarDay } from '../../platform/time/berlin-calendar.ts';
import type { Draft } from '../lines/types.ts';
import { BillingRefused } from '../refusal.ts';

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
  const issuer = await findIssuer(connection, organization);
  if (issuer !== undefined) return issuer;
  const detail = `issuers: nobody bills for ${organization}; it is entered with "issuers set".`;
  return new BillingRefused('missing_issuer', detail);
}
