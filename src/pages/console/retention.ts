import type { ExpiringRows } from '../../platform/retention.ts';

export const consoleRowsKept: readonly ExpiringRows[] = [
  { table: 'console_sessions', key: ['hash'], at: 'expires_at', keptFor: { days: 1 } },
  { table: 'console_forms', key: ['id'], at: 'created_at', keptFor: { days: 1 } },
];
