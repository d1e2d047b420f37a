import type { ExpiringRows } from '../retention.ts';

/** So long the same key gets the same answer. */
export const idempotencyKeysKept: ExpiringRows = {
  table: 'idempotency_keys',
  key: ['client_id', 'route', 'key'],
  at: 'created_at',
  keptFor: { hours: 24 },
};
