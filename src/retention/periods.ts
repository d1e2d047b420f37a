import { DateTime } from 'luxon';

/*
 * How long rows stay (GDPR, Art. 5(1)(e): no longer than the purpose needs). Raw snapshots have a period of their own in
 * the configuration.
 */

export const IDEMPOTENCY_HOURS = 24;
/** Counted from the end of the token's life: long enough to see that a rotated token came back. */
export const DEAD_TOKEN_DAYS = 30;
/** Counted from a key's last signature; its last token is over within 60 minutes. */
export const SIGNING_KEY_HOURS = 24;
/** A sign-in lasts 15 minutes; the codes of the last hour are counted by address. */
export const AUTHORIZATION_REQUEST_HOURS = 2;
/** Wrong one-time codes of the last day are counted by account. */
export const WRONG_CODE_HOURS = 24;
export const JOB_RUN_DAYS = 90;
/** Leads that did not become a contract. */
export const LEAD_MONTHS = 6;
export const AUDIT_MONTHS = 24;

export function before(
  nowMilliseconds: number,
  period: { hours?: number; days?: number; months?: number },
): string {
  return DateTime.fromMillis(nowMilliseconds, { zone: 'utc' }).minus(period).toISO() ?? '';
}
