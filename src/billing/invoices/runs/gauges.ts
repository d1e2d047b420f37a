import { sql } from 'kysely';
import type { Metrics } from '../../../platform/metrics.ts';
import { addDays, berlinDayAt } from '../../../platform/time/berlin-calendar.ts';
import type { BillingDeps } from '../jobs.ts';

/** What is missing is found and entered within a week, mostly. */
const DAYS_BEFORE = 7;

/** Bills that are missing and late, or will be (§40c EnWG). Both fall again by themselves when the bills are issued. */
export function billingGauges(parts: BillingDeps & { readonly metrics: Metrics }): () => Promise<void> {
  const missing = parts.metrics.gauge(
    'invoices_missing',
    'Documents that are due, could not be made, and are late or within seven days of it',
    ['code', 'state'],
  );
  return async () => {
    const today = berlinDayAt(parts.clock.nowMilliseconds());
    const { rows } = await parts.database.asService((connection) =>
      sql<{ code: string; late: number; near: number }>`
        SELECT code, late, near
          FROM count_missing_documents(${today}::date, ${addDays(today, DAYS_BEFORE)}::date)`.execute(
        connection,
      ),
    );
    missing.reset();
    for (const { code, late, near } of rows) {
      missing.set({ code, state: 'late' }, late);
      missing.set({ code, state: 'near' }, near);
    }
  };
}
