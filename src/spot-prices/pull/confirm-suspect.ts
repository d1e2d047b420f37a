import { zoneOf } from '../calendar.ts';
import type { PriceParts, PullReport } from '../parts.ts';
import { crossCheckDay } from './cross-check.ts';
import { reportOf } from './pull.ts';

/**
 * Asks for a second origin at once where a day is held back: nobody should wait for its prices until the afternoon, nor
 * for ever where the day is long over.
 */
export async function confirmSuspect(
  parts: PriceParts,
  report: PullReport,
  signal?: AbortSignal,
): Promise<PullReport> {
  if (report.outcome !== 'suspect') return report;
  const { deliveryOn, attempts, changed } = report;
  const checked = await crossCheckDay(parts, deliveryOn, signal);
  const all = [...attempts, ...checked.attempts];
  return await reportOf(parts, zoneOf(deliveryOn), deliveryOn, all, changed || checked.changed);
}
