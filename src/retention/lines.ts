import { auditRowsKept } from '../audit-log/retention.ts';
import { deletedEndpointsKept, deliveriesKept, eventsKept } from '../events/retention.ts';
import { billingPortionsKept, billingRunsKept } from '../invoices/billing/runs/retention.ts';
import { invoicesKept } from '../invoices/retention.ts';
import { leadsKept } from '../leads/retention.ts';
import { loadForecastsKept } from '../load-forecasts/retention.ts';
import { readingsKept } from '../meter-readings/retention.ts';
import { oauthRowsKept, signingKeysKept } from '../oauth/retention.ts';
import { vouchersKept } from '../payments/retention.ts';
import { idempotencyKeysKept } from '../platform/interface/retention.ts';
import { finishedRunsKept } from '../platform/jobs/retention.ts';
import type { ExpiringRows, RowRemoval } from '../platform/retention.ts';
import { portalRowsKept } from '../portal/retention.ts';
import { quarterHoursKept } from '../quarter-hours/retention.ts';
import { snapshotsKept } from '../snapshots/retention.ts';
import { usageDaysKept } from '../usage/retention.ts';

/* What every noun says about how long it keeps what. Nothing else here knows a noun. */

/** Swept organization by organization, as everything in tenant tables is done. */
export const expiringRows: readonly ExpiringRows[] = [
  idempotencyKeysKept,
  ...oauthRowsKept,
  ...portalRowsKept,
  leadsKept,
  deliveriesKept,
  deletedEndpointsKept,
  eventsKept,
  loadForecastsKept,
  billingPortionsKept,
  billingRunsKept,
];

/** Of the whole service. */
export const removals: readonly RowRemoval[] = [signingKeysKept, finishedRunsKept];

/** The periods that an operator may choose. */
export interface RetentionConfig {
  SNAPSHOT_RETENTION_MONTHS: number;
  QUARTER_HOUR_RETENTION_MONTHS: number;
}

/** By the role for maintenance: the service cannot delete there. */
export const maintenanceRemovals: readonly RowRemoval<RetentionConfig>[] = [
  auditRowsKept,
  invoicesKept,
  vouchersKept,
  snapshotsKept,
  quarterHoursKept,
  usageDaysKept,
  readingsKept,
];
