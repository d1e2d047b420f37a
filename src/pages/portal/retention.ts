import type { ExpiringRows } from '../../platform/retention.ts';

/** Links, used or not, and sessions: counted from their end. */
export const portalRowsKept: readonly ExpiringRows[] = [
  { table: 'magic_links', key: ['hash'], at: 'expires_at', keptFor: { days: 30 } },
  { table: 'portal_sessions', key: ['hash'], at: 'expires_at', keptFor: { days: 30 } },
];
