import { sql } from 'kysely';
import type { ExpiringRows } from '../../platform/retention.ts';

/** People who did not sign up. A lead that became a contract belongs to it. */
export const leadsKept: ExpiringRows = {
  table: 'leads',
  key: ['id'],
  at: 'created_at',
  keptFor: { months: 6 },
  also: sql<boolean>`subscription_id IS NULL`,
};
