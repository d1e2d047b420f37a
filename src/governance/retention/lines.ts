import { billingPortionsKept, billingRunsKept, invoicesKept } from '../../billing/invoices/retention.ts';
import { vouchersKept } from '../../billing/payments/retention.ts';
import { leadsKept } from '../../contracts/leads/retention.ts';
import { loadForecastsKept } from '../../contracts/load-forecasts/retention.ts';
import { readingsKept } from '../../contracts/meter-readings/retention.ts';
import { usageDaysKept } from '../../contracts/usage/retention.ts';
import {
  deletedEndpointsKept,
  deliveriesKept,
  eventsKept,
  untoldEventsKept,
} from '../../events/retention.ts';
import { oauthRowsKept, signingKeysKept } from '../../identity/oauth/retention.ts';
import { consoleRowsKept } from '../../pages/console/retention.ts';
import { portalRowsKept } from '../../pages/portal/retention.ts';
import {
  idempotencyKeysKept,
  requestLogKept,
  requestMinutesKept,
} from '../../platform/interface/retention.ts';
import { finishedRunsKept } from '../../platform/jobs/retention.ts';
import type { ExpiringRows, RowRemoval } from '../../platform/retention.ts';
import { daysKept, quarterHoursKept } from '../../telemetry/quarter-hours/retention.ts';
import { snapshotsKept } from '../../telemetry/snapshots/retention.ts';
import { auditRowsKept } from '../audit-log/retention.ts';

/* Every noun says in its own file how long it keeps its rows. Only this list names nouns. */

/** Swept organization by organization, as everything in tenant tables is done. */
export const expiringRows: readonly ExpiringRows[] = [
  idempotencyKeysKept,
  ...oauthRowsKept,
  ...portalRowsKept,
  ...consoleRowsKept,
  requestLogKept,
  requestMinutesKept,
  leadsKept,
  ...deliveriesKept,
  untoldEventsKept,
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
  daysKept,
  usageDaysKept,
  readingsKept,
];
