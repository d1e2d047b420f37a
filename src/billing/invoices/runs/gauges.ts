import { sql } from 'kysely';
import type { Metrics } from '../../../platform/metrics.ts';
import { addDays, berlinDayAt } from '../../../platform/time/berlin-calendar.ts';
import type { BillingDeps } from '../jobs.ts';

/** What is missing is found and entered within a week, mostly. */
const DAYS_BEFORE = 7;

/**
 * Bills that are missing and late, or will be (§40c EnWG), and documents without a deadline that failed by a defect. All of them
 * fall again by themselves when the documents are issued.
 */
export function billingGauges(parts: BillingDeps & { readonly metrics: Metrics }): () => Promise<void> {
  const missing = parts.metrics.gauge(
    'invoices_missing',
    'Documents that are due, could not be made, and are late or within seven days of it, or have no deadline and failed by a defect',
    ['code', 'state'],
  );
  return async () => {
    const today = berlinDayAt(parts.clock.nowMilliseconds());
    const { rows } = await parts.database.asService((connection) =>
      sql<{ code: string; late: number; near: number; undated: number }>`
        SELECT code, late, near, undated
          FROM count_missing_documents(${today}::date, ${addDays(today, DAYS_BEFORE)}::date)`.execute(
        connection,
      ),
    );
    missing.reset();
    for (const { code, ...states } of rows) {
      for (const [state, count] of Object.entries(states)) missing.set({ code, state }, count);
    }
  };
}
