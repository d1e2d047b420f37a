import type { Connection } from '../platform/db.ts';
import { listHeldPower } from '../snapshots/queries.ts';
import type { SubscriptionRow } from '../subscriptions/queries.ts';
import { QUARTER_HOUR_MILLISECONDS } from './intervals.ts';
import { measuredQuarterHours, missingSpans, type QuarterHour, type Span } from './smart.ts';

/** Quarter hours of a span that are not known yet, from the power at the household's grid connection. */
export async function measuredWhereUnknown(
  connection: Connection,
  organization: string,
  contract: Pick<SubscriptionRow, 'household_id' | 'type'>,
  known: readonly QuarterHour[],
  span: Span,
  mayGoOn: () => void,
): Promise<QuarterHour[]> {
  const measured: QuarterHour[] = [];
  for (const missing of missingSpans(known, span)) {
    mayGoOn();
    /* What held when the span began was sent before it. */
    const from = missing.from - QUARTER_HOUR_MILLISECONDS;
    const rows = await listHeldPower(connection, organization, contract.household_id, { ...missing, from });
    measured.push(...measuredQuarterHours(rows, contract.type, missing));
  }
  return measured;
}
